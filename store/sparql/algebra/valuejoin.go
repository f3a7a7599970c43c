package algebra

import "github.com/segraph/segraph/store/sparql/syntax"

// mirrored are the comparisons that a ValueJoin takes, each with what it is when its
// operands are exchanged.
var mirrored = map[syntax.Op]syntax.Op{
	syntax.OpEqual: syntax.OpEqual, syntax.OpSameTerm: syntax.OpSameTerm,
	syntax.OpLess: syntax.OpGreater, syntax.OpGreater: syntax.OpLess,
	syntax.OpLessEqual: syntax.OpGreaterEqual, syntax.OpGreaterEqual: syntax.OpLessEqual,
}

// Comparison returns e as a call of two operands if it is one that a ValueJoin takes: =,
// sameTerm, <, <=, > or >=.
func Comparison(e Expr) (*Call, bool) {
	call, ok := e.(*Call)
	return call, ok && mirrored[call.Op] != ""
}

// Mirrored returns a comparison with its operands exchanged, which means the same.
func Mirrored(c *Call) *Call {
	return &Call{Op: mirrored[c.Op], Args: []Expr{c.Args[1], c.Args[0]}}
}

// IsEquality reports whether a comparison is = or sameTerm.
func IsEquality(c *Call) bool { return c.Op == syntax.OpEqual || c.Op == syntax.OpSameTerm }

// Band returns those of the conditions that bound one expression of Right, by which its
// solutions may be sorted: most if there are several, and from both sides if possible.
// With none it returns nil.
func Band(conditions []Expr) (band []*Call, bothSides bool) {
	for i, e := range conditions {
		first, ok := Comparison(e)
		if !ok || IsEquality(first) {
			continue
		}
		var bounds []*Call
		below, above := false, false
		for _, other := range conditions[i:] {
			c, ok := Comparison(other)
			if !ok || IsEquality(c) || !Same(c.Args[1], first.Args[1]) {
				continue
			}
			bounds = append(bounds, c)
			if c.Op == syntax.OpLess || c.Op == syntax.OpLessEqual {
				below = true
			} else {
				above = true
			}
		}
		both := below && above
		if both && !bothSides || both == bothSides && len(bounds) > len(band) {
			band, bothSides = bounds, both
		}
	}
	return band, bothSides
}

// word returns what a ValueJoin is called, by how its solutions are found.
func (x *ValueJoin) word() string {
	for _, e := range x.Conditions {
		if c, ok := Comparison(e); ok && IsEquality(c) {
			return "hashjoin"
		}
	}
	return "bandjoin"
}

// Same reports whether two expressions without EXISTS are written alike.
func Same(a, b Expr) bool {
	switch x := a.(type) {
	case *Var:
		y, ok := b.(*Var)
		return ok && x.Slot == y.Slot
	case *Const:
		y, ok := b.(*Const)
		return ok && x.Term == y.Term
	case *Call:
		y, ok := b.(*Call)
		return ok && x.Op == y.Op && x.Function == y.Function && sameAll(x.Args, y.Args)
	case *In:
		y, ok := b.(*In)
		return ok && x.Not == y.Not && Same(x.Expr, y.Expr) && sameAll(x.List, y.List)
	}
	return false
}

func sameAll(a, b []Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Same(a[i], b[i]) {
			return false
		}
	}
	return true
}
