package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// If the subjects of rows are far apart in the index, each look-up reads a block of its
// own. Then it costs less to read all triples of the pattern in order and to keep those
// that rows need, even if these are few.
const (
	// apartWorth is the number of triples that can be read, and mostly dropped, in the
	// time of one look-up that reads a block.
	apartWorth = 128
	// minApart is the least number of triples per row for which this is done. With more
	// rows than that, it is better to read and keep all triples.
	minApart = 16
)

// readAmong reads only the triples that rows need. It does so if the rows are the
// solutions of a pattern, and if that costs less than looking them up. It reports
// whether it did.
func (w *fullScan) readAmong(r *Run) (bool, error) {
	if w.rows == nil || w.other < 0 || w.byObject {
		return false, nil
	}
	scan, ok := r.ds.Scan(w.graph, source.POS).(source.Sifter)
	keys, err := r.keysOf(w.rows, w.key)
	w.rows = nil // try this once
	if !ok || keys == nil {
		return false, err
	}
	keys.size, err = keys.count(r)
	tooFew := keys.size*apartWorth < w.size // look-ups cost less
	tooMany := keys.size*minApart > w.size  // reading and keeping all costs less
	if err != nil || tooFew || tooMany || !r.budget.Room(w.size*table.ColumnSize) {
		return false, err
	}
	was := r.budget.Memory()
	set, err := keys.readMembers(r)
	if err != nil {
		return false, err
	}
	closeTogether := len(set.Bits)*64 < int(w.size) // the ids of rows, so look-ups share blocks
	if closeTogether || !scan.Sift(uint64(set.First), set.Bits) {
		return false, r.budget.Grow(was - r.budget.Memory())
	}
	if err := w.readPairsAmong(r, scan, set); err != nil {
		return false, err
	}
	w.column, err = r.makeColumn(was)
	return err == nil, err
}

// readPairsAmong reads the pairs whose key is in a set, into r.pairs. The scan drops most
// other pairs.
func (w *fullScan) readPairsAmong(r *Run, scan source.Scan, set *table.IDs) error {
	p := &r.pairs
	p.Keys, p.Values, p.Least, p.Greatest, p.InOrder = p.Keys[:0], p.Values[:0], ^source.ID(0), 0, false
	room := 0 // what the budget has granted
	scan.Seek(source.Prefix(source.Tuple{uint64(w.predicate)}, 1))
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		if most := len(p.Keys) + len(tuples); most > room {
			more := max(most, set.N)
			if err := r.budget.Grow(int64(more) * table.ColumnSize); err != nil {
				return err
			}
			room += more
		}
		for i := range tuples {
			if key := source.ID(tuples[i][2]); set.Has(key) {
				p.Keys, p.Values = append(p.Keys, key), append(p.Values, source.ID(tuples[i][1]))
				p.Least, p.Greatest = min(p.Least, key), max(p.Greatest, key)
			}
		}
	}
	return scan.Err()
}

// keysOf returns a full scan that reads the ids of the variable key in the pattern x.
// It returns nil if x has other variables.
func (r *Run) keysOf(x *algebra.Triple, key algebra.Slot) (*fullScan, error) {
	s, err := r.newScan(x)
	if err != nil {
		return nil, err
	}
	if keys := s.asFullScan(false, algebra.SetOf(key)); keys != nil && keys.other < 0 {
		return keys, nil
	}
	return nil, nil
}
