package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// inner is a pattern that is evaluated on its own. Its solutions are kept in a table.
//
// There is one table per active graph of the rows. Inside EXISTS, the pattern begins
// with the rows of the EXISTS, which hold the values to substitute. Its solutions are
// then kept with the number of their row, until the batch of rows ends. A part that
// groups solutions is evaluated once, without substitution.
type inner struct {
	r      *Run
	around *correlation // nil if no values are substituted
	active algebra.Slot // NoSlot if the pattern does not read the graph of a variable
	keep   []algebra.Slot
	keys   []int // positions in keep of the variables to look solutions up by; both sides bind them
	loose  bool  // keys may be unbound: no variable is certain to be bound on both sides
	unit   *unit
	head   sink
	tail   *collector
	tables map[source.ID]*solutions
}

// solutions holds the solutions of a pattern by key.
type solutions struct {
	rows  table.Pieces[source.ID]
	keys  *table.Keys
	first []int32 // by number of key, the first row with it
	next  []int32 // by row, the next row with the same key; -1 for none
	// If keys may be unbound: unbound is the first row with an unbound key. In next,
	// these rows follow the rows of each key. all links all rows.
	unbound int32
	all     []int32
}

// newInner prepares the right side of a hash join, whose solutions are evaluated once and kept in tables, one for
// each active graph. Variables that both sides surely bind are the keys.
func (r *Run) newInner(op algebra.Op, e env) (*inner, error) {
	for m, ok := op.(*algebra.Materialize); ok; m, ok = op.(*algebra.Materialize) {
		op = m.Op // an inner is already materialized
	}
	in := &inner{r: r, around: e.around, active: algebra.ActiveGraph(op), tail: &collector{r: r}, tables: map[source.ID]*solutions{}}
	if _, ok := op.(*algebra.Group); ok { // evaluated once, without substitution
		in.around = nil
	}
	certain := e.certain.And(r.vars.Certain(op))
	if in.around != nil {
		in.keep, in.keys = []algebra.Slot{in.around.slot}, []int{0}
	}
	for _, slot := range r.vars.May(op).Slots() {
		if certain.Has(slot) {
			in.keys = append(in.keys, len(in.keep))
		}
		in.keep = append(in.keep, slot)
	}
	inside := env{around: in.around}
	if in.around != nil {
		inside.certain, inside.alone = in.around.certain, in.around.limited
	} else {
		in.unit = &unit{}
		inside.unit = in.unit
	}
	var err error
	in.tail.keep = in.keep
	in.head, err = r.buildWanting(allRows, op, inside, in.tail)
	return in, err
}

// loosen chooses keys if there are none yet: the variables that both sides may bind, in
// the environment e.
func (in *inner) loosen(e env) {
	if len(in.keys) > 0 || e.around != nil {
		return
	}
	for c, slot := range in.keep {
		if e.may.Has(slot) {
			in.keys, in.loose = append(in.keys, c), true
		}
	}
}

// solutions returns the table for the active graph of a row.
func (in *inner) solutions(row []source.ID) (*solutions, error) {
	active := in.graphOf(row)
	if s, ok := in.tables[active]; ok {
		return s, nil
	}
	if err := in.evaluate(row, active); err != nil {
		return nil, err
	}
	s, err := in.index(in.tail.take())
	if err != nil {
		return nil, err
	}
	in.tables[active] = s
	return s, nil
}

// graphOf returns the active graph of a row, or 0 if the pattern reads none.
func (in *inner) graphOf(row []source.ID) source.ID {
	if in.active == algebra.NoSlot {
		return 0
	}
	return row[in.active]
}

// evaluate collects the right side's solutions for a row with an active graph; the last operator of the chain,
// tail, keeps them.
func (in *inner) evaluate(row []source.ID, active source.ID) error {
	begin := table.Batch{} // the rows of the EXISTS, or one that binds nothing
	if in.around != nil {
		begin.CopyOf(&in.around.rows)
	} else {
		begin.Add(make([]source.ID, len(row)))
	}
	if in.active != algebra.NoSlot {
		for i := range begin.N {
			begin.Row(i)[in.active] = active
		}
	}
	if in.unit != nil {
		in.unit.row = append(in.unit.row[:0], begin.Row(0)...)
	}
	return feed(in.head, &begin)
}

// index makes a table of solutions, indexed by key.
func (in *inner) index(rows table.Pieces[source.ID]) (*solutions, error) {
	s := &solutions{rows: rows, keys: table.NewKeys(in.r.budget, len(in.keys))}
	if err := in.r.budget.Grow(int64(rows.N) * linkSize); err != nil {
		return nil, err
	}
	s.next = make([]int32, rows.N)
	key := make([]source.ID, len(in.keys))
	s.unbound = -1
	if in.loose { // link all rows, and those with an unbound key
		s.all = make([]int32, rows.N)
		for i := rows.N - 1; i >= 0; i-- {
			if s.all[i] = int32(i + 1); i == rows.N-1 {
				s.all[i] = -1
			}
			if !in.key(key, s.row(int32(i))) {
				s.next[i], s.unbound = s.unbound, int32(i)
			}
		}
	}
	// Backwards, so that the rows of a key stay in order.
	for i := rows.N - 1; i >= 0; i-- {
		if err := table.TickSome(in.r.budget, i); err != nil {
			return nil, err
		}
		if !in.key(key, s.row(int32(i))) {
			continue
		}
		number, added, err := s.keys.Insert(key)
		if err != nil {
			return nil, err
		}
		if added {
			s.first = append(s.first, s.unbound)
		}
		s.next[i], s.first[number] = s.first[number], int32(i)
	}
	return s, nil
}

// key sets key to that of a solution and reports whether all of it is bound. Only loose
// keys may be unbound.
func (in *inner) key(key, solution []source.ID) bool {
	bound := true
	for k, column := range in.keys {
		key[k] = solution[column]
		bound = bound && (key[k] != 0 || !in.loose)
	}
	return bound
}

// linkSize is the number of bytes of a solution's elements in next and all, and of that of
// its key in first, which may be in both an old and a new slice.
const linkSize = 8 + 12

func (s *solutions) row(i int32) []source.ID { return s.rows.Row(int(i)) }

// find returns the first solution that may be compatible with a row, or -1, and a slice
// with the next one for each solution.
func (in *inner) find(s *solutions, row, key []source.ID) (first int32, next []int32) {
	for k, column := range in.keys {
		if key[k] = row[in.keep[column]]; key[k] == 0 && in.loose {
			return int32(min(0, s.rows.N-1)), s.all // the first is 0, or -1 if there is none
		}
	}
	number := s.keys.Find(key)
	if number < 0 {
		return s.unbound, s.next
	}
	return s.first[number], s.next
}

// release ends a run. Solutions for rows of EXISTS are not valid for other rows.
func (in *inner) release() error {
	if in.around == nil {
		return nil
	}
	for _, s := range in.tables {
		s.keys.Free()
		if err := in.r.budget.Grow(-int64(s.rows.N) * int64(len(in.keep)*table.IdSize+linkSize)); err != nil {
			return err
		}
	}
	clear(in.tables)
	return nil
}

// merge copies a solution's values into a row and reports whether they are compatible.
func merge(row []source.ID, keep []algebra.Slot, solution []source.ID) bool {
	for c, slot := range keep {
		v := solution[c]
		if v == 0 || v == row[slot] {
			continue
		}
		if row[slot] != 0 {
			return false
		}
		row[slot] = v
	}
	return true
}

// hashJoin joins rows with a pattern that is evaluated on its own.
type hashJoin struct {
	output
	in    *inner
	key   []source.ID
	tried int // solutions, of all batches
}

// buildHashJoin builds a join whose operand op is evaluated once, by itself. Rows are looked up in
// its solutions.
func (r *Run) buildHashJoin(op algebra.Op, e env, next sink) (sink, error) {
	in, err := r.newInner(op, e)
	if err != nil {
		return nil, err
	}
	in.loosen(e)
	return &hashJoin{output: newOutput(r, next), in: in, key: make([]source.ID, len(in.keys))}, nil
}

// push joins each row with the kept solutions of the same key that agree with it.
func (h *hashJoin) push(b *table.Batch) error {
	if err := h.in.r.budget.Tick(b.N); err != nil {
		return err
	}
	for i := range b.N {
		row := b.Row(i)
		s, err := h.in.solutions(row)
		if err != nil {
			return err
		}
		for at, next := h.in.find(s, row, h.key); at >= 0; at = next[at] {
			h.tried++
			if err := table.TickSome(h.in.r.budget, h.tried); err != nil {
				return err
			}
			if !merge(h.add(row), h.in.keep, s.row(at)) {
				h.drop()
				continue
			}
			if err := h.full(); err != nil {
				return err
			}
		}
	}
	return h.pause()
}

func (h *hashJoin) end() error {
	err := h.output.end()
	if releaseErr := h.in.release(); releaseErr != nil {
		return releaseErr
	}
	return err
}
