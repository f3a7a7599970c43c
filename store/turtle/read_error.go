package turtle

import (
	"fmt"
	"unicode/utf8"
)

// maxFound is how many bytes of the text an error quotes.
const maxFound = 40

// unexpected returns the error that want was expected at pos, and something else found.
func (r *Reader) unexpected(want string) error {
	return r.errorf(0, "expected %s, found %s", want, r.found())
}

// strayWord is unexpected where what was found is a word, already taken.
func (r *Reader) strayWord(want string, word []byte) error {
	hint := ""
	if word[0] != '@' {
		hint = " (a prefixed name has a colon)"
	}
	return r.errorf(r.start-r.pos, "expected %s, found %q%s", want, shorten(word), hint)
}

// found names what stands at pos.
func (r *Reader) found() string {
	// An error that comes up here belongs to text further on; this one is first.
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
		return describe(first)
	}
	return fmt.Sprintf("%q", shorten(b[:n]))
}

// isWordByte tells what words are made of, in a wide sense: what a reader of the error
// will see as one thing.
func isWordByte(c byte) bool {
	return charClass[c]&localChar != 0 || c == '@' || c == '.' || c == '+' || c >= utf8.RuneSelf
}

// shorten cuts a long word at the end of a character.
func shorten(word []byte) []byte { return shortenTo(word, maxFound) }

// shortenTo is shorten for a word that may have up to most bytes.
func shortenTo(word []byte, most int) []byte {
	if len(word) < most {
		return word
	}
	n := most - 3
	for !utf8.RuneStart(word[n]) {
		n--
	}
	return append(word[:n:n], "..."...)
}
