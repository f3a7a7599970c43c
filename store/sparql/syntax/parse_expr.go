package syntax

// expression parses Expression, which counts as one level of nesting.
func (p *parser) expression() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	return p.orExpression()
}

// orExpression parses ConditionalOrExpression.
func (p *parser) orExpression() Expr {
	return p.flat("||", OpOr, func() Expr {
		return p.flat("&&", OpAnd, p.relational)
	})
}

// flat parses operands separated by the same operator into one call.
func (p *parser) flat(sign string, op Op, operand func() Expr) Expr {
	first := operand()
	if !p.at(sign) {
		return first
	}
	c := &Call{Pos: p.tok.Pos, Op: op, Args: []Expr{first}}
	for p.accept(sign) {
		c.Args = append(c.Args, operand())
	}
	return c
}

// relational parses RelationalExpression, with at most one comparison: a = b = c is an
// error.
func (p *parser) relational() Expr {
	left := p.additive()
	p.splitLess()
	at := p.tok.Pos
	if p.tok.kind == tokenPunctuation {
		switch op := Op(p.tok.text); op {
		case OpEqual, OpNotEqual, OpLess, OpGreater, OpLessEqual, OpGreaterEqual:
			p.next()
			return &Call{Pos: at, Op: op, Args: []Expr{left, p.additive()}}
		}
	}
	if p.acceptWord("NOT") {
		p.expectWord("IN", "after NOT")
		return &In{at, true, left, p.expressionList("after NOT IN")}
	}
	if p.acceptWord("IN") {
		return &In{at, false, left, p.expressionList("after IN")}
	}
	return left
}

// additive parses AdditiveExpression. A signed number after an operand is an operator and
// a number: "1 -2*3" means 1 - (2*3).
func (p *parser) additive() Expr {
	defer p.measure()()
	left := p.multiplicative()
	for {
		at, op := p.tok.Pos, OpAdd
		switch {
		case p.at("+"):
			p.next()
		case p.at("-"):
			op = OpSubtract
			p.next()
		case p.atSignedNumber():
			if p.tok.text[0] == '-' {
				op = OpSubtract
			}
			p.tok.text = p.tok.text[1:]
			p.tok.Column++
		default:
			return left
		}
		right := p.multiplicative()
		if !p.deepen() {
			return nil
		}
		left = &Call{Pos: at, Op: op, Args: []Expr{left, right}}
	}
}

// atSignedNumber reports whether the token is a number with a sign.
func (p *parser) atSignedNumber() bool {
	switch p.tok.kind {
	case tokenInteger, tokenDecimal, tokenDouble:
		return p.tok.text[0] == '+' || p.tok.text[0] == '-'
	}
	return false
}

// multiplicative parses MultiplicativeExpression.
func (p *parser) multiplicative() Expr {
	defer p.measure()()
	left := p.unary()
	for p.at("*") || p.at("/") {
		at, op := p.tok.Pos, Op(p.tok.text)
		p.next()
		right := p.unary()
		if !p.deepen() {
			return nil
		}
		left = &Call{Pos: at, Op: op, Args: []Expr{left, right}}
	}
	return left
}

// unary parses UnaryExpression. As in SPARQL 1.2, "!" may be repeated.
func (p *parser) unary() Expr {
	at := p.tok.Pos
	switch {
	case p.accept("!"):
		if !p.enter() {
			return nil
		}
		defer p.leave()
		return &Call{Pos: at, Op: OpNot, Args: []Expr{p.unary()}}
	case p.accept("+"):
		return &Call{Pos: at, Op: OpUnaryPlus, Args: []Expr{p.primary()}}
	case p.accept("-"):
		return &Call{Pos: at, Op: OpUnaryMinus, Args: []Expr{p.primary()}}
	}
	return p.primary()
}

// primary parses PrimaryExpression.
func (p *parser) primary() Expr {
	switch {
	case p.at("("):
		return p.bracketted()
	case p.tok.kind == tokenVar:
		return p.variable("")
	case p.atIRI():
		return p.iriOrFunction()
	case p.atLiteral():
		return p.literal()
	case p.at("<<("):
		return p.tripleCall()
	case p.tok.kind == tokenWord:
		return p.builtInCall()
	}
	p.unexpected("an expression: a variable, a literal, an IRI, a function or \"(\"")
	return nil
}

// splitLess splits the token "<<" into "<" and what follows. In SPARQL 1.1, ?a<<x:b>
// compares two terms, and "<<" has no other meaning between expressions.
func (p *parser) splitLess() {
	if !p.at("<<") && !p.at("<<(") {
		return
	}
	back := len(p.tok.text) - 1
	p.lex.off -= back
	p.lex.pos.Column -= back
	p.tok.text = "<"
}

// bracketted parses BrackettedExpression.
func (p *parser) bracketted() Expr {
	open := p.tok.Pos
	p.expect("(", "before an expression")
	e := p.expression()
	p.close(")", open, "an operator")
	return e
}

// startsConstraint reports whether the token begins a Constraint.
func (p *parser) startsConstraint() bool {
	if p.at("(") || p.atIRI() {
		return true
	}
	return p.tok.kind == tokenWord && isBuiltIn(p.tok.text)
}

// constraint parses Constraint: an expression in brackets, or a call. An error says that want
// was expected. want is "" if the token is known to begin a Constraint.
func (p *parser) constraint(want string) Expr {
	switch {
	case p.at("("):
		return p.bracketted()
	case p.atIRI():
		e := p.iriOrFunction()
		if t, ok := e.(*Term); ok {
			p.unexpected(`"(" and the arguments of the function ` + shorten(t.Value()))
		}
		return e
	case p.tok.kind == tokenVar, !p.startsConstraint() && want != "" && p.tok.kind != tokenWord:
		p.unexpected(want)
		return nil
	}
	return p.builtInCall() // of an unknown word, it says more
}
