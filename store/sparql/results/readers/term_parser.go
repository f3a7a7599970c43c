package readers

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
	"github.com/segraph/segraph/store/turtle"
)

// termParser parses single-line Turtle terms: an IRI in angle brackets, a literal in
// quotes, a bare number or boolean, a blank node with a label, or a triple term of these.
// It does not accept prefixed names.
type termParser struct {
	texts   *scan.Texts
	scratch []byte
}

var errAfterTerm = errors.New("there is text after the term")

// parse parses all of b, which is valid UTF-8, as one term. at is the offset of an error.
func (p *termParser) parse(b []byte) (t rdf.Term, at int, err error) {
	switch c := b[0]; {
	case bytes.HasPrefix(b, tripleOpen):
		return p.triple(b, 0)
	case c == '<':
		iri, n, err := p.iri(b)
		if err == nil && n < len(b) {
			err = errAfterTerm
		}
		return rdf.NewIRI(iri), n, err
	case c == '"' || c == '\'':
		return p.literal(b)
	case c == '_':
		if len(b) < 3 || b[1] != ':' || !isLabel(b[2:]) {
			return rdf.Term{}, 0, fmt.Errorf("%.40q is not a blank node such as _:b0", b)
		}
		return rdf.NewBlank(p.texts.Text(b[2:])), 0, nil
	}
	word := p.texts.Text(b)
	if word == "true" || word == "false" {
		return rdf.NewLiteral(word, rdf.XSDBoolean), 0, nil
	}
	if datatype := scan.NumberDatatype(word); datatype != "" {
		return rdf.NewLiteral(word, datatype), 0, nil
	}
	return rdf.Term{}, 0, fmt.Errorf("expected a term such as <iri>, \"text\", 5 or _:b0, found %.40q", b)
}

// isLabel checks a BLANK_NODE_LABEL without "_:". It accepts all non-ASCII characters.
func isLabel(b []byte) bool {
	for i, c := range b {
		if !scan.IsAlphanumeric(c) && c != '_' && c < utf8.RuneSelf && (i == 0 || c != '-' && c != '.') {
			return false
		}
	}
	return b[len(b)-1] != '.'
}

// iri parses the IRIREF at the start of b. n is its length, or the offset of an error.
func (p *termParser) iri(b []byte) (iri string, n int, err error) {
	end := bytes.IndexByte(b, '>')
	if end < 0 {
		return "", 0, errors.New(`an IRI without its ">"`)
	}
	text := b[1:end]
	if bytes.HasPrefix(text, []byte("<")) {
		return "", 0, errors.New("a triple term begins with <<(")
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		p.scratch = p.scratch[:0]
		for i := 1; i < end; {
			if b[i] != '\\' {
				p.scratch = append(p.scratch, b[i])
				i++
				continue
			}
			r, size := numericEscape(b[i:end])
			if size == 0 {
				return "", i, errors.New(`a bad escape: \u with four or \U with eight hexadecimal digits is one in an IRI`)
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
			i += size
		}
		text = p.scratch
	}
	iri = p.texts.Text(text)
	if err := turtle.CheckIRI(iri); err != nil {
		return "", 0, err
	}
	return iri, end + 1, nil
}

// literal parses a literal in quotes.
func (p *termParser) literal(b []byte) (t rdf.Term, at int, err error) {
	text, n, err := p.quoted(b)
	if err != nil {
		return rdf.Term{}, n, err
	}
	rest := b[n:]
	switch {
	case len(rest) == 0:
		return rdf.NewString(p.texts.Text(text)), 0, nil
	case rest[0] == '@':
		tag := rdf.NewLang("", p.texts.Text(rest[1:]))
		if !rdf.IsLanguageTag(tag.Language()) {
			return rdf.Term{}, n, fmt.Errorf("%.40q is not a language tag", rest)
		}
		t, err = scan.Literal{Lexical: p.texts.Text(text), Language: tag.Language(), Direction: tag.Direction()}.Term()
		return t, n, err
	case bytes.HasPrefix(rest, []byte("^^<")):
		lexical := p.texts.Text(text) // copied, because an escape in the IRI overwrites scratch
		datatype, m, err := p.iri(rest[2:])
		if err == nil && 2+m < len(rest) {
			err = errAfterTerm
		}
		if err == nil {
			t, err = scan.Literal{Lexical: lexical, Datatype: datatype}.Term()
		}
		return t, n + 2 + m, err
	}
	return rdf.Term{}, n, errAfterTerm
}

// quoted parses the string at the start of b and returns its value. n is its length, or
// the offset of an error.
func (p *termParser) quoted(b []byte) (text []byte, n int, err error) {
	quote, escaped := b[0], false
	p.scratch = p.scratch[:0]
	for i := 1; i < len(b); {
		switch c := b[i]; {
		case c == quote && escaped:
			return p.scratch, i + 1, nil
		case c == quote:
			return b[1:i], i + 1, nil
		case c == '\r':
			return nil, i, errors.New("a carriage return in a string; it must be escaped")
		case c != '\\':
			if escaped {
				p.scratch = append(p.scratch, c)
			}
			i++
			continue
		}
		if !escaped {
			escaped = true
			p.scratch = append(p.scratch, b[1:i]...)
		}
		if i+1 < len(b) {
			if j := bytes.IndexByte([]byte(`tbnrf"'\`), b[i+1]); j >= 0 {
				p.scratch = append(p.scratch, "\t\b\n\r\f\"'\\"[j])
				i += 2
				continue
			}
		}
		r, size := numericEscape(b[i:])
		if size == 0 {
			return nil, i, errors.New(`a bad escape: one of tbnrf"'\ or u with four or U with eight hexadecimal digits follows a backslash`)
		}
		p.scratch = utf8.AppendRune(p.scratch, r)
		i += size
	}
	return nil, 0, errors.New("a string without its closing quote")
}

// numericEscape decodes the UCHAR at the start of b. size is its length in bytes, or 0 if
// it is invalid.
func numericEscape(b []byte) (r rune, size int) {
	switch {
	case len(b) < 2:
		return 0, 0
	case b[1] == 'u':
		r, size = scan.HexRune(b[2:], 4), 6
	case b[1] == 'U':
		r, size = scan.HexRune(b[2:], 8), 10
	}
	if size == 0 || !utf8.ValidRune(r) {
		return 0, 0
	}
	return r, size
}
