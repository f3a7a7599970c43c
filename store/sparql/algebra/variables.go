package algebra

import "github.com/segraph/segraph/store/sparql/syntax"

// Variables finds the variables that operators bind and mention. It caches the results,
// so that a result for every operator of a tree costs no more than a few walks over it.
// The zero Variables is ready to use, by one goroutine. The operators must not change.
type Variables struct {
	// Spend, if not nil, is called with the size of each result that is cached, in bytes.
	Spend func(bytes int64)

	may, certain, mentioned map[Op]Set
}

// remember returns the cached result for op, or calls find and caches its result.
func (v *Variables) remember(known *map[Op]Set, op Op, find func(Op) Set) Set {
	if s, ok := (*known)[op]; ok {
		return s
	}
	s := find(op)
	if *known == nil {
		*known = map[Op]Set{}
	}
	(*known)[op] = s
	if v.Spend != nil {
		v.Spend(s.Size() + entrySize)
	}
	return s
}

// entrySize is the approximate size in bytes of a map entry, without its set.
const entrySize = 64

// May returns the variables that a solution of op may bind. They do not include the
// Active of a Graph.
func (v *Variables) May(op Op) Set {
	switch x := op.(type) {
	case *Triple:
		return SetOf(x.S.Slot, x.P.Slot, x.O.Slot)
	case *Ordered:
		return SetOf(x.S.Slot, x.P.Slot, x.O.Slot)
	case *TripleTerm:
		return SetOf(x.Term, x.S.Slot, x.P.Slot, x.O.Slot)
	case *Path:
		return SetOf(x.S.Slot, x.O.Slot)
	}
	return v.remember(&v.may, op, v.findMay)
}

// findMay computes what May caches.
func (v *Variables) findMay(op Op) Set {
	switch x := op.(type) {
	case *Minus:
		return v.May(x.Left)
	case *SemiJoin:
		return v.May(x.Left)
	case *Extend:
		return v.May(x.Op).Or(BoundBy(x))
	case *Graph:
		return v.May(x.Op).Or(SetOf(x.Name.Slot))
	case *Values:
		return SetOf(x.Vars...)
	case *Group:
		return SetOf(x.Keys...).Or(SetOf(into(x)...))
	case *Project:
		return v.May(x.Op).And(SetOf(x.Vars...))
	}
	return unionOf(Children(op), v.May)
}

// BoundBy returns the variables that an Extend itself binds.
func BoundBy(x *Extend) Set {
	slots := make([]Slot, len(x.Bindings))
	for i, b := range x.Bindings {
		slots[i] = b.Var
	}
	return SetOf(slots...)
}

// into returns the variables that the aggregates of a Group bind.
func into(x *Group) []Slot {
	slots := make([]Slot, len(x.Aggregates))
	for i, a := range x.Aggregates {
		slots[i] = a.Into
	}
	return slots
}

// Certain returns the variables that every solution of op binds.
func (v *Variables) Certain(op Op) Set {
	switch op.(type) {
	case *Triple, *TripleTerm, *Ordered, *Path:
		return v.May(op)
	}
	return v.remember(&v.certain, op, v.findCertain)
}

// findCertain returns the variables that every solution of op binds.
func (v *Variables) findCertain(op Op) Set {
	switch x := op.(type) {
	case *LeftJoin:
		return v.Certain(x.Left)
	case *Union:
		s := v.Certain(x.Ops[0])
		for _, arm := range x.Ops[1:] {
			s = s.And(v.Certain(arm))
		}
		return s
	case *Minus:
		return v.Certain(x.Left)
	case *SemiJoin:
		return v.Certain(x.Left)
	case *Extend:
		return v.certainExtend(x)
	case *Graph:
		return v.Certain(x.Op).Or(SetOf(x.Name.Slot))
	case *Values:
		return certainValues(x)
	case *Group:
		slots := v.Certain(x.Op).And(SetOf(x.Keys...)).Slots()
		for _, a := range x.Aggregates {
			if a.Op == syntax.OpCount { // another aggregate may end in an error, which binds nothing
				slots = append(slots, a.Into)
			}
		}
		return SetOf(slots...)
	case *Project:
		return v.Certain(x.Op).And(SetOf(x.Vars...))
	}
	return unionOf(Children(op), v.Certain)
}

// certainExtend returns the variables that every solution of BIND binds. Its expression surely has a value only if
// it is a constant or a bound variable.
func (v *Variables) certainExtend(x *Extend) Set {
	s := v.Certain(x.Op)
	for _, b := range x.Bindings {
		switch e := b.Expr.(type) {
		case *Const:
			s = s.Or(SetOf(b.Var))
		case *Var:
			if s.Has(e.Slot) {
				s = s.Or(SetOf(b.Var))
			}
		}
	}
	return s
}

// certainValues returns the variables that no row of VALUES leaves unbound.
func certainValues(x *Values) Set {
	var slots []Slot
	for i, slot := range x.Vars {
		bound := true
		for _, row := range x.Rows {
			bound = bound && !row[i].IsZero()
		}
		if bound {
			slots = append(slots, slot)
		}
	}
	return SetOf(slots...)
}

// Mentioned returns all variables that occur anywhere in op, including its expressions.
func (v *Variables) Mentioned(op Op) Set { return v.remember(&v.mentioned, op, v.findMentioned) }

// findMentioned returns the variables that occur anywhere in op.
func (v *Variables) findMentioned(op Op) Set {
	var s Set // first what op itself binds, unless a child mentions it
	children := Children(op)
	switch x := op.(type) {
	case *Extend:
		s = BoundBy(x)
	case *Graph:
		s = SetOf(x.Name.Slot)
	case *Group:
		s = v.May(op)
	default:
		if len(children) == 0 {
			s = v.May(op)
		}
	}
	for _, child := range children {
		s = s.Or(v.Mentioned(child))
	}
	return s.Or(v.MentionedBy(Expressions(op)...))
}

// MentionedBy returns all variables that occur anywhere in expressions, including the
// patterns of EXISTS.
func (v *Variables) MentionedBy(exprs ...Expr) Set {
	var slots []Slot
	var inside Set
	for _, e := range exprs {
		Walk(e, func(e Expr) {
			switch x := e.(type) {
			case *Var:
				slots = append(slots, x.Slot)
			case *Exists:
				inside = inside.Or(v.Mentioned(x.Op))
			}
		})
	}
	return inside.Or(SetOf(slots...))
}

// unionOf returns the union of f's results. It joins halves, so that it copies no set for every
// operand of a wide operator.
func unionOf(ops []Op, f func(Op) Set) Set {
	switch half := len(ops) / 2; len(ops) {
	case 0:
		return Set{}
	case 1:
		return f(ops[0])
	default:
		return unionOf(ops[:half], f).Or(unionOf(ops[half:], f))
	}
}
