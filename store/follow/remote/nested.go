package remote

import "github.com/segraph/segraph/store/sparql/syntax"

// Patterns calls f with every pattern of a query, including those of subqueries but not
// those in EXISTS or expressions. optionals is the number of OPTIONALs around the
// pattern.
func Patterns(q *syntax.Query, f func(p syntax.Pattern, optionals int)) {
	if q.Where != nil {
		patterns(q.Where, 0, f)
	}
}

// patterns calls f with a pattern and all patterns in it, and with the number of OPTIONAL around each.
func patterns(p syntax.Pattern, optionals int, f func(syntax.Pattern, int)) {
	f(p, optionals)
	switch x := p.(type) {
	case *syntax.Group:
		for _, inner := range x.Patterns {
			patterns(inner, optionals, f)
		}
	case *syntax.Optional:
		patterns(x.Group, optionals+1, f)
	case *syntax.Union:
		for _, g := range x.Groups {
			patterns(g, optionals, f)
		}
	case *syntax.Minus:
		patterns(x.Group, optionals, f)
	case *syntax.Graph:
		patterns(x.Group, optionals, f)
	case *syntax.SubSelect:
		if x.Query.Where != nil {
			patterns(x.Query.Where, optionals, f)
		}
	}
}
