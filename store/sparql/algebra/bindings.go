package algebra

// TakesBindings reports whether an evaluator may pass the solutions of the preceding
// operands of a join into the first operand of op, so that the result is the same as if
// they were joined with op's own solutions (section 18.5, which evaluates bottom-up).
// outside contains the variables that they may bind. The answer is about op alone, not its
// operands. It is false if op counts, limits, sorts or deduplicates solutions. It is also
// false if a variable from outside, which op might leave unbound, would be seen by an
// expression, or by the right side of an OPTIONAL or MINUS.
func (v *Variables) TakesBindings(op Op, outside Set) bool {
	if outside.Empty() {
		return !isolated(op)
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
		// If a variable has a value from outside, Extend compares that with the value
		// of its expression. But if the expression is an error, later expressions must
		// not see the value from outside. So only variables bound before the first
		// expression count.
		certain := v.Certain(x.Op)
		return v.MentionedBy(Expressions(x)...).And(outside).In(certain)
	}
	return !isolated(op)
}

// isolated reports whether op is always evaluated by itself.
func isolated(op Op) bool {
	switch op.(type) {
	case *Materialize, *Group, *Distinct, *OrderBy, *Slice:
		return true
	}
	return false
}
