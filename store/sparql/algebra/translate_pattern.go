package algebra

import (
	"fmt"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// group translates a group graph pattern (section 18.2.2.6).
func (t *translator) group(g *syntax.Group, s *scope) Op {
	op := t.patterns(g, s)
	if filters := t.exprs(g.Filters, s); len(filters) > 0 {
		op = &Filter{Op: op, Conditions: filters}
	}
	return op
}

// patterns translates a group without its filters.
func (t *translator) patterns(g *syntax.Group, s *scope) Op {
	var op Op = &Unit{}
	for _, p := range g.Patterns {
		if t.at = p.Position(); !t.operator() {
			break
		}
		switch x := p.(type) {
		case *syntax.Group:
			op = join(op, t.group(x, s))
		case *syntax.BGP:
			for _, triple := range x.Triples {
				if t.at = triple.Position(); !t.operator() {
					break
				}
				op = join(op, t.triple(triple, s))
			}
		case *syntax.Optional:
			// The filters of the optional group are conditions of the join: they also see
			// its left side.
			op = &LeftJoin{Left: op, Right: t.patterns(x.Group, s), Conditions: t.exprs(x.Group.Filters, s), Slot: t.hidden()}
		case *syntax.Union:
			union := &Union{}
			for _, arm := range x.Groups {
				if t.at = arm.Pos; !t.operator() {
					break
				}
				union.Ops = append(union.Ops, t.group(arm, s))
			}
			op = join(op, union)
		case *syntax.Minus:
			op = &Minus{Left: op, Right: t.group(x.Group, s)}
		case *syntax.Graph:
			op = join(op, t.graphPattern(x, s))
		case *syntax.Bind:
			op = &Extend{Op: op, Bindings: []Binding{{t.slot(s, x.Var.Name), t.expr(x.Expr, s)}}}
		case *syntax.InlineData:
			op = join(op, t.values(x, s))
		case *syntax.SubSelect:
			op = join(op, t.subquery(x.Query, s))
		default:
			t.fail(fmt.Errorf("unknown kind of pattern: %T", p))
		}
	}
	return op
}

// join appends op to left. It may modify left, which the caller must not use again.
func join(left, op Op) Op {
	if _, ok := left.(*Unit); ok {
		return op
	}
	if _, ok := op.(*Unit); ok {
		return left
	}
	out, ok := left.(*Join)
	if !ok {
		out = &Join{Ops: []Op{left}}
	}
	if x, ok := op.(*Join); ok {
		out.Ops = append(out.Ops, x.Ops...)
	} else {
		out.Ops = append(out.Ops, op)
	}
	return out
}

// graphPattern translates GRAPH: the patterns inside match in the graph with its name.
func (t *translator) graphPattern(x *syntax.Graph, s *scope) Op {
	outer := t.graph
	defer func() { t.graph = outer }()
	out := &Graph{Name: t.node(s, x.Name), Active: NoSlot}
	t.graph = out.Name
	if out.Name.IsVariable() {
		// Not Name itself, because expressions inside do not see that before the
		// pattern has matched.
		out.Active = t.hidden()
		t.graph = Variable(out.Active)
	}
	out.Op = t.group(x.Group, s)
	return out
}

func (t *translator) values(x *syntax.InlineData, s *scope) Op {
	out := &Values{Rows: x.Rows}
	for _, v := range x.Vars {
		out.Vars = append(out.Vars, t.slot(s, v.Name))
	}
	return out
}

// triple translates a pattern, and joins it with what its triple terms must match.
func (t *translator) triple(p syntax.TriplePattern, s *scope) Op {
	subject, object := t.node(s, p.Subject), t.node(s, p.Object)
	terms := t.terms
	t.terms = nil
	var op Op
	if p.Path == nil {
		op = &Triple{Graph: t.graph, S: subject, P: t.node(s, p.Predicate), O: object}
	} else {
		op = t.path(subject, t.step(p.Path), object)
	}
	for _, term := range terms {
		op = join(op, term)
	}
	return op
}
