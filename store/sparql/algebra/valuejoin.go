package algebra

import (
	"cmp"
	"reflect"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// mirrored maps each comparison that a ValueJoin accepts to the one with exchanged
// operands.
var mirrored = map[syntax.Op]syntax.Op{
	syntax.OpEqual: syntax.OpEqual, syntax.OpSameTerm: syntax.OpSameTerm,
	syntax.OpLess: syntax.OpGreater, syntax.OpGreater: syntax.OpLess,
	syntax.OpLessEqual: syntax.OpGreaterEqual, syntax.OpGreaterEqual: syntax.OpLessEqual,
}

// Comparison reports whether e is a comparison that a ValueJoin accepts (=, sameTerm, <,
// <=, > or >=), and returns it.
func Comparison(e Expr) (c *Call, ok bool) {
	call, ok := e.(*Call)
	return call, ok && mirrored[call.Op] != ""
}

// Mirrored returns an equivalent comparison with exchanged operands. != is its own
// mirror image.
func Mirrored(c *Call) *Call {
	return &Call{Op: cmp.Or(mirrored[c.Op], c.Op), Args: []Expr{c.Args[1], c.Args[0]}}
}

// IsEquality reports whether a comparison is = or sameTerm.
func IsEquality(c *Call) bool { return c.Op == syntax.OpEqual || c.Op == syntax.OpSameTerm }

// Band returns the conditions that bound one expression of Right, or nil if there are
// none. Evaluators can sort Right's solutions by that expression. If several expressions
// have bounds, Band prefers an expression with lower and upper bounds, and then the one
// with the most bounds. bothSides reports whether the chosen expression has lower and
// upper bounds.
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
			if !ok || IsEquality(c) || !reflect.DeepEqual(c.Args[1], first.Args[1]) {
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
		better := both && !bothSides
		if both == bothSides {
			better = len(bounds) > len(band)
		}
		if better {
			band, bothSides = bounds, both
		}
	}
	return band, bothSides
}

// word returns the first word of a ValueJoin's label, which says how its solutions are
// found.
func (x *ValueJoin) word() string {
	for _, e := range x.Conditions {
		if c, ok := Comparison(e); ok && IsEquality(c) {
			return "hashjoin"
		}
	}
	return "bandjoin"
}
