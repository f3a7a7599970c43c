package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// Forkable is a Dataset that several goroutines can read for one query, each by a fork of
// its own.
type Forkable interface {
	Dataset
	// Fork returns the same data for use by another goroutine, or nil if that is not
	// possible. The fork is valid as long as the Dataset is.
	Fork() Dataset
	// Guard runs do, which reads a fork. If it panics because data cannot be read, Guard
	// returns that as an error.
	Guard(do func() error) error
}

// forkable returns ds, or the dataset that FROM restricts, as a Forkable. It returns
// nil if that is not one.
func forkable(ds Dataset) Forkable {
	f, _ := base(ds).(Forkable)
	return f
}

// forkOf returns the same data for use by another goroutine, or nil if that is not
// possible.
func forkOf(ds Dataset) Dataset {
	f := forkable(ds)
	if f == nil {
		return nil
	}
	own := f.Fork()
	if m, ok := ds.(*merged); ok && own != nil {
		return &merged{own, m.from, m.named}
	}
	return own
}

// mayFork reports whether other goroutines can evaluate parts of the query.
func (r *Run) mayFork() bool {
	isLocal := func(id ID) bool { return id >= LocalFirst }
	return !r.isFork && r.profile == nil && forkable(r.ds) != nil && len(r.query.Names) <= wideRow &&
		!slices.ContainsFunc(r.graphs, isLocal) && !volatileIn(r.query.Root)
}

// fork returns a Run over ds that another goroutine may use while r is in use. Both
// build the same operators with the same slots.
func (r *Run) fork(ds Dataset) *Run {
	f := *r
	f.isFork, f.budget, f.ds = true, r.budget.Fork(), ds
	f.terms = newTerms(ds, f.budget)
	f.functions = &value.Context{Now: r.functions.Now, Base: r.functions.Base, Blanks: f.terms, MaxLength: r.functions.MaxLength, Stop: f.budget.Check}
	f.vars = algebra.Variables{Spend: f.spend}
	f.columns, f.pairs, f.parts, f.eager = nil, pairs{}, 0, false
	return &f
}

// volatileIn reports whether op calls a function whose results differ from call to call.
func volatileIn(op algebra.Op) bool {
	found := false
	exprs := algebra.Expressions(op)
	for _, e := range exprs {
		algebra.Walk(e, func(e algebra.Expr) { found = found || volatile(e) })
	}
	for _, x := range algebra.ExistsIn(exprs...) {
		found = found || volatileIn(x.Op)
	}
	for _, child := range algebra.Children(op) {
		found = found || volatileIn(child)
	}
	return found
}
