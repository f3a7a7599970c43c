package plan

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// asBound converts a condition to a bound on a variable. ok is false if no index can
// look it up.
func asBound(c algebra.Expr) (slot algebra.Slot, b algebra.Bound, ok bool) {
	call, ok := c.(*algebra.Call)
	if ok && call.Op == syntax.OpOr {
		return asEither(call)
	}
	_, compares := algebra.Comparison(c) // by = < <= > >= or sameTerm
	if !ok || call.Op == syntax.OpSameTerm || call.Op != syntax.OpNotEqual && !compares {
		return 0, b, false
	}
	if _, isConst := call.Args[0].(*algebra.Const); isConst {
		call = algebra.Mirrored(call)
	}
	v, isVar := call.Args[0].(*algebra.Var)
	constant, isConst := call.Args[1].(*algebra.Const)
	if !isVar || !isConst || !isIndexed(call.Op, constant.Term) {
		return 0, b, false
	}
	return v.Slot, algebra.Bound{Op: call.Op, Term: constant.Term}, true
}

// asEither converts ?t < "…Z" || ?t < "…", which names a time with and without a time zone,
// to one bound. Both must be the same instant, with the one without a zone taken as UTC.
func asEither(or *algebra.Call) (slot algebra.Slot, b algebra.Bound, ok bool) {
	if len(or.Args) != 2 {
		return 0, b, false
	}
	slot, b, ok = asBound(or.Args[0])
	same, other, also := asBound(or.Args[1])
	if !ok || !also || same != slot || other.Op != b.Op || !b.Or.IsZero() || !other.Or.IsZero() {
		return 0, b, false
	}
	x, y := value.FromTerm(b.Term), value.FromTerm(other.Term)
	seconds, nanos, ok := x.Instant()
	atSeconds, atNanos, also := y.Instant()
	b.Or = other.Term
	return slot, b, ok && also && x.Kind() == y.Kind() && seconds == atSeconds && nanos == atNanos
}

// isIndexed reports whether an index can look up the values that a comparison with a
// term accepts. An IRI differs from every other term, but literals may be incomparable.
func isIndexed(op syntax.Op, t rdf.Term) bool {
	switch v := value.FromTerm(t); v.Kind() {
	case value.KindIRI:
		return op == syntax.OpEqual || op == syntax.OpNotEqual
	case value.KindString, value.KindLangString:
		return op == syntax.OpEqual
	default:
		return op != syntax.OpNotEqual && (v.IsNumeric() || v.IsTemporal())
	}
}

// maxBounds limits the bounds on one variable that an index looks up. Further bounds
// stay conditions.
const maxBounds = 16

// bindBounds moves conditions on the objects of a join's patterns into the patterns. All
// patterns with the same object get the bounds; tested later removes them from all but
// the first.
func (p *planner) bindBounds(g *joinGroup) {
	objects := map[algebra.Slot][]algebra.Bound{}
	for _, op := range g.ops {
		if t, ok := op.(*algebra.Triple); ok && t.O.IsVariable() {
			objects[t.O.Slot] = nil
		}
	}
	_, g.conditions = sift(g.conditions, func(c algebra.Expr) bool {
		slot, b, ok := p.bound(c)
		if !ok {
			return false
		}
		bounds, isObject := objects[slot]
		if !isObject || len(bounds) == maxBounds {
			return false
		}
		objects[slot] = append(bounds, b)
		return b.Text == nil // trigrams accept too much, so the condition stays
	})
	ops := slices.Clone(g.ops)
	for i, op := range ops {
		if t, ok := op.(*algebra.Triple); ok && len(objects[t.O.Slot]) > 0 {
			within := *t
			within.Within = slices.Concat(t.Within, objects[t.O.Slot])
			ops[i] = &within
		}
	}
	g.ops = ops
}

// tested returns op, without the bounds of its object if an earlier pattern has already
// tested them.
func (g *joinGroup) tested(op algebra.Op) algebra.Op {
	t, ok := op.(*algebra.Triple)
	if o, isOrdered := op.(*algebra.Ordered); isOrdered {
		t, ok = &o.Triple, true
	}
	switch {
	case !ok || len(t.Within) == 0: // nothing is tested
	case g.within.Has(t.O.Slot) && t == op: // an Ordered keeps its bounds
		free := *t
		free.Within = nil
		return &free
	default:
		g.within = g.within.Or(algebra.SetOf(t.O.Slot))
	}
	return op
}
