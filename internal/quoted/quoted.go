// Package quoted marks the values in our sentences that somebody sent. Without marks, a
// value could continue a sentence with words that look like ours, or hide a part of it.
package quoted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// hidden reports whether a reader sees nothing of a character, apart from line breaks and
// tabs: control and format characters, tags, fillers, and line separators. It reports
// false for format characters that have a shape, such as some Arabic signs, for joiners
// within words, and for selectors after a character that they can change.
func hidden(before, r, after rune) bool {
	const zwnj, zwj = '\u200c', '\u200d'
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
	case r == zwnj, r == zwj:
		return !joins(before) || !joins(after)
	case unicode.Is(unicode.Variation_Selector, r):
		return !varies(before, after)
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joins reports whether a joiner beside a character is within a word. Some emojis are words
// of several signs.
func joins(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk) }

// varies reports whether a variation selector can change how a character looks: it makes a
// sign an emoji, or chooses a form of a letter without case.
func varies(before, after rune) bool {
	const keycap = '\u20e3'
	return after == keycap || before >= utf8.RuneSelf && unicode.In(before, unicode.So, unicode.Sm, unicode.Lo) || strings.ContainsRune("‼⁉〰ℹ", before)
}

// each calls f with each character, and whether it is hidden.
func each(s string, f func(r rune, hidden bool)) {
	before := rune(0)
	for i, r := range s {
		after := rune(0)
		if r >= utf8.RuneSelf {
			_, size := utf8.DecodeRuneInString(s[i:])
			if after, _ = utf8.DecodeRuneInString(s[i+size:]); after == utf8.RuneError {
				after = 0
			}
		}
		f(r, hidden(before, r, after))
		before = r
	}
}

// Hidden returns the first character that Text would make visible, and reports whether
// there is one.
func Hidden(s string) (first rune, found bool) {
	each(s, func(r rune, hidden bool) {
		if hidden && !found {
			first, found = r, true
		}
	})
	return first, found
}

// Text returns a text with its hidden characters made visible, such as ⟨U+200B⟩.
func Text(s string) string {
	if _, found := Hidden(s); !found {
		return s
	}
	var b strings.Builder
	each(s, func(r rune, hidden bool) {
		if hidden {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	})
	return b.String()
}

// Begin and End are the marks around a value in a sentence.
const Begin, End = "“", "”"

// escaped are the characters that a reader may take for the end of a value.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "“", `\“`, "”", `\”`, "„", `\„`, "‟", `\‟`, "«", `\«`, "»", `\»`, "″", `\″`, "＂", `\＂`,
	"\n", "⟨U+000A⟩", "\r", "⟨U+000D⟩", "\t", "⟨U+0009⟩")

// Value returns a value for a sentence: between Begin and End, with quotation marks in it
// after backslashes, and without hidden characters. No value holds an End of its own. The
// marks of JSON, which come in pairs within its brackets, have no backslashes.
func Value(s string) string {
	text := escaped.Replace(Text(s))
	if s != "" && strings.ContainsRune("{[", rune(s[0])) && json.Valid([]byte(s)) {
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	return Begin + text + End
}

// ours are words that our sentences have for people without a name, for several, for their reader, and for segraph.
var ours = []string{"somebody", "someone", "nobody", "no-one", "none", "everybody", "everyone", "anybody", "anyone", "all", "others", "both", "people", "person",
	"you", "we", "us", "they", "them", "he", "she", "it", "unknown", "anonymous", "erased", "segraph", "system"}

// scripts are those of names that are written from left to right. A word of one looks like no word of another.
var scripts = [][]*unicode.RangeTable{{unicode.Latin}, {unicode.Greek}, {unicode.Cyrillic}, {unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}}

// Name returns a name for a sentence: as it is if it can only be a name, otherwise as Value does. A name is a word, or
// two with capital letters, so that it can't go on as our sentence would. Each is of one script that is written from left
// to right, and not a word that we use for people without a name.
func Name(s string) string {
	first, rest, two := strings.Cut(s, " ")
	if s == "" {
		return ""
	}
	unnamed := slices.Contains(ours, strings.ToLower(norm.NFKC.String(s)))
	words := word(first, two, unicode.IsLetter) && (!two || word(rest, true, unicode.IsDigit))
	if unnamed || len(s) > 40 || !words {
		return Value(s)
	}
	return s
}

// word reports whether a word of a name begins with a capital letter or, as the case may be, with another character,
// and has only letters, digits, and signs within.
func word(s string, capital bool, other func(rune) bool) bool {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	small := capital && unicode.IsLetter(first) // or of a script without capitals
	begins := unicode.IsUpper(first) || other(first) && !small
	if !begins || strings.ContainsRune("-_.'", last) {
		return false
	}
	return slices.ContainsFunc(scripts, func(script []*unicode.RangeTable) bool {
		return strings.IndexFunc(s, func(r rune) bool { return !unicode.In(r, script...) && !strings.ContainsRune("0123456789-_.'", r) }) < 0
	})
}

// Part is a part of a sentence: a value with its marks, or what is between values.
type Part struct {
	Text  string
	Value bool
}

// Parts splits a sentence into its values and the texts between them.
func Parts(sentence string) (parts []Part) {
	add := func(text string, value bool) {
		if text != "" {
			parts = append(parts, Part{text, value})
		}
	}
	for {
		begin := strings.Index(sentence, Begin)
		if begin < 0 {
			break
		}
		end := begin + len(Begin)
		for end < len(sentence) && !strings.HasPrefix(sentence[end:], End) {
			if sentence[end] == '\\' {
				end++
			}
			_, size := utf8.DecodeRuneInString(sentence[end:])
			end += size
		}
		end = min(end+len(End), len(sentence))
		add(sentence[:begin], false)
		add(sentence[begin:end], true)
		sentence = sentence[end:]
	}
	add(sentence, false)
	return parts
}

// HTML returns a page with the hidden characters in its texts made visible, also in those
// that browsers show as titles and labels. What a form sends back stays as it is.
func HTML(page []byte) []byte {
	if _, found := Hidden(string(page)); !found {
		return page
	}
	var out bytes.Buffer
	for len(page) > 0 {
		text, rest, tag := bytes.Cut(page, []byte("<"))
		out.WriteString(Text(string(text)))
		if !tag {
			break
		}
		end := bytes.IndexByte(rest, '>') + 1
		if end == 0 {
			end = len(rest)
		}
		if name := nameOf(rest); name == "textarea" || name == "script" || name == "style" {
			if closing := bytes.Index(rest, []byte("</"+name)); closing >= 0 {
				end = closing
			}
			out.WriteByte('<')
			out.Write(rest[:end])
		} else {
			out.WriteString("<" + labels(string(rest[:end])))
		}
		page = rest[end:]
	}
	return out.Bytes()
}

func nameOf(tag []byte) string {
	end := bytes.IndexFunc(tag, func(r rune) bool { return r < 'a' || r > 'z' })
	return string(tag[:max(end, 0)])
}

// labels returns a tag with hidden characters made visible in attributes that are shown.
func labels(tag string) string {
	for _, name := range []string{` title="`, ` aria-label="`, ` alt="`} {
		begin := strings.Index(tag, name)
		if begin < 0 {
			continue
		}
		begin += len(name)
		if length := strings.IndexByte(tag[begin:], '"'); length > 0 {
			tag = tag[:begin] + Text(tag[begin:begin+length]) + tag[begin+length:]
		}
	}
	return tag
}
