package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// lexer cuts a text into tokens, the longest that fits each time (SPARQL 1.1, section 19.8,
// note 3).
type lexer struct {
	text string
	off  int // of what comes next
	pos  Pos // of off
	// noName is where a run of name characters ends that no colon follows, so that a text
	// of many words is not searched for it again at each of them.
	noName int
	// words is where a run of keywords and numbers ends that no white space parts.
	words int
}

// newLexer begins at the start of text, behind a byte order mark: nobody who wrote one
// sees it.
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
	case l.startsNumber():
		return l.number(), nil
	}
	return l.punctuation()
}

// skipSpace skips white space and comments (section 19.4: a comment goes to the end of
// its line).
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

// advance goes n bytes on.
func (l *lexer) advance(n int) {
	l.pos = l.pos.after(l.text[l.off : l.off+n])
	l.off += n
}

// after returns the place behind text that begins at p.
func (p Pos) after(text string) Pos {
	if n := strings.Count(text, "\n"); n > 0 {
		p.Line, p.Column = p.Line+n, 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// take returns the token that is n bytes long.
func (l *lexer) take(kind tokenKind, n int, value string) token {
	t := token{Pos: l.pos, kind: kind, text: l.text[l.off : l.off+n], value: value}
	l.advance(n)
	return t
}

// errorf is an error n bytes behind off.
func (l *lexer) errorf(n int, format string, args ...any) error {
	at := l.pos.after(l.text[l.off : l.off+n])
	return &Error{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
}

// at returns the byte n behind off, and 0 behind the end.
func (l *lexer) at(n int) byte {
	if l.off+n < len(l.text) {
		return l.text[l.off+n]
	}
	return 0
}

func (l *lexer) punctuation() (token, error) {
	rest := l.text[l.off:]
	for _, two := range []string{"&&", "||", "!=", ">=", "^^"} {
		if strings.HasPrefix(rest, two) {
			return l.take(tokenPunctuation, 2, ""), nil
		}
	}
	switch c := rest[0]; {
	case strings.IndexByte("{}()[].,;*/|^!=>+-", c) >= 0:
		return l.take(tokenPunctuation, 1, ""), nil
	case c == '\\':
		return token{}, l.strayEscape(0)
	case c == '~':
		return token{}, l.errorf(0, `"~" begins a reifier, which is of triple terms (RDF 1.2): they are not supported`)
	case c == '&':
		return token{}, l.errorf(0, `"&" alone means nothing (did you mean &&?)`)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, l.errorf(0, "%s begins nothing that a query may hold", describeRune(r))
}

// strayEscape returns the error for a "\" n bytes behind off that may not stand there.
func (l *lexer) strayEscape(n int) error {
	if c := l.at(n + 1); c == 'u' || c == 'U' {
		return l.errorf(n, `\u and \U escapes stand in IRIs and strings alone`)
	}
	return l.errorf(n, `a bad escape: in a name, "\" may stand before one of _~.-!$&'()*+,;=/?#@%% alone`)
}
