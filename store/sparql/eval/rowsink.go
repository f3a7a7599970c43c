package eval

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

const (
	rowsAtOnce   = 64      // rows whose terms are read together
	textsAtOnce  = 1 << 16 // bytes of the texts of a column of such rows, roughly
	recentBits   = 8       // of a hash, for the terms that are remembered
	likelyLength = 48      // bytes of a text
)

// rowSink is the end of a SELECT. It looks up the terms of some rows column by column,
// because those of a column often stand together in the dataset, or repeat.
type rowSink struct {
	r   *Run
	row func([]rdf.Term) error

	terms  []rdf.Term                // of the rows, one row after the other
	recent [1 << recentBits]readTerm // by a hash of the id
	ids    []source.ID               // of a column, to be read
	rows   []int                     // of ids
	read   []rdf.Term                // of ids
	texts  []byte                    // memory for texts to come; no byte is used twice, since callers may keep terms
}

type readTerm struct {
	id   source.ID
	term rdf.Term
}

// push passes on rows as terms. It reads the terms a column at a time.
func (s *rowSink) push(b *table.Batch) error {
	width := len(s.r.query.Columns)
	for from := 0; from < b.N; {
		n := min(b.N-from, rowsAtOnce)
		if len(s.terms) < n*width {
			s.terms, s.read = make([]rdf.Term, n*width), make([]rdf.Term, n)
		}
		for c := range s.r.query.Columns {
			var err error
			if n, err = s.column(b, from, n, c); err != nil {
				return fmt.Errorf("reading a term: %w", err)
			}
		}
		for i := range n {
			if err := s.r.budget.Tick(16 + width); err != nil {
				return err
			}
			if err := s.row(s.terms[i*width : (i+1)*width : (i+1)*width]); err != nil {
				return err
			}
		}
		from += n
	}
	return nil
}

// column looks up the terms of column c in up to n rows of the batch, and returns in how
// many.
func (s *rowSink) column(b *table.Batch, from, n, c int) (int, error) {
	columns, terms := s.r.query.Columns, s.r.terms
	s.ids, s.rows = s.ids[:0], s.rows[:0]
	for i := range n {
		id := b.Row(from + i)[columns[c].Slot]
		out := &s.terms[i*len(columns)+c]
		if id == 0 || id >= source.LocalFirst {
			var err error
			if *out, err = terms.Term(id); err != nil {
				return 0, err
			}
		} else if known := s.known(id); known.id == id {
			*out = known.term
		} else {
			s.ids, s.rows = append(s.ids, id), append(s.rows, i)
		}
	}
	if len(s.ids) == 0 {
		return n, nil
	}
	if cap(s.texts) < likelyLength*len(s.ids) {
		s.texts = make([]byte, 0, 4*likelyLength*len(s.ids))
	}
	read, texts, err := s.r.ds.Terms(s.ids, s.read[:len(s.ids)], s.texts, textsAtOnce)
	if err != nil {
		return 0, err
	}
	s.texts = texts[len(texts):] // the memory after these texts
	for k, t := range s.read[:read] {
		s.terms[s.rows[k]*len(columns)+c] = t
		*s.known(s.ids[k]) = readTerm{s.ids[k], t}
	}
	if read < len(s.ids) { // the texts got too long: only rows before this one have their terms
		return s.rows[read], nil
	}
	return n, nil
}

// known returns where a term is remembered.
func (s *rowSink) known(id source.ID) *readTerm {
	return &s.recent[uint64(id)*0x9E3779B97F4A7C15>>(64-recentBits)]
}

func (s *rowSink) end() error { return nil }
