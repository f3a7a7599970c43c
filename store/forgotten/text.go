package forgotten

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// Limits of how much In looks at. An IRI is not found behind them.
const (
	maxForms = 8       // spellings of a text, each with escapes replaced once more
	maxIRI   = 1 << 10 // bytes
	maxEnds  = 32      // where an IRI may end, after one begin
	maxMarks = 4       // punctuation marks after an IRI
)

var (
	escaped  = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[^uU])`) // in JSON, Turtle and SPARQL
	percent  = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	declared = regexp.MustCompile(`(?i)(?:\b(base)|prefix\s+([^\s:]*):)?\s*<([^<>]*)>`)
	prefixed = regexp.MustCompile("([\\pL\\pN_.-]*):([^\\s<>\"{}|^`\\\\]*)")
)

// In reports whether a text contains an IRI that was erased: as it is, with escapes of JSON, Turtle, SPARQL or URLs, relative
// to a base that the text declares, or as a prefixed name whose prefix it declares. In does not find names that are no IRIs:
// in a text, such a name may be a user, a word, or a part of somebody else's IRI.
func (l *List) In(text string) bool {
	if l.Len() == 0 {
		return false
	}
	for form := range forms(text) {
		if l.words(form) != nil || l.relative(form) {
			return true
		}
	}
	return false
}

// forms yields a text, and what it becomes when its backslash escapes, and then its percent escapes, are replaced again
// and again.
func forms(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range maxForms {
			if !yield(text) {
				return
			}
			before := text
			if strings.Contains(text, `\`) {
				text = escaped.ReplaceAllStringFunc(text, unescaped)
			}
			if text == before {
				if text = decoded(text); text == before {
					return
				}
			}
		}
	}
}

// unescaped returns the character of an escape that begins with a backslash.
func unescaped(escape string) string {
	switch escape[1] {
	case 'u', 'U':
		n, _ := strconv.ParseUint(escape[2:], 16, 32) // 4 or 8 hexadecimal digits
		return string(rune(n))
	case 'n', 'r', 't':
		return " "
	}
	return escape[1:]
}

// decoded replaces the percent escapes of a text. Each % that begins none stays.
func decoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	return percent.ReplaceAllStringFunc(text, func(run string) string {
		out := make([]byte, 0, len(run)/3)
		for i := 0; i < len(run); i += 3 {
			b, _ := strconv.ParseUint(run[i+1:i+3], 16, 8) // two hexadecimal digits
			out = append(out, byte(b))
		}
		return string(out)
	})
}

// relative reports whether a text has an IRI that was erased relative to a base, or as a prefixed name.
func (l *List) relative(text string) bool {
	if !strings.Contains(text, "<") {
		return false
	}
	spaces, base := map[string]string{}, rdf.BaseIRI{}
	for _, m := range declared.FindAllStringSubmatch(text, -1) {
		iri, err := base.Resolve(m[3])
		if err != nil {
			continue
		}
		if m[1] != "" {
			base, _ = rdf.ParseBaseIRI(iri) // none if iri can't be one
		} else if m[0][0]|0x20 == 'p' { // prefix, in small letters or not
			spaces[m[2]] = iri
		} else if l.Has(iri) {
			return true
		}
	}
	return len(spaces) > 0 && slices.ContainsFunc(prefixed.FindAllStringSubmatch(text, -1), func(m []string) bool {
		space, is := spaces[m[1]]
		return is && l.starts(space+m[2]) > 0
	})
}

// part is a part of a text, from a byte to before another.
type part struct{ from, to int }

// parts yields the parts of a text between characters that end them.
func parts(text string, ends func(rune) bool) iter.Seq[part] {
	return func(yield func(part) bool) {
		from := 0
		for at, r := range text {
			if !ends(r) {
				continue
			}
			if from < at && !yield(part{from, at}) {
				return
			}
			_, size := utf8.DecodeRuneInString(text[at:])
			from = at + size
		}
		if from < len(text) {
			yield(part{from, len(text)})
		}
	}
}

// noIRI reports whether no IRI has a character.
func noIRI(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"{}|\\^`", r) }

// around reports whether a character may be around an IRI: a bracket, a quotation mark, or a space. Some IRIs have it too.
func around(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune("()[]", r)
	}
	return unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe, unicode.Z)
}

// inScheme reports whether the scheme of an IRI may have a byte.
func inScheme(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || strings.IndexByte("+-.", b) >= 0
}

// mark reports whether a character may be a punctuation mark after an IRI.
func mark(r rune) bool {
	return strings.ContainsRune(".,;:!?)]'*_~", r) || r >= utf8.RuneSelf && unicode.IsPunct(r)
}

// Characters that may end a person's IRI, though an IRI may have them all. List.Of, too, finds an IRI that goes on with a
// character of continues. A character of ends may end an IRI in a text, as in a list or a query string.
const (
	continues = "#/?"
	ends      = "',;&=+"
)

// words returns where a text has IRIs that were erased, ascending. An IRI ends at a character that no IRI may have. It may
// end at one that may be around an IRI, at one of ends, and before punctuation.
func (l *List) words(text string) (found []part) {
	if !strings.Contains(text, l.only) {
		return nil
	}
	for word := range parts(text, noIRI) {
		here := l.word(text, word)
		if here == nil && strings.IndexFunc(text[word.from:word.to], around) >= 0 {
			for p := range parts(text[word.from:word.to], around) {
				here = append(here, l.word(text, part{word.from + p.from, word.from + p.to})...)
			}
		}
		found = append(found, here...)
	}
	return found
}

// word returns where a word of a text has IRIs that were erased.
func (l *List) word(text string, at part) (found []part) {
	for from := at.from; from < at.to; {
		colon := strings.IndexByte(text[from:at.to], ':')
		if colon < 0 {
			return found
		}
		scheme := from + colon
		for from = scheme; from > at.from && inScheme(text[from-1]); {
			from--
		}
		begin := scheme - len(strings.TrimLeft(text[from:scheme], "0123456789+-.")) // a scheme begins with a letter
		from = scheme + 1
		if begin == scheme {
			continue
		}
		if end := l.starts(text[begin:at.to]); end > 0 {
			at.from = begin + end
			found, from = append(found, part{begin, at.from}), at.from
		}
	}
	return found
}

// starts returns how many bytes at the start of a text are an IRI that was erased, or 0. It hashes the text once. An
// end up to the first colon does not count: the list may have names that are no IRIs.
func (l *List) starts(text string) int {
	if !strings.HasPrefix(text, l.only) {
		return 0
	}
	rest := text
	text = text[:min(len(text), maxIRI)]
	l.mu.RLock()
	defer l.mu.RUnlock()
	h, hashed := hmac.New(sha256.New, l.secret), 0
	is := func(end int) bool {
		_, _ = h.Write([]byte(text[hashed:end]))
		hashed = end
		var key sum
		h.Sum(key[:0])
		_, found := l.known[key]
		return found
	}
	for from, n, colon := 0, 0, strings.IndexByte(text, ':'); n < maxEnds; n++ {
		end := len(text)
		if next := strings.IndexAny(text[from:], continues+ends); next >= 0 {
			end = from + next
		}
		for _, cut := range cuts(text[:end]) {
			if cut > max(colon, hashed) && is(cut) {
				return whole(rest, cut)
			}
		}
		if end == len(text) {
			break
		}
		from = end + 1
	}
	return 0
}

// cuts returns where an IRI at the start of a text may end, ascending: before each of the punctuation marks at its end, and
// there.
func cuts(text string) (out []int) {
	for range maxMarks + 1 {
		out = append(out, len(text))
		last, size := utf8.DecodeLastRuneInString(text)
		if !mark(last) {
			break
		}
		text = text[:len(text)-size]
	}
	slices.Reverse(out)
	return out
}

// whole returns the end of the IRI at the start of a text that begins with the first bytes, which are somebody's IRI.
func whole(text string, first int) int {
	if first == len(text) || !strings.Contains(continues, text[first:first+1]) {
		return first
	}
	if next := strings.IndexAny(text[first:], "',;"); next >= 0 {
		text = text[:first+next]
	}
	return max(first, cuts(text)[0])
}

// Blank returns a text without the IRIs that were erased. In their place is what replaces them, or else by.
func (l *List) Blank(text, by string) string {
	if !l.In(text) {
		return text
	}
	var out strings.Builder
	end := 0
	for _, at := range l.words(text) {
		to, _ := l.Of(text[at.from:at.to])
		out.WriteString(text[end:at.from] + cmp.Or(to, by))
		end = at.to
	}
	out.WriteString(text[end:])
	if l.In(out.String()) { // where words finds none: behind escapes, or relative to a base
		return by
	}
	return out.String()
}
