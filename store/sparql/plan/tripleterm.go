package plan

import "github.com/segraph/segraph/store/sparql/algebra"

// Costs of a TripleTerm, in the unit of lookupCost.
const (
	partsCost = 50.0 // look up the parts of a triple term that a row binds
	nextCost  = 6.0  // the same, if the rows bind terms in the order of the index
	knownCost = 2.0  // read a term into the set of all with the constant parts
	foundCost = 15.0 // find a term in the index
)

// tripleTerm plans a pattern of triple terms: how many terms evaluators may read at once, and
// whether to do so before the first row.
func (p *planner) tripleTerm(x *algebra.TripleTerm, g planContext) algebra.Op {
	if !readable(x) {
		return x
	}
	out := *x
	s := p.termStatistics(x)
	out.Known = int64(min(max(s.Count, 1), maxTripleTerms))
	matching := s.Count / s.All // share of the rows whose term is among these, and whose parts are looked up all the same
	out.FullScan = g.rows >= fewRows && !g.few && s.Count*knownCost < g.rows*partsCost*(1-matching)
	return &out
}

// readable reports whether evaluators may read all triple terms with the constant
// parts of x. x must have at least one constant part.
func readable(x *algebra.TripleTerm) bool {
	return !(x.S.IsVariable() && x.P.IsVariable() && x.O.IsVariable())
}

// maxTripleTerms keeps numbers of triple terms in an integer.
const maxTripleTerms = 1 << 40

// termStatistics returns the statistics for the constant parts of x.
func (p *planner) termStatistics(x *algebra.TripleTerm) algebra.TripleTermCounts {
	s, err := p.statistics.TripleTerms(x.S.Term, x.P.Term, x.O.Term)
	p.fail(err)
	s.All = max(s.All, s.Count, 1)
	return s
}

// tripleTermMatches returns the estimated number of solutions of x for a row that binds
// bound.
func (p *planner) tripleTermMatches(x *algebra.TripleTerm, bound algebra.Set) float64 {
	s := p.termStatistics(x)
	n := s.Count
	for i, part := range []algebra.Node{x.S, x.P, x.O} {
		if bound.Has(part.Slot) {
			n = min(n, s.Per[i])
		}
	}
	if bound.Has(x.Term) {
		return n / s.All
	}
	return n
}

// tripleTermCost returns the cost of extending all rows by x, and the resulting number of
// rows. few is as in tripleCost.
func (p *planner) tripleTermCost(x *algebra.TripleTerm, at *progress, few bool) (cost, rows float64) {
	rows = at.rows * p.tripleTermMatches(x, at.bound)
	switch {
	case !at.bound.Has(x.Term):
		cost = at.rows*lookupCost + rows*foundCost
	case !readable(x):
		cost = at.rows * nextCost
	default:
		if cost = at.rows * partsCost; !few {
			s := p.termStatistics(x)
			cost = min(cost, s.Count*knownCost+at.rows*probeCost+min(1, s.Count/s.All)*cost)
		}
	}
	return cost + rows*rowCost, rows
}
