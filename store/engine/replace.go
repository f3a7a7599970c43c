package engine

import (
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
)

// replaced calls yield with each quad that a Replacement selects, perhaps twice if its Subjects
// overlap.
func (tx *Tx) replaced(r Replacement, yield func(QuadID)) error {
	subjects := r.Subjects
	if len(subjects) == 0 {
		return nil
	}
	ids := make([]dict.ID, len(subjects)+1)
	if err := tx.dict.Find(append(slices.Clip(subjects), r.Graph), ids); err != nil {
		return err
	}
	graph := ids[len(subjects)]
	if graph == 0 {
		return nil
	}
	scan := tx.view(graph).indexes[SPO].Scan()
	each := func(subject dict.ID) (more bool, err error) { // as Texts calls it
		if subject == 0 {
			return true, nil
		}
		_, lo, hi := pattern(subject, 0, 0)
		scan.Seek(lo, hi)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, t := range batch {
				yield(QuadID{dict.ID(t[0]), dict.ID(t[1]), dict.ID(t[2]), graph})
			}
		}
		return true, scan.Err()
	}
	terms := tx.dictionary(nil)
	for i, s := range subjects {
		if _, err := each(ids[i]); err != nil {
			return err
		}
		if err := terms.Texts(rdf.KindIRI, s.Value()+"/", each); err != nil {
			return err
		}
	}
	return nil
}
