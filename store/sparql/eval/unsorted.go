package eval

import (
	"fmt"
	"math/rand/v2"
)

// Unsorted is a Dataset without sorted indexes. Scan returns tuples in any order, Count
// and Estimate may be wrong, and ID may return an id for a term that is in no triple.
type Unsorted interface {
	Dataset
	// Sorted is Scan with tuples in the order of the index and without duplicates. It may
	// have to read a whole range before it returns the first.
	Sorted(g ID, o Order) Scan
}

// unsorted returns ds, or the dataset that FROM restricts, as an Unsorted. It returns nil
// if that is not one.
func unsorted(ds Dataset) Unsorted {
	if m, ok := ds.(*merged); ok {
		ds = m.Dataset
	}
	u, _ := ds.(Unsorted)
	return u
}

// sorted returns a scan whose tuples are in the order of the index.
func sorted(ds Dataset, g ID, o Order) Scan {
	switch x := ds.(type) {
	case *merged:
		return x.scan(g, func(g ID) Scan { return sorted(x.Dataset, g, o) }, lessTuple)
	case Unsorted:
		return x.Sorted(g, o)
	}
	return ds.Scan(g, o)
}

// maxGuessed limits the number of triples that memory is allocated for because of an
// Unsorted dataset's count.
const maxGuessed = 1 << 18

// blankPrefix returns the prefix of labels of new blank nodes. An Unsorted dataset cannot
// tell whether it has a label, so the prefix is then random.
func blankPrefix(ds Dataset) string {
	if unsorted(ds) == nil {
		return "new"
	}
	return fmt.Sprintf("new%016xn", rand.Uint64())
}

// glanceSize is the number of triples that glance reads.
const glanceSize = 64

// glance is survey for an Unsorted dataset. It estimates from the first triples of the
// predicate.
func (c *Counts) glance(g, predicate ID) (s survey, err error) {
	order, n := POS, 1
	if predicate == 0 {
		n = 0
	}
	scan := c.ds.Scan(g, order)
	scan.Seek(prefixRange(Tuple{uint64(predicate)}, n))
	subjects, objects := map[uint64]bool{}, map[uint64]bool{}
	seen := 0.0
	for seen < glanceSize {
		tuples := scan.Next()
		if tuples == nil {
			s.objects = float64(len(objects))
			break
		}
		for _, t := range tuples {
			objects[t[1]], subjects[t[2]] = true, true
		}
		seen += float64(len(tuples))
	}
	s.perObject, s.perSubject = max(1, seen/float64(max(1, len(objects)))), max(1, seen/float64(max(1, len(subjects))))
	return s, scan.Err()
}
