package turtle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// shortener writes IRIs as prefixed names. It finds the prefixes that may fit an IRI by
// its part up to the last "#", "/" or ":". Few IRIs differ in that part, so most terms
// need no search through all prefixes.
type shortener struct {
	prefixes []Prefix // without overridden ones, in order of declaration
	recent   [64]nearby
	nearby   map[string][]Prefix
}

// nearby holds the prefixes, longest namespace first, for IRIs that begin with start and
// have no "#", "/" or ":" after it.
type nearby struct {
	start    string
	prefixes []Prefix
}

// maxNearby bounds the memory for data in which every term has its own namespace.
const maxNearby = 4096

// newShortener returns a shortener with the prefixes that Turtle can declare. If a label is repeated, its last prefix counts.
func newShortener(prefixes []Prefix) *shortener {
	s := &shortener{nearby: make(map[string][]Prefix)}
	for i, p := range prefixes {
		again := func(q Prefix) bool { return q.Label == p.Label }
		if p.Declarable() && !slices.ContainsFunc(prefixes[i+1:], again) {
			s.prefixes = append(s.prefixes, p)
		}
	}
	return s
}

// append appends iri as a prefixed name. ok is false, and all is b, if no prefix fits, or if the name is so short for its
// IRI that a Reader could refuse a document with many such names (see Excess).
func (s *shortener) append(b []byte, iri string) (all []byte, ok bool) {
	cut := len(iri)
	for cut > 0 && iri[cut-1] != '#' && iri[cut-1] != '/' && iri[cut-1] != ':' {
		cut--
	}
	near := &s.recent[cut%len(s.recent)]
	if near.start != iri[:cut] || near.prefixes == nil {
		near.start, near.prefixes = iri[:cut], s.near(iri[:cut])
	}
	for i := range near.prefixes {
		p := &near.prefixes[i]
		if !strings.HasPrefix(iri, p.Namespace) {
			continue
		}
		short := append(append(b, p.Label...), ':')
		if short, ok := appendLocal(short, iri[len(p.Namespace):]); ok && allows(len(short)-len(b), len(iri)) {
			return short, true
		}
	}
	return b, false
}

// near returns the prefixes for IRIs that begin with start. The result is never nil.
func (s *shortener) near(start string) []Prefix {
	if found, ok := s.nearby[start]; ok {
		return found
	}
	found := []Prefix{}
	for _, p := range s.prefixes {
		if strings.HasPrefix(start, p.Namespace) || strings.HasPrefix(p.Namespace, start) {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(p, q Prefix) int { return len(q.Namespace) - len(p.Namespace) })
	if len(s.nearby) >= maxNearby {
		clear(s.nearby)
	}
	s.nearby[start] = found
	return found
}

// appendLocal appends s as a PN_LOCAL (RDF 1.1 Turtle, section 6.5), with "\" before
// characters that need it. ok is false if the grammar does not allow s; if s has "/", "#"
// or "?", with which it would be less readable than the IRI; and if s ends in ".", which
// not every reader accepts even with "\".
func appendLocal(b []byte, s string) (all []byte, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case charClass[c]&localChar != 0 && (i > 0 || c != '-'):
			b = append(b, c)
		case c == '.' && 0 < i && i < len(s)-1:
			b = append(b, c)
		case c == '%' && i+2 < len(s) && rdf.HexValue(s[i+1]) >= 0 && rdf.HexValue(s[i+2]) >= 0:
			b = append(b, c) // %HH is literal
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			isUTF8 := r != utf8.RuneError || size > 1
			allowed := rdf.IsNameStart(r) || i > 0 && rdf.IsNameChar(r)
			if !isUTF8 || !allowed {
				return b, false
			}
			b = append(b, s[i:i+size]...)
			i += size - 1
		case c == '/' || c == '#' || c == '?' || c == '.' && i > 0 || charClass[c]&localEscapable == 0:
			return b, false
		default:
			b = append(b, '\\', c)
		}
	}
	return b, true
}

// isPrefixLabel reports whether s is a PN_PREFIX or empty.
func isPrefixLabel(s string) bool { return s == "" || isName(s, nameStart) }

// isName reports whether s begins with a character of the class start or a non-ASCII
// letter, and continues as PN_PREFIX and BLANK_NODE_LABEL do: (PN_CHARS | ".")* PN_CHARS.
func isName(s string, start uint8) bool {
	if s == "" || s[len(s)-1] == '.' || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		var ok bool
		switch {
		case i == 0 && r < utf8.RuneSelf:
			ok = charClass[r]&start != 0
		case i == 0:
			ok = rdf.IsNameStart(r)
		case r < utf8.RuneSelf:
			ok = r == '.' || charClass[r]&nameChar != 0
		default:
			ok = rdf.IsNameChar(r)
		}
		if !ok {
			return false
		}
	}
	return true
}

// CheckIRI returns an error if a reader could not read iri back from "<iri>". Escaping
// does not help: an IRI can't contain excluded characters even escaped.
func CheckIRI(iri string) error {
	ascii := true
	for i := range len(iri) {
		if charClass[iri[i]]&iriChar == 0 {
			return fmt.Errorf("the IRI %.80q contains %s, which is not allowed in an IRI", iri, rdf.DescribeRune(rune(iri[i])))
		}
		ascii = ascii && iri[i] < utf8.RuneSelf
	}
	if !ascii && !utf8.ValidString(iri) {
		return fmt.Errorf("the IRI %.80q is not UTF-8", iri)
	}
	if !rdf.IsAbsoluteIRI(iri) {
		return fmt.Errorf("the IRI %.80q is not absolute: it has no scheme such as http", iri)
	}
	return nil
}
