package eval

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
)

// rowSink is the end of a SELECT. It looks up the terms of each row.
type rowSink struct {
	r     *Run
	row   func([]rdf.Term) error
	terms []rdf.Term
}

func (s *rowSink) push(b *batch) error {
	for i := range b.n {
		if err := s.r.budget.Tick(16 + len(s.terms)); err != nil {
			return err
		}
		for c, column := range s.r.query.Columns {
			var err error
			if s.terms[c], err = s.r.terms.term(b.row(i)[column.Slot]); err != nil {
				return fmt.Errorf("reading a term: %w", err)
			}
		}
		if err := s.row(s.terms); err != nil {
			return err
		}
	}
	return nil
}

func (s *rowSink) end() error { return nil }
