package statistics

import "github.com/segraph/segraph/store/sparql/source"

// glanceSize is the number of triples that glance reads.
const glanceSize = 64

// glance surveys a predicate of an Unsorted dataset. It estimates from the first triples of the predicate.
func (c *Counts) glance(g, predicate source.ID) (s survey, err error) {
	order, n := source.POS, 1
	if predicate == 0 {
		n = 0
	}
	scan := c.ds.Scan(g, order)
	scan.Seek(source.Prefix(source.Tuple{uint64(predicate)}, n))
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
