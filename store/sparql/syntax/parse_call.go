package syntax

import (
	"fmt"
	"strings"
)

// isBuiltIn reports whether word begins a BuiltInCall.
func isBuiltIn(word string) bool {
	op := Op(strings.ToUpper(word))
	_, ok := functions[op]
	return ok || isAggregate(op) || op == OpBound || op == "EXISTS" || op == "NOT"
}

// builtInCall parses a call of a function or an aggregate that has a word of SPARQL as its name. It returns nil if there is
// no such word.
func (p *parser) builtInCall() Expr {
	at, word := p.tok.Pos, p.tok
	op := Op(strings.ToUpper(word.text))
	if !isBuiltIn(word.text) {
		p.unknownWord()
		return nil
	}
	p.next()
	switch {
	case op == "NOT":
		p.expectWord("EXISTS", "after NOT")
		return &Exists{at, true, p.group(`"{" after NOT EXISTS`)}
	case op == "EXISTS":
		return &Exists{at, false, p.group(`"{" after EXISTS`)}
	case isAggregate(op):
		return p.aggregate(at, op)
	case op == OpBound:
		open := p.tok.Pos
		p.expect("(", "after BOUND")
		v := p.variable("a variable in the brackets of BOUND")
		p.close(")", open, "")
		return &Call{Pos: at, Op: op, Args: []Expr{v}}
	}
	args := p.expressionList("after " + word.text)
	a := functions[op]
	tooMany := a.most != AnyNumber && len(args) > a.most
	if tooMany || len(args) < a.least {
		p.failf(at, "%s takes %s, not %d", word.text, a, len(args))
	}
	switch op {
	case "URI":
		op = OpIRI
	case "ISURI":
		op = OpIsIRI
	}
	return &Call{Pos: at, Op: op, Args: args}
}

// String describes the number of arguments for an error message.
func (a arity) String() string {
	switch {
	case a.most == 0:
		return "no arguments"
	case a.least == a.most && a.most == 1:
		return "1 argument"
	case a.least == a.most:
		return fmt.Sprintf("%d arguments", a.most)
	}
	return fmt.Sprintf("%d or %d arguments", a.least, a.most)
}

// unknownWord records an error about a word in place of an expression.
func (p *parser) unknownWord() {
	if strings.HasPrefix(p.lex.text[p.lex.off:], "(") {
		p.failf(p.tok.Pos, "there is no function %s%s", shorten(p.tok.text), p.hint())
		return
	}
	p.unexpected("an expression")
}

// expressionList parses ExpressionList, which may be empty.
func (p *parser) expressionList(after string) []Expr {
	open := p.tok.Pos
	p.expect("(", after)
	if p.accept(")") {
		return nil
	}
	list := separated(p, ",", p.expression)
	p.close(")", open, `an operator, ","`)
	return list
}

// iriOrFunction parses iriOrFunction: an IRI, or a call of the function that it names.
func (p *parser) iriOrFunction() Expr {
	t := p.iri("")
	if !p.at("(") {
		return t
	}
	c := &Call{Pos: t.Pos, Function: t.Value()}
	open := p.tok.Pos
	p.next()
	if c.Distinct = p.acceptWord("DISTINCT"); !c.Distinct && p.accept(")") {
		return c
	}
	c.Args = separated(p, ",", p.expression)
	p.close(")", open, `an operator, ","`)
	return c
}

// aggregate parses Aggregate after its name.
func (p *parser) aggregate(at Pos, op Op) *Aggregate {
	a := &Aggregate{Pos: at, Op: op}
	open := p.tok.Pos
	p.expect("(", "after "+string(op))
	a.Distinct = p.acceptWord("DISTINCT")
	if op != OpCount || !p.accept("*") {
		a.Arg = p.expression()
	}
	if op != OpGroupConcat {
		p.close(")", open, "an operator")
		return a
	}
	a.Separator = " "
	if p.accept(";") {
		p.expectWord("SEPARATOR", `after ";" in GROUP_CONCAT`)
		p.expect("=", "after SEPARATOR")
		if p.tok.kind != tokenString {
			p.unexpected(`a string after SEPARATOR=`)
		}
		a.Separator = p.tok.value
		p.next()
	}
	p.close(")", open, `an operator, ";"`)
	return a
}
