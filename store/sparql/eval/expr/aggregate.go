package expr

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Accumulator computes one aggregate for all groups. Begin adds a group; groups are
// numbered from 0. Add adds a row of the chunk that Evaluate was called for, and addID
// adds a term of the argument, 0 for an error. Outcome returns the id of a group's result,
// 0 for a SPARQL error, and Reset removes all groups.
type Accumulator interface {
	Begin()
	Evaluate(rows []int32)
	Add(group int, row int32) error
	addID(group int, id source.ID) error
	Outcome(group int) (source.ID, error)
	Reset()
}

// NewAccumulator compiles an aggregate, whose argument is evaluated in columns.
func (c *Columns) NewAccumulator(a algebra.Aggregate) (Accumulator, error) {
	var out Accumulator
	var of Values
	var ids IDs
	var err error
	_, isVar := a.Arg.(*algebra.Var)
	chooses := a.Op == syntax.OpMin || a.Op == syntax.OpMax || a.Op == syntax.OpSample
	termOfVar := isVar && (chooses || a.Op == syntax.OpCount) // no value is needed, only the term or whether there is one
	switch exact := a.Op == syntax.OpGroupConcat || chooses; {
	case a.Arg == nil: // COUNT(*)
	case a.Distinct || a.Op == syntax.OpSample || termOfVar:
		ids, err = c.Identity(a.Arg)
	default:
		of, err = c.Value(a.Arg, exact)
	}
	if err != nil {
		return nil, err
	}
	arg := argument{c: c, of: of, ids: ids}
	switch a.Op {
	case syntax.OpCount:
		out = &counter{argument: arg}
	case syntax.OpMin, syntax.OpMax, syntax.OpSample:
		out = &selection{argument: arg, q: c.q, op: a.Op, ordered: c.q.Terms.ds.Ordered()}
	default:
		fold, err := c.q.aggregate(a)
		if err != nil {
			return nil, err
		}
		out = &folding{argument: arg, q: c.q, make: fold, exact: a.Op == syntax.OpGroupConcat, measured: a.Measured}
	}
	if a.Distinct && a.Arg != nil {
		out = &distinctOnly{Accumulator: out, argument: arg, seen: table.NewGroupIDs(c.q.budget)}
	} else if a.Distinct {
		out = &distinctRows{Accumulator: out, c: c, columns: a.All, seen: table.NewKeys(c.q.budget, 1+len(a.All))}
	}
	return out, nil
}

// argument is the argument of an aggregate: as values, as ids, or neither for that of
// COUNT(*).
type argument struct {
	c      *Columns
	of     Values
	ids    IDs
	values *value.Column
	found  []source.ID
}

// Evaluate computes the argument for rows: as values, or as ids.
func (a *argument) Evaluate(rows []int32) {
	switch {
	case a.of != nil:
		a.values = a.of(rows)
	case a.ids != nil:
		a.found = Sized(a.c, a.found)
		a.ids(rows, a.found)
	}
}

// aggregate returns a function that begins SUM, AVG or GROUP_CONCAT for one group.
func (q *Query) aggregate(a algebra.Aggregate) (func() value.Aggregate, error) {
	switch a.Op {
	case syntax.OpSum, syntax.OpAvg:
		return func() value.Aggregate { return &value.Sum{Mean: a.Op == syntax.OpAvg} }, nil
	case syntax.OpGroupConcat:
		return func() value.Aggregate {
			return &value.GroupConcat{Separator: a.Separator, MaxLength: q.functions.MaxLength}
		}, nil
	}
	return nil, fmt.Errorf("%q is not an aggregate", a.Op)
}

// folding is an aggregate that package value computes.
type folding struct {
	argument
	q      *Query
	make   func() value.Aggregate
	exact  bool // values need the lexical form of their terms
	groups []value.Aggregate

	measured bool // only STRLEN uses the results
}

func (f *folding) Begin() { f.groups = append(f.groups, f.make()) }
func (f *folding) Reset() { f.groups = nil }

func (f *folding) Add(group int, row int32) error {
	a, before := f.groups[group], 0
	if f.exact { // sums take no room
		before = a.Size()
	}
	return f.added(a, before, a.AddOf(f.values, row))
}

func (f *folding) addID(group int, id source.ID) error {
	v, a := f.q.Terms.Value, f.groups[group]
	if f.exact {
		v = f.q.Terms.exact
	}
	before := a.Size()
	return f.added(a, before, a.Add(v(id)))
}

// added accounts for the growth of an aggregate that took before bytes until now.
func (f *folding) added(a value.Aggregate, before int, err error) error {
	if err != nil {
		f.q.budget.Fail(err)
		return f.q.budget.Failed()
	}
	if !f.exact {
		return nil
	}
	return f.q.budget.Grow(int64(a.Size() - before))
}

func (f *folding) Outcome(group int) (source.ID, error) {
	v := f.groups[group].Value()
	if f.measured && !v.IsError() { // which term it is does not matter
		return f.q.Terms.add(v.Term()), f.q.budget.Grow(sizeOf(v.Term()))
	}
	return f.q.Terms.ofValue(v)
}

// counter is COUNT.
type counter struct {
	argument
	groups []int64
}

func (c *counter) Begin() { c.groups = append(c.groups, 0) }
func (c *counter) Reset() { c.groups = c.groups[:0] }

func (c *counter) Add(group int, row int32) error {
	if c.of == nil && (c.ids == nil || c.found[row] != 0) || c.of != nil && c.values.Kind(row) > value.KindError {
		c.groups[group]++
	}
	return nil
}

func (c *counter) addID(group int, id source.ID) error {
	if id != 0 {
		c.groups[group]++
	}
	return nil
}

func (c *counter) Outcome(group int) (source.ID, error) {
	return c.c.q.Terms.ofCell(value.Integer(c.groups[group]).Cell)
}

// selection is MIN, MAX or SAMPLE, which return one of the terms added.
type selection struct {
	argument
	q       *Query
	op      syntax.Op
	groups  []selected
	ordered []source.OrderedRange
	last    source.OrderedRange // the one used last
}

type selected struct {
	has, failed bool
	unread      bool      // value is out of date: read it from id
	id          source.ID // 0 for a computed value that has no id yet
	value       value.Value
}

func (s *selection) Begin() { s.groups = append(s.groups, selected{}) }
func (s *selection) Reset() { s.groups = nil }

// Add implements Accumulator. It assigns no id to a computed value before it is chosen.
func (s *selection) Add(group int, row int32) error {
	if s.ids != nil {
		return s.addID(group, s.found[row])
	}
	cell, ok := s.values.Computed(row)
	if !ok {
		return s.addID(group, s.q.idOfRow(s.values, row))
	}
	g := &s.groups[group]
	g.failed = g.failed || cell.IsError()
	isSelected := g.has && g.id == 0 && g.value.Cell == cell
	if !g.failed && !isSelected {
		s.consider(g, 0, value.Of(cell, rdf.Term{}))
	}
	return nil
}

// addID adds the value with an id, which is 0 for an error.
func (s *selection) addID(group int, id source.ID) error {
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
		s.consider(g, id, s.q.Terms.Value(id))
	case before == (s.op == syntax.OpMin):
		g.id, g.unread = id, true
	}
	return nil
}

// before reports whether the value of a comes before that of b. known is false if the
// ids alone do not decide.
func (s *selection) before(a, b source.ID) (before, known bool) {
	if r := &s.last; b < r.First || b > r.Last {
		at := slices.IndexFunc(s.ordered, func(r source.OrderedRange) bool { return r.First <= b && b <= r.Last })
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

// longValue is the size in bytes above which a group keeps only the id of a value, because each group would have a copy of it.
const longValue = 256

// consider selects v if it comes before the value selected so far.
func (s *selection) consider(g *selected, id source.ID, v value.Value) {
	if g.unread {
		g.value, g.unread = s.q.Terms.Value(g.id), false
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
	if id != 0 && v.Size() > longValue {
		g.value, g.unread = value.Value{}, true
	}
}

// exact returns the term of id, with its lexical form, which v may lack. A v without an id,
// 0, is complete.
func (s *selection) exact(id source.ID, v value.Value) value.Value {
	if id == 0 {
		return v
	}
	return s.q.Terms.exact(id)
}

// Outcome implements Accumulator: 0 for a group with an error or without values.
func (s *selection) Outcome(group int) (source.ID, error) {
	g := &s.groups[group]
	switch {
	case g.failed:
		return 0, nil
	case g.has && g.id == 0:
		return s.q.Terms.ofValue(g.value)
	}
	return g.id, nil
}

// distinctOnly is an aggregate with DISTINCT. It adds only terms that are new in their
// group.
type distinctOnly struct {
	Accumulator
	argument
	seen *table.GroupIDs
}

func (d *distinctOnly) Evaluate(rows []int32) { d.argument.Evaluate(rows) }

func (d *distinctOnly) Add(group int, row int32) error {
	added, err := d.seen.Insert(group, d.found[row])
	if err != nil || !added {
		return err
	}
	return d.Accumulator.addID(group, d.found[row])
}

func (d *distinctOnly) Reset() {
	d.seen.Free()
	d.Accumulator.Reset()
}

// distinctRows is COUNT(DISTINCT *). It adds only rows that are new in their group.
type distinctRows struct {
	Accumulator
	c       *Columns
	columns []algebra.Slot
	seen    *table.Keys // of a group and the values of columns
	key     []source.ID
}

// Add implements Accumulator: it passes on a row unless the group had an equal one.
func (d *distinctRows) Add(group int, row int32) error {
	d.key = append(d.key[:0], source.ID(group))
	for _, slot := range d.columns {
		d.key = append(d.key, d.c.Row(row)[slot])
	}
	_, added, err := d.seen.Insert(d.key)
	if err != nil || !added {
		return err
	}
	return d.Accumulator.Add(group, row)
}

func (d *distinctRows) Reset() {
	d.seen.Free()
	d.Accumulator.Reset()
}
