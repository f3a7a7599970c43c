package eval

import (
	"cmp"
	"fmt"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Run is one evaluation of a query. It is for one goroutine and is used once. Other
// goroutines use a fork.
type Run struct {
	query     *algebra.Query
	ds        Dataset
	terms     *terms
	budget    *budget.Budget
	functions *value.Context
	width     int   // of rows; exceeds the query's variables once all is built
	operators int   // of the query
	largest   int   // rows of a batch
	eager     bool  // few rows may be wanted of the operator being built
	isFork    bool  // used by another goroutine than the query's own
	many      int64 // rows from which another processor is used
	graphs    []ID  // the named graphs
	named     map[ID]bool
	vars      algebra.Variables
	columns   map[columnKey]*column
	pairs     pairs // of the last column, for reuse

	parts   int      // of expressions, times the rows that they are evaluated for at a time
	profile *profile // nil unless Profile was called
}

// New prepares to evaluate a query within the budget b, over ds as its FROM and FROM
// NAMED restrict it. The caller then calls one of Select, Ask and Graph.
func New(b *budget.Budget, q *algebra.Query, ds Dataset) (*Run, error) {
	r := &Run{query: q, width: len(q.Names), budget: b, many: int64(cmp.Or(b.Limits().ParallelRows, budget.DefaultParallelRows))}
	r.vars.Spend = r.spend
	r.operators = operators(q.Root)
	r.largest = r.largestBatch()
	b.SetWeight(1 + len(q.Names)/wideRow)
	var err error
	if r.ds, err = restrict(ds, q.From, q.FromNamed); err != nil {
		return nil, err
	}
	r.terms = newTerms(r.ds, r.budget)
	r.graphs = r.ds.Graphs()
	r.named = make(map[ID]bool, len(r.graphs))
	for _, g := range r.graphs {
		r.named[g] = true
	}
	if err := r.addEmptyGraphs(); err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	r.functions = &value.Context{
		Now:       value.DateTime(now.Unix(), now.Nanosecond()/1e6*1e6, 0, true),
		Blanks:    r.terms,
		MaxLength: b.Limits().StringLength,
		Stop:      r.budget.Check,
	}
	if r.functions.MaxLength == 0 {
		r.functions.MaxLength = DefaultStringLength
	}
	if q.Base != "" {
		if r.functions.Base, err = rdf.ParseBaseIRI(q.Base); err != nil {
			return nil, fmt.Errorf("the base IRI: %w", err)
		}
	}
	r.eager = q.Form == syntax.Ask
	return r, nil
}

// MemoryPeak returns the largest number of bytes that the run kept at any time, by its
// own accounting.
func (r *Run) MemoryPeak() int64 { return r.budget.Peak() }

// addEmptyGraphs adds those graphs of FROM NAMED to the named graphs that the dataset
// does not have.
func (r *Run) addEmptyGraphs() error {
	for _, t := range r.query.FromNamed {
		id, err := r.terms.id(t)
		if err != nil {
			return err
		}
		if !r.named[id] {
			r.named[id] = true
			r.graphs = append(r.graphs[:len(r.graphs):len(r.graphs)], id)
		}
	}
	return nil
}

// operators returns the number of operators in a tree, including those of EXISTS.
func operators(op algebra.Op) int {
	n := 1
	for _, child := range algebra.Children(op) {
		n += operators(child)
	}
	for _, x := range algebra.ExistsIn(algebra.Expressions(op)...) {
		n += operators(x.Op)
	}
	return n
}

// spend accounts for the sets of variables that are computed while operators are built.
func (r *Run) spend(bytes int64) {
	err := r.budget.Grow(bytes)
	if err == nil {
		err = r.budget.Tick(1 + int(bytes/spendWork))
	}
	if err != nil {
		r.budget.Fail(err)
	}
}

// spendWork is the number of bytes of sets that count as the work of one row.
const spendWork = 256

// spare returns a slot that belongs to no variable.
func (r *Run) spare() algebra.Slot {
	r.width++
	return algebra.Slot(r.width - 1)
}

// solutions evaluates the query and pushes its solutions into out.
func (r *Run) solutions(out sink) error {
	begin := &unit{}
	head, err := r.buildWanting(r.eager, r.query.Root, env{unit: begin}, out)
	if err != nil {
		return err
	}
	if err := r.budget.Check(); err != nil {
		return err
	}
	begin.row = make([]ID, r.width)
	var rows batch
	rows.add(begin.row)
	if err := feed(head, &rows); err != nil {
		return err
	}
	return r.budget.Failed()
}

// Select calls row for each solution of a SELECT, with a term for every column of the
// query and the zero Term for an unbound one. The slice is valid until row returns. If
// row returns an error, the query ends and Select returns that error.
func (r *Run) Select(row func([]rdf.Term) error) error {
	return r.solutions(&rowSink{r: r, row: row})
}

// Ask reports whether the query has a solution.
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
