package algebra

// TakesBindings tells whether op may be evaluated by handing the solutions of what is before it
// in a join on to its first operand, and gives then what joining them with op's own solutions
// gives (section 18.5, which evaluates from the bottom up). outside is what those solutions
// may bind. It is about op itself: of its operands the evaluator asks again.
//
// It may not where an expression, the right side of an OPTIONAL or that of a MINUS would see a
// variable from outside that op itself does not certainly bind there; nor where
// solutions are counted, cut, sorted or made distinct.
func TakesBindings(op Op, outside Set) bool {
	switch x := op.(type) {
	case *LeftJoin:
		seen := Mentioned(x.Right).Or(MentionedBy(x.Conditions...))
		return seen.And(outside).In(Certain(x.Left))
	case *SemiJoin:
		seen := Mentioned(x.Right).Or(MentionedBy(x.Conditions...))
		return seen.And(outside).In(Certain(x.Left))
	case *Minus:
		return Mentioned(x.Right).And(outside).In(Certain(x.Left))
	case *Filter:
		return MentionedBy(x.Conditions...).And(outside).In(Certain(x.Op))
	case *Extend:
		// Binding a variable that has a value from outside is a matter of comparing the two; but
		// a later expression must not see that value where this one is an error, so what
		// counts is what is bound before the first.
		certain := Certain(x.Op)
		return MentionedBy(Expressions(x)...).And(outside).In(certain)
	case *Materialize, *Group, *Distinct, *OrderBy, *Slice:
		return false
	}
	return true
}
