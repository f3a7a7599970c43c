package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// tripleTerms extends a row that binds a triple term by the parts of the term, and
// other rows by the triple terms whose parts match.
type tripleTerms struct {
	r *Run
	output
	term  algebra.Slot
	spo   [3]place
	known *knownTerms // the terms with the constant parts; nil if they are not to be read at once
	order []termRow
}

// buildTripleTerm builds a pattern of triple terms. If the term is bound, and the index knows few
// triple terms with the constant parts, these are read once.
func (r *Run) buildTripleTerm(x *algebra.TripleTerm, e env, next sink) (sink, error) {
	s := &tripleTerms{r: r, output: newOutput(r, next), term: x.Term}
	var constant [3]source.ID
	for i, n := range []algebra.Node{x.S, x.P, x.O} {
		s.spo[i].slot = n.Slot
		if !n.IsVariable() {
			var err error
			if s.spo[i].id, err = r.terms.ID(n.Term); err != nil {
				return nil, err
			}
			constant[i] = s.spo[i].id
		}
	}
	if x.Known > 0 && e.certain.Has(x.Term) && max(constant[0], constant[1], constant[2]) < source.LocalFirst {
		s.known = &knownTerms{constant: constant, size: x.Known, soon: x.FullScan}
	}
	return s, nil
}

// push matches the pattern for each row: it reads the term that is bound, or finds terms.
func (s *tripleTerms) push(b *table.Batch) error {
	if s.known != nil {
		if err := s.known.expect(s.r, b.N); err != nil {
			return err
		}
	}
	if err := s.r.budget.Tick(b.N); err != nil {
		return err
	}
	s.order = s.order[:0]
	for i := range b.N {
		if id := b.Row(i)[s.term]; !s.known.lacks(id) {
			s.order = append(s.order, termRow{id, int32(i)})
		}
	}
	// Sorted by id, neighbours read the same blocks of the dictionary.
	if byTerm := func(x, y termRow) int { return cmp.Compare(x.term, y.term) }; !slices.IsSortedFunc(s.order, byTerm) {
		slices.SortFunc(s.order, byTerm)
	}
	for _, x := range s.order {
		row := b.Row(int(x.row))
		var err error
		if x.term != 0 {
			err = s.read(row, x.term)
		} else {
			err = s.find(row)
		}
		if err != nil {
			return err
		}
	}
	return s.pause()
}

// termRow is a row of a batch and the term that it binds.
type termRow struct {
	term source.ID
	row  int32
}

// find extends a row by all triple terms with the parts that it binds.
func (s *tripleTerms) find(row []source.ID) error {
	var spo [3]source.ID
	for i, p := range s.spo {
		if spo[i] = p.in(row); spo[i] >= source.LocalFirst {
			return nil // the dataset does not have the term
		}
	}
	for term, err := range s.r.ds.TripleTerms(spo[0], spo[1], spo[2]) {
		if err == nil {
			err = s.r.budget.Tick(1)
		}
		if err == nil {
			err = s.take(row, term)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read binds the parts of the triple term with an id. It drops the row if that is not a triple term.
func (s *tripleTerms) read(row []source.ID, id source.ID) error {
	spo, ok, err := s.r.terms.Parts(id)
	if err != nil || !ok {
		return err
	}
	return s.take(row, source.TripleTerm{ID: id, Parts: spo})
}

// take extends a row by a triple term and its parts, if the parts match.
func (s *tripleTerms) take(row []source.ID, term source.TripleTerm) error {
	for i, p := range s.spo {
		if bound := p.in(row); bound != 0 && bound != term.Parts[i] {
			return nil
		}
	}
	out := s.add(row)
	out[s.term] = term.ID
	for i, p := range s.spo {
		if p.slot < 0 {
			continue
		}
		if out[p.slot] != 0 && out[p.slot] != term.Parts[i] { // a repeated variable
			s.drop()
			return nil
		}
		out[p.slot] = term.Parts[i]
	}
	return s.full()
}
