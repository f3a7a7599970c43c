package rdfxml

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/segraph/segraph/store/turtle"
)

// place is a line and a column, both from 1.
type place struct{ line, column int }

// part is the part of a document that a character belongs to.
type part uint8

const (
	inText  part = iota
	inOpen       // after "<"
	inTag        // in a tag, outside values
	inValue      // in the value of an attribute
	inEnd        // after the value of an attribute
	inOther      // in a comment, an instruction, CDATA or the document type
)

// scanner splits XML 1.0 into tokens by encoding/xml. The Reader checks that tags match. The
// decoder reads its text from the scanner, byte by byte. So the scanner does first what
// encoding/xml leaves undone: it checks characters, replaces references, makes white space
// in attributes blanks, and bounds each token.
type scanner struct {
	in       *bufio.Reader // of UTF-8
	wide     bool          // the text was UTF-16
	xml      *xml.Decoder
	maxToken int
	inRoot   bool // the root element has begun
	typed    bool // a document type declaration was read
	failed   error

	c     rune         // the last character read
	last  place        // of c
	at    place        // of the current token: of its first character that is not white space
	begun bool         // at is set
	part  part         // after c
	quote rune         // around the value of an attribute
	room  int          // bytes that the token may still have
	attrs int          // of the token
	ready bytes.Buffer // what the decoder reads next

	entities map[string]string
	expanded int
}

// newScanner returns a scanner. It decodes UTF-16 with a byte order mark, and skips that of UTF-8.
func newScanner(r io.Reader, maxToken int) *scanner {
	s := &scanner{maxToken: maxToken, last: place{line: 1},
		entities: map[string]string{"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": `"`}}
	in := bufio.NewReaderSize(r, 1<<15)
	mark, _ := in.Peek(2)
	s.wide = string(mark) == "\xFE\xFF" || string(mark) == "\xFF\xFE"
	s.in = bufio.NewReader(transform.NewReader(in, unicode.BOMOverride(transform.Nop)))
	s.xml = xml.NewDecoder(struct {
		io.Reader
		io.ByteReader
	}{nil, s})
	s.xml.CharsetReader = s.charset
	return s
}

// charset applies the encoding of the XML declaration. UTF-16 was recognized by its byte
// order mark.
func (s *scanner) charset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-16", "us-ascii":
	case "iso-8859-1", "latin1":
		s.in = bufio.NewReader(charmap.ISO8859_1.NewDecoder().Reader(s.in))
	default:
		s.failed = s.errorf("the encoding %q is not supported: use UTF-8", name)
	}
	return in, s.failed
}

// errorf returns a syntax error at the beginning of the current token.
func (s *scanner) errorf(format string, args ...any) error {
	return &turtle.SyntaxError{Line: s.at.line, Column: s.at.column, Msg: fmt.Sprintf(format, args...)}
}

// unexpected returns a syntax error at the last character.
func (s *scanner) unexpected(format string, args ...any) error {
	s.at = s.last
	return s.errorf(format, args...)
}

// next returns the next token, with qualified names in Name.Local. At the end of the text it
// is nil.
func (s *scanner) next() (xml.Token, error) {
	isFirst := s.xml.InputOffset() == 0
	s.room, s.attrs, s.begun = s.maxToken, 0, s.part == inOpen
	if s.begun { // the decoder has read "<" after a text
		s.at = s.last
	} else {
		s.part = inText
	}
	raw, err := s.xml.RawToken()
	var syntax *xml.SyntaxError
	switch {
	case s.failed != nil:
		return nil, s.failed
	case err == io.EOF:
		s.at = place{s.last.line, s.last.column + 1}
		return nil, nil
	case errors.As(err, &syntax):
		return nil, s.unexpected("%s", syntax.Msg)
	case err != nil: // of the XML declaration
		return nil, s.errorf("%v", err)
	}
	switch t := raw.(type) {
	case xml.StartElement:
		s.inRoot = true
		for i := range t.Attr {
			t.Attr[i].Name = qualified(t.Attr[i].Name)
		}
		t.Name = qualified(t.Name)
		return t, nil
	case xml.EndElement:
		t.Name = qualified(t.Name)
		return t, nil
	case xml.Directive:
		if s.inRoot || s.typed {
			return nil, s.errorf("<!DOCTYPE is only allowed once, before the first element")
		}
		s.typed = true
		if err := s.documentType(string(t)); err != nil {
			return nil, err
		}
		return s.next()
	case xml.ProcInst:
		if isFirst && t.Target == "xml" {
			return s.next()
		}
		if strings.EqualFold(t.Target, "xml") {
			return nil, s.errorf("<?xml …?> is only allowed at the beginning of the document")
		}
	}
	return raw, nil
}

// qualified undoes what tag and encoding/xml did to a name.
func qualified(n xml.Name) xml.Name {
	name := n.Local
	if n.Space != "" {
		name = n.Space + ":" + name
	}
	b := make([]byte, 0, len(name))
	for _, c := range name {
		b = append(b, byte(c))
	}
	return xml.Name{Local: string(b)}
}

// ReadByte returns the next byte for encoding/xml.
func (s *scanner) ReadByte() (byte, error) {
	if s.ready.Len() == 0 {
		if err := s.read(); err != nil {
			if err != io.EOF {
				s.failed = err
			}
			return 0, err
		}
	}
	return s.ready.ReadByte()
}

// rune reads the next character. A carriage return, or one with a line feed, becomes a line
// feed (XML 1.0, section 2.11).
func (s *scanner) rune() (rune, error) {
	c, size, err := s.in.ReadRune()
	if err == io.EOF {
		return 0, err
	}
	if err != nil {
		return 0, fmt.Errorf("reading RDF/XML: %w", err)
	}
	if c == '\r' {
		c = '\n'
		if next, err := s.in.Peek(1); err == nil && next[0] == '\n' {
			_, _ = s.in.Discard(1)
		}
	}
	if s.c == '\n' {
		s.last = place{line: s.last.line + 1}
	}
	s.last.column++
	s.c = c
	switch s.room -= size; {
	case s.room < 0:
		return 0, s.unexpected("a text or a piece of markup is longer than %d bytes", s.maxToken)
	case c == utf8.RuneError && (size == 1 || s.wide):
		return 0, s.unexpected("the text is not valid UTF-8 or UTF-16")
	case !isChar(c):
		return 0, s.unexpected("the character U+%04X is not allowed in XML", c)
	}
	return c, nil
}

// read reads the next character or reference into ready.
func (s *scanner) read() error {
	c, err := s.rune()
	if err != nil {
		return err
	}
	if !s.begun && !isSpace(c) {
		s.at, s.begun = s.last, true
	}
	if s.part == inOpen {
		s.room += maxTag
	}
	switch {
	case c == '&' && (s.part == inText || s.part == inValue):
		return s.reference()
	case s.part == inText && c == '<':
		s.part = inOpen
	case s.part == inOpen && (c == '!' || c == '?'):
		s.part = inOther
	case s.part == inOpen, s.part == inTag, s.part == inEnd:
		return s.tag(c)
	case s.part == inValue && c == s.quote:
		s.part = inEnd
	case s.part == inValue && isSpace(c):
		c = ' ' // XML 1.0, section 3.3.3
	}
	_, err = s.ready.WriteRune(c)
	return err
}

// tag reads a character of a tag outside values. encoding/xml has the names of XML 1.0's
// fourth edition. So it gets each byte of a letter beyond ASCII as a letter that it knows.
// Names are checked when they are resolved.
func (s *scanner) tag(c rune) error {
	if s.part == inEnd && !isSpace(c) && c != '/' && c != '>' {
		return s.unexpected("expected white space, > or />, found %q", c)
	}
	s.part = inTag
	if c == '"' || c == '\'' {
		s.part, s.quote = inValue, c
		if s.attrs++; s.attrs > maxAttributes {
			return s.errorf("a tag has more than %d attributes", maxAttributes)
		}
	}
	for _, b := range []byte(string(c)) {
		if b < utf8.RuneSelf {
			s.ready.WriteByte(b)
		} else {
			s.ready.WriteRune(0xAC00 + rune(b))
		}
	}
	return nil
}

// reference reads a reference to a character or an entity after its "&", and replaces it by
// references to characters (XML 1.0, section 4.1).
func (s *scanner) reference() error {
	at, name := s.last, ""
	for {
		c, err := s.rune()
		if err != nil && err != io.EOF {
			return err
		}
		if c == ';' {
			break
		}
		if len(name) > 256 || !isNameChar(c) && c != ':' && c != '#' {
			return s.unexpected("expected a reference that ends with ; (write & as &amp;), found %q", c)
		}
		name += string(c)
	}
	begin := s.at
	s.at = at // of errors
	value, ok := s.entities[name]
	isCharacter := strings.HasPrefix(name, "#")
	if isCharacter {
		value, ok = character(name)
	} else {
		s.expanded += max(0, len(value)-len("&;")-len(name))
	}
	switch {
	case isCharacter && !ok:
		return s.errorf("&#… is not a reference to a character that XML allows")
	case !ok:
		return s.errorf("the entity &%s; is not declared in this document", name)
	case s.expanded > maxExpansion:
		return s.errorf("the document's entities expand to more than %d bytes", maxExpansion)
	}
	for _, c := range value {
		if s.part == inValue && isSpace(c) && !isCharacter {
			c = ' ' // XML 1.0, section 3.3.3
		}
		fmt.Fprintf(&s.ready, "&#%d;", c)
	}
	s.at = begin
	return nil
}

// character returns the character that "#65" or "#x41" refers to.
func character(name string) (string, bool) {
	base, digits := 10, strings.TrimPrefix(name, "#")
	if strings.HasPrefix(digits, "x") {
		base, digits = 16, digits[1:]
	}
	n, err := strconv.ParseUint(digits, base, 31)
	return string(rune(n)), err == nil && isChar(rune(n))
}
