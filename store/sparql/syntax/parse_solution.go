package syntax

import (
	"math"
	"strconv"

	"github.com/segraph/segraph/store/rdf"
)

// solutionModifier reads GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET, as far as they follow.
func (p *parser) solutionModifier(q *Query) {
	if p.acceptWord("GROUP") {
		p.expectWord("BY", "after GROUP")
		p.groupBy(q)
	}
	if p.acceptWord("HAVING") {
		q.Having = append(q.Having, p.constraint("a condition after HAVING: (expression) or a function"))
		for p.startsConstraint() {
			q.Having = append(q.Having, p.constraint(""))
		}
	}
	if p.acceptWord("ORDER") {
		p.expectWord("BY", "after ORDER")
		p.orderBy(q)
	}
	var limit, offset bool
	for {
		switch {
		case !limit && p.acceptWord("LIMIT"):
			limit = true
			q.Limit = p.count("LIMIT")
		case !offset && p.acceptWord("OFFSET"):
			offset = true
			q.Offset = p.count("OFFSET")
		default:
			return
		}
	}
}

// groupBy parses GroupCondition+.
func (p *parser) groupBy(q *Query) {
	for {
		var key GroupKey
		switch {
		case p.tok.kind == tokenVar:
			key.Expr = p.variable("")
		case p.at("("):
			open := p.tok.Pos
			p.next()
			key.Expr = p.expression()
			if p.acceptWord("AS") {
				key.As = p.variable("a variable after AS")
			}
			p.close(")", open, "AS")
		case p.startsConstraint():
			key.Expr = p.constraint("")
		case len(q.GroupBy) == 0:
			p.unexpected("what to group by: a variable, (expression), (expression AS ?variable) or a function")
			return
		default:
			return
		}
		q.GroupBy = append(q.GroupBy, key)
	}
}

// orderBy parses OrderCondition+.
func (p *parser) orderBy(q *Query) {
	for {
		var key OrderKey
		switch {
		case p.atWord("ASC") || p.atWord("DESC"):
			key.Descending = p.atWord("DESC")
			p.next()
			if !p.at("(") {
				p.unexpected(`"(" after ASC or DESC`)
			}
			key.Expr = p.constraint("")
		case p.tok.kind == tokenVar:
			key.Expr = p.variable("")
		case p.startsConstraint():
			key.Expr = p.constraint("")
		case len(q.OrderBy) == 0:
			p.unexpected("what to order by: a variable, ASC(expression), DESC(expression), (expression) or a function")
			return
		default:
			return
		}
		q.OrderBy = append(q.OrderBy, key)
	}
}

// count parses the number of LIMIT or OFFSET. A number that overflows becomes the largest
// int64.
func (p *parser) count(keyword string) int64 {
	if p.tok.kind != tokenInteger || !isDigit(p.tok.text[0]) {
		p.unexpected("a number without a sign after " + keyword)
		return 0
	}
	n, err := strconv.ParseInt(p.tok.text, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	p.next()
	return n
}

func (p *parser) valuesClause(q *Query) {
	if at := p.tok.Pos; p.acceptWord("VALUES") {
		q.Values = p.dataBlock(at)
	}
}

// dataBlock parses DataBlock after its VALUES, which is at at.
func (p *parser) dataBlock(at Pos) *InlineData {
	d := &InlineData{Pos: at}
	open := p.tok.Pos
	one := p.tok.kind == tokenVar
	switch {
	case one:
		d.Vars = append(d.Vars, p.variable(""))
	case p.accept("("):
		for p.tok.kind == tokenVar {
			d.Vars = append(d.Vars, p.variable(""))
		}
		p.close(")", open, "a variable")
	default:
		p.unexpected("a variable, or variables in brackets, after VALUES")
	}
	open = p.tok.Pos
	p.expect("{", "before the values of VALUES")
	for p.err == nil && !p.at("}") && p.tok.kind != tokenEnd {
		if one {
			d.Rows = append(d.Rows, []rdf.Term{p.dataValue(`UNDEF, an IRI, a literal or "}"`)})
		} else {
			d.Rows = append(d.Rows, p.dataRow(d))
		}
	}
	p.close("}", open, "values")
	return d
}

// dataRow parses the values of one row in brackets, as many as there are variables.
func (p *parser) dataRow(d *InlineData) []rdf.Term {
	open := p.tok.Pos
	p.expect("(", `before the values of a row, or "}"`)
	row := make([]rdf.Term, 0, len(d.Vars))
	for p.err == nil && !p.at(")") && p.tok.kind != tokenEnd {
		row = append(row, p.dataValue(`UNDEF, an IRI, a literal or ")"`))
	}
	p.close(")", open, "a value")
	if len(row) != len(d.Vars) {
		p.failf(open, "VALUES has %d variable(s), but this row has %d value(s)", len(d.Vars), len(row))
	}
	return row
}

// dataValue parses DataBlockValue; UNDEF is the zero Term. An error says that want was expected.
func (p *parser) dataValue(want string) rdf.Term {
	switch {
	case p.acceptWord("UNDEF"):
		return rdf.Term{}
	case p.atIRI():
		return p.iri("").Term
	case p.atLiteral():
		return p.literal().Term
	case p.at("<<("):
		return p.tripleData()
	}
	p.unexpected(want)
	return rdf.Term{}
}
