package syntax

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// parser reads a query by recursive descent, one method a rule of the grammar (SPARQL 1.1,
// section 19.8). The first error stays in err, and from then on the token is the end of the
// text, so that every loop stops; what the methods give then is of no use to anyone.
type parser struct {
	lex lexer
	tok token // the next one, not yet taken
	err error

	budget *budget.Budget

	// depth is how deep the parser is in the query, and deepest how deep what it read last
	// goes: see enter and sink.
	depth, deepest, maxDepth int

	prologue Prologue
	base     rdf.BaseIRI
	prefixes map[string]string

	labels  map[string]bool // of blank nodes, in the whole text
	unnamed []*Var          // blank nodes that have no label yet, by their order in the text
	service *Service        // the first
}

// next takes the token.
func (p *parser) next() {
	if p.err != nil {
		return
	}
	tok, err := p.lex.next()
	if err == nil {
		err = p.spend()
	}
	if err != nil {
		p.err = err
		tok = token{Pos: p.tok.Pos}
	}
	p.tok = tok
}

// tokenSize is about how many bytes a token takes: in the tree, and in the algebra that
// is made of it.
const tokenSize = 192

// spend accounts for a token.
func (p *parser) spend() error {
	if err := p.budget.Grow(tokenSize); err != nil {
		return err
	}
	return p.budget.Tick(1)
}

// failf records an error at a place, if it is the first.
func (p *parser) failf(at Pos, format string, args ...any) {
	if p.err != nil {
		return
	}
	p.err = &Error{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
	p.tok = token{Pos: p.tok.Pos}
}

// at reports whether the token is that punctuation.
func (p *parser) at(punctuation string) bool {
	return p.tok.kind == tokenPunctuation && p.tok.text == punctuation
}

// atWord reports whether the token is that keyword, given in upper case.
func (p *parser) atWord(keyword string) bool {
	return p.tok.kind == tokenWord && strings.EqualFold(p.tok.text, keyword)
}

// accept takes the token if it is that punctuation, and tells whether it was.
func (p *parser) accept(punctuation string) bool {
	ok := p.at(punctuation)
	if ok {
		p.next()
	}
	return ok
}

// acceptWord takes the token if it is that keyword, and tells whether it was.
func (p *parser) acceptWord(keyword string) bool {
	ok := p.atWord(keyword)
	if ok {
		p.next()
	}
	return ok
}

// expect takes that punctuation; anything else is an error.
func (p *parser) expect(punctuation, why string) {
	if !p.accept(punctuation) {
		p.unexpected(fmt.Sprintf("%q %s", punctuation, why))
	}
}

// expectWord takes that keyword; anything else is an error.
func (p *parser) expectWord(keyword, why string) {
	if !p.acceptWord(keyword) {
		p.unexpected(keyword + " " + why)
	}
}

// close takes the closing bracket of the opening one at open, or else says that it was
// expected, or what else could have stood there.
func (p *parser) close(bracket string, open Pos, or string) {
	switch {
	case p.accept(bracket):
	case p.tok.kind == tokenEnd:
		p.failf(p.tok.Pos, "the text ends, and %q is missing for the bracket of line %d, column %d", bracket, open.Line, open.Column)
	case or == "":
		p.unexpected(fmt.Sprintf("%q", bracket))
	default:
		p.unexpected(fmt.Sprintf("%s or %q", or, bracket))
	}
}

// unexpected is the error that want was expected and something else found.
func (p *parser) unexpected(want string) {
	if p.err != nil {
		return
	}
	p.failf(p.tok.Pos, "expected %s, found %s%s", want, p.tok.describe(), p.hint())
}

// enter goes one level deeper, and tells whether that is allowed. leave undoes it.
func (p *parser) enter() bool {
	p.depth++
	p.deepest = max(p.deepest, p.depth)
	return p.checkDepth()
}

func (p *parser) leave() { p.depth-- }

// sink tells that an operator has put what was read since the last measure a level deeper.
func (p *parser) sink() bool {
	p.deepest++
	return p.checkDepth()
}

// measure begins to find out how deep what is read next goes. Calling what it gives ends
// that.
func (p *parser) measure() (end func()) {
	outer := p.deepest
	p.deepest = p.depth
	return func() { p.deepest = max(p.deepest, outer) }
}

func (p *parser) checkDepth() bool {
	if p.deepest > p.maxDepth {
		p.failf(p.tok.Pos, "this nests deeper than %d levels", p.maxDepth)
	}
	return p.err == nil
}

// nameBlanks returns the blank nodes without a label one that the text does not have.
func (p *parser) nameBlanks() {
	n := 0
	for _, v := range p.unnamed {
		for v.Name == "" || p.labels[v.Name] {
			v.Name = "b" + strconv.Itoa(n)
			n++
		}
	}
}
