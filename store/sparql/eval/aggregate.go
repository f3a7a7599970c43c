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
// numbered from 0. add adds a row of the chunk that evaluate was called for, and addID
// adds a term of the argument, 0 for an error. outcome returns the id of a group's result,
// 0 for a SPARQL error, and reset removes all groups.
type accumulator interface {
	begin()
	evaluate(rows []int32)
	add(group int, row int32) error
	addID(group int, id ID) error
	outcome(group int) (ID, error)
	reset()
}

// accumulator compiles an aggregate, whose argument is evaluated in columns.
func (c *columns) accumulator(a algebra.Aggregate) (accumulator, error) {
	var out accumulator
	var of columnOf
	var ids columnIDs
	var err error
	_, isVar := a.Arg.(*algebra.Var)
	chooses := a.Op == syntax.OpMin || a.Op == syntax.OpMax || a.Op == syntax.OpSample
	switch exact := a.Op == syntax.OpGroupConcat || chooses; {
	case a.Arg == nil:
	case a.Distinct || chooses && isVar || a.Op == syntax.OpSample || a.Op == syntax.OpCount && isVar:
		ids, err = c.identity(a.Arg)
	default:
		of, err = c.value(a.Arg, exact)
	}
	if err != nil {
		return nil, err
	}
	arg := argument{c: c, of: of, ids: ids}
	switch a.Op {
	case syntax.OpCount:
		out = &counter{argument: arg}
	case syntax.OpMin, syntax.OpMax, syntax.OpSample:
		out = &selection{argument: arg, r: c.r, op: a.Op, ordered: c.r.ds.Ordered()}
	default:
		fold, err := c.r.aggregate(a)
		if err != nil {
			return nil, err
		}
		out = &folding{argument: arg, r: c.r, make: fold, exact: a.Op == syntax.OpGroupConcat}
	}
	if a.Distinct && a.Arg != nil {
		out = &distinctOnly{accumulator: out, argument: arg, seen: newGroupIDs(c.r.budget)}
	} else if a.Distinct {
		out = &distinctRows{accumulator: out, c: c, columns: a.All, seen: newTable(c.r.budget, 1+len(a.All))}
	}
	return out, nil
}

// argument is the argument of an aggregate: as values, as ids, or neither for that of
// COUNT(*).
type argument struct {
	c      *columns
	of     columnOf
	ids    columnIDs
	values *value.Column
	found  []ID
}

func (a *argument) evaluate(rows []int32) {
	switch {
	case a.of != nil:
		a.values = a.of(rows)
	case a.ids != nil:
		a.found = sized(a.c, a.found)
		a.ids(rows, a.found)
	}
}

// aggregate returns a function that begins an aggregate of package value.
func (r *Run) aggregate(a algebra.Aggregate) (func() value.Aggregate, error) {
	switch a.Op {
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
	argument
	r      *Run
	make   func() value.Aggregate
	exact  bool // values need the lexical form of their terms
	groups []value.Aggregate
}

func (f *folding) begin() { f.groups = append(f.groups, f.make()) }
func (f *folding) reset() { f.groups = nil }

func (f *folding) add(group int, row int32) error {
	a := f.groups[group]
	before := a.Size()
	return f.added(a, before, a.AddOf(f.values, row))
}

func (f *folding) addID(group int, id ID) error {
	v, a := f.r.terms.value, f.groups[group]
	if f.exact {
		v = f.r.terms.exact
	}
	before := a.Size()
	return f.added(a, before, a.Add(v(id)))
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

// counter is COUNT.
type counter struct {
	argument
	groups []int64
}

func (c *counter) begin() { c.groups = append(c.groups, 0) }
func (c *counter) reset() { c.groups = c.groups[:0] }

func (c *counter) add(group int, row int32) error {
	if c.of == nil && (c.ids == nil || c.found[row] != 0) || c.of != nil && c.values.Kind(row) > value.KindError {
		c.groups[group]++
	}
	return nil
}

func (c *counter) addID(group int, id ID) error {
	if id != 0 {
		c.groups[group]++
	}
	return nil
}

func (c *counter) outcome(group int) (ID, error) {
	return c.c.r.terms.integer(c.groups[group])
}

// selection is MIN, MAX or SAMPLE, which return one of the terms added.
type selection struct {
	argument
	r       *Run
	op      syntax.Op
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

func (s *selection) add(group int, row int32) error {
	if s.ids != nil {
		return s.addID(group, s.found[row])
	}
	cell, ok := s.values.Computed(row)
	if !ok {
		return s.addID(group, s.r.idOfRow(s.values, row))
	}
	g := &s.groups[group]
	g.failed = g.failed || cell.IsError()
	if !g.failed && (!g.has || g.id != 0 || g.value.Cell != cell) {
		s.consider(g, 0, value.Of(cell, rdf.Term{}))
	}
	return nil
}

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

// distinctOnly is an aggregate with DISTINCT. It adds only terms that are new in their
// group.
type distinctOnly struct {
	accumulator
	argument
	seen *groupIDs
}

func (d *distinctOnly) evaluate(rows []int32) { d.argument.evaluate(rows) }

func (d *distinctOnly) add(group int, row int32) error {
	added, err := d.seen.insert(group, d.found[row])
	if err != nil || !added {
		return err
	}
	return d.accumulator.addID(group, d.found[row])
}

func (d *distinctOnly) reset() {
	d.seen.free()
	d.accumulator.reset()
}

// distinctRows is COUNT(DISTINCT *). It adds only rows that are new in their group.
type distinctRows struct {
	accumulator
	c       *columns
	columns []algebra.Slot
	seen    *table // of a group and the values of columns
	key     []ID
}

func (d *distinctRows) add(group int, row int32) error {
	d.key = append(d.key[:0], ID(group))
	for _, slot := range d.columns {
		d.key = append(d.key, d.c.row(row)[slot])
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
