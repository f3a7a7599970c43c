package eval

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
)

// rowSink is the end of a SELECT. It looks up the terms of many rows on all free
// processors.
type rowSink struct {
	r        *Run
	row      func([]rdf.Term) error
	terms    []rdf.Term
	rows     int64     // received
	few      bool      // the query has a LIMIT
	pipeline *pipeline // nil until many rows were received
}

func (s *rowSink) push(b *batch) error {
	s.rows += int64(b.n)
	if s.pipeline == nil && s.rows > s.r.many/4 && !s.few && s.r.budget.Free() && s.r.mayFork() {
		var err error
		none := func(_ *Run, next sink) (sink, error) { return next, nil }
		if s.pipeline, err = s.r.newPipeline(s, s.r.width, chunkRows, none); err != nil {
			return err
		}
	}
	if s.pipeline != nil {
		return s.pipeline.give(b, s.r.terms)
	}
	return s.from(b, 0, s.r.terms)
}

// from passes on the rows of a batch, beginning with row first.
func (s *rowSink) from(b *batch, first int, terms *terms) error {
	for i := first; i < b.n; i++ {
		if err := s.lookUp(b.row(i), s.terms, terms); err != nil {
			return err
		}
		if err := s.emit(s.terms); err != nil {
			return err
		}
	}
	return nil
}

// lookUp sets out to the terms of a row, one for each column of the query.
func (s *rowSink) lookUp(row []ID, out []rdf.Term, terms *terms) (err error) {
	for c, column := range s.r.query.Columns {
		if out[c], err = terms.term(row[column.Slot]); err != nil {
			return fmt.Errorf("reading a term: %w", err)
		}
	}
	return nil
}

// emit passes a row to the caller of the query.
func (s *rowSink) emit(terms []rdf.Term) error {
	if err := s.r.budget.Tick(16 + len(terms)); err != nil {
		return err
	}
	return s.row(terms)
}

func (s *rowSink) end() error {
	if s.pipeline == nil {
		return nil
	}
	return s.pipeline.finish()
}

func (s *rowSink) close() {
	if s.pipeline != nil {
		s.pipeline.close()
	}
}
