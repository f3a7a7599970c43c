package statistics

import (
	"math"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
)

// Limits on the work of estimating triple terms.
const (
	maxTermsCounted = 256 // terms counted for a pattern
	maxTermSamples  = 32  // terms whose parts are compared
	maxPartSamples  = 2   // terms whose parts are counted
	maxPerPart      = 32  // terms counted for a part
)

// TripleTerms implements plan.Statistics. It counts up to maxTermsCounted, and beyond that
// estimates by a sample of the triple terms that have a reifier.
func (c *Counts) TripleTerms(s, p, o rdf.Term) (out algebra.TripleTermCounts, err error) {
	key := countKey{s: s, p: p, o: o}
	if known, ok := c.tripleTerms[key]; ok {
		return known, nil
	}
	reified, err := c.Count(algebra.DefaultGraph, rdf.Term{}, rdf.NewIRI(rdf.RDFReifies), rdf.Term{})
	if err != nil {
		return out, err
	}
	out.All = float64(max(1, reified)) // about one triple term for each reifier
	if err := c.countTripleTerms([3]rdf.Term{s, p, o}, &out); err != nil {
		return out, err
	}
	if c.tripleTerms == nil {
		c.tripleTerms = map[countKey]algebra.TripleTermCounts{}
	}
	c.tripleTerms[key] = out
	return out, nil
}

// countTripleTerms sets Count and Per of out for the triple terms with the given parts. They
// stay 0 if the dataset does not have one of the parts.
func (c *Counts) countTripleTerms(parts [3]rdf.Term, out *algebra.TripleTermCounts) error {
	var ids [3]source.ID
	for i, t := range parts {
		var err error
		if ids[i], err = c.id(t); err != nil || ids[i] == source.Unknown {
			return err
		}
	}
	var samples [][3]source.ID
	n := 0
	for term, err := range c.ds.TripleTerms(ids[0], ids[1], ids[2]) {
		if err != nil {
			return err
		}
		if n < maxPartSamples {
			samples = append(samples, term.Parts)
		}
		if n++; n == maxTermsCounted {
			break
		}
	}
	out.Count = float64(n)
	if n == maxTermsCounted {
		spread, err := c.spreadTerms()
		if err != nil {
			return err
		}
		if share, matching := matchingTerms(spread, ids); len(matching) > 0 {
			out.Count, samples = max(out.Count, share*out.All), matching[:min(len(matching), maxPartSamples)]
		} else {
			out.Count = max(out.Count, out.All/maxTermSamples/2) // fewer than one in a sample
		}
	}
	return c.perPart(samples, out)
}

// spreadTerms returns the parts of at most maxTermSamples triple terms with a reifier in the
// default graph, evenly spread over their ids. One may be in it more than once.
func (c *Counts) spreadTerms() (out [][3]source.ID, err error) {
	reifies, err := c.id(rdf.NewIRI(rdf.RDFReifies))
	if err != nil || reifies == source.Unknown {
		return nil, err
	}
	lo, hi := source.Prefix(source.Tuple{uint64(reifies)}, 1)
	ends := [2]uint64{}
	for i, scan := range []source.Scan{c.ds.Scan(0, source.POS), c.ds.Backwards(0, source.POS)} {
		scan.Seek(lo, hi)
		tuples := scan.Next()
		if tuples == nil {
			return nil, scan.Err()
		}
		ends[i] = tuples[0][1]
	}
	scan := c.ds.Scan(0, source.POS)
	for i := range uint64(maxTermSamples) {
		lo[1] = ends[0] + (ends[1]-ends[0])/maxTermSamples*i
		scan.Seek(lo, hi)
		tuples := scan.Next()
		if tuples == nil {
			return out, scan.Err()
		}
		spo, ok, err := c.ds.TripleParts(source.ID(tuples[0][1]))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, spo)
		}
	}
	return out, nil
}

// matchingTerms returns the triple terms that have the given parts, and their share of
// all.
func matchingTerms(terms [][3]source.ID, parts [3]source.ID) (share float64, out [][3]source.ID) {
	for _, spo := range terms {
		matches := true
		for i, part := range parts {
			matches = matches && (part == 0 || part == spo[i])
		}
		if matches {
			out = append(out, spo)
		}
	}
	return float64(len(out)) / float64(max(1, len(terms))), out
}

// perPart sets out.Per to the average numbers of triple terms that have the subjects,
// predicates and objects of samples.
func (c *Counts) perPart(samples [][3]source.ID, out *algebra.TripleTermCounts) error {
	for _, spo := range samples {
		for i := range spo {
			var one [3]source.ID
			one[i] = spo[i]
			n := 0
			for _, err := range c.ds.TripleTerms(one[0], one[1], one[2]) {
				if err != nil {
					return err
				}
				if n++; n == maxPerPart {
					break
				}
			}
			per := float64(n)
			if n == maxPerPart { // between maxPerPart and all: take the geometric mean
				per = max(per, math.Sqrt(per*out.All))
			}
			out.Per[i] += per / float64(len(samples))
		}
	}
	return nil
}
