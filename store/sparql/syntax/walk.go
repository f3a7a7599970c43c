package syntax

// Walk calls visit for every expression of a query, including those in subqueries and
// in the patterns of EXISTS. It visits an expression before its operands.
func (q *Query) Walk(visit func(Expr)) {
	walk(q, func(x any) bool {
		switch x.(type) {
		case *Var, *Term, *TripleTerm, *Call, *Aggregate, *In, *Exists:
			visit(x.(Expr))
		}
		return true
	})
}

// Queries calls visit for a query and for each query in it.
func (q *Query) Queries(visit func(*Query)) {
	walk(q, func(x any) bool {
		if q, ok := x.(*Query); ok {
			visit(q)
		}
		return true
	})
}

// InHaving calls visit for every variable in the conditions of HAVING, but not for those in patterns of EXISTS, which may bind
// them.
func (q *Query) InHaving(visit func(*Var)) {
	walkAll(q.Having, func(x any) bool {
		if v, ok := x.(*Var); ok {
			visit(v)
		}
		_, exists := x.(*Exists)
		return !exists
	})
}

// walk calls visit for x, a *Query, a Pattern or an Expr, and, if it returns true, for
// what is in it. It does not visit the nodes of triples. x may be nil.
func walk(x any, visit func(x any) bool) {
	if x == nil || !visit(x) {
		return
	}
	switch x := x.(type) {
	case *Query:
		for _, item := range x.Projection {
			walk(item.Expr, visit)
		}
		if x.Where != nil {
			walk(x.Where, visit)
		}
		for _, key := range x.GroupBy {
			walk(key.Expr, visit)
		}
		walkAll(x.Having, visit)
		for _, key := range x.OrderBy {
			walk(key.Expr, visit)
		}
	case *Group:
		walkAll(x.Patterns, visit)
		walkAll(x.Filters, visit)
	case *Optional:
		walk(x.Group, visit)
	case *Union:
		walkAll(x.Groups, visit)
	case *Minus:
		walk(x.Group, visit)
	case *Graph:
		walk(x.Group, visit)
	case *Service:
		walk(x.Group, visit)
	case *Bind:
		walk(x.Expr, visit)
	case *SubSelect:
		walk(x.Query, visit)
	case *Call:
		walkAll(x.Args, visit)
	case *Aggregate:
		walk(x.Arg, visit)
	case *In:
		walk(x.Expr, visit)
		walkAll(x.List, visit)
	case *Exists:
		walk(x.Group, visit)
	}
}

func walkAll[T any](list []T, visit func(x any) bool) {
	for _, x := range list {
		walk(x, visit)
	}
}
