package eval

import "github.com/segraph/segraph/store/sparql/algebra"

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

// Sifter is a Scan that can drop most tuples early.
type Sifter interface {
	Scan
	// Sift makes the scan drop tuples whose last id is not in a set. Bit i of bits
	// stands for the id first + i. The scan may still return some of these tuples. Sift
	// reports whether the scan drops any.
	Sift(first uint64, bits []uint64) bool
}

// readAmong reads only the triples that rows need. It does so if the rows are the
// solutions of a pattern, and if that costs less than looking them up. It reports
// whether it did.
func (w *fullScan) readAmong(r *Run) (bool, error) {
	if w.rows == nil || w.other < 0 || w.byObject {
		return false, nil
	}
	scan, ok := sorted(r.ds, w.graph, POS).(Sifter)
	keys, err := r.keysOf(w.rows, w.key)
	if w.rows = nil; !ok || keys == nil {
		return false, err
	}
	keys.size, err = keys.count(r)
	if err != nil || keys.size*apartWorth < w.size || keys.size*minApart > w.size || !r.budget.Room(w.size*columnSize) {
		return false, err
	}
	was := r.budget.Memory()
	set, err := keys.readMembers(r)
	if err != nil {
		return false, err
	}
	if len(set.bits)*64 < int(w.size) || !scan.Sift(uint64(set.first), set.bits) { // close together, so they share blocks
		return false, r.budget.Grow(was - r.budget.Memory())
	}
	if err := w.readPairsAmong(r, scan, set); err != nil {
		return false, err
	}
	w.column, err = r.makeColumn(was)
	return err == nil, err
}

// readPairsAmong reads the pairs whose key is in a set. The scan is in order, as
// column.starts requires, and drops most other pairs.
func (w *fullScan) readPairsAmong(r *Run, scan Scan, set *idSet) error {
	p := &r.pairs
	p.keys, p.values, p.least, p.greatest, p.inOrder = p.keys[:0], p.values[:0], ^ID(0), 0, false
	room := 0 // what the budget has granted
	scan.Seek(prefixRange(Tuple{uint64(w.predicate)}, 1))
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		if most := len(p.keys) + len(tuples); most > room {
			more := max(most, set.n)
			if err := r.budget.Grow(int64(more) * columnSize); err != nil {
				return err
			}
			room += more
		}
		for i := range tuples {
			if key := ID(tuples[i][2]); set.has(key) {
				p.keys, p.values = append(p.keys, key), append(p.values, ID(tuples[i][1]))
				p.least, p.greatest = min(p.least, key), max(p.greatest, key)
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
