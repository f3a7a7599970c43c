package syntax

import (
	"fmt"
	"strings"
)

// String returns the query as SPARQL text, one pattern per line. If q comes from
// ParseQuery, the text parses to the same query, apart from positions. IRIs are in full
// or use the prologue's prefixes.
func (q *Query) String() string {
	p := &printer{prefixes: map[string]string{}}
	if q.Prologue.Base != "" {
		p.line("BASE <%s>", q.Prologue.Base)
	}
	for _, prefix := range q.Prologue.Prefixes {
		p.line("PREFIX %s: <%s>", prefix.Label, prefix.Namespace)
		p.prefixes[prefix.Namespace] = prefix.Label
	}
	for _, version := range q.Prologue.Versions {
		p.line("VERSION %s", quote(version))
	}
	p.query(q)
	return p.out.String()
}

// printer builds the text.
type printer struct {
	out      strings.Builder
	indent   int
	prefixes map[string]string // labels by namespace
}

// maxIndent keeps deeply nested text from being mostly spaces.
const maxIndent = 20

// start indents a new line.
func (p *printer) start() {
	for range min(p.indent, maxIndent) {
		p.out.WriteString("  ")
	}
}

func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

// line writes a whole line.
func (p *printer) line(format string, args ...any) {
	p.start()
	fmt.Fprintf(&p.out, format+"\n", args...)
}

// query writes a query or subquery without its prologue.
func (p *printer) query(q *Query) {
	p.start()
	p.write(strings.ToUpper(q.Form.String()))
	switch q.Form {
	case Select:
		p.projection(q)
	case Construct:
		p.write(" {\n")
		p.indent++
		p.triples(q.Template)
		p.indent--
		p.start()
		p.write("}")
	case Describe:
		if q.Star {
			p.write(" *")
		}
		for _, n := range q.Describe {
			p.write(" ")
			p.node(n)
		}
	}
	p.write("\n")
	for _, graph := range q.From {
		p.line("FROM %s", p.term(graph.Term))
	}
	for _, graph := range q.FromNamed {
		p.line("FROM NAMED %s", p.term(graph.Term))
	}
	if q.Where != nil {
		p.start()
		p.write("WHERE ")
		p.group(q.Where)
		p.write("\n")
	}
	p.modifiers(q)
	if q.Values != nil {
		p.inlineData(q.Values)
	}
}

// projection prints what follows SELECT.
func (p *printer) projection(q *Query) {
	switch {
	case q.Distinct:
		p.write(" DISTINCT")
	case q.Reduced:
		p.write(" REDUCED")
	}
	if q.Star {
		p.write(" *")
	}
	for _, item := range q.Projection {
		p.write(" ")
		p.as(item.Expr, item.Var)
	}
}

// as writes (e AS v), or e or v if the other is nil.
func (p *printer) as(e Expr, v *Var) {
	switch {
	case e == nil:
		p.node(v)
	case v == nil:
		p.constraint(e)
	default:
		p.write("(")
		p.expression(e, lowest)
		p.write(" AS ")
		p.node(v)
		p.write(")")
	}
}

// modifiers writes SolutionModifier.
func (p *printer) modifiers(q *Query) {
	if len(q.GroupBy) > 0 {
		p.start()
		p.write("GROUP BY")
		for _, key := range q.GroupBy {
			p.write(" ")
			if v, ok := key.Expr.(*Var); ok && key.As == nil {
				p.node(v)
			} else {
				p.as(key.Expr, key.As)
			}
		}
		p.write("\n")
	}
	for i, having := range q.Having {
		if i == 0 {
			p.start()
			p.write("HAVING")
		}
		p.write(" ")
		p.constraint(having)
		if i == len(q.Having)-1 {
			p.write("\n")
		}
	}
	if len(q.OrderBy) > 0 {
		p.start()
		p.write("ORDER BY")
		for _, key := range q.OrderBy {
			p.orderKey(key)
		}
		p.write("\n")
	}
	if q.Limit != NoLimit {
		p.line("LIMIT %d", q.Limit)
	}
	if q.Offset != 0 {
		p.line("OFFSET %d", q.Offset)
	}
}

func (p *printer) orderKey(key OrderKey) {
	switch v, ok := key.Expr.(*Var); {
	case key.Descending:
		p.write(" DESC(")
		p.expression(key.Expr, lowest)
		p.write(")")
	case ok:
		p.write(" ")
		p.node(v)
	default:
		p.write(" ")
		p.constraint(key.Expr)
	}
}
