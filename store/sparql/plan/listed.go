package plan

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
)

// list records the values of each VALUES of one variable among ops, so that listed can
// count their matches.
func (p *planner) list(ops []algebra.Op) {
	for _, op := range ops {
		if x, ok := op.(*algebra.Values); ok && len(x.Vars) == 1 && 0 < len(x.Rows) && len(x.Rows) <= maxListed {
			p.lists[x.Vars[0]] = x.Rows
		}
	}
}

// maxListed is the largest number of values that are counted.
const maxListed = 16

// listed returns how many triples of a pattern have a value of VALUES as their object,
// on average per value. ok is false if that can't be counted.
func (p *planner) listed(t *algebra.Triple, at *progress) (average float64, ok bool) {
	rows, ok := p.lists[t.O.Slot]
	n := at.values[t.O.Slot]
	joined := n > 0 && n <= float64(len(rows)) // with the VALUES
	if !ok || !joined || t.P.IsVariable() || !t.S.IsVariable() {
		return 0, false
	}
	var sum int64
	for _, row := range rows {
		if row[0].IsZero() {
			return 0, false
		}
		n, err := p.statistics.Count(t.Graph, rdf.Term{}, t.P.Term, row[0])
		p.fail(err)
		sum += n
	}
	return float64(sum) / float64(len(rows)), true
}
