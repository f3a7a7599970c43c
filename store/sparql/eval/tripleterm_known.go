package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// knownTerms is the set of all triple terms with some constant parts. They are side by
// side in the index of triple terms, while finding the parts of one term costs a
// look-up in the dictionary. So the set is read once enough rows have arrived. Compare
// fullScan.
type knownTerms struct {
	constant [3]source.ID // 0 matches any
	size     int64        // about how many terms there are, at least 1
	soon     bool         // many rows are expected; see fullScan
	arrived  int64        // rows that arrived
	off      bool         // there is too little memory
	set      *table.IDs
}

// termsWorth is the number of triple terms that can be read in the time of one look-up.
const termsWorth = 32

// expect says that n more rows have arrived. It reads the terms if that now pays.
func (k *knownTerms) expect(r *Run, n int) error {
	if k.set != nil || k.off {
		return nil
	}
	k.arrived += int64(n)
	worth := k.arrived
	if k.soon {
		worth *= soonWorth
	}
	if worth < lookupsBefore || worth*termsWorth < k.size {
		return nil
	}
	if k.off = !r.budget.Room(k.size * table.ColumnSize); k.off {
		return nil
	}
	return k.read(r)
}

// read reads all triple terms that match the constant parts, so that others need not be looked up.
func (k *knownTerms) read(r *Run) (err error) {
	var ids []source.ID
	size := int64(0)
	err = r.ds.EachTripleTerm(k.constant[0], k.constant[1], k.constant[2], func(some []source.ID) error {
		if len(ids)+len(some) > cap(ids) {
			ids = slices.Grow(ids, max(int(k.size), len(ids), len(some)))
			more := int64(cap(ids))*table.IdSize - size
			if err := r.budget.Grow(more); err != nil {
				return err
			}
			size += more
		}
		ids = append(ids, some...)
		return r.budget.Tick(len(some))
	})
	if err != nil {
		return err
	}
	if k.set, err = table.NewIDs(r.budget, ids); err != nil {
		return err
	}
	return r.budget.Grow(-size)
}

// lacks reports whether a term of the dataset is known not to have the constant parts.
func (k *knownTerms) lacks(id source.ID) bool {
	return k != nil && k.set != nil && id < source.LocalFirst && !k.set.Has(id)
}
