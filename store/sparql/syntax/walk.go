package syntax

// Walk calls visit for every expression of a query, including those in subqueries and
// in the patterns of EXISTS. It visits an expression before its operands.
func (q *Query) Walk(visit func(Expr)) {
	w := walker(visit)
	w.query(q)
}

type walker func(Expr)

func (w walker) query(q *Query) {
	for _, item := range q.Projection {
		w.expr(item.Expr)
	}
	if q.Where != nil {
		w.pattern(q.Where)
	}
	for _, key := range q.GroupBy {
		w.expr(key.Expr)
	}
	w.exprs(q.Having)
	for _, key := range q.OrderBy {
		w.expr(key.Expr)
	}
}

func (w walker) pattern(p Pattern) {
	switch x := p.(type) {
	case *Group:
		for _, inner := range x.Patterns {
			w.pattern(inner)
		}
		w.exprs(x.Filters)
	case *Optional:
		w.pattern(x.Group)
	case *Union:
		for _, arm := range x.Groups {
			w.pattern(arm)
		}
	case *Minus:
		w.pattern(x.Group)
	case *Graph:
		w.pattern(x.Group)
	case *Service:
		w.pattern(x.Group)
	case *Bind:
		w.expr(x.Expr)
	case *SubSelect:
		w.query(x.Query)
	}
}

func (w walker) exprs(list []Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w walker) expr(e Expr) {
	if e == nil {
		return
	}
	w(e)
	switch x := e.(type) {
	case *Call:
		w.exprs(x.Args)
	case *Aggregate:
		w.expr(x.Arg)
	case *In:
		w.expr(x.Expr)
		w.exprs(x.List)
	case *Exists:
		w.pattern(x.Group)
	}
}
