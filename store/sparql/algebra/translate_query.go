package algebra

import "github.com/segraph/segraph/store/sparql/syntax"

// solutions translates the pattern, the grouping and the modifiers of a query (sections
// 18.2.2 to 18.2.5). result is the scope of the variables that the query returns.
func (t *translator) solutions(q *syntax.Query, result *scope) Op {
	// In EXISTS, order and repetition matter only to OFFSET and LIMIT, and repetition to aggregates.
	exists := t.exists && q.Offset == 0 && q.Limit == NoLimit
	defer func(outer bool) { t.exists = outer }(t.exists)
	t.exists = exists && !q.Grouped
	inner := result
	if q.Grouped {
		// Only the keys are in scope after grouping. The query may use the other names
		// again.
		inner = &scope{outer: result, shared: keyNames(q)}
	}
	var op Op = &Unit{}
	if q.Where != nil {
		op = t.group(q.Where, inner)
	}
	t.exists = exists
	op, modifiers := t.modifiers(q, op, inner, result)
	if q.Form == syntax.Select {
		project := &Project{Op: op}
		for _, name := range q.Variables {
			project.Vars = append(project.Vars, t.slot(result, name))
		}
		op = project
		if (q.Distinct || q.Reduced) && !exists {
			op = &Distinct{Op: op, Vars: project.Vars, Reduced: !q.Distinct}
		}
	}
	if modifiers.Offset != 0 || modifiers.Limit != NoLimit {
		modifiers.Op = op
		op = modifiers
	}
	return op
}

// modifiers applies grouping, HAVING, VALUES, the expressions of SELECT and ORDER BY to op,
// in that order. slice has OFFSET and LIMIT, but no operand yet.
func (t *translator) modifiers(q *syntax.Query, op Op, inner, result *scope) (out Op, slice *Slice) {
	outerAggregates, outerInner := t.aggregates, t.inner
	defer func() { t.aggregates, t.inner = outerAggregates, outerInner }()
	var aggregates []Aggregate
	t.aggregates, t.inner = &aggregates, inner
	// Translate all expressions first, because their aggregates belong to the Group.
	having := t.exprs(q.Having, result)
	var bindings []Binding
	for _, item := range q.Projection {
		if item.Expr != nil {
			e := t.expr(item.Expr, result)
			bindings = append(bindings, Binding{t.slot(result, item.Var.Name), e})
		}
	}
	var order []OrderKey
	for _, key := range q.OrderBy {
		order = append(order, OrderKey{t.expr(key.Expr, result), key.Descending})
	}
	t.aggregates = nil
	if q.Grouped {
		op = t.grouping(q, op, inner, aggregates)
	}
	if len(having) > 0 {
		op = &Filter{Op: op, Conditions: having}
	}
	if q.Values != nil {
		op = join(op, t.values(q.Values, result))
	}
	if len(bindings) > 0 {
		op = &Extend{Op: op, Bindings: bindings}
	}
	if len(order) > 0 && !t.exists {
		op = &OrderBy{Op: op, Keys: order, Top: NoLimit}
	}
	return op, &Slice{Offset: q.Offset, Limit: q.Limit}
}

// grouping returns the Group, with an Extend below it for keys that are expressions.
func (t *translator) grouping(q *syntax.Query, op Op, inner *scope, aggregates []Aggregate) Op {
	group := &Group{Aggregates: aggregates}
	var bindings []Binding
	for _, key := range q.GroupBy {
		if v, ok := key.Expr.(*syntax.Var); ok && key.As == nil {
			group.Keys = append(group.Keys, t.slot(inner, v.Name))
			continue
		}
		into := NoSlot
		if key.As != nil {
			into = t.slot(inner, key.As.Name)
		} else {
			into = t.hidden()
		}
		bindings = append(bindings, Binding{into, t.expr(key.Expr, inner)})
		group.Keys = append(group.Keys, into)
	}
	if len(bindings) > 0 {
		op = &Extend{Op: op, Bindings: bindings}
	}
	var named []Slot // shared by all aggregates that need it
	for i := range group.Aggregates {
		if a := &group.Aggregates[i]; a.Arg == nil && a.Distinct { // COUNT(DISTINCT *)
			if named == nil {
				named = t.named(new(Variables).May(op))
			}
			a.All = named
		}
	}
	group.Op = op
	return group
}

// named returns the slots in s that have names.
func (t *translator) named(s Set) (out []Slot) {
	for _, slot := range s.Slots() {
		if t.out.Names[slot] != "" {
			out = append(out, slot)
		}
	}
	return out
}

// keyNames returns the names that are in scope after GROUP BY.
func keyNames(q *syntax.Query) map[string]bool {
	names := map[string]bool{}
	for _, key := range q.GroupBy {
		if key.As != nil {
			names[key.As.Name] = true
		} else if v, ok := key.Expr.(*syntax.Var); ok {
			names[v.Name] = true
		}
	}
	return names
}

// subquery translates a subquery. It shares with outer only the variables that it
// returns.
func (t *translator) subquery(q *syntax.Query, outer *scope) Op {
	shown := map[string]bool{}
	for _, name := range q.Variables {
		shown[name] = true
	}
	return t.solutions(q, &scope{outer: outer, shared: shown})
}
