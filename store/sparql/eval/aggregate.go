package eval

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// accumulator computes one aggregate for all groups. begin adds a group; groups are
// numbered from 0. add adds a row to a group, outcome returns the id of a group's
// result, and reset removes all groups.
type accumulator interface {
	begin()
	add(group int, row []ID) error
	outcome(group int) (ID, error) // 0 for a SPARQL error
	reset()
}

func (r *Run) accumulator(a algebra.Aggregate) (accumulator, error) {
	var id identity
	if a.Arg != nil {
		var err error
		if id, err = r.identity(a.Arg); err != nil {
			return nil, err
		}
	}
	var out accumulator
	switch _, isVar := a.Arg.(*algebra.Var); {
	case a.Op == syntax.OpCount && (a.Arg == nil || isVar):
		out = &counter{r: r, id: id}
	case a.Op == syntax.OpMin || a.Op == syntax.OpMax || a.Op == syntax.OpSample:
		out = &selection{r: r, op: a.Op, id: id, ordered: r.ds.Ordered()}
	default:
		fold, err := r.aggregate(a)
		if err != nil {
			return nil, err
		}
		v, err := r.argument(a, id)
		if err != nil {
			return nil, err
		}
		out = &folding{r: r, v: v, make: fold}
	}
	if a.Distinct && a.Arg != nil {
		out = &distinctOnly{accumulator: out, id: id, seen: newGroupIDs(r.budget)}
	} else if a.Distinct {
		out = &distinctRows{accumulator: out, columns: a.All, seen: newTable(r.budget, 1+len(a.All))}
	}
	return out, nil
}

// argument compiles an aggregate's argument. id compiles it to ids.
func (r *Run) argument(a algebra.Aggregate, id identity) (expression, error) {
	exact := a.Op == syntax.OpGroupConcat
	if !a.Distinct {
		return r.value(a.Arg, exact)
	}
	of := r.terms.value // the id is needed anyway
	if exact {
		of = r.terms.exact
	}
	return func(row []ID) value.Value { return of(id(row)) }, nil
}

// aggregate returns a function that begins an aggregate of package value.
func (r *Run) aggregate(a algebra.Aggregate) (func() value.Aggregate, error) {
	switch a.Op {
	case syntax.OpCount:
		return func() value.Aggregate { return &value.Count{} }, nil
	case syntax.OpSum:
		return func() value.Aggregate { return &value.Sum{} }, nil
	case syntax.OpAvg:
		return func() value.Aggregate { return &value.Avg{} }, nil
	case syntax.OpGroupConcat:
		return func() value.Aggregate {
			return &value.GroupConcat{Separator: a.Separator, MaxLength: r.functions.MaxLength}
		}, nil
	}
	return nil, fmt.Errorf("%q is not an aggregate", a.Op)
}

// folding is an aggregate that package value computes.
type folding struct {
	r      *Run
	v      expression
	make   func() value.Aggregate
	groups []value.Aggregate
}

func (f *folding) begin() { f.groups = append(f.groups, f.make()) }
func (f *folding) reset() { f.groups = nil }

func (f *folding) add(group int, row []ID) error {
	a := f.groups[group]
	before := a.Size()
	return f.added(a, before, a.Add(f.v(row)))
}

// addOf adds the value of a row of a column.
func (f *folding) addOf(group int, c *value.Column, row int32) error {
	a := f.groups[group]
	before := a.Size()
	return f.added(a, before, a.AddOf(c, row))
}

// added accounts for the growth of an aggregate that took before bytes until now.
func (f *folding) added(a value.Aggregate, before int, err error) error {
	if err != nil {
		f.r.failFunction(err)
		return f.r.budget.Failed()
	}
	if size := a.Size(); size != before {
		return f.r.budget.Grow(int64(size - before))
	}
	return nil
}

func (f *folding) outcome(group int) (ID, error) {
	return f.r.terms.ofValue(f.groups[group].Value())
}

// counter is COUNT of rows or of a variable.
type counter struct {
	r      *Run
	id     identity // nil for rows
	groups []int64
}

func (c *counter) begin() { c.groups = append(c.groups, 0) }
func (c *counter) reset() { c.groups = c.groups[:0] }

func (c *counter) add(group int, row []ID) error {
	if c.id == nil || c.id(row) != 0 {
		c.groups[group]++
	}
	return nil
}

func (c *counter) outcome(group int) (ID, error) {
	return c.r.terms.integer(c.groups[group])
}

// selection is MIN, MAX or SAMPLE, which return one of the terms added.
type selection struct {
	r       *Run
	op      syntax.Op
	id      identity
	groups  []selected
	ordered []OrderedRange
	last    OrderedRange // the one used last
}

type selected struct {
	has, failed bool
	unread      bool // value is out of date: read it from id
	id          ID   // 0 for a computed value that has no id yet
	value       value.Value
}

func (s *selection) begin() { s.groups = append(s.groups, selected{}) }
func (s *selection) reset() { s.groups = nil }

func (s *selection) add(group int, row []ID) error { return s.addID(group, s.id(row)) }

func (s *selection) addID(group int, id ID) error {
	g := &s.groups[group]
	if s.op == syntax.OpSample {
		if g.id == 0 {
			g.id = id
		}
		return nil
	}
	if id == 0 {
		g.failed = true
	}
	if g.failed || id == g.id {
		return nil
	}
	switch before, known := s.before(id, g.id); {
	case !known:
		s.consider(g, id, s.r.terms.value(id))
	case before == (s.op == syntax.OpMin):
		g.id, g.unread = id, true
	}
	return nil
}

// before reports whether the value of a comes before that of b. known is false if the
// ids alone do not decide.
func (s *selection) before(a, b ID) (before, known bool) {
	if r := &s.last; b < r.First || b > r.Last {
		at := slices.IndexFunc(s.ordered, func(r OrderedRange) bool { return r.First <= b && b <= r.Last })
		if at < 0 {
			return false, false
		}
		s.last = s.ordered[at]
	}
	if a < s.last.First || a > s.last.Last {
		return false, false
	}
	if a < b {
		return true, b-a >= s.last.Apart
	}
	return false, a-b >= s.last.Apart
}

// addOf adds the value of a row of a column to MIN or MAX.
func (s *selection) addOf(group int, c *value.Column, row int32) error {
	cell, ok := c.Computed(row)
	if !ok {
		return s.addID(group, s.r.idOfRow(c, row))
	}
	g := &s.groups[group]
	g.failed = g.failed || cell.IsError()
	if !g.failed && (!g.has || g.id != 0 || g.value.Cell != cell) {
		s.consider(g, 0, value.Of(cell, rdf.Term{}))
	}
	return nil
}

// consider selects v if it comes before the value selected so far.
func (s *selection) consider(g *selected, id ID, v value.Value) {
	if g.unread {
		g.value, g.unread = s.r.terms.value(g.id), false
	}
	if g.has {
		order := value.Order(v, g.value)
		if order == 0 { // equal values: choose by term, so that the order of rows does not matter
			order = value.OrderTerms(s.exact(id, v), s.exact(g.id, g.value))
		}
		if s.op == syntax.OpMax {
			order = -order
		}
		if order >= 0 {
			return
		}
	}
	g.has, g.id, g.value = true, id, v
}

// exact returns v with its lexical form, read from id if there is one.
func (s *selection) exact(id ID, v value.Value) value.Value {
	if id == 0 {
		return v
	}
	return s.r.terms.exact(id)
}

func (s *selection) outcome(group int) (ID, error) {
	g := &s.groups[group]
	switch {
	case g.failed:
		return 0, nil
	case g.has && g.id == 0:
		return s.r.terms.ofValue(g.value)
	}
	return g.id, nil
}

// distinctOnly is an aggregate with DISTINCT. It adds only rows whose value is new in
// their group.
type distinctOnly struct {
	accumulator
	id   identity
	seen *groupIDs
}

func (d *distinctOnly) add(group int, row []ID) error { return d.addID(group, d.id(row), row) }

// addID adds a row. id is that of the aggregate's argument in the row.
func (d *distinctOnly) addID(group int, id ID, row []ID) error {
	added, err := d.seen.insert(group, id)
	if err != nil || !added {
		return err
	}
	return d.accumulator.add(group, row)
}

func (d *distinctOnly) reset() {
	d.seen.free()
	d.accumulator.reset()
}

// distinctRows is COUNT(DISTINCT *). It adds only rows that are new in their group.
type distinctRows struct {
	accumulator
	columns []algebra.Slot
	seen    *table // of a group and the values of columns
	key     []ID
}

func (d *distinctRows) add(group int, row []ID) error {
	d.key = append(d.key[:0], ID(group))
	for _, slot := range d.columns {
		d.key = append(d.key, row[slot])
	}
	_, added, err := d.seen.insert(d.key)
	if err != nil || !added {
		return err
	}
	return d.accumulator.add(group, row)
}

func (d *distinctRows) reset() {
	d.seen.free()
	d.accumulator.reset()
}
