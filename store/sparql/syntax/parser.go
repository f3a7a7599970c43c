package syntax

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// parser is a recursive descent parser with a method for each rule of the grammar (SPARQL
// 1.1, section 19.8). It keeps the first error in err. After it, the token is the end of
// the text, which ends every loop, and the methods' results are meaningless.
type parser struct {
	lex lexer
	tok token // the next token
	err error

	budget *budget.Budget

	// depth is the current nesting, and deepest the greatest since the last measure.
	// See enter and deepen.
	depth, deepest, maxDepth int

	prologue Prologue
	base     rdf.BaseIRI
	prefixes map[string]string

	labels  map[string]bool // labels of all blank nodes in the text
	unnamed []*Var          // blank nodes without a label so far, in text order
	service *Service        // the first SERVICE
}

// next moves to the next token.
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

// tokenSize is the approximate size in bytes of a token, in the tree and in its
// translation to the algebra.
const tokenSize = 192

// spend charges the budget for a token.
func (p *parser) spend() error {
	if err := p.budget.Grow(tokenSize); err != nil {
		return err
	}
	return p.budget.Tick(1)
}

// failf records an error at a position, unless there already is one.
func (p *parser) failf(at Pos, format string, args ...any) {
	if p.err != nil {
		return
	}
	p.err = &Error{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
	p.tok = token{Pos: p.tok.Pos}
}

// at reports whether the token is the given punctuation.
func (p *parser) at(punctuation string) bool {
	return p.tok.kind == tokenPunctuation && p.tok.text == punctuation
}

// atWord reports whether the token is the given keyword, in any case.
func (p *parser) atWord(keyword string) bool {
	return p.tok.kind == tokenWord && strings.EqualFold(p.tok.text, keyword)
}

// accept skips the given punctuation, and reports whether it was there.
func (p *parser) accept(punctuation string) bool {
	ok := p.at(punctuation)
	if ok {
		p.next()
	}
	return ok
}

// acceptWord skips the given keyword, and reports whether it was there.
func (p *parser) acceptWord(keyword string) bool {
	ok := p.atWord(keyword)
	if ok {
		p.next()
	}
	return ok
}

// separated parses one or more operands with punctuation between them.
func separated[T any](p *parser, punctuation string, operand func() T) []T {
	list := []T{operand()}
	for p.accept(punctuation) {
		list = append(list, operand())
	}
	return list
}

// expect skips the given punctuation; any other token is an error.
func (p *parser) expect(punctuation, why string) {
	if !p.accept(punctuation) {
		p.unexpected(fmt.Sprintf("%q %s", punctuation, why))
	}
}

// expectWord skips the given keyword; any other token is an error.
func (p *parser) expectWord(keyword, why string) {
	if !p.acceptWord(keyword) {
		p.unexpected(keyword + " " + why)
	}
}

// close skips the bracket that closes the one at open; any other token is an error. or
// lists what else could have followed, for the error message.
func (p *parser) close(bracket string, open Pos, or string) {
	switch {
	case p.accept(bracket): // skipped
	case p.tok.kind == tokenEnd:
		p.failf(p.tok.Pos, "the text ends without the %q that closes the bracket at line %d, column %d", bracket, open.Line, open.Column)
	case or == "":
		p.unexpected(fmt.Sprintf("%q", bracket))
	default:
		p.unexpected(fmt.Sprintf("%s or %q", or, bracket))
	}
}

// unexpected records an error: the text does not continue with want.
func (p *parser) unexpected(want string) {
	if p.err != nil {
		return
	}
	p.failf(p.tok.Pos, "expected %s, found %s%s", want, p.tok.describe(), p.hint())
}

// enter increments the depth and reports whether the limit allows that. leave
// decrements it.
func (p *parser) enter() bool {
	p.depth++
	p.deepest = max(p.deepest, p.depth)
	return p.checkDepth()
}

func (p *parser) leave() { p.depth-- }

// deepen records that an operator nests everything parsed since the last measure one
// level deeper.
func (p *parser) deepen() (ok bool) {
	p.deepest++
	return p.checkDepth()
}

// measure starts measuring the depth of what is parsed next, until end is called.
func (p *parser) measure() (end func()) {
	outer := p.deepest
	p.deepest = p.depth
	return func() { p.deepest = max(p.deepest, outer) }
}

// checkDepth records an error if the query is nested too deep, and reports whether there
// was none.
func (p *parser) checkDepth() (ok bool) {
	if p.deepest > p.maxDepth {
		p.failf(p.tok.Pos, "the query nests deeper than %d levels", p.maxDepth)
	}
	return p.err == nil
}

// nameBlanks gives each unnamed blank node a label that the text does not use.
func (p *parser) nameBlanks() {
	n := 0
	for _, v := range p.unnamed {
		for v.Name == "" || p.labels[v.Name] {
			v.Name = "b" + strconv.Itoa(n)
			n++
		}
	}
}
