package eval

import "github.com/segraph/segraph/store/sparql/algebra"

// inner is a pattern that is evaluated by itself, its solutions kept in a table.
//
// There is a table for each active graph that rows ask for. Inside of EXISTS the pattern
// gets the rows of EXISTS to begin with, which have the values that are put in for
// variables; then solutions are kept with the number of their row, and only as long as
// that batch of rows is. What groups or cuts its solutions is evaluated once without such
// values.
type inner struct {
	r      *Run
	around *correlation // nil where no values are put in
	active algebra.Slot // NoSlot where the pattern reads no graph of a variable
	keep   []algebra.Slot
	keys   []int // of keep, what solutions are found by: places that are bound on both sides
	loose  bool  // they need not be bound, since no place is for certain
	unit   *unit
	head   sink
	tail   *collector
	tables map[ID]*solutions
}

// solutions is what a pattern gave, by key.
type solutions struct {
	width int
	rows  []ID
	n     int
	keys  *table
	first []int32 // by number of key, the first row that has it
	next  []int32 // by row, the next row with the same key; -1 for none
	// Where keys need not be bound: the first row with an unbound one, which next leads
	// to behind those of each key, and the next of all rows.
	unbound int32
	all     []int32
}

func (r *Run) newInner(op algebra.Op, e env) (*inner, error) {
	for m, ok := op.(*algebra.Materialize); ok; m, ok = op.(*algebra.Materialize) {
		op = m.Op // which is what this is
	}
	in := &inner{r: r, around: e.around, active: algebra.ActiveGraph(op), tail: &collector{r: r}, tables: map[ID]*solutions{}}
	switch op.(type) {
	case *algebra.Group, *algebra.Distinct, *algebra.OrderBy, *algebra.Slice:
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
		inside.certain = in.around.certain
	} else {
		in.unit = &unit{}
		inside.unit = in.unit
	}
	var err error
	in.head, err = r.buildWanting(false, op, inside, in.tail)
	return in, err
}

// loosen lets solutions be found by variables that both sides may bind, in the
// environment e, if none is certain.
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

// solutions returns the table for the active graph that row is in.
func (in *inner) solutions(row []ID) (*solutions, error) {
	active := in.graphOf(row)
	if s, ok := in.tables[active]; ok {
		return s, nil
	}
	if err := in.evaluate(row, active); err != nil {
		return nil, err
	}
	s, err := in.index(&in.tail.pieces)
	if err != nil {
		return nil, err
	}
	if err := in.tail.forget(); err != nil {
		return nil, err
	}
	in.tables[active] = s
	return s, nil
}

// graphOf returns the active graph that row is in, 0 where the pattern reads none.
func (in *inner) graphOf(row []ID) ID {
	if in.active == algebra.NoSlot {
		return 0
	}
	return row[in.active]
}

// evaluate leaves the pattern's solutions for an active graph in the tail; row says how
// wide rows are.
func (in *inner) evaluate(row []ID, active ID) error {
	begin := batch{}
	if in.around != nil {
		begin.copyOf(&in.around.rows)
	} else {
		begin.add(make([]ID, len(row)))
	}
	if in.active != algebra.NoSlot {
		for i := range begin.n {
			begin.row(i)[in.active] = active
		}
	}
	if in.unit != nil {
		in.unit.row = append(in.unit.row[:0], begin.row(0)...)
	}
	return feed(in.head, &begin)
}

// index keeps of rows what is needed, by key.
func (in *inner) index(rows *pieces[ID]) (*solutions, error) {
	s := &solutions{width: len(in.keep), n: rows.n, keys: newTable(in.r.budget, len(in.keys))}
	if err := in.r.budget.Grow(int64(rows.n) * in.rowSize()); err != nil {
		return nil, err
	}
	s.rows = make([]ID, 0, rows.n*s.width)
	s.next = make([]int32, rows.n)
	key := make([]ID, len(in.keys))
	for i := range rows.n {
		if err := tickSome(in.r.budget, i); err != nil {
			return nil, err
		}
		row := rows.row(i)
		for _, slot := range in.keep {
			s.rows = append(s.rows, row[slot])
		}
	}
	s.unbound = -1
	if in.loose {
		s.all = make([]int32, rows.n)
		for i := rows.n - 1; i >= 0; i-- {
			if s.all[i] = int32(i + 1); i == rows.n-1 {
				s.all[i] = -1
			}
			if !in.key(key, s.row(int32(i))) {
				s.next[i], s.unbound = s.unbound, int32(i)
			}
		}
	}
	// Backwards, so that the rows of a key come out in their order.
	for i := rows.n - 1; i >= 0; i-- {
		if err := tickSome(in.r.budget, i); err != nil {
			return nil, err
		}
		if !in.key(key, s.row(int32(i))) {
			continue
		}
		number, added, err := s.keys.insert(key)
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

// key takes a solution's key, and reports whether all of it is bound, as it is unless
// keys are loose.
func (in *inner) key(key, solution []ID) bool {
	bound := true
	for k, column := range in.keys {
		key[k] = solution[column]
		bound = bound && (key[k] != 0 || !in.loose)
	}
	return bound
}

// rowSize returns what a solution takes: its values, its place in next and all, and the
// first of its key, of which there may be an old and a new slice.
func (in *inner) rowSize() int64 { return int64(len(in.keep)*idSize + 8 + 12) }

func (s *solutions) row(i int32) []ID { return s.rows[int(i)*s.width : (int(i)+1)*s.width] }

// find returns the first of the solutions that may be compatible with row, -1 for none,
// and by solution the next of them.
func (in *inner) find(s *solutions, row, key []ID) (first int32, next []int32) {
	for k, column := range in.keys {
		if key[k] = row[in.keep[column]]; key[k] == 0 && in.loose {
			return int32(min(0, s.n-1)), s.all
		}
	}
	number := s.keys.find(key)
	if number < 0 {
		return s.unbound, s.next
	}
	return s.first[number], s.next
}

// release ends a run: what was made of the rows of EXISTS is good for no others.
func (in *inner) release() error {
	if in.around == nil {
		return nil
	}
	for _, s := range in.tables {
		s.keys.free()
		if err := in.r.budget.Grow(-int64(s.n) * in.rowSize()); err != nil {
			return err
		}
	}
	clear(in.tables)
	return nil
}

// merge puts a solution's values into a row, and tells whether they are compatible.
func merge(row []ID, keep []algebra.Slot, solution []ID) bool {
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

// hashJoin joins rows with a pattern that is evaluated by itself.
type hashJoin struct {
	output
	in  *inner
	key []ID
}

func (r *Run) buildHashJoin(op algebra.Op, e env, next sink) (sink, error) {
	in, err := r.newInner(op, e)
	if err != nil {
		return nil, err
	}
	in.loosen(e)
	return &hashJoin{output: newOutput(r, next), in: in, key: make([]ID, len(in.keys))}, nil
}

func (h *hashJoin) push(b *batch) error {
	for i := range b.n {
		row := b.row(i)
		s, err := h.in.solutions(row)
		if err != nil {
			return err
		}
		if err := h.in.r.budget.Tick(1); err != nil {
			return err
		}
		for at, next := h.in.find(s, row, h.key); at >= 0; at = next[at] {
			if err := h.in.r.budget.Tick(1); err != nil {
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
