package turtle

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// AppendTerm appends a term in N-Triples syntax, which all formats and SPARQL accept. It
// returns an error if a reader could not read the term back.
func AppendTerm(b []byte, t rdf.Term) ([]byte, error) {
	switch t.Kind() {
	case rdf.KindIRI:
		return appendIRI(b, t.Value())
	case rdf.KindBlank:
		return appendLabel(append(b, "_:"...), t.Value()), nil
	case rdf.KindLiteral:
		return appendLiteral(b, t)
	case rdf.KindTriple:
		e := encoder{buf: b}
		e.triple(t.Triple())
		return e.buf, e.err
	}
	return b, errors.New("there is no term")
}

func appendIRI(b []byte, iri string) ([]byte, error) {
	if err := CheckIRI(iri); err != nil {
		return b, err
	}
	return append(append(append(b, '<'), iri...), '>'), nil
}

// appendLiteral appends a literal in full, without prefixes.
func appendLiteral(b []byte, t rdf.Term) ([]byte, error) {
	lexical, tag := t.Value(), t.Tag()
	b, ok := appendQuoted(b, lexical)
	switch {
	case !ok:
		return b, fmt.Errorf("the literal %.80q can't be written: it is not UTF-8", lexical)
	case tag != "" || t.Datatype() == rdf.RDFLangString || t.Datatype() == rdf.RDFDirLangString:
		if !rdf.IsLanguageTag(strings.TrimSuffix(strings.TrimSuffix(tag, "--ltr"), "--rtl")) {
			return b, fmt.Errorf("the literal %.80q can't be written: %q is not a language tag", lexical, tag)
		}
		return append(append(b, '@'), tag...), nil
	case t.Datatype() == rdf.XSDString:
		return b, nil
	}
	return appendIRI(append(b, "^^"...), t.Datatype())
}

// literal writes a literal: a number or a boolean bare if that is possible, a datatype with its
// prefix.
func (e *encoder) literal(t rdf.Term) {
	lexical, datatype := t.Value(), t.Datatype()
	if e.short != nil && isBare(lexical, datatype) {
		e.text(lexical)
		return
	}
	var err error
	isTyped := datatype != rdf.RDFLangString && datatype != rdf.RDFDirLangString && datatype != rdf.XSDString
	if e.short != nil && isTyped { // the datatype may have a prefix
		e.buf, err = appendLiteral(e.buf, rdf.NewString(lexical))
		e.text("^^")
		e.iri(datatype)
	} else {
		e.buf, err = appendLiteral(e.buf, t)
	}
	if err != nil {
		e.fail(err)
	}
}

// isBare reports whether to write a literal without quotes, because it reads back
// exactly: true, 1, 1.5, 1.5E0. It is stricter than rdf.IsBareNumber, because not all readers keep
// leading zeros, or a "-" before 0.
func isBare(lexical, datatype string) bool {
	if datatype == rdf.XSDBoolean {
		return lexical == "true" || lexical == "false"
	}
	if !rdf.IsBareNumber(lexical, datatype) || lexical == "-0" {
		return false
	}
	digits := strings.TrimPrefix(lexical, "-")
	return len(digits) == 1 || digits[0] != '0' || !isDigit(digits[1])
}

// appendQuoted appends s in double quotes. It also escapes control characters, which the
// grammar allows unescaped but some readers reject. It returns false if s is not valid
// UTF-8.
func appendQuoted(b []byte, s string) (all []byte, ok bool) {
	b = append(b, '"')
	from, ascii := 0, true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			ascii = false
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7F {
			continue
		}
		b = append(append(b, s[from:i]...), '\\')
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		case '\b':
			b = append(b, 'b')
		case '\f':
			b = append(b, 'f')
		default:
			b = append(b, 'u', '0', '0', '0'+c>>4, "0123456789ABCDEF"[c&15])
		}
	}
	b = append(append(b, s[from:]...), '"')
	return b, ascii || utf8.ValidString(s)
}
