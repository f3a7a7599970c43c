package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// group returns one row for each group of rows with the same keys.
type group struct {
	output
	*expr.Columns
	r          *Run
	unit       *unit
	keys       []algebra.Slot
	aggregates []expr.Accumulator
	groups     []int            // of the rows of a chunk
	into       [][]algebra.Slot // slots of each aggregate; HAVING and SELECT often use the same one
	table      *table.Keys
	work       int         // per row
	key        []source.ID // of the last row
	last       int         // its group, -1 for none: rows of a group are often adjacent
}

// buildGroup builds GROUP BY. Equal aggregates are computed once.
func (r *Run) buildGroup(x *algebra.Group, e env, next sink) (sink, error) {
	if c, err := r.buildCount(x, next); c != nil || err != nil {
		return c, err
	}
	g := &group{output: newOutput(r, next), Columns: r.exprs.NewColumns(algebra.Expressions(x)...), r: r, unit: e.unit, keys: x.Keys, table: table.NewKeys(r.budget, len(x.Keys)), key: make([]source.ID, len(x.Keys)), last: -1,
		work: expr.Work(algebra.Expressions(x)...)}
	aggregates := slices.Clone(x.Aggregates)
	var moved []*algebra.Expr
	for i := range aggregates {
		if aggregates[i].Arg != nil {
			moved = append(moved, &aggregates[i].Arg)
		}
	}
	op := r.hoist(x.Op, e, moved...)
	var args []algebra.Expr
	for i, a := range aggregates {
		if first := slices.IndexFunc(aggregates[:i], func(b algebra.Aggregate) bool { return sameAggregate(a, b) }); first >= 0 {
			k := slices.IndexFunc(g.into, func(into []algebra.Slot) bool { return into[0] == aggregates[first].Into })
			g.into[k] = append(g.into[k], a.Into)
			continue
		}
		a = withoutSTR(a)
		acc, err := g.NewAccumulator(a)
		if err != nil {
			return nil, err
		}
		g.aggregates, g.into = append(g.aggregates, acc), append(g.into, []algebra.Slot{a.Into})
		if a.Arg != nil {
			args = append(args, a.Arg)
		}
	}
	head, err := r.buildExists(args, r.after(e, x.Op), g)
	if err != nil {
		return nil, err
	}
	if t, ok := extremesOf(x); ok {
		return r.buildExtremes(x, t, head)
	}
	return r.buildWanting(allRows, op, e, head)
}

// withoutSTR replaces GROUP_CONCAT(STR(x)) by GROUP_CONCAT(x), which applies STR anyway
// (SPARQL 1.1, section 18.5.1.7). With DISTINCT they differ, because different terms
// may have the same STR.
func withoutSTR(a algebra.Aggregate) algebra.Aggregate {
	x, ok := a.Arg.(*algebra.Call)
	if ok && a.Op == syntax.OpGroupConcat && !a.Distinct && x.Op == syntax.OpStr && len(x.Args) == 1 {
		a.Arg = x.Args[0]
	}
	return a
}

// sameAggregate reports whether two aggregates of variables or rows are the same.
func sameAggregate(a, b algebra.Aggregate) bool {
	v, ok := a.Arg.(*algebra.Var)
	w, also := b.Arg.(*algebra.Var)
	return a.Op == b.Op && a.Distinct == b.Distinct && a.Separator == b.Separator && a.Measured == b.Measured && slices.Equal(a.All, b.All) &&
		(ok && also && v.Slot == w.Slot || a.Arg == nil && b.Arg == nil)
}

// push finds the group of each row, and adds the row to the aggregates of it.
func (g *group) push(b *table.Batch) error {
	return g.Chunks(b, g.work, func(_ int, rows []int32) error {
		for _, a := range g.aggregates {
			a.Evaluate(rows)
		}
		if err := g.r.budget.Failed(); err != nil || !g.Valid() {
			return err
		}
		g.groups = expr.Sized(g.Columns, g.groups)
		for _, i := range rows {
			if err := g.find(g.Columns.Row(i)); err != nil {
				return err
			}
			g.groups[i] = g.last
		}
		for _, a := range g.aggregates {
			for _, i := range rows {
				if err := a.Add(g.groups[i], i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// find sets last to the group of a row.
func (g *group) find(row []source.ID) error {
	same := g.last >= 0
	for k, slot := range g.keys {
		if g.key[k] != row[slot] {
			g.key[k], same = row[slot], false
		}
	}
	if same {
		return nil
	}
	number, added, err := g.table.Insert(g.key)
	if err != nil {
		return err
	}
	g.last = number
	if added {
		return g.begin()
	}
	return nil
}

// aggregateSize is roughly how many bytes an aggregate of a group takes: its state, the
// pointer to it, and the room that slices need to grow.
const aggregateSize = 192

func (g *group) begin() error {
	for _, a := range g.aggregates {
		a.Begin()
	}
	return g.r.budget.Grow(int64(len(g.aggregates)) * aggregateSize)
}

// end emits a row for each group, and frees the groups. It returns errDone if the next
// operator wants no more.
func (g *group) end() error {
	if len(g.keys) == 0 && g.table.N == 0 { // one group without rows (section 18.5)
		if _, _, err := g.table.Insert(nil); err != nil {
			return err
		}
		if err := g.begin(); err != nil {
			return err
		}
	}
	err := g.emitAll()
	if err != nil && err != errDone {
		return err
	}
	if freeErr := g.r.budget.Grow(-int64(g.table.N*len(g.aggregates)) * aggregateSize); freeErr != nil {
		return freeErr
	}
	g.table.Free()
	g.last = -1
	for _, a := range g.aggregates {
		a.Reset()
	}
	if endErr := g.output.end(); endErr != nil {
		return endErr
	}
	return err
}

// emitAll passes on a row for each group: its keys and its aggregates.
func (g *group) emitAll() error {
	for i := range g.table.N {
		row := g.add(g.unit.row)
		for k, slot := range g.keys {
			row[slot] = g.table.Key(i)[k]
		}
		for k, a := range g.aggregates {
			id, err := a.Outcome(i)
			if err != nil {
				return err
			}
			for _, slot := range g.into[k] {
				row[slot] = id
			}
		}
		if err := g.full(); err != nil {
			return err
		}
		if err := g.r.budget.Tick(4); err != nil {
			return err
		}
	}
	return nil
}
