package eval

import (
	"math"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
)

// Limits on the work of estimating triple terms.
const (
	mostTermsCounted = 1024 // terms counted for a pattern
	mostTermSamples  = 4    // terms whose parts are counted
	mostPerPart      = 64   // terms counted for a part
)

// TripleTerms implements plan.TripleStatistics. It counts up to a limit. Beyond it, the
// number is a guess between the limit and the number of triples with a reifier.
func (c *Counts) TripleTerms(s, p, o rdf.Term) (out algebra.TripleTermCounts, err error) {
	key := countKey{s: s, p: p, o: o}
	if known, ok := c.tripleTerms[key]; ok {
		return known, nil
	}
	defer func() {
		if c.tripleTerms == nil {
			c.tripleTerms = map[countKey]algebra.TripleTermCounts{}
		}
		c.tripleTerms[key] = out
	}()
	reified, err := c.Count(algebra.DefaultGraph, rdf.Term{}, rdf.NewIRI(rdf.RDFReifies), rdf.Term{})
	if err != nil {
		return out, err
	}
	out.All = float64(max(1, reified))
	index, ok := base(c.ds).(TripleIndex)
	if !ok {
		out.Count, out.Per = out.All, [3]float64{1, math.Sqrt(out.All), 1}
		for _, t := range []rdf.Term{s, p, o} {
			if !t.IsZero() {
				out.Count = math.Sqrt(out.Count)
			}
		}
		return out, nil
	}
	out.Indexed = true
	var ids [3]ID
	for i, t := range []rdf.Term{s, p, o} {
		if ids[i], err = c.id(t); err != nil || ids[i] == unknown {
			return out, err
		}
	}
	samples := make([]ID, 0, mostTermSamples)
	n, err := countTerms(index, ids, mostTermsCounted, func(i int, id ID) {
		// The samples are terms 0, 1, 4, 16 and so on: the least ids may be unusual.
		if i == 1<<(2*len(samples))>>2 && len(samples) < mostTermSamples {
			samples = append(samples, id)
		}
	})
	if err != nil {
		return out, err
	}
	out.Count = float64(n)
	if n == mostTermsCounted {
		out.Count = max(out.Count, math.Sqrt(out.Count*out.All))
	}
	for _, id := range samples {
		spo, _, err := index.TripleParts(id)
		if err != nil {
			return out, err
		}
		for i := range spo {
			var one [3]ID
			one[i] = spo[i]
			n, err := countTerms(index, one, mostPerPart, nil)
			if err != nil {
				return out, err
			}
			per := float64(n)
			if n == mostPerPart {
				per = max(per, math.Sqrt(per*out.All))
			}
			out.Per[i] += per / float64(len(samples))
		}
	}
	return out, nil
}

// countTerms returns the number of triple terms with the given parts, or most if there
// are more. It calls visit with the number and the id of each, unless visit is nil.
func countTerms(index TripleIndex, spo [3]ID, most int, visit func(i int, id ID)) (n int, err error) {
	for id, err := range index.TripleTerms(spo[0], spo[1], spo[2]) {
		if err != nil {
			return n, err
		}
		if visit != nil {
			visit(n, id)
		}
		if n++; n == most {
			break
		}
	}
	return n, nil
}
