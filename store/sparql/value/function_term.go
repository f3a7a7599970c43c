package value

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// str is STR: the lexical form of a literal, or an IRI as a string (17.4.2.5). Section
// numbers in this file are those of SPARQL 1.1.
func str(v Value) Value {
	switch {
	case v.kind == KindString:
		return v
	case v.kind == KindBlank, v.kind == KindTriple:
		return Error()
	}
	return String(v.Term().Value())
}

// lang is LANG: the language tag of a literal without a base direction, or "" (17.4.2.6).
func lang(v Value) Value {
	if !v.IsLiteral() {
		return Error()
	}
	return String(v.term.Language())
}

// langMatches is LANGMATCHES: basic filtering (17.4.3.13; RFC 4647, section 3.3.1).
func langMatches(tag, languages Value) Value {
	if tag.kind != KindString || languages.kind != KindString {
		return Error()
	}
	t, r := tag.text(), languages.text()
	if r == "*" {
		return Boolean(t != "")
	}
	prefix := len(t) >= len(r) && strings.EqualFold(t[:len(r)], r)
	return Boolean(r != "" && prefix && (len(t) == len(r) || t[len(r)] == '-'))
}

// datatype is DATATYPE (17.4.2.7).
func datatype(v Value) Value {
	if !v.IsLiteral() {
		return Error()
	}
	return IRI(v.datatype())
}

// langDir computes LANGDIR of SPARQL 1.2: "ltr", "rtl" or "".
func langDir(v Value) Value {
	if !v.IsLiteral() {
		return Error()
	}
	return String(v.term.Direction())
}

func hasLangDir(v Value) bool { return v.term.Direction() != "" }

// makeIRI is IRI and URI: it resolves a string against the base (17.4.2.8).
func makeIRI(c *Context, args []Value) (Value, error) {
	switch args[0].kind {
	case KindIRI:
		return args[0], nil
	case KindString:
		iri, err := c.Base.Resolve(args[0].text())
		if err != nil || !rdf.IsIRI(iri) {
			return Error(), nil
		}
		return IRI(iri), checkLength(len(iri), c.MaxLength)
	}
	return Error(), nil
}

// makeBlank is BNODE (17.4.2.9).
func makeBlank(c *Context, args []Value) (Value, error) {
	switch {
	case c.Blanks == nil || len(args) > 0 && args[0].kind != KindString:
		return Error(), nil
	case len(args) > 0:
		return FromTerm(c.Blanks.Labelled(args[0].text())), nil
	}
	return FromTerm(c.Blanks.New()), nil
}

// strDT is STRDT: a literal with a lexical form and a datatype. The form need not be in
// the datatype's lexical space (17.4.2.10).
func strDT(lexical, datatype Value) Value {
	if lexical.kind != KindString || datatype.kind != KindIRI {
		return Error()
	}
	switch iri := datatype.text(); iri {
	case rdf.RDFLangString, rdf.RDFDirLangString: // they need a language
		return Error()
	default:
		return FromTerm(rdf.NewLiteral(lexical.text(), iri))
	}
}

// strLang is STRLANG: a literal with a lexical form and a language (17.4.2.11).
func strLang(lexical, language Value) Value {
	if lexical.kind != KindString || language.kind != KindString || !rdf.IsLanguageTag(language.text()) {
		return Error()
	}
	return LangString(lexical.text(), language.text())
}

// strLangDir computes STRLANGDIR of SPARQL 1.2.
func strLangDir(_ *Context, args []Value) (Value, error) {
	direction := args[2]
	v := strLang(args[0], args[1])
	if v.IsError() || direction.kind != KindString || direction.text() != "ltr" && direction.text() != "rtl" {
		return Error(), nil
	}
	return LangString(v.text(), args[1].text()+"--"+direction.text()), nil
}

// makeUUID is UUID: a new IRI with the scheme urn:uuid (17.4.2.12).
func makeUUID(*Context, []Value) (Value, error) { return IRI("urn:uuid:" + newUUID()), nil }

// makeStrUUID is STRUUID (17.4.2.13).
func makeStrUUID(*Context, []Value) (Value, error) { return String(newUUID()), nil }

// newUUID returns a UUID of version 4 (RFC 9562, section 5.4).
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// CheckNesting returns a *budget.LimitError if a triple term with this object would be nested
// deeper than rdf.MaxTripleDepth.
func CheckNesting(object rdf.Term) error {
	if object.TripleDepth() >= rdf.MaxTripleDepth {
		return &budget.LimitError{Limit: "nesting of triple terms", Detail: fmt.Sprintf("%d levels", rdf.MaxTripleDepth)}
	}
	return nil
}

// makeTriple computes TRIPLE of SPARQL 1.2. The value is an error if RDF does not allow the triple. Nesting deeper
// than rdf.MaxTripleDepth ends the query.
func makeTriple(c *Context, args []Value) (Value, error) {
	s, p, o := args[0], args[1], args[2]
	if s.kind != KindIRI && s.kind != KindBlank || p.kind != KindIRI || o.IsError() {
		return Error(), nil
	}
	object := o.Term()
	if err := CheckNesting(object); err != nil {
		return Error(), err
	}
	t := rdf.NewTripleTerm(rdf.Triple{S: s.Term(), P: p.Term(), O: object})
	return FromTerm(t), checkLength(len(t.Value()), c.MaxLength)
}
