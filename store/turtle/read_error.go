package turtle

import (
	"fmt"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// maxFound limits the bytes of text that an error quotes.
const maxFound = 40

// unexpected returns an error that want was expected at pos and something else found.
func (r *Reader) unexpected(want string) error {
	return r.errorf(0, "expected %s, found %s", want, r.found())
}

// strayWord returns an error that want was expected, and a word found that was already
// read.
func (r *Reader) strayWord(want string, word []byte) error {
	hint := ""
	if word[0] != '@' {
		hint = " (a prefixed name has a colon)"
	}
	return r.errorf(r.start-r.pos, "expected %s, found %q%s", want, shorten(word), hint)
}

// found describes the text at pos.
func (r *Reader) found() string {
	// Ignore errors here: they are about later text.
	n := 0
	for n < maxFound {
		c, err := r.peek(n)
		if err != nil || r.pos+n >= r.end || !isWordByte(c) {
			break
		}
		n++
	}
	if r.pos == r.end {
		return "the end of the text"
	}
	b := r.buf[r.pos:r.end]
	switch first, _ := utf8.DecodeRune(b); {
	case first == '"' || first == '\'':
		return "a string"
	case first == '<':
		return "an IRI"
	case n == 0:
		return rdf.DescribeRune(first)
	}
	return fmt.Sprintf("%q", shorten(b[:n]))
}

// isWordByte reports whether c may be part of what people read as one word in an
// error message. It accepts more than the grammar does.
func isWordByte(c byte) bool {
	return charClass[c]&localChar != 0 || c == '@' || c == '.' || c == '+' || c >= utf8.RuneSelf
}

// shorten cuts a long word at a character boundary.
func shorten(word []byte) []byte { return shortenTo(word, maxFound) }

// shortenTo cuts a word to fewer than limit bytes, at a character boundary.
func shortenTo(word []byte, limit int) []byte {
	if len(word) < limit {
		return word
	}
	n := limit - 3
	for !utf8.RuneStart(word[n]) {
		n--
	}
	return append(word[:n:n], "..."...)
}
