package algebra

// TakesBindings reports whether op may be evaluated by handing the solutions of what is
// before it in a join on to its first operand, and gives then what joining them with op's
// own solutions gives (section 18.5, which evaluates from the bottom up). outside is what
// those solutions may bind. It is about op itself: of its operands the evaluator asks
// again.
//
// It may not where an expression, the right side of an OPTIONAL or that of a MINUS would
// see a variable from outside that op itself does not certainly bind there; nor where
// solutions are counted, cut, sorted or made distinct.
func (v *Variables) TakesBindings(op Op, outside Set) bool {
	if outside.Empty() {
		return !alone(op)
	}
	switch x := op.(type) {
	case *LeftJoin:
		seen := v.Mentioned(x.Right).Or(v.MentionedBy(x.Conditions...))
		return seen.And(outside).In(v.Certain(x.Left))
	case *SemiJoin:
		seen := v.Mentioned(x.Right).Or(v.MentionedBy(x.Conditions...))
		return seen.And(outside).In(v.Certain(x.Left))
	case *Minus:
		return v.Mentioned(x.Right).And(outside).In(v.Certain(x.Left))
	case *ValueJoin:
		return v.MentionedBy(x.Conditions...).And(outside).In(v.Certain(x))
	case *Filter:
		return v.MentionedBy(x.Conditions...).And(outside).In(v.Certain(x.Op))
	case *Extend:
		// Binding a variable that has a value from outside is a matter of comparing the
		// two; but a later expression must not see that value where this one is an error,
		// so what counts is what is bound before the first.
		certain := v.Certain(x.Op)
		return v.MentionedBy(Expressions(x)...).And(outside).In(certain)
	}
	return !alone(op)
}

// alone reports whether op is always evaluated by itself.
func alone(op Op) bool {
	switch op.(type) {
	case *Materialize, *Group, *Distinct, *OrderBy, *Slice:
		return true
	}
	return false
}
