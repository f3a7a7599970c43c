package syntax

import "maps"

// query checks a query or a subquery, sets its Grouped and Variables, and returns the
// variables that it selects.
func (c *checker) query(q *Query) scope {
	where := scope{}
	if q.Where != nil {
		where = c.group(q.Where)
	}
	values := scope{}
	if q.Values != nil {
		c.inlineData(values, q.Values)
	}
	grouped := c.groupKeys(q, where)
	aggregates := 0
	for _, item := range q.Projection {
		aggregates += c.expression(item.Expr, "")
	}
	for _, having := range q.Having {
		aggregates += c.expression(having, "")
	}
	for _, key := range q.OrderBy {
		aggregates += c.expression(key.Expr, "")
	}
	q.Grouped = len(q.GroupBy) > 0 || aggregates > 0
	switch {
	case q.Star && q.Grouped && q.Form == Select:
		c.failf(q.Pos, "SELECT * is not allowed with groups: name the variables of GROUP BY, and aggregates")
		return scope{}
	case q.Star:
		return c.star(q, merge(where, values))
	case q.Grouped:
		return c.projection(q, merge(maps.Clone(grouped), values), grouped)
	}
	return c.projection(q, merge(where, values), nil)
}

// maxStarColumns limits the total number of columns of all SELECT * in a text. A SELECT
// * repeats the columns of those nested in it, so a text of a megabyte could otherwise
// fill the memory.
const maxStarColumns = 1 << 18

// star sets the Variables of a query with * to all variables in scope, and returns these.
func (c *checker) star(q *Query, inScope scope) scope {
	if c.starColumns += len(inScope); c.starColumns > maxStarColumns {
		c.failf(q.Pos, "the SELECT * clauses of this query have more than %d columns in total: name the columns that you need", maxStarColumns)
	} else {
		q.Variables = inScope.names()
	}
	return inScope
}

// groupKeys checks GROUP BY, and returns the variables that remain in scope after it.
func (c *checker) groupKeys(q *Query, where scope) scope {
	s := scope{}
	for _, key := range q.GroupBy {
		c.expression(key.Expr, "GROUP BY")
		if v, ok := key.Expr.(*Var); ok && key.As == nil {
			c.add(s, v.Name)
		}
		if key.As == nil {
			continue
		}
		_, inWhere := where[key.As.Name]
		_, twice := s[key.As.Name]
		if inWhere || twice {
			c.failf(key.As.Pos, "GROUP BY can't set ?%s: it has a value already", key.As.Name)
		}
		c.add(s, key.As.Name)
	}
	return s
}

// projection checks the items of SELECT in order. A variable after AS must be new:
// neither in scope nor in another item (section 18.2.1). If solutions are grouped, an
// item may use only the keys, aggregates and earlier items (section 11.4).
func (c *checker) projection(q *Query, inScope, grouped scope) scope {
	shown := scope{}
	for _, item := range q.Projection {
		name := item.Var.Name
		_, again := shown[name]
		_, before := inScope[name]
		switch {
		case item.Expr == nil:
			c.needsGroup(q, item.Var, grouped, shown)
		case again:
			c.failf(item.Var.Pos, "SELECT has the variable ?%s already", name)
		case before:
			c.failf(item.Var.Pos, "SELECT can't set ?%s: it has a value from the pattern", name)
		default:
			c.needsGroup(q, item.Expr, grouped, shown)
		}
		if !again {
			q.Variables = append(q.Variables, name)
		}
		c.add(shown, name)
	}
	return shown
}

// needsGroup checks that e uses only what a SELECT over groups may use.
func (c *checker) needsGroup(q *Query, e Expr, grouped, shown scope) {
	if !q.Grouped {
		return
	}
	walk(e, func(e any) bool {
		switch x := e.(type) {
		case *Var:
			_, key := grouped[x.Name]
			_, item := shown[x.Name]
			if !key && !item {
				c.failf(x.Pos, "?%s has no single value in a group: name it in GROUP BY, or put it into an aggregate such as SAMPLE(?%s)", x.Name, x.Name)
			}
		case *Aggregate, *Exists: // may use any variable
			return false
		case *Call:
			return !x.Distinct // otherwise it is an aggregate
		}
		return true
	})
}

// expression checks an expression and the patterns in it, and returns the number of its
// aggregates. clause names its location if aggregates are not allowed there (section
// 19.8, note 13).
func (c *checker) expression(e Expr, clause string) (aggregates int) {
	walk(e, func(e any) bool {
		switch x := e.(type) {
		case *Exists:
			c.group(x.Group)
			return false
		case *Aggregate:
			c.aggregate(x.Pos, string(x.Op), clause, x.Arg)
			aggregates++
			return false
		case *Call:
			if x.Distinct {
				c.aggregate(x.Pos, "a function with DISTINCT", clause, x.Args...)
				aggregates++
				return false
			}
		}
		return true
	})
	return aggregates
}

// aggregate checks an aggregate, which must not contain another one. clause is where it is,
// if aggregates are not allowed there.
func (c *checker) aggregate(at Pos, name, clause string, args ...Expr) {
	if clause == "an aggregate" {
		c.failf(at, "%s is not allowed inside another aggregate", name)
	} else if clause != "" {
		c.failf(at, "%s is an aggregate, which is allowed only in SELECT, HAVING and ORDER BY, not in %s", name, clause)
	}
	for _, arg := range args {
		c.expression(arg, "an aggregate")
	}
}
