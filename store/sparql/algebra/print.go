package algebra

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// String returns the query's operators for people and tests, one per line, with operands
// indented below. A variable without a name in the query is shown by its number, as ?.0.
func (q *Query) String() string {
	p := printer{names: q.Names}
	p.op(q.Root, 0)
	return p.b.String()
}

// Label returns the line of String for an operator of the query, without indentation.
func (q *Query) Label(op Op) string {
	p := printer{names: q.Names}
	return strings.TrimRight(p.label(op), " ")
}

type printer struct {
	names []string
	b     strings.Builder
}

// op prints an operator, the patterns of its EXISTS, and its operands, each a level deeper.
func (p *printer) op(op Op, depth int) {
	p.b.WriteString(strings.Repeat("  ", depth) + strings.TrimRight(p.label(op), " ") + "\n")
	for _, e := range ExistsIn(Expressions(op)...) {
		p.b.WriteString(strings.Repeat("  ", depth+1) + "exists\n")
		p.op(e.Op, depth+2)
	}
	for _, child := range Children(op) {
		p.op(child, depth+1)
	}
}

// label describes an operator without its operands.
func (p *printer) label(op Op) string {
	switch x := op.(type) {
	case *Unit:
		return "unit"
	case *Triple:
		return "triple " + p.triple(x)
	case *TripleTerm:
		text := fmt.Sprintf("term %s = <<( %s %s %s )>>", p.slot(x.Term), p.node(x.S), p.node(x.P), p.node(x.O))
		return text + map[bool]string{true: ", full scan"}[x.FullScan]
	case *Ordered:
		if x.Descending {
			return "walk desc " + p.triple(&x.Triple)
		}
		return "walk " + p.triple(&x.Triple)
	case *Path:
		return fmt.Sprintf("path %s %s %s%s", p.node(x.S), stepText(x.Path), p.node(x.O), p.graph(x.Graph))
	case *Join:
		return "join"
	case *ValueJoin:
		return x.word() + " " + p.exprs(x.Conditions)
	case *LeftJoin:
		return "leftjoin " + p.exprs(x.Conditions)
	case *Union:
		return "union"
	case *Minus:
		return "minus"
	case *SemiJoin:
		if x.Not {
			return "antijoin " + p.exprs(x.Conditions)
		}
		return "semijoin " + p.exprs(x.Conditions)
	case *Filter:
		return "filter " + p.exprs(x.Conditions)
	case *Extend:
		return "extend " + joined(x.Bindings, ", ", func(b Binding) string { return p.slot(b.Var) + " = " + p.expr(b.Expr) })
	case *Graph:
		return "graph " + p.node(x.Name)
	case *Values:
		return fmt.Sprintf("values %s, %d rows", p.slots(x.Vars), len(x.Rows))
	case *Materialize:
		return "materialize"
	case *Reduce:
		return "reduce " + p.slots(x.Vars)
	}
	return p.modifier(op)
}

// modifier describes a Group, or a modifier of solutions.
func (p *printer) modifier(op Op) string {
	switch x := op.(type) {
	case *Group:
		return "group " + p.slots(x.Keys) + " " + joined(x.Aggregates, ", ", p.aggregate)
	case *Project:
		return "project " + p.slots(x.Vars)
	case *Distinct:
		return "distinct"
	case *OrderBy:
		var parts []string
		for _, k := range x.Keys {
			part := p.expr(k.Expr)
			if k.Descending {
				part = "desc " + part
			}
			parts = append(parts, part)
		}
		if x.Top != NoLimit {
			parts = append(parts, fmt.Sprintf("the first %d", x.Top))
		}
		if x.Ahead != nil {
			parts = append(parts, "by a walk, or by sorting")
		}
		return "order " + strings.Join(parts, ", ")
	case *Slice:
		return fmt.Sprintf("slice %d %d", x.Offset, x.Limit)
	}
	return fmt.Sprintf("%T", op)
}

// triple returns a pattern with the bounds on its object, its graph, and how it is read.
func (p *printer) triple(t *Triple) string {
	text := fmt.Sprintf("%s %s %s", p.node(t.S), p.node(t.P), p.node(t.O))
	for _, b := range t.Within {
		if b.Text != nil {
			text += fmt.Sprintf(", %s by its trigrams", p.node(t.O))
			continue
		}
		text += fmt.Sprintf(", %s %s %s", p.node(t.O), b.Op, b.Term)
		if !b.Or.IsZero() {
			text += fmt.Sprintf(" or %s", b.Or)
		}
	}
	text += p.graph(t.Graph)
	if t.FullScan {
		text += ", full scan"
	}
	return text
}

func (p *printer) slot(s Slot) string {
	if int(s) < len(p.names) && p.names[s] != "" {
		return "?" + p.names[s]
	}
	return "?." + strconv.Itoa(int(s))
}

func (p *printer) slots(list []Slot) string {
	return joined(list, " ", p.slot)
}

func (p *printer) node(n Node) string {
	if n.IsVariable() {
		return p.slot(n.Slot)
	}
	return n.Term.String()
}

func (p *printer) graph(n Node) string {
	if n == DefaultGraph {
		return ""
	}
	return " in " + p.node(n)
}

// expr returns an expression as functions of their arguments.
func (p *printer) expr(e Expr) string {
	switch x := e.(type) {
	case *Var:
		return p.slot(x.Slot)
	case *Const:
		return x.Term.String()
	case *Call:
		name := string(x.Op)
		if x.Op == syntax.OpFunction {
			name = "<" + x.Function + ">"
		}
		return name + "(" + p.exprs(x.Args) + ")"
	case *In:
		return not(x.Not) + p.expr(x.Expr) + " in (" + p.exprs(x.List) + ")"
	case *Exists:
		return not(x.Not) + "exists"
	}
	return fmt.Sprintf("%T", e)
}

func not(b bool) string {
	if b {
		return "not "
	}
	return ""
}

func (p *printer) exprs(list []Expr) string {
	return joined(list, ", ", p.expr)
}

// joined joins the texts of a list.
func joined[T any](list []T, separator string, text func(T) string) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = text(x)
	}
	return strings.Join(parts, separator)
}

// aggregate returns an aggregate, with the variable that gets its value.
func (p *printer) aggregate(a Aggregate) string {
	arg := "*"
	if a.Arg != nil {
		arg = p.expr(a.Arg)
	}
	if a.Distinct {
		arg = "distinct " + arg
	}
	return p.slot(a.Into) + " = " + string(a.Op) + "(" + arg + ")"
}

// stepText returns a path in the syntax of SPARQL, with more brackets than needed.
func stepText(s Step) string {
	switch x := s.(type) {
	case *syntax.Link:
		return "<" + x.IRI + ">"
	case *syntax.InversePath:
		return "^" + stepText(x.Path)
	case *syntax.SequencePath:
		return "(" + joined(x.Paths, "/", stepText) + ")"
	case *syntax.AlternativePath:
		return "(" + joined(x.Paths, "|", stepText) + ")"
	case *syntax.RepeatPath:
		sign := map[byte]string{'*': "*", '+': "+", '?': "?"}[x.Op]
		switch x.Path.(type) {
		case *syntax.Link, *syntax.SequencePath, *syntax.AlternativePath:
			return stepText(x.Path) + sign
		}
		return "(" + stepText(x.Path) + ")" + sign
	case *syntax.NegatedSet:
		return "!<" + joined(x.Links, "|", func(l syntax.NegatedLink) string { return l.IRI }) + ">"
	}
	return fmt.Sprintf("%T", s)
}
