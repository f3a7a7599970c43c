package syntax

import (
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

func (p *parser) variable(want string) *Var {
	if p.tok.kind != tokenVar {
		p.unexpected(want)
	}
	v := &Var{Pos: p.tok.Pos, Name: p.tok.value}
	p.next()
	return v
}

func (p *parser) varOrIRI(want string) Node {
	if p.tok.kind == tokenVar {
		return p.variable("")
	}
	return p.iri(want)
}

// atIRI reports whether the token begins an iri.
func (p *parser) atIRI() bool { return p.tok.kind == tokenIRI || p.tok.kind == tokenName }

// iri parses iri: an IRI in angle brackets, or a prefixed name.
func (p *parser) iri(want string) *Term {
	at := p.tok.Pos
	if p.tok.kind != tokenName {
		iri, _ := p.iriReference(want)
		return &Term{Pos: at, Term: rdf.NewIRI(iri)}
	}
	namespace, ok := p.prefixes[p.tok.prefix]
	if !ok {
		p.undeclared(at, p.tok.prefix)
	}
	t := &Term{Pos: at, Term: rdf.NewIRI(namespace + p.tok.value)}
	p.grow(len(namespace)) // otherwise a short query could contain gigabytes of IRIs
	p.next()
	return t
}

// undeclared records an error about an undeclared prefix.
func (p *parser) undeclared(at Pos, label string) {
	if p.err != nil {
		return
	}
	msg := fmt.Sprintf("the prefix %s: is not declared; add PREFIX %s: <…> at the start", shorten(label), shorten(label))
	p.err = &Error{Line: at.Line, Column: at.Column, Msg: msg, Undeclared: &label}
	p.tok = token{Pos: p.tok.Pos}
}

// iriReference parses IRIREF and resolves it against the base. ok is false after an
// error.
func (p *parser) iriReference(want string) (iri string, ok bool) {
	if p.tok.kind != tokenIRI {
		p.unexpected(want)
		return "", false
	}
	iri, err := p.base.Resolve(p.tok.value)
	if err != nil {
		p.failf(p.tok.Pos, "%s: %v", shorten(p.tok.text), err)
	}
	p.grow(len(iri) - len(p.tok.value))
	p.next()
	return iri, p.err == nil
}

// atLiteral reports whether the token begins RDFLiteral, NumericLiteral or
// BooleanLiteral.
func (p *parser) atLiteral() bool {
	switch p.tok.kind {
	case tokenString, tokenInteger, tokenDecimal, tokenDouble:
		return true
	}
	return p.atWord("TRUE") || p.atWord("FALSE")
}

// literal parses a token for which atLiteral is true, with its language or datatype.
func (p *parser) literal() *Term {
	t := &Term{Pos: p.tok.Pos}
	text, value := p.tok.text, p.tok.value
	switch kind := p.tok.kind; kind {
	case tokenInteger, tokenDecimal, tokenDouble:
		t.Term = rdf.NewLiteral(text, numberDatatypes[kind])
	case tokenWord:
		t.Term = rdf.NewLiteral(strings.ToLower(text), rdf.XSDBoolean)
	default:
		p.next()
		switch {
		case p.tok.kind == tokenLang:
			t.Term = rdf.NewLang(value, p.tok.value)
			p.next()
		case p.accept("^^"):
			datatype := p.iri(`the IRI of a datatype after "^^"`)
			if iri := datatype.Value(); iri == rdf.RDFLangString || iri == rdf.RDFDirLangString { // as in Turtle
				p.failf(datatype.Pos, `<%s> is the datatype of strings with a language tag, as in "chat"@fr`, iri)
			}
			t.Term = rdf.NewLiteral(value, datatype.Value())
		default:
			t.Term = rdf.NewString(value)
		}
		return t
	}
	p.next()
	return t
}

// blankLabel parses BLANK_NODE_LABEL.
func (p *parser) blankLabel() *Var {
	v := &Var{Pos: p.tok.Pos, Name: p.tok.value, Blank: true}
	p.labels[v.Name] = true
	p.next()
	return v
}

// newBlank returns a blank node without a label. nameBlanks gives it one later.
func (p *parser) newBlank(at Pos) *Var {
	v := &Var{Pos: at, Blank: true}
	p.unnamed = append(p.unnamed, v)
	return v
}
