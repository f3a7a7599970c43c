// Package eval evaluates a tree of SPARQL algebra (package algebra) over a Reader and
// returns its solutions.
//
// A solution is a row of ids with one slot for each variable of the query; 0 means
// unbound. Rows move in batches through a chain of operators, and each operator pushes
// its result into the next one (see sink). Patterns extend rows by look-ups in an
// index. A join runs one pattern after another if that returns the same as the
// bottom-up evaluation of the standard (algebra.Variables.TakesBindings); otherwise it
// is a hash join. Ids become terms only in the answer, and in expressions that need the
// terms.
//
// A chain is built from its end: build(op, e, next) returns the sink whose rows arrive
// at next, joined with the solutions of op. e says which variables these rows have, as
// far as that is known before they come. Running it is a push for each batch, and then
// end, which passes on what operators hold back, such as groups and sorted rows. After
// end a chain can run again: the pattern of an OPTIONAL or EXISTS does so for each batch
// outside. errDone goes the other way. It tells the sinks before that no more rows are
// wanted, as after a LIMIT, and is no error of the query.
//
// Rules: The package imports no store. Every operator stops soon after the query's
// context ends, and accounts for the memory that it keeps (package budget). A query
// belongs to one goroutine, and only that goroutine calls functions of the caller.
// One other goroutine may help it (see aside), which the query waits for. That one uses
// forks of the Reader and the Budget.
package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Run is one evaluation of a query. It is for one goroutine and is used once. Other
// goroutines use a fork.
type Run struct {
	query   *algebra.Query
	ds      source.Reader
	exprs   *expr.Query
	terms   *expr.Terms
	budget  *budget.Budget
	width   int         // of rows; exceeds the query's variables once all is built
	largest int         // rows of a batch
	eager   bool        // few rows may be wanted of the operator being built
	isFork  bool        // used by another goroutine than the query's own
	inUnion bool        // an arm of a UNION is being built: its batches must not wait for later ones, which follow those of other arms
	pipe    *pipe       // of a fork
	many    int64       // rows from which another processor is used
	graphs  []source.ID // the named graphs
	named   map[source.ID]bool
	vars    algebra.Variables
	columns map[columnKey]*table.Column
	pairs   table.Pairs // of the last column, for reuse
	profile *profile    // nil unless Profile was called
}

// New prepares to evaluate a query within the budget b, over ds as its FROM and FROM
// NAMED restrict it. The caller then calls one of Select, Ask and Graph.
func New(b *budget.Budget, q *algebra.Query, ds source.Reader) (*Run, error) {
	r := &Run{query: q, width: len(q.Names), budget: b, many: int64(cmp.Or(b.Limits().ParallelRows, budget.DefaultParallelRows))}
	r.vars.Spend = r.spend
	operators := operators(q.Root)
	r.largest = r.largestBatch(operators)
	b.SetWeight(1 + len(q.Names)/wideRow)
	var err error
	if r.ds, err = source.Restrict(ds, q.From, q.FromNamed); err != nil {
		return nil, err
	}
	if r.exprs, err = expr.NewQuery(b, r.ds, q.Base, operators); err != nil {
		return nil, err
	}
	r.terms = r.exprs.Terms
	r.graphs = r.ds.Graphs()
	r.named = make(map[source.ID]bool, len(r.graphs))
	for _, g := range r.graphs {
		r.named[g] = true
	}
	if err := r.addEmptyGraphs(); err != nil {
		return nil, err
	}
	r.eager = q.Form == syntax.Ask
	return r, nil
}

// addEmptyGraphs adds those graphs of FROM NAMED to the named graphs that the dataset
// does not have.
func (r *Run) addEmptyGraphs() error {
	for _, t := range r.query.FromNamed {
		id, err := r.terms.ID(t)
		if err != nil {
			return err
		}
		if !r.named[id] {
			r.named[id] = true
			r.graphs = append(slices.Clip(r.graphs), id)
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

// addSlot widens the rows by a slot that belongs to no variable, and returns it.
func (r *Run) addSlot() algebra.Slot {
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
	begin.row = make([]source.ID, r.width) // which has grown with the slots of the operators
	var rows table.Batch
	rows.Add(begin.row)
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

func (s *anySink) push(b *table.Batch) error {
	if b.N == 0 {
		return nil
	}
	s.any = true
	return errDone
}

func (s *anySink) end() error { return nil }
