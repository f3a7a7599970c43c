// Package plan rewrites a query's algebra so that it is faster to evaluate, with the
// same result. It tests filters as soon as their variables are bound, orders the
// operands of joins by estimated cost, and makes ORDER BY keep only the rows that LIMIT
// needs.
//
// Both input and output are algebra, so a query can be evaluated without a plan, as
// tests do for comparison. The package reads no store. All it knows of the data comes
// from Statistics. A wrong estimate may make a query slow, but never changes its
// answer.
package plan

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Statistics provides numbers of triples. graph is a term, DefaultGraph, or a variable
// for all named graphs.
type Statistics interface {
	// Count returns the number of triples with the given terms. The zero Term matches
	// any.
	Count(graph algebra.Node, s, p, o rdf.Term) (int64, error)
	// Within estimates the number of triples with predicate p whose object satisfies
	// bounds.
	Within(graph algebra.Node, p rdf.Term, bounds []algebra.Bound) (int64, error)
	// Unordered estimates how many of these triples have objects whose ids are not in
	// the order of their values, so that a walk must read all of them.
	Unordered(graph algebra.Node, p rdf.Term, bounds []algebra.Bound) (int64, error)
	// Distinct estimates the numbers of distinct subjects and objects of the triples with
	// predicate p, or of all triples for the zero Term. Neither is below 1.
	Distinct(graph algebra.Node, p rdf.Term) (subjects, objects float64, err error)
	// OnlyNodes reports whether all objects of the triples with predicate p are known to
	// be IRIs or blank nodes.
	OnlyNodes(graph algebra.Node, p rdf.Term) (bool, error)
	// TripleTerms describes the triple terms with the given parts. The zero Term
	// matches any part.
	TripleTerms(s, p, o rdf.Term) (algebra.TripleTermCounts, error)
}

// Query plans a query, within b. The error is one of s or b; the result beside it is of no use.
func Query(q *algebra.Query, s Statistics, b *budget.Budget) (*algebra.Query, error) {
	p := newPlanner(s, b)
	out := *q
	var g planContext
	if q.Form == syntax.Ask {
		g = planContext{few: true, live: &algebra.Set{}}
	}
	out.Root = p.op(q.Root, nil, g)
	return &out, p.err
}

// planContext is what the plan of an operator depends on besides the operator: its
// input, and how its solutions are used.
type planContext struct {
	// before holds the variables that input rows may bind, from earlier operands of a
	// join. bound holds those that all input rows bind.
	before, bound algebra.Set
	// live is nil if repeated solutions matter to later operators. Otherwise it holds the variables that they need,
	// and all of before.
	live *algebra.Set
	// walk asks for the first pattern to be walked, or is nil.
	walk *walk
	// rows is the estimated number of input rows; 0 means 1.
	rows float64
	// few is set if the first few solutions may suffice.
	few bool
}

// in returns the estimated number of input rows.
func (g planContext) in() float64 {
	if g.rows == 0 {
		return 1
	}
	return g.rows
}

// after returns the context after an operator, without its number of rows.
func (p *planner) after(g planContext, op algebra.Op) planContext {
	g.before, g.bound, g.walk = g.before.Or(p.vars.May(op)), g.bound.Or(p.vars.Certain(op)), nil
	return g
}

// needing adds variables to live.
func (g planContext) needing(s algebra.Set) planContext {
	if g.live != nil && !s.In(*g.live) {
		live := g.live.Or(s)
		g.live = &live
	}
	return g
}

// evaluating adds the variables of expressions to live. If an expression is volatile,
// it matters how often it is evaluated, so live becomes nil.
func (p *planner) evaluating(g planContext, exprs ...algebra.Expr) planContext {
	for _, e := range exprs {
		if g.live == nil {
			return g
		}
		if c := p.condition(e); c.volatile {
			g.live = nil
		} else {
			g = g.needing(c.needs)
		}
	}
	return g
}

// afterRows is after, with the estimated number of rows.
func (p *planner) afterRows(op algebra.Op, g planContext) planContext {
	_, rows := p.cost(op, &progress{rows: g.in(), bound: g.bound}, g.few)
	g = p.after(g, op)
	g.rows = rows
	return g
}

// maxBothWays limits the nesting of operators that are planned in two ways, because each
// level doubles the planning time.
const maxBothWays = 3

// op plans an operator, and applies conditions to its solutions. After an error, p.err, it returns op as it is.
func (p *planner) op(op algebra.Op, conditions []algebra.Expr, g planContext) algebra.Op {
	if !p.tick(1 + len(conditions)) {
		return op
	}
	switch x := op.(type) {
	case *algebra.Triple:
		if len(conditions) > 0 {
			return p.join(&algebra.Join{Ops: []algebra.Op{x}}, conditions, g)
		}
		if scan := p.fullScan(x, g); scan != x.FullScan {
			read := *x
			read.FullScan, x = scan, &read
		}
		if g.walk.take(x) {
			return g.walk.op
		}
		return x
	case *algebra.TripleTerm:
		return p.filter(p.tripleTerm(x, g), conditions, g)
	case *algebra.Filter:
		return p.op(x.Op, append(slices.Clip(conditions), p.split(x.Conditions)...), g)
	case *algebra.Join:
		return p.join(x, conditions, g)
	case *algebra.ValueJoin:
		return p.valueJoin(x, conditions, g)
	case *algebra.LeftJoin:
		return p.join(&algebra.Join{Ops: []algebra.Op{x}}, conditions, g)
	case *algebra.Minus:
		left := p.op(x.Left, conditions, p.evaluating(g, conditions...).needing(p.vars.Mentioned(x.Right)))
		return p.minus(x, left, g)
	case *algebra.Union:
		return p.union(x, conditions, g)
	case *algebra.Extend:
		return p.extend(x, conditions, g)
	case *algebra.Graph:
		inside, rest := sift(conditions, func(c algebra.Expr) bool { return !p.condition(c).needs.Has(x.Name.Slot) && !readsGraph(c) })
		below := p.evaluating(g, conditions...).needing(algebra.SetOf(x.Name.Slot, x.Active))
		return filter(&algebra.Graph{Name: x.Name, Active: x.Active, Op: p.op(x.Op, inside, below)}, rest)
	case *algebra.Project:
		may, shown := p.vars.May(x.Op), algebra.SetOf(x.Vars...)
		inside, rest := sift(conditions, func(c algebra.Expr) bool { return p.condition(c).needs.And(may).In(shown) })
		return filter(&algebra.Project{Op: p.op(x.Op, inside, p.evaluating(g, conditions...)), Vars: x.Vars}, rest)
	case *algebra.OrderBy:
		keys := append([]algebra.OrderKey(nil), x.Keys...)
		for i := range keys {
			keys[i].Expr = p.expr(keys[i].Expr)
		}
		// The operand is evaluated by itself, so only live applies to it.
		below := planContext{live: p.evaluating(p.evaluating(g, algebra.Expressions(x)...), conditions...).live}
		op, ahead := p.ordered(x, below)
		return filter(&algebra.OrderBy{Op: op, Keys: keys, Top: x.Top, Skip: x.Skip, Ahead: ahead}, conditions)
	}
	return p.filter(p.modifier(op, g.few), conditions, g)
}

// readsGraph reports whether a condition has an EXISTS with patterns in the graph of a Graph around it. It may
// not move into another Graph, whose operands are evaluated without that graph.
func readsGraph(c algebra.Expr) bool {
	return slices.ContainsFunc(algebra.ExistsIn(c), func(x *algebra.Exists) bool { return algebra.ActiveGraph(x.Op) != algebra.NoSlot })
}

// modifier plans an operator that is evaluated without the rows of earlier operands, as algebra.isolated says, and
// returns others as they are. few is as in planContext.
func (p *planner) modifier(op algebra.Op, few bool) algebra.Op {
	switch x := op.(type) {
	case *algebra.Materialize:
		return &algebra.Materialize{Op: p.op(x.Op, nil, planContext{})}
	case *algebra.Group:
		aggregates := p.withoutDistinct(x)
		for i := range aggregates {
			if aggregates[i].Arg != nil {
				aggregates[i].Arg = p.expr(aggregates[i].Arg)
			}
		}
		return &algebra.Group{Op: p.op(x.Op, nil, p.forGroup(x.Keys, aggregates)), Keys: x.Keys, Aggregates: aggregates}
	case *algebra.Distinct:
		live := algebra.SetOf(x.Vars...)
		return &algebra.Distinct{Op: p.op(x.Op, nil, planContext{live: &live, few: few}), Vars: x.Vars, Reduced: x.Reduced}
	case *algebra.Slice:
		below := x.Op
		if x.Limit != algebra.NoLimit && x.Offset <= maxTop && x.Limit <= maxTop {
			below = top(below, x.Offset, x.Limit)
		}
		return &algebra.Slice{Op: p.op(below, nil, planContext{few: few || x.Limit != algebra.NoLimit}), Offset: x.Offset, Limit: x.Limit}
	}
	return op
}

// maxTop keeps offset + limit from overflowing.
const maxTop = 1 << 40

// top sets Top and Skip of an OrderBy below a Slice, if the operators between them keep
// its rows.
func top(op algebra.Op, offset, limit int64) algebra.Op {
	switch x := op.(type) {
	case *algebra.Project:
		return &algebra.Project{Op: top(x.Op, offset, limit), Vars: x.Vars}
	case *algebra.OrderBy:
		return &algebra.OrderBy{Op: x.Op, Keys: x.Keys, Top: offset + limit, Skip: offset}
	}
	return op
}

// forGroup returns the context below a Group. Repeated solutions do not matter if no
// aggregate depends on them: each is DISTINCT, MIN or MAX.
func (p *planner) forGroup(keys []algebra.Slot, aggregates []algebra.Aggregate) planContext {
	live := algebra.SetOf(keys...)
	g := planContext{live: &live}
	var all []algebra.Slot
	for _, a := range aggregates {
		if !a.Distinct && a.Op != syntax.OpMin && a.Op != syntax.OpMax {
			return planContext{}
		}
		if a.Arg != nil {
			g = p.evaluating(g, a.Arg)
		}
		if len(all) == 0 {
			all = a.All // the same for every aggregate that has it
		}
	}
	return g.needing(algebra.SetOf(all...))
}

// optional plans the right side of x and joins it to left. g is the context after left.
func (p *planner) optional(left algebra.Op, x *algebra.LeftJoin, g planContext) algebra.Op {
	g = p.evaluating(g, x.Conditions...).needing(g.before.Or(algebra.SetOf(x.Slot)))
	inside, rest := p.rightOnly(x.Right, x.Conditions, g.before)
	if p.optionalOnValues(x.Right, rest, g) {
		return &algebra.LeftJoin{Left: left, Right: &algebra.Materialize{Op: p.op(x.Right, inside, planContext{})}, Conditions: rest, Slot: x.Slot}
	}
	if !p.vars.TakesBindings(x.Right, g.before) {
		g = planContext{}
	}
	return &algebra.LeftJoin{Left: left, Right: p.op(x.Right, inside, g), Conditions: rest, Slot: x.Slot}
}

// union plans a UNION. A condition whose variables every arm certainly binds is tested in the arms;
// the others after them.
func (p *planner) union(x *algebra.Union, conditions []algebra.Expr, g planContext) algebra.Op {
	may := p.vars.May(x)
	inside, rest := sift(conditions, func(c algebra.Expr) bool {
		needs := p.condition(c).needs.And(may)
		return !slices.ContainsFunc(x.Ops, func(arm algebra.Op) bool { return !needs.In(p.vars.Certain(arm)) })
	})
	out := &algebra.Union{}
	g.walk = nil // the rows of the other arms would not be in the order of the walk
	g = p.evaluating(g, conditions...)
	for _, arm := range x.Ops {
		out.Ops = append(out.Ops, p.op(arm, inside, g))
	}
	return filter(out, rest)
}

// extend plans BIND. Conditions that need no new variable are tested before it.
func (p *planner) extend(x *algebra.Extend, conditions []algebra.Expr, g planContext) algebra.Op {
	made := algebra.BoundBy(x)
	bindings := append([]algebra.Binding(nil), x.Bindings...)
	for i, b := range bindings {
		bindings[i].Expr = p.expr(b.Expr)
	}
	inside, rest := sift(conditions, func(c algebra.Expr) bool { return !p.condition(c).needs.Meets(made) })
	below := p.evaluating(p.evaluating(g, conditions...), algebra.Expressions(x)...)
	inside = append(slices.Clip(inside), p.computedBelow(rest, x, g.before)...)
	return filter(&algebra.Extend{Op: p.op(x.Op, inside, below), Bindings: bindings}, rest)
}
