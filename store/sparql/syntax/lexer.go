package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// lexer splits a text into tokens, always the longest possible (SPARQL 1.1, section 19.8,
// note 3).
type lexer struct {
	text string
	off  int // offset of the next token
	pos  Pos // position of off
	// noName is the end of a run of name characters that no colon follows. It saves
	// searching the run for a colon again at each of its words.
	noName int
	// words is the end of a run of keywords and numbers without white space.
	words int
}

// newLexer returns a lexer at the start of text. It skips a byte order mark, which does
// not count as a column.
func newLexer(text string) lexer {
	l := lexer{text: text, pos: Pos{Line: 1, Column: 1}}
	if strings.HasPrefix(text, "\uFEFF") {
		l.off = len("\uFEFF")
	}
	return l
}

// next returns the next token. The error is an *Error.
func (l *lexer) next() (token, error) {
	l.skipSpace()
	if l.off == len(l.text) {
		return token{Pos: l.pos}, nil
	}
	switch c := l.text[l.off]; {
	case isLetter(c) || c >= utf8.RuneSelf:
		return l.word()
	case c == ':':
		return l.prefixedName(0)
	case c == '?' || c == '$':
		return l.variable()
	case c == '_':
		return l.blank()
	case c == '<':
		return l.iri()
	case c == '"' || c == '\'':
		return l.str()
	case c == '@':
		return l.language()
	}
	if datatype, n := rdf.ScanNumber(l.text[l.off:]); n > 0 {
		return l.take(numberKinds[datatype], n, ""), nil
	}
	return l.punctuation()
}

// skipSpace skips white space and comments, which end with their line (section 19.4).
func (l *lexer) skipSpace() {
	i := l.off
	for i < len(l.text) {
		switch c := l.text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '#':
			if n := strings.IndexAny(l.text[i:], "\n\r"); n >= 0 {
				i += n
			} else {
				i = len(l.text)
			}
			continue
		}
		break
	}
	l.advance(i - l.off)
}

// advance moves n bytes forward.
func (l *lexer) advance(n int) {
	l.pos = l.pos.after(l.text[l.off : l.off+n])
	l.off += n
}

// after returns the position after text that begins at p.
func (p Pos) after(text string) Pos {
	if n := strings.Count(text, "\n"); n > 0 {
		p.Line, p.Column = p.Line+n, 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// take returns the token of n bytes at off, and moves past it.
func (l *lexer) take(kind tokenKind, n int, value string) token {
	t := token{Pos: l.pos, kind: kind, text: l.text[l.off : l.off+n], value: value}
	l.advance(n)
	return t
}

// errorf returns an *Error at offset n from off.
func (l *lexer) errorf(n int, format string, args ...any) error {
	at := l.pos.after(l.text[l.off : l.off+n])
	return &Error{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
}

// at returns the byte at offset n from off, or 0 after the end.
func (l *lexer) at(n int) byte {
	if l.off+n < len(l.text) {
		return l.text[l.off+n]
	}
	return 0
}

// punctuation scans an operator or a bracket, or returns an error for a character that begins no
// token.
func (l *lexer) punctuation() (token, error) {
	rest := l.text[l.off:]
	for _, long := range []string{")>>", "&&", "||", "!=", ">=", "^^", ">>", "{|", "|}"} {
		if strings.HasPrefix(rest, long) {
			return l.take(tokenPunctuation, len(long), ""), nil
		}
	}
	switch c := rest[0]; {
	case strings.IndexByte("{}()[].,;*/|^!=>+-~", c) >= 0:
		return l.take(tokenPunctuation, 1, ""), nil
	case c == '\\':
		return token{}, l.strayEscape(0)
	case c == '&':
		return token{}, l.errorf(0, `"&" is not an operator (did you mean &&?)`)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, l.errorf(0, "%s is not allowed here", rdf.DescribeRune(r))
}

// strayEscape returns the error for a "\" at offset n from off that is not allowed there.
func (l *lexer) strayEscape(n int) error {
	if c := l.at(n + 1); c == 'u' || c == 'U' {
		return l.errorf(n, `\u and \U escapes are allowed only in IRIs and strings`)
	}
	return l.errorf(n, `a bad escape: in a name, "\" is allowed only before one of _~.-!$&'()*+,;=/?#@%%`)
}
