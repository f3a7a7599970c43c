package rdfxml

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/segraph/segraph/store/turtle"
)

// kind is the kind of a token.
type kind uint8

const (
	startTag kind = iota
	endTag
	text
	comment
	instruction // a processing instruction
	endOfText
)

// token is one piece of markup or text.
type token struct {
	kind  kind
	name  string // qualified name of a tag, target of an instruction
	text  string // of a text, comment or instruction
	attrs []attr // of a start tag
	empty bool   // the start tag is also an end tag
}

// attr is an attribute with its value normalized (XML 1.0, section 3.3.3).
type attr struct{ name, value string }

// eof is scanner.c at the end of the text.
const eof = -1

// counter counts the bytes that were read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// scanner splits XML 1.0 into tokens. It checks each token by itself. The Reader checks
// that tags match.
type scanner struct {
	in       *bufio.Reader
	source   *counter
	latin1   bool // the text is ISO-8859-1
	maxToken int

	c            rune // the next character, or eof
	failed       error
	line, column int // of c
	at           struct{ line, column int }

	begun    bool // something precedes c
	typed    bool // a document type declaration precedes c
	inRoot   bool // the root element has begun
	entities map[string]string
	expanded int
	buf      []byte
}

// newScanner returns a scanner. It decodes UTF-16 with a byte order mark, and skips that of UTF-8.
func newScanner(r io.Reader, maxToken int) *scanner {
	source := &counter{Reader: r}
	in := bufio.NewReaderSize(source, 1<<15)
	switch b, _ := in.Peek(3); {
	case len(b) > 1 && b[0] == 0xFE && b[1] == 0xFF:
		_, _ = in.Discard(2)
		in = bufio.NewReader(&wide{in, binary.BigEndian})
	case len(b) > 1 && b[0] == 0xFF && b[1] == 0xFE:
		_, _ = in.Discard(2)
		in = bufio.NewReader(&wide{in, binary.LittleEndian})
	case len(b) > 2 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF:
		_, _ = in.Discard(3)
	}
	s := &scanner{in: in, source: source, maxToken: maxToken, line: 1,
		entities: map[string]string{"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": `"`}}
	s.advance()
	return s
}

// errorf returns a syntax error at the beginning of the current token.
func (s *scanner) errorf(format string, args ...any) error {
	if s.failed != nil {
		return s.failed
	}
	return &turtle.SyntaxError{Line: s.at.line, Column: s.at.column, Msg: fmt.Sprintf(format, args...)}
}

// here sets the position of later errors to that of c.
func (s *scanner) here() { s.at.line, s.at.column = s.line, s.column }

// unexpected returns an error at c.
func (s *scanner) unexpected(want string) error {
	s.here()
	if s.c == eof {
		return s.errorf("expected %s, found the end of the document", want)
	}
	return s.errorf("expected %s, found %q", want, s.c)
}

// advance reads the next character into c. A carriage return, or one with a line feed,
// becomes a line feed (XML 1.0, section 2.11). If that fails, c is eof and failed is set.
func (s *scanner) advance() {
	if s.c == '\n' {
		s.line, s.column = s.line+1, 0
	}
	s.column++
	c, err := s.rune()
	if c == '\r' && err == nil {
		c = '\n'
		if next, err := s.in.Peek(1); err == nil && next[0] == '\n' {
			_, _ = s.in.Discard(1)
		}
	}
	switch {
	case err == io.EOF:
		c = eof
	case err != nil:
		s.c, s.failed = eof, err
		return
	case !isChar(c):
		s.here()
		s.failed = s.errorf("the character U+%04X is not allowed in XML", c)
		c = eof
	}
	s.c = c
}

// rune reads a character of UTF-8, or of Latin-1 if the text declares that.
func (s *scanner) rune() (rune, error) {
	if s.latin1 {
		b, err := s.in.ReadByte()
		return rune(b), wrap(err)
	}
	c, size, err := s.in.ReadRune()
	if c == utf8.RuneError && size == 1 && err == nil {
		s.here()
		return 0, s.errorf("the text is not valid UTF-8 or UTF-16")
	}
	return c, wrap(err)
}

// wrap wraps an error of the underlying reader, to say that it occurred while reading
// RDF/XML.
func wrap(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("reading RDF/XML: %w", err)
}

// isChar reports whether XML 1.0 allows a character (section 2.2).
func isChar(c rune) bool {
	return c >= ' ' && c <= 0xD7FF || c == '\t' || c == '\n' || c == '\r' || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000 && c <= utf8.MaxRune
}

func isSpace(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// next returns the next token. At the end of the text its kind is endOfText.
func (s *scanner) next() (token, error) {
	s.here()
	if s.failed != nil {
		return token{}, s.failed
	}
	first := !s.begun
	s.begun = true
	if s.c == eof {
		return token{kind: endOfText}, nil
	}
	if s.c != '<' {
		t, err := s.text()
		return token{kind: text, text: t}, err
	}
	switch s.advance(); s.c {
	case '/':
		s.advance()
		name, err := s.name()
		if err != nil {
			return token{}, err
		}
		s.space()
		return token{kind: endTag, name: name}, s.expect('>')
	case '?':
		s.advance()
		return s.instruction(first)
	case '!':
		s.advance()
		return s.declaration()
	}
	s.inRoot = true
	return s.startTag()
}

// expect consumes a character.
func (s *scanner) expect(c rune) error {
	if s.c != c {
		return s.unexpected(fmt.Sprintf("%q", c))
	}
	s.advance()
	return s.failed
}

// word consumes a fixed text.
func (s *scanner) word(w string) error {
	for _, c := range w {
		if s.c != c {
			return s.unexpected(fmt.Sprintf("%q", w))
		}
		s.advance()
	}
	return s.failed
}

// space skips white space and reports whether there was any.
func (s *scanner) space() bool {
	found := false
	for isSpace(s.c) {
		s.advance()
		found = true
	}
	return found
}

// add appends a character to buf.
func (s *scanner) add(c rune) error {
	if len(s.buf) >= s.maxToken {
		return s.errorf("a text or attribute is longer than %d bytes", s.maxToken)
	}
	s.buf = utf8.AppendRune(s.buf, c)
	return nil
}

// name consumes a qualified name.
func (s *scanner) name() (string, error) {
	s.buf = s.buf[:0]
	if !isNameStart(s.c) && s.c != ':' {
		return "", s.unexpected("a name")
	}
	for isNameChar(s.c) || s.c == ':' {
		if err := s.add(s.c); err != nil {
			return "", err
		}
		s.advance()
	}
	return string(s.buf), s.failed
}

// text consumes the characters up to the next markup. Its position is that of the first one that is not white space.
func (s *scanner) text() (string, error) {
	s.buf = s.buf[:0]
	for isSpace(s.c) {
		if err := s.add(s.c); err != nil {
			return "", err
		}
		s.advance()
	}
	s.here()
	at, written := s.at, 0 // written is where what stands as it is in the text begins in s.buf
	for s.c != '<' && s.c != eof {
		var err error
		if s.c == '&' {
			err = s.reference(false)
			written = len(s.buf)
		} else {
			if s.c == '>' && bytes.HasSuffix(s.buf[written:], []byte("]]")) {
				s.here()
				return "", s.errorf("text contains ]]>: write ]]&gt;")
			}
			err = s.add(s.c)
			s.advance()
		}
		if err != nil {
			return "", err
		}
	}
	s.at = at
	return string(s.buf), s.failed
}

// attrSize is about how many bytes an attribute takes in memory besides its name and value.
const attrSize = 64

// startTag consumes the rest of a start tag. Its attributes are in memory together. They may take as much as the longest
// one may, and maxProperties bytes besides.
func (s *scanner) startTag() (t token, err error) {
	t.kind = startTag
	size, most := 0, s.maxToken+maxProperties
	if t.name, err = s.name(); err != nil {
		return t, err
	}
	for {
		spaced := s.space()
		switch {
		case s.c == '>':
			s.advance()
			return t, s.failed
		case s.c == '/':
			s.advance()
			t.empty = true
			return t, s.expect('>')
		case !spaced:
			return t, s.unexpected("white space, > or />")
		}
		a := attr{}
		if a.name, err = s.name(); err != nil {
			return t, err
		}
		s.space()
		if err = s.expect('='); err != nil {
			return t, err
		}
		s.space()
		if a.value, err = s.quoted(); err != nil {
			return t, err
		}
		if size += len(a.name) + len(a.value) + attrSize; size > most {
			return t, s.errorf("the attributes of one element take more than %d bytes in total, with %d for each besides its text", most, attrSize)
		}
		t.attrs = append(t.attrs, a)
	}
}

// quoted consumes the value of an attribute.
func (s *scanner) quoted() (string, error) {
	quote := s.c
	if quote != '"' && quote != '\'' {
		return "", s.unexpected("a quoted value")
	}
	s.buf = s.buf[:0]
	for s.advance(); s.c != quote; {
		var err error
		switch {
		case s.c == '<' || s.c == eof:
			return "", s.unexpected("the end of the attribute's value")
		case s.c == '&':
			err = s.reference(true)
		case isSpace(s.c):
			err = s.add(' ')
			s.advance()
		default:
			err = s.add(s.c)
			s.advance()
		}
		if err != nil {
			return "", err
		}
	}
	s.advance()
	return string(s.buf), s.failed
}
