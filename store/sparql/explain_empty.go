package sparql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/statistics"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Pattern is a triple pattern or path of a query, evaluated by itself.
type Pattern struct {
	Pattern string `json:"pattern"` // as in the query, with full IRIs
	// Matches is the number of its solutions by itself: a lower bound if More is set, and
	// nil if counting took too long.
	Matches *int64 `json:"matches"`
	More    bool   `json:"more,omitempty"`
	// Required is set if the query can't find anything unless this pattern matches.
	// Patterns in OPTIONAL, MINUS, UNION and EXISTS are not required.
	Required bool      `json:"required"`
	Unknown  []Unknown `json:"unknown,omitempty"`
}

// Unknown is a term of a pattern that no triple of its graph has in that position.
type Unknown struct {
	Position string `json:"position"` // subject, predicate, object, class (the object of rdf:type) or graph
	Term     string `json:"term"`
	Nearest  string `json:"nearest,omitempty"` // a predicate or class with a similar name, or ""
}

// Limits on the work of explaining an empty answer.
const (
	countedPatterns = 200             // patterns of a query; later ones are ignored
	countedMatches  = 1000            // solutions of a pattern that an index can't count
	countingTime    = 2 * time.Second // for one pattern
	candidateTerms  = 2000            // predicates or classes to compare with
)

// diagnosis finds out why a query found nothing.
type diagnosis struct {
	query      *algebra.Query // as written, before planning
	ds         Dataset
	statistics *statistics.Counts
	limits     budget.Limits // of the query that is explained
	patterns   []found
}

// found is a pattern of the query, and whether it is required.
type found struct {
	op       algebra.Op
	required bool
}

// explain counts what the first patterns of the query match alone, and concludes why the answer is
// empty.
func (d *diagnosis) explain(ctx context.Context, x *Explanation) error {
	d.collect(d.query.Root, true)
	for _, f := range d.patterns[:min(len(d.patterns), countedPatterns)] {
		if ctx.Err() != nil {
			break // no time is left, but the query itself was answered
		}
		p, err := d.pattern(ctx, f)
		if err != nil {
			return err
		}
		x.Patterns = append(x.Patterns, p)
	}
	x.Reason = reason(x)
	return nil
}

// collect appends the patterns in op to d.patterns. required says that each solution needs
// a match of op. The patterns of an EXISTS come after those of the operator that contains it.
func (d *diagnosis) collect(op algebra.Op, required bool) {
	inside := required
	switch op := op.(type) {
	case *algebra.Triple, *algebra.Path:
		d.patterns = append(d.patterns, found{op, required})
		return
	case *algebra.LeftJoin:
		d.collect(op.Left, required)
		d.collect(op.Right, false)
		return
	case *algebra.Minus:
		d.collect(op.Left, required)
		d.collect(op.Right, false)
		return
	case *algebra.Union:
		inside = false
	}
	for _, child := range algebra.Children(op) {
		d.collect(child, inside)
	}
	for _, e := range algebra.ExistsIn(algebra.Expressions(op)...) {
		d.collect(e.Op, false)
	}
}

// pattern counts the matches of one pattern. Matches stays nil if counting exceeds a limit.
func (d *diagnosis) pattern(ctx context.Context, f found) (Pattern, error) {
	_, text, _ := strings.Cut(d.query.Label(f.op), " ")
	p := Pattern{Pattern: text, Required: f.required}
	matches, err := d.matches(ctx, f.op)
	var limit *budget.LimitError
	switch {
	case errors.As(err, &limit):
		return p, nil
	case err != nil:
		return p, err
	}
	p.More = matches >= countedMatches && !d.countable(f.op)
	p.Matches = &matches
	if t, ok := f.op.(*algebra.Triple); ok && matches == 0 {
		p.Unknown, err = d.unknown(t)
	}
	return p, err
}

// countable reports whether an index can count the solutions of op.
func (d *diagnosis) countable(op algebra.Op) bool {
	t, ok := op.(*algebra.Triple)
	return ok && (t.Graph == algebra.DefaultGraph || !t.Graph.IsVariable()) && !t.Repeats()
}

// matches returns the number of a pattern's solutions. If no index can count them, it
// stops at countedMatches.
func (d *diagnosis) matches(ctx context.Context, op algebra.Op) (n int64, err error) {
	q := *d.query
	q.Form, q.Columns = syntax.Select, nil
	counted := d.countable(op)
	if slot := algebra.ActiveGraph(op); slot != algebra.NoSlot { // of GRAPH with a variable, which is not part of op
		q.Names = append(slices.Clip(q.Names), "")
		op = &algebra.Graph{Name: algebra.Variable(algebra.Slot(len(q.Names) - 1)), Active: slot, Op: op}
	}
	into := algebra.Slot(len(q.Names))
	q.Names = append(slices.Clip(q.Names), "")
	if counted {
		q.Root = &algebra.Group{Op: op, Aggregates: []algebra.Aggregate{{Op: syntax.OpCount, Into: into}}}
		q.Columns = []algebra.Column{{Slot: into}}
	} else {
		q.Root = &algebra.Slice{Op: op, Limit: countedMatches}
	}
	l := budget.Limits{Time: countingTime, Memory: 64 << 20, Shared: d.limits.Shared, Processors: d.limits.Processors}
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	b := budget.New(ctx, l)
	defer b.Close()
	r, err := eval.New(b, &q, d.ds)
	if err != nil {
		return 0, err
	}
	err = r.Select(func(row []rdf.Term) error {
		if !counted {
			n++
			return nil
		}
		_, err := fmt.Sscan(row[0].Value(), &n)
		return err
	})
	return n, err
}

// unknown returns the terms of a pattern that no triple of its graph has in that
// position.
func (d *diagnosis) unknown(t *algebra.Triple) (out []Unknown, err error) {
	// note adds n if count finds no triple, with the most similar of the candidates.
	note := func(position string, n algebra.Node, count func() (int64, error), candidates func() ([]rdf.Term, error)) {
		if err != nil || n.IsVariable() {
			return
		}
		var matches int64
		if matches, err = count(); err != nil || matches > 0 {
			return
		}
		u := Unknown{Position: position, Term: n.Term.String()}
		if candidates != nil && n.Term.IsIRI() {
			var terms []rdf.Term
			terms, err = candidates()
			u.Nearest = nearest(n.Term.Value(), terms)
		}
		out = append(out, u)
	}
	count := func(s, p, o rdf.Term) func() (int64, error) {
		return func() (int64, error) { return d.statistics.Count(t.Graph, s, p, o) }
	}
	var anyTerm rdf.Term
	if t.Graph != algebra.DefaultGraph && !t.Graph.IsVariable() {
		note("graph", t.Graph, count(anyTerm, anyTerm, anyTerm), nil)
		if len(out) > 0 {
			return out, err // a graph that does not exist has no other terms to check
		}
	}
	note("subject", t.S, count(t.S.Term, anyTerm, anyTerm), nil)
	note("predicate", t.P, count(anyTerm, t.P.Term, anyTerm), func() ([]rdf.Term, error) {
		return d.statistics.Predicates(t.Graph, candidateTerms)
	})
	if t.P.Term.Value() == rdf.RDFType {
		note("class", t.O, count(anyTerm, t.P.Term, t.O.Term), func() ([]rdf.Term, error) {
			return d.statistics.Objects(t.Graph, t.P.Term, candidateTerms)
		})
	} else {
		note("object", t.O, count(anyTerm, anyTerm, t.O.Term), nil)
	}
	return out, err
}

// nearest returns the IRI in terms that iri most likely misspells, in angle brackets, or "":
// one with the same last part in another namespace, or with at most a third of that part
// different.
func nearest(iri string, terms []rdf.Term) string {
	namespace, local := cutIRI(iri)
	best, least := "", 0
	for _, t := range terms {
		tooLong := len(t.Value()) > 2*len(iri)+8 // to be a misspelling; it would be slow to compare
		if !t.IsIRI() || tooLong {
			continue
		}
		ns, name := cutIRI(t.Value())
		// Each edit counts 2, so that another namespace can count 1.
		distance := 2 * syntax.EditDistance(strings.ToLower(local), strings.ToLower(name))
		if distance > 2*(max(len(local), len(name), 3)/3) { // one error in three letters
			continue
		}
		if ns != namespace {
			distance++
		}
		if best == "" || distance < least {
			best, least = t.String(), distance
		}
	}
	return best
}

// cutIRI splits an IRI after its last # or /.
func cutIRI(iri string) (namespace, local string) {
	at := strings.LastIndexAny(iri, "#/") + 1
	return iri[:at], iri[at:]
}
