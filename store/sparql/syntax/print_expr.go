package syntax

// Precedence of operators (SPARQL 1.1, section 19.8, rules 111 to 119).
const (
	lowest = iota // any expression, as inside brackets
	bindsOr
	bindsAnd
	bindsRelational
	bindsAdditive
	bindsMultiplicative
	bindsUnary
	bindsPrimary
)

// precedence has that of each operator.
var precedence = map[Op]int{OpOr: bindsOr, OpAnd: bindsAnd,
	OpEqual: bindsRelational, OpNotEqual: bindsRelational, OpLess: bindsRelational, OpGreater: bindsRelational,
	OpLessEqual: bindsRelational, OpGreaterEqual: bindsRelational, OpAdd: bindsAdditive, OpSubtract: bindsAdditive,
	OpMultiply: bindsMultiplicative, OpDivide: bindsMultiplicative, OpNot: bindsUnary, OpUnaryPlus: bindsUnary, OpUnaryMinus: bindsUnary}

// binding returns the precedence of e.
func binding(e Expr) int {
	switch x := e.(type) {
	case *In:
		return bindsRelational
	case *Call:
		if binds, ok := precedence[x.Op]; ok {
			return binds
		}
	}
	return bindsPrimary
}

// constraint writes e as a Constraint: in brackets unless it is a call.
func (p *printer) constraint(e Expr) {
	switch x := e.(type) {
	case *Aggregate, *Exists:
		p.expression(e, lowest)
		return
	case *Call:
		if binding(x) == bindsPrimary {
			p.expression(e, lowest)
			return
		}
	}
	p.write("(")
	p.expression(e, lowest)
	p.write(")")
}

// expression writes e, in brackets if its precedence is below least.
func (p *printer) expression(e Expr, least int) {
	if binding(e) < least {
		p.write("(")
		defer p.write(")")
	}
	switch x := e.(type) {
	case *Var, *Term, *TripleTerm:
		p.node(x)
	case *Call:
		p.call(x)
	case *Aggregate:
		p.aggregate(x)
	case *In:
		p.expression(x.Expr, bindsAdditive)
		if x.Not {
			p.write(" NOT")
		}
		p.write(" IN (")
		p.list(x.List)
		p.write(")")
	case *Exists:
		if x.Not {
			p.write("NOT ")
		}
		p.write("EXISTS ")
		p.group(x.Group)
	}
}

// call prints an operator or a function. Its operands get brackets if they bind less than the
// operator.
func (p *printer) call(c *Call) {
	switch binds := binding(c); binds {
	case bindsPrimary:
		if c.Op == OpFunction {
			p.write(p.iri(c.Function))
		} else {
			p.write(string(c.Op))
		}
		p.write("(")
		if c.Distinct {
			p.write("DISTINCT ")
		}
		p.list(c.Args)
		p.write(")")
	case bindsUnary:
		// The space keeps "-" and a number from becoming one token.
		switch c.Op {
		case OpNot:
			p.write("! ")
			p.expression(c.Args[0], bindsUnary)
			return
		case OpUnaryMinus:
			p.write("- ")
		case OpUnaryPlus:
			p.write("+ ")
		}
		p.expression(c.Args[0], bindsPrimary)
	default:
		for i, arg := range c.Args {
			least := binds + 1
			if i == 0 && (binds == bindsAdditive || binds == bindsMultiplicative) {
				least = binds // left-associative
			}
			if i > 0 {
				p.write(" ", string(c.Op), " ")
			}
			p.expression(arg, least)
		}
	}
}

func (p *printer) aggregate(a *Aggregate) {
	p.write(string(a.Op), "(")
	if a.Distinct {
		p.write("DISTINCT ")
	}
	if a.Arg == nil {
		p.write("*")
	} else {
		p.expression(a.Arg, lowest)
	}
	if a.Op == OpGroupConcat && a.Separator != " " {
		p.write(" ; SEPARATOR = ", quote(a.Separator))
	}
	p.write(")")
}

func (p *printer) list(list []Expr) {
	for i, e := range list {
		if i > 0 {
			p.write(", ")
		}
		p.expression(e, lowest)
	}
}
