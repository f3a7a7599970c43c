package forgotten

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\/`, `/`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // of JSON
	declared = regexp.MustCompile(`(?i)prefix\s+([^\s:]*):\s*<([^<>]*)>`)
	prefixed = regexp.MustCompile(`([\pL\pN_.-]*):([\pL\pN_:.%-]*)`)
)

// In reports whether a text contains an IRI that was erased: as it is, in JSON, or as a prefixed name whose prefix the
// text declares.
func (l *List) In(text string) bool {
	if l.Len() == 0 {
		return false
	}
	if strings.Contains(text, `\`) {
		text = unescape.Replace(text)
	}
	if l.words(text) != nil {
		return true
	}
	spaces := map[string]string{}
	if strings.Contains(text, "<") {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			spaces[m[1]] = m[2]
		}
	}
	if len(spaces) == 0 {
		return false
	}
	return slices.ContainsFunc(prefixed.FindAllStringSubmatch(text, -1), func(m []string) bool {
		space, is := spaces[m[1]]
		_, found := l.Of(space + strings.TrimRight(m[2], "."))
		return is && found
	})
}

// maxMarks is how many punctuation marks after an IRI are looked through.
const maxMarks = 4

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

// before reports whether a character may be directly before an IRI: its scheme can't have it.
func before(r rune) bool {
	return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r))
}

// mark reports whether a character may be a punctuation mark after an IRI.
func mark(r rune) bool {
	return strings.ContainsRune(".,;:!?)]'*_~", r) || r >= utf8.RuneSelf && unicode.IsPunct(r)
}

// words returns where a text has IRIs that were erased, ascending. An IRI ends at characters that none may have, may end at
// those that may be around it, and before punctuation.
func (l *List) words(text string) (found []part) {
	for word := range parts(text, noIRI) {
		if at, is := l.word(text, word); is {
			found = append(found, at)
			continue
		}
		if strings.IndexFunc(text[word.from:word.to], around) < 0 {
			continue
		}
		for p := range parts(text[word.from:word.to], around) {
			if at, is := l.word(text, part{word.from + p.from, word.from + p.to}); is {
				found = append(found, at)
			}
		}
	}
	return found
}

// word returns where a word of a text has an IRI that was erased.
func (l *List) word(text string, at part) (part, bool) {
	word := text[at.from:at.to]
	colon := strings.IndexByte(word, ':')
	if colon < 0 {
		return at, false
	}
	scheme := len(strings.TrimRightFunc(word[:colon], func(r rune) bool { return !before(r) }))
	word = strings.TrimLeft(word[scheme:], "0123456789+-.")
	at.from = at.to - len(word)
	for n := 0; n <= maxMarks && strings.Contains(word, ":"); n++ {
		if _, is := l.Of(word); is {
			return part{at.from, at.from + len(word)}, true
		}
		last, size := utf8.DecodeLastRuneInString(word)
		if !mark(last) {
			break
		}
		word = word[:len(word)-size]
	}
	return at, false
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
	if out.WriteString(text[end:]); l.In(out.String()) {
		return by
	}
	return out.String()
}
