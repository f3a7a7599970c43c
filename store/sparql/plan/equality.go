package plan

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// asEquality parses a condition as ?a = ?b or sameTerm(?a, ?b). If one of the two
// variables can't be a literal, both must be the same term, so patterns can use one
// variable for both.
func asEquality(c algebra.Expr) (a, b algebra.Slot, ok bool) {
	call, ok := c.(*algebra.Call)
	if !ok || call.Op != syntax.OpEqual && call.Op != syntax.OpSameTerm {
		return 0, 0, false
	}
	x, ok := call.Args[0].(*algebra.Var)
	y, also := call.Args[1].(*algebra.Var)
	if !ok || !also || x.Slot == y.Slot {
		return 0, 0, false
	}
	return x.Slot, y.Slot, true
}

// nodes returns variables whose values are never literals or triple terms. These are
// the subjects and predicates of triple patterns among ops. Of the variables in some,
// it also returns the objects of predicates that have only IRIs and blank nodes as
// objects.
func (p *planner) nodes(ops []algebra.Op, some algebra.Set) algebra.Set {
	var slots []algebra.Slot
	for _, op := range ops {
		t, ok := op.(*algebra.Triple)
		if !ok {
			continue
		}
		slots = append(slots, t.S.Slot, t.P.Slot)
		if some.Has(t.O.Slot) && !t.P.IsVariable() && p.tick(1) {
			only, err := p.statistics.OnlyNodes(t.Graph, t.P.Term)
			p.fail(err)
			if only {
				slots = append(slots, t.O.Slot)
			}
		}
	}
	return algebra.SetOf(slots...)
}

// inTriplesOnly returns the variables that triple patterns among ops bind and that no
// other operator in ops mentions.
func (p *planner) inTriplesOnly(ops []algebra.Op) algebra.Set {
	var slots []algebra.Slot
	var others algebra.Set
	for _, op := range ops {
		if t, ok := op.(*algebra.Triple); ok {
			slots = append(slots, t.S.Slot, t.P.Slot, t.O.Slot)
		} else {
			others = others.Or(p.vars.Mentioned(op))
		}
	}
	return algebra.SetOf(slots...).Without(others)
}

// unifier applies the equalities among the conditions of a join, by replacing one
// variable with the other in patterns.
type unifier struct {
	equal  []equality
	at     map[algebra.Slot][]int // by variable, the indexes of its equalities
	names  renaming
	node   algebra.Set // variables whose values are never literals
	free   algebra.Set // variables that occur only in triple patterns
	exists algebra.Set // variables in an EXISTS among the conditions
}

// equality is a condition ?a = ?b. number is its index among the conditions. done is
// set once it has been applied.
type equality struct {
	number int
	a, b   algebra.Slot
	done   bool
}

// unify applies the equalities among the conditions of a join. It returns bindings of
// the replaced variables, which the caller adds after the join.
func (p *planner) unify(g *joinGroup) []algebra.Binding {
	var certain, compared algebra.Set
	u := unifier{at: map[algebra.Slot][]int{}, names: renaming{}}
	for i, c := range g.conditions {
		a, b, ok := asEquality(c)
		if !ok {
			continue
		}
		if len(u.equal) == 0 {
			certain = p.certain(g.ops)
		}
		if certain.Has(a) && certain.Has(b) {
			u.at[a], u.at[b] = append(u.at[a], len(u.equal)), append(u.at[b], len(u.equal))
			u.equal = append(u.equal, equality{number: i, a: a, b: b})
			compared = compared.Or(algebra.SetOf(a, b))
		}
	}
	if len(u.equal) == 0 {
		return nil
	}
	u.node, u.free = p.nodes(g.ops, compared), p.inTriplesOnly(g.ops)
	for _, x := range algebra.ExistsIn(g.conditions...) {
		u.exists = u.exists.Or(p.vars.Mentioned(x.Op))
	}
	replaced := u.run()
	if len(replaced) == 0 {
		return nil
	}
	applied := map[int]bool{}
	for _, e := range u.equal {
		if e.done {
			applied[e.number] = true
		}
	}
	var rest []algebra.Expr
	for i, c := range g.conditions {
		if !applied[i] {
			rest = append(rest, rename(c, u.names))
		}
	}
	g.ops, g.conditions = renameTriples(g.ops, u.names), rest
	bindings := make([]algebra.Binding, len(replaced))
	for i, slot := range replaced {
		bindings[i] = algebra.Binding{Var: slot, Expr: &algebra.Var{Slot: u.names.of(slot)}}
	}
	return bindings
}

// run applies equalities until no more can be applied, and returns the replaced
// variables.
func (u *unifier) run() (replaced []algebra.Slot) {
	for i := 0; i < len(u.equal); i++ {
		e := &u.equal[i]
		kept, lost := u.names.of(e.a), u.names.of(e.b)
		if e.done || kept == lost || !u.node.Has(kept) && !u.node.Has(lost) {
			continue
		}
		if !u.free.Has(lost) {
			kept, lost = lost, kept
		}
		if !u.free.Has(lost) || u.exists.Has(lost) {
			continue
		}
		e.done = true
		u.names[lost] = kept
		replaced = append(replaced, lost)
		if u.node.Has(lost) {
			u.node = u.node.Or(algebra.SetOf(kept))
		}
		// The equalities of lost now mention kept, and kept may be known as a node only
		// now. Go back to the first of them that is not done; the loop adds 1.
		u.at[kept] = append(u.at[kept], u.at[lost]...)
		for _, other := range u.at[kept] {
			if !u.equal[other].done {
				i = min(i, other-1)
			}
		}
	}
	return replaced
}

// certain returns the variables that every solution of a join of ops binds.
func (p *planner) certain(ops []algebra.Op) algebra.Set {
	return p.vars.Certain(&algebra.Join{Ops: ops})
}

// renaming maps each replaced variable to its replacement.
type renaming map[algebra.Slot]algebra.Slot

// of returns the variable that finally replaces slot, or slot itself.
func (names renaming) of(slot algebra.Slot) algebra.Slot {
	kept, ok := names[slot]
	if !ok {
		return slot
	}
	if further, ok := names[kept]; ok { // shorten the path for the next call
		kept = names.of(further)
		names[slot] = kept
	}
	return kept
}

// unifyOptional applies one equality between the two sides of an OPTIONAL. The right
// side then uses the left side's variable, so that its matches can be looked up by that
// variable.
func (p *planner) unifyOptional(x *algebra.LeftJoin) *algebra.LeftJoin {
	var compared algebra.Set
	for _, c := range x.Conditions {
		if a, b, ok := asEquality(c); ok {
			compared = compared.Or(algebra.SetOf(a, b))
		}
	}
	if compared.Empty() {
		return x
	}
	ops := []algebra.Op{x.Right}
	if j, ok := x.Right.(*algebra.Join); ok {
		ops = j.Ops
	}
	left, right := p.vars.Certain(x.Left), p.vars.Mentioned(x.Right)
	may, isNode, free := p.vars.May(x.Left), p.nodes(ops, compared), p.inTriplesOnly(ops)
	for i, c := range x.Conditions {
		a, b, ok := asEquality(c)
		if !ok {
			continue
		}
		if !left.Has(a) || right.Has(a) {
			a, b = b, a
		}
		onlyLeft, onlyRight := left.Has(a) && !right.Has(a), !may.Has(b) && free.Has(b)
		if !onlyLeft || !onlyRight || !isNode.Has(b) {
			continue
		}
		rest := append(append([]algebra.Expr(nil), x.Conditions[:i]...), x.Conditions[i+1:]...)
		return &algebra.LeftJoin{Left: x.Left, Slot: x.Slot, Conditions: rest, Right: &algebra.Extend{
			Op:       joinOf(renameTriples(ops, renaming{b: a})),
			Bindings: []algebra.Binding{{Var: b, Expr: &algebra.Var{Slot: a}}},
		}}
	}
	return x
}

// renameTriples returns the operators of a join with renamed variables in its triple patterns. It copies what it changes.
func renameTriples(ops []algebra.Op, names renaming) []algebra.Op {
	node := func(n algebra.Node) algebra.Node {
		if n.IsVariable() {
			n.Slot = names.of(n.Slot)
		}
		return n
	}
	out := make([]algebra.Op, len(ops))
	for i, op := range ops {
		out[i] = op
		if t, ok := op.(*algebra.Triple); ok {
			if s, p, o := node(t.S), node(t.P), node(t.O); s != t.S || p != t.P || o != t.O {
				renamed := *t // keeps the other fields
				renamed.S, renamed.P, renamed.O = s, p, o
				out[i] = &renamed
			}
		}
	}
	return out
}

// rename renames variables in an expression. An EXISTS in it must not mention them.
func rename(e algebra.Expr, names renaming) algebra.Expr {
	return algebra.Replace(e, func(e algebra.Expr) algebra.Expr {
		if v, ok := e.(*algebra.Var); ok {
			return &algebra.Var{Slot: names.of(v.Slot)}
		}
		return nil
	})
}
