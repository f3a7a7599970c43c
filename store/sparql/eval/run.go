package eval

import (
	"context"
	"fmt"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Run is one evaluation of a query, for one goroutine and one time.
type Run struct {
	query     *algebra.Query
	ds        Dataset
	terms     *terms
	budget    *budget
	functions *value.Context
	width     int  // of rows; more than the query's variables once all is built
	eager     bool // few rows may be wanted of what is being built
	graphs    []ID // the named graphs
	named     map[ID]bool
	cancel    context.CancelFunc
	columns   map[columnKey]*column
	pairs     pairs    // of the last column, for use again
	profile   *profile // nil unless asked for
}

// New prepares to evaluate a query over ds, as its FROM and FROM NAMED have it. The caller
// calls one of Select, Ask and Graph, and then Close.
func New(ctx context.Context, q *algebra.Query, ds Dataset, l Limits) (*Run, error) {
	cancel := context.CancelFunc(func() {})
	if l.Time > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, l.Time, &LimitError{Limit: "time", Detail: l.Time.String()})
	}
	r := &Run{query: q, width: len(q.Names), cancel: cancel, budget: &budget{ctx: ctx, limits: l}}
	var err error
	if r.ds, err = restrict(ds, q.From, q.FromNamed); err != nil {
		cancel()
		return nil, err
	}
	r.terms = newTerms(r.ds, r.budget)
	r.graphs = r.ds.Graphs()
	r.named = make(map[ID]bool, len(r.graphs))
	for _, g := range r.graphs {
		r.named[g] = true
	}
	now := time.Now().UTC()
	r.functions = &value.Context{
		Now:       value.DateTime(now.Unix(), now.Nanosecond()/1e6*1e6, 0, true),
		Blanks:    r.terms,
		MaxLength: l.StringLength,
		Stop:      r.budget.check,
	}
	if r.functions.MaxLength == 0 {
		r.functions.MaxLength = DefaultStringLength
	}
	if q.Base != "" {
		if r.functions.Base, err = rdf.ParseBaseIRI(q.Base); err != nil {
			cancel()
			return nil, fmt.Errorf("the base IRI: %w", err)
		}
	}
	r.eager = q.Form == syntax.Ask
	return r, nil
}

// Close ends the run.
func (r *Run) Close() { r.cancel() }

// MemoryPeak gives the most bytes that the run kept at a time, by its own accounting.
func (r *Run) MemoryPeak() int64 { return r.budget.peak }

// spare gives a place in rows that is no variable's.
func (r *Run) spare() algebra.Slot {
	r.width++
	return algebra.Slot(r.width - 1)
}

// solutions evaluates the query and pushes its solutions into out.
func (r *Run) solutions(out sink) error {
	begin := &unit{}
	head, err := r.build(r.query.Root, env{unit: begin}, out)
	if err != nil {
		return err
	}
	if err := r.budget.check(); err != nil {
		return err
	}
	begin.row = make([]ID, r.width)
	var rows batch
	rows.add(begin.row)
	if err := feed(head, &rows); err != nil {
		return err
	}
	return r.budget.failed
}

// Select gives the solutions of a SELECT one after another: a term for every column of the query, the
// zero Term where it is unbound. The slice is good until row returns. An error of row ends
// the query and is given back.
func (r *Run) Select(row func([]rdf.Term) error) error {
	return r.solutions(&rowSink{r: r, row: row, terms: make([]rdf.Term, len(r.query.Columns))})
}

type rowSink struct {
	r     *Run
	row   func([]rdf.Term) error
	terms []rdf.Term
}

func (s *rowSink) push(b *batch) error {
	for i := range b.n {
		row := b.row(i)
		for c, column := range s.r.query.Columns {
			var err error
			if s.terms[c], err = s.r.terms.term(row[column.Slot]); err != nil {
				return fmt.Errorf("reading a term: %w", err)
			}
		}
		if err := s.r.budget.tick(16); err != nil {
			return err
		}
		if err := s.row(s.terms); err != nil {
			return err
		}
	}
	return nil
}

func (s *rowSink) end() error { return nil }

// Ask tells whether there is a solution.
func (r *Run) Ask() (bool, error) {
	s := &anySink{}
	err := r.solutions(s)
	return s.any, err
}

type anySink struct{ any bool }

func (s *anySink) push(b *batch) error {
	if b.n == 0 {
		return nil
	}
	s.any = true
	return errDone
}

func (s *anySink) end() error { return nil }
