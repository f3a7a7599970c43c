package source

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Everything is all ids that a Reader may use.
var Everything = IDRange{First: 1, Last: LocalFirst - 1, Exact: true}

// RangesOf returns the ranges of ids that may satisfy all bounds.
func RangesOf(ds Reader, bounds []algebra.Bound) ([]IDRange, error) {
	ranges := []IDRange{Everything}
	for _, b := range bounds {
		if b.Text != nil {
			known, ok, err := ds.TextRanges(b.Text.Query, b.Text.Strings)
			if err != nil {
				return nil, err
			}
			if ok {
				ranges = intersect(ranges, known)
			}
			continue
		}
		known, err := comparedRanges(ds, b)
		if err != nil {
			return nil, err
		}
		ranges = intersect(ranges, known)
	}
	return ranges, nil
}

// comparedRanges returns the ranges of ids that may satisfy a comparison, or Everything inexactly if the dataset
// can't tell. If b.Term is an IRI or a string, b.Op is = or !=. It ignores b.Or: that is the time of b.Term in
// another zone, and the ranges hold times of all zones.
func comparedRanges(ds Reader, b algebra.Bound) ([]IDRange, error) {
	v := value.FromTerm(b.Term)
	switch v.Kind() {
	case value.KindIRI, value.KindString, value.KindLangString:
		id, err := ds.ID(b.Term) // no other term equals it
		switch {
		case err != nil:
			return nil, err
		case b.Op == syntax.OpNotEqual && id == 0:
			return []IDRange{Everything}, nil
		case b.Op == syntax.OpNotEqual:
			return []IDRange{{Everything.First, id - 1, true}, {id + 1, Everything.Last, true}}, nil
		case id == 0:
			return nil, nil
		}
		return []IDRange{{id, id, true}}, nil
	}
	if known, ok := ds.Ranges(b.Op, v); ok {
		return known, nil
	}
	return []IDRange{{First: Everything.First, Last: Everything.Last}}, nil
}

// intersect returns the intersection of two lists of ranges.
func intersect(a, b []IDRange) (out []IDRange) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		both := IDRange{max(a[i].First, b[j].First), min(a[i].Last, b[j].Last), a[i].Exact && b[j].Exact}
		if both.First <= both.Last {
			out = append(out, both)
		}
		if a[i].Last < b[j].Last {
			i++
		} else {
			j++
		}
	}
	return out
}

// SplitOrdered splits ranges of ids into those in which ids are in the order of their
// values, and others.
func SplitOrdered(ds Reader, ranges []IDRange) (ordered, others []IDRange) {
	next := Everything.First
	for _, r := range ds.Ordered() {
		if r.First > next {
			others = append(others, IDRange{next, r.First - 1, true})
		}
		ordered = append(ordered, IDRange{r.First, r.Last, true})
		next = r.Last + 1
	}
	if next <= Everything.Last {
		others = append(others, IDRange{next, Everything.Last, true})
	}
	return intersect(ranges, ordered), intersect(ranges, others)
}
