package rdf

import "unicode/utf8"

// String returns the term in canonical N-Triples (RDF 1.1 N-Triples, section 4), for
// messages, tests and keys. It returns "" for the zero Term. It does not check whether an
// IRI or a label can be read back; the writers of package turtle do.
func (t Term) String() string { return string(t.AppendNTriples(nil)) }

// String returns the triple in canonical N-Triples, with its "." and no newline.
func (t Triple) String() string { return t.In(Term{}).String() }

// String returns the quad in canonical N-Quads, with its "." and no newline.
func (q Quad) String() string { return string(q.AppendNQuads(nil)) }

// AppendNQuads appends the result of String to b.
func (q Quad) AppendNQuads(b []byte) []byte {
	b = append(q.S.AppendNTriples(b), ' ')
	b = append(q.P.AppendNTriples(b), ' ')
	b = append(q.O.AppendNTriples(b), ' ')
	if !q.G.IsZero() {
		b = append(q.G.AppendNTriples(b), ' ')
	}
	return append(b, '.')
}

// AppendNTriples appends the result of String to b.
func (t Term) AppendNTriples(b []byte) []byte {
	switch t.kind {
	case KindIRI:
		return append(append(append(b, '<'), t.value...), '>')
	case KindBlank:
		return append(append(b, "_:"...), t.value...)
	case KindTriple:
		return append(b, t.value...)
	case KindLiteral:
		b = appendQuoted(b, t.value)
		switch {
		case t.tag == "":
			return b
		case t.tag[0] == '@':
			return append(b, t.tag...)
		}
		return append(append(append(b, "^^<"...), t.tag...), '>')
	}
	return b
}

// appendQuoted appends s in double quotes, with the few escapes of canonical N-Triples:
// \" \\ \n \r. Every RDF text format reads them. Invalid UTF-8, which no literal from a
// reader has, becomes U+FFFD.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		escaped, size := "", 1
		switch c := s[i]; {
		case c == '"':
			escaped = `\"`
		case c == '\\':
			escaped = `\\`
		case c == '\n':
			escaped = `\n`
		case c == '\r':
			escaped = `\r`
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				escaped = "\uFFFD"
			}
		}
		if escaped != "" {
			b = append(append(b, s[from:i]...), escaped...)
			from = i + size
		}
		i += size
	}
	return append(append(b, s[from:]...), '"')
}
