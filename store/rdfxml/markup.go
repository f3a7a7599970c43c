package rdfxml

import (
	"strconv"
	"strings"
)

// reference consumes a reference to a character or an entity, and appends the text that
// replaces it to buf (XML 1.0, section 4.1). inAttribute says that spaces of an entity become " ".
func (s *scanner) reference(inAttribute bool) error {
	s.here()
	s.advance()
	if s.c == '#' {
		c, err := s.character()
		if err != nil {
			return err
		}
		return s.add(c)
	}
	kept := len(s.buf)
	for isNameChar(s.c) && len(s.buf)-kept < 256 { // a longer name is refused below
		if err := s.add(s.c); err != nil {
			return err
		}
		s.advance()
	}
	name := string(s.buf[kept:])
	s.buf = s.buf[:kept]
	if s.c != ';' {
		return s.unexpected("a reference that ends with ; (write & as &amp;)")
	}
	s.advance()
	value, ok := s.entities[name]
	if !ok {
		return s.errorf("the entity &%s; is not declared in this document", name)
	}
	if s.expanded += max(0, len(value)-len("&;")-len(name)); s.expanded > maxExpansion {
		return s.errorf("the document's entities expand to more than %d bytes", maxExpansion)
	}
	for _, c := range value {
		if inAttribute && isSpace(c) {
			c = ' ' // XML 1.0, section 3.3.3
		}
		if err := s.add(c); err != nil {
			return err
		}
	}
	return s.failed
}

// character consumes a character reference after its "&".
func (s *scanner) character() (rune, error) {
	base, digits := 10, ""
	if s.advance(); s.c == 'x' {
		base = 16
		s.advance()
	}
	for s.c != ';' && s.c != eof && len(digits) < 8 {
		digits += string(s.c)
		s.advance()
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || s.c != ';' || !isChar(rune(n)) {
		return 0, s.errorf("&#… is not a reference to a character that XML allows")
	}
	s.advance()
	return rune(n), s.failed
}

// until consumes the text up to an end mark, and the mark.
func (s *scanner) until(end, what string) (string, error) {
	s.buf = s.buf[:0]
	for s.c != eof {
		if err := s.add(s.c); err != nil {
			return "", err
		}
		s.advance()
		if n := len(s.buf) - len(end); n >= 0 && string(s.buf[n:]) == end {
			return string(s.buf[:n]), s.failed
		}
	}
	return "", s.errorf("%s does not end", what)
}

// instruction consumes a processing instruction or, if first says that the text begins here,
// the XML declaration.
func (s *scanner) instruction(first bool) (token, error) {
	target, err := s.name()
	if err != nil {
		return token{}, err
	}
	s.space()
	data, err := s.until("?>", "the processing instruction")
	if err != nil || !strings.EqualFold(target, "xml") {
		return token{kind: instruction, name: target, text: data}, err
	}
	if !first || target != "xml" {
		return token{}, s.errorf("<?xml …?> is only allowed at the beginning of the document")
	}
	if err := s.encoding(data); err != nil {
		return token{}, err
	}
	return s.next()
}

// encoding applies the encoding of the XML declaration. UTF-16 was recognized by its byte
// order mark.
func (s *scanner) encoding(declaration string) error {
	_, rest, ok := strings.Cut(declaration, "encoding")
	if !ok {
		return nil
	}
	name := strings.Trim(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "=")), `"'`)
	if end := strings.IndexAny(name, "\"' "); end >= 0 {
		name = name[:end]
	}
	switch strings.ToLower(name) {
	case "utf-8", "utf-16", "us-ascii": // the scanner's own
	case "iso-8859-1", "latin1":
		s.latin1 = true
	default:
		return s.errorf("the encoding %q is not supported: use UTF-8", name)
	}
	return nil
}

// declaration consumes what follows "<!": a comment, a CDATA section or the document type.
func (s *scanner) declaration() (token, error) {
	switch s.c {
	case '-':
		if err := s.word("--"); err != nil {
			return token{}, err
		}
		t, err := s.until("--", "the comment")
		if err != nil {
			return token{}, err
		}
		return token{kind: comment, text: t}, s.expect('>')
	case '[':
		if err := s.word("[CDATA["); err != nil {
			return token{}, err
		}
		t, err := s.until("]]>", "the CDATA section")
		return token{kind: text, text: t}, err
	case 'D':
		if s.inRoot || s.typed {
			return token{}, s.errorf("<!DOCTYPE is only allowed once, before the first element")
		}
		s.typed = true
		if err := s.documentType(); err != nil {
			return token{}, err
		}
		return s.next()
	}
	return token{}, s.unexpected("a comment, CDATA or DOCTYPE")
}

// documentType consumes a document type declaration. It keeps the declared entities and
// skips everything else. It loads nothing.
func (s *scanner) documentType() error {
	if err := s.word("DOCTYPE"); err != nil {
		return err
	}
	for s.c != '>' && s.c != '[' {
		if err := s.skipPiece(); err != nil {
			return err
		}
	}
	if s.c == '[' {
		s.advance()
		for s.space(); s.c != ']'; s.space() {
			if err := s.internalDeclaration(); err != nil {
				return err
			}
		}
		s.advance()
		s.space()
	}
	return s.expect('>')
}

// skipPiece skips one character, or one quoted text.
func (s *scanner) skipPiece() error {
	switch s.c {
	case eof:
		return s.unexpected("the end of the DOCTYPE")
	case '"', '\'':
		quote := s.c
		s.advance()
		_, err := s.until(string(quote), "a quoted text")
		return err
	}
	s.advance()
	return s.failed
}

// internalDeclaration consumes one declaration between the brackets of a document type
// declaration.
func (s *scanner) internalDeclaration() error {
	s.here()
	if s.c == '%' {
		return s.errorf("parameter entities are not supported")
	}
	if err := s.expect('<'); err != nil {
		return err
	}
	if s.c == '?' {
		s.advance()
		_, err := s.until("?>", "the processing instruction")
		return err
	}
	if err := s.expect('!'); err != nil {
		return err
	}
	if s.c == '-' {
		_, err := s.declaration()
		return err
	}
	keyword, err := s.name()
	if err != nil {
		return err
	}
	if keyword == "ENTITY" {
		return s.entity()
	}
	for s.c != '>' {
		if keyword == "ATTLIST" && (s.c == '"' || s.c == '\'') {
			return s.errorf("default values of attributes (<!ATTLIST) are not supported")
		}
		if err := s.skipPiece(); err != nil {
			return err
		}
	}
	return s.expect('>')
}

// entity consumes the rest of an entity declaration (XML 1.0, section 4.2). It does not
// record an external entity: a reference to it is an error, unless the document also declares an internal one of that name.
func (s *scanner) entity() error {
	s.space()
	if s.c == '%' {
		return s.errorf("parameter entities are not supported")
	}
	name, err := s.name()
	if err != nil {
		return err
	}
	s.space()
	if s.c != '"' && s.c != '\'' {
		for s.c != '>' {
			if err := s.skipPiece(); err != nil {
				return err
			}
		}
		return s.expect('>')
	}
	value, err := s.entityValue(name)
	if err != nil {
		return err
	}
	if _, ok := s.entities[name]; !ok { // the first declaration counts
		if len(s.entities) >= 5+maxEntities { // 5 are XML's own
			return s.errorf("the document declares more than %d entities", maxEntities)
		}
		s.entities[name] = value
	}
	s.space()
	return s.expect('>')
}

// entityValue consumes the quoted value of the entity with a name. The value may contain character
// references, but neither markup nor other entities.
func (s *scanner) entityValue(name string) (string, error) {
	quote := s.c
	s.buf = s.buf[:0]
	for s.advance(); s.c != quote; {
		c := s.c
		switch c {
		case eof:
			return "", s.unexpected("the end of the entity's value")
		case '<', '%':
			return "", s.errorf("the entity %s contains markup, which is not supported", name)
		case '&':
			if s.advance(); s.c != '#' {
				return "", s.errorf("the entity %s refers to another entity, which is not supported", name)
			}
			var err error
			if c, err = s.character(); err != nil {
				return "", err
			}
			_, declared := s.entities[name] // then this value is not used, as for lt
			isMarkup := c == '&' || c == '<'
			if isMarkup && !declared {
				return "", s.errorf("the entity %s contains markup, which is not supported", name)
			}
		default:
			s.advance()
		}
		if len(s.buf) >= maxExpansion {
			return "", s.errorf("the entity %s is longer than %d bytes", name, maxExpansion)
		}
		if err := s.add(c); err != nil {
			return "", err
		}
	}
	s.advance()
	return string(s.buf), s.failed
}
