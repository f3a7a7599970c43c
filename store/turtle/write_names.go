package turtle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// shortener writes IRIs as prefixed names. The prefixes that can fit an IRI are found by
// what the IRI is up to its last "#", "/" or ":", which few IRIs differ in, so that
// no term costs a walk over all prefixes.
type shortener struct {
	prefixes []Prefix // those that count, in the order to declare them in
	recent   [64]nearby
	nearby   map[string][]Prefix
}

// nearby are the prefixes, longest namespace first, that an IRI may have which begins
// with start and goes on without "#", "/" and ":".
type nearby struct {
	start    string
	prefixes []Prefix
}

// maxNearby bounds the memory for data that has a namespace of its own for every term.
const maxNearby = 4096

// newShortener checks the prefixes. Of two with the same label the last one counts.
func newShortener(prefixes []Prefix) (*shortener, error) {
	s := &shortener{nearby: make(map[string][]Prefix)}
	for i, p := range prefixes {
		if !isPrefixLabel(p.Label) {
			return nil, fmt.Errorf("%q can't be the label of a prefix", p.Label)
		}
		if err := CheckIRI(p.Namespace); err != nil {
			return nil, fmt.Errorf("prefix %s: %w", p.Label, err)
		}
		again := func(q Prefix) bool { return q.Label == p.Label }
		if !slices.ContainsFunc(prefixes[i+1:], again) {
			s.prefixes = append(s.prefixes, p)
		}
	}
	return s, nil
}

// append appends iri as a prefixed name, if there is one for it.
func (s *shortener) append(b []byte, iri string) ([]byte, bool) {
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
		if short, ok := appendLocal(short, iri[len(p.Namespace):]); ok {
			return short, true
		}
	}
	return b, false
}

// near finds the prefixes for IRIs that begin with start. It is never nil.
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
// characters that want it. It refuses what the grammar has no way for, and more: "/", "#"
// and "?", since a name across such a border reads worse than the IRI, and a "." at the
// end, which not every reader takes there with its "\".
func appendLocal(b []byte, s string) ([]byte, bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case charClass[c]&localChar != 0 && (i > 0 || c != '-'):
			b = append(b, c)
		case c == '.' && 0 < i && i < len(s)-1:
			b = append(b, c)
		case c == '%' && i+2 < len(s) && hexValue(s[i+1]) >= 0 && hexValue(s[i+2]) >= 0:
			b = append(b, c) // %HH stands for itself
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || !isNameStart(r) && (i == 0 || !isNameChar(r)) {
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

// isName reports whether s begins with a character of the class start, or a letter beyond
// ASCII, and goes on as a PN_PREFIX and a BLANK_NODE_LABEL do: (PN_CHARS | ".")*
// PN_CHARS.
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
			ok = isNameStart(r)
		case r < utf8.RuneSelf:
			ok = r == '.' || charClass[r]&nameChar != 0
		default:
			ok = isNameChar(r)
		}
		if !ok {
			return false
		}
	}
	return true
}

// CheckIRI returns an error if a reader could not read iri back from "<iri>". Characters
// that an IRI can't contain can't be escaped either.
func CheckIRI(iri string) error {
	ascii := true
	for i := range len(iri) {
		if charClass[iri[i]]&iriChar == 0 {
			return fmt.Errorf("the IRI %.80q holds %s, which no IRI can", iri, describe(rune(iri[i])))
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
