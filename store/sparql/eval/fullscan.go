package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// fullScan reads all triples of a pattern once and then looks rows up in memory.
// Reading costs a few ns per triple, and a look-up in memory a few ns per row. A
// look-up in the index costs some hundred ns. So the pattern is read once look-ups in
// the index have cost about as much as reading will.
type fullScan struct {
	graph, predicate source.ID
	// key is the slot of the variable that rows are looked up by, the subject or object.
	// other is the variable at the other end, which may be bound too, or NoSlot if that
	// end is a term.
	key, other algebra.Slot
	byObject   bool      // key is the object
	otherBound bool      // all rows bind other
	term       source.ID // the term at the other end, if it is not a variable

	rows *algebra.Triple // the pattern whose solutions are the rows, or nil; see readAmong

	soon          bool  // see asFullScan
	arrived, size int64 // rows that arrived; triples to read, -1 until counted
	off           bool  // there is too little memory
	column        *table.Column
	members       *table.IDs // instead of column if the other end is a term
}

const (
	// lookupWorth is the number of triples that are read in the time of one look-up in
	// the index.
	lookupWorth = 32
	// lookupsBefore is the number of rows that must arrive before the triples are
	// counted.
	lookupsBefore = 128
	// soonWorth divides the number of rows after which the pattern is read, if the plan
	// expects many. The pattern is not read at once, because a filter may leave few
	// rows.
	soonWorth = 32
)

// asFullScan returns a full scan of the pattern, or nil if that is impossible. The
// predicate and the graph must be constant, and all rows must bind the subject or the
// object. soon is set if many rows are expected.
func (s *scan) asFullScan(soon bool, certain algebra.Set) *fullScan {
	sub, pred, obj := s.spo[0], s.spo[1], s.spo[2]
	if s.g.slot >= 0 || s.g.id >= source.LocalFirst || pred.slot >= 0 || pred.id >= source.LocalFirst {
		return nil
	}
	w := &fullScan{graph: s.g.id, predicate: pred.id, soon: soon, size: -1, key: sub.slot, other: obj.slot, term: obj.id}
	if !certain.Has(w.key) { // or key is not a variable
		w.key, w.other, w.term, w.byObject = obj.slot, sub.slot, sub.id, true
	}
	if !certain.Has(w.key) || w.key == w.other || w.other < 0 && w.term >= source.LocalFirst {
		return nil
	}
	w.otherBound = certain.Has(w.other)
	return w
}

// ready reports whether to look rows up in memory now that n more have arrived. It reads
// the pattern if that pays.
func (w *fullScan) ready(r *Run, n int) (bool, error) {
	if w.column != nil || w.members != nil {
		return true, nil
	}
	if w.arrived += int64(n); w.off {
		return false, nil
	}
	k := columnKey{w.graph, w.predicate, w.byObject}
	if w.other >= 0 {
		w.column = r.columns[k] // another operator may have read it
	}
	if w.column != nil {
		return true, nil
	}
	worth := w.arrived
	if w.soon {
		worth *= soonWorth
	}
	if worth < lookupsBefore {
		return false, nil
	}
	var err error
	if w.size < 0 {
		if w.size, err = w.count(r); err != nil {
			return false, err
		}
	}
	if worth*lookupWorth < w.size {
		return w.readAmong(r)
	}
	if w.off = !r.budget.Room(w.size * table.ColumnSize); w.off {
		return false, nil
	}
	if w.other >= 0 {
		w.column, err = r.column(k, w.size)
	} else {
		w.members, err = w.readMembers(r)
	}
	return err == nil, err
}

// count returns about how many triples a full scan reads.
func (w *fullScan) count(r *Run) (n int64, err error) {
	if w.byObject {
		n, err = r.ds.Count(w.graph, w.term, w.predicate, 0)
	} else {
		n, err = r.ds.Count(w.graph, 0, w.predicate, w.term)
	}
	return n, err
}

// readMembers reads the ids that the pattern has for its only variable.
func (w *fullScan) readMembers(r *Run) (*table.IDs, error) {
	ids := make([]source.ID, 0, w.size)
	size := w.size * table.IdSize
	if err := r.budget.Grow(size); err != nil {
		return nil, err
	}
	order, key := source.POS, source.Tuple{uint64(w.predicate), uint64(w.term)}
	if w.byObject {
		order, key = source.SPO, source.Tuple{uint64(w.term), uint64(w.predicate)}
	}
	scan := r.ds.Scan(w.graph, order)
	scan.Seek(source.Prefix(key, 2))
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.Tick(len(tuples)); err != nil {
			return nil, err
		}
		for i := range tuples {
			ids = append(ids, source.ID(tuples[i][2]))
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	set, err := table.NewIDs(r.budget, ids)
	if err != nil {
		return nil, err
	}
	return set, r.budget.Grow(-size)
}

// probe extends rows by look-ups in memory. If each row has one match at most, it does so
// in place.
func (s *scan) probe(b *table.Batch) error {
	w := s.fullScan
	if err := s.r.budget.Tick(b.N); err != nil {
		return err
	}
	if !w.matchesOnce() {
		return s.multiply(b)
	}
	kept := 0
	for i := range b.N {
		row := b.Row(i)
		value, ok := s.find(row)
		if !ok {
			continue
		}
		if w.column != nil {
			row[w.other] = value
		}
		b.Keep(kept, i)
		kept++
	}
	b.Cut(kept)
	if kept == 0 {
		return nil
	}
	return s.next.push(b)
}

// matchesOnce reports whether the pattern was read, and matches each row at most once.
func (w *fullScan) matchesOnce() bool {
	return w.members != nil || w.column != nil && (w.otherBound || w.column.Single())
}

// find reports whether a row matches, if each matches at most once. It returns the value of
// the other end if that is a variable.
func (s *scan) find(row []source.ID) (value source.ID, ok bool) {
	w := s.fullScan
	if w.members != nil {
		return 0, w.members.Has(row[w.key]) && (!w.byObject || s.allows(row[w.key]))
	}
	value = w.column.One(row[w.key], row[w.other])
	return value, value != 0 && s.allows(w.object(row, value))
}

// multiply extends rows that may have more than one match in the column of the full scan.
func (s *scan) multiply(b *table.Batch) error {
	w := s.fullScan
	for i := range b.N {
		row := b.Row(i)
		values := w.column.Compatible(row[w.key], row[w.other])
		if err := s.r.budget.Tick(len(values)); err != nil {
			return err
		}
		for _, v := range values {
			if !s.allows(w.object(row, v)) {
				continue
			}
			s.add(row)[w.other] = v
			if err := s.full(); err != nil {
				return err
			}
		}
	}
	return s.pause()
}

// allows reports whether an object satisfies the pattern's bounds. It does if there are
// none.
func (s *scan) allows(object source.ID) bool { return s.within == nil || s.within.has(object) }

// object returns the object of the triple that matches a row, if the other end has a
// value.
func (w *fullScan) object(row []source.ID, value source.ID) source.ID {
	if w.byObject {
		return row[w.key]
	}
	return value
}
