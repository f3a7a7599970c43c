package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Query sends q to the server, once the server has received all earlier writes. The file
// answers if the query can't be sent, if the server refuses it or would answer only in
// part, or if the server is unreachable. Query returns the errors of engine.Store.Query,
// or an error that wraps store.ErrUnavailable.
func (s *Store) Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	why, err := s.answerer(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	a, unfit := s.prepare(ctx, q, l)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if why = cmp.Or(why, unfit, s.lacks()); why == "" {
		err := a.run(ctx, l, out, triple)
		if why = s.instead(ctx, a, err); why == "" {
			return err
		}
	}
	s.log.InfoContext(ctx, "the file answers a query in place of the graph store", "product", s.config.Product, "because", why)
	return s.Store.Query(ctx, q, l, out, triple)
}

// instead returns why the file answers a query that failed at the server, or "" if it
// does not.
func (s *Store) instead(ctx context.Context, a *asking, err error) (why string) {
	var refusal *RefusalError
	var part *PartError
	switch {
	case errors.As(err, &refusal):
		return refusal.Error()
	case errors.As(err, &part):
		return part.Error()
	case !unavailable(err):
		return ""
	}
	s.look()
	if s.config.Strict {
		return ""
	}
	s.missed(err)
	if a.begun || ctx.Err() != nil || errors.Is(err, errFrozen) {
		return ""
	}
	return detailOf(err)
}

// Explain returns how the file runs a query, like engine.Store.Explain. It also returns
// the query for the server, or why none is sent.
func (s *Store) Explain(ctx context.Context, q *sparql.Query, l budget.Limits) (*sparql.Explanation, error) {
	down, _ := s.absence()
	if down != nil && !s.fileTakes(down) {
		return nil, down
	}
	x, err := s.Store.Explain(ctx, q, l)
	if err != nil {
		return nil, err
	}
	x.Server = &sparql.Server{Product: s.config.Product}
	a, why := s.prepare(ctx, q, l)
	why = cmp.Or(why, s.lacks())
	if down != nil {
		why = detailOf(down)
	}
	if why != "" {
		x.Server.Because = why
	} else {
		x.Server.Query = a.sent.String()
	}
	return x, nil
}

// lacks returns why the server may lack data that was sent, or "" if it lacks none.
func (s *Store) lacks() string {
	switch {
	case s.unable.Load():
		return "it lacks published data"
	case s.lost.Load():
		return "it returned a literal without its language or datatype"
	case s.doubt.Load():
		return "it was unreachable, and may lack changes"
	}
	return ""
}

// loses records that an answer has a literal that lost its language or datatype. The file
// answers from then on, until the store connects to the server again.
func (s *Store) loses() {
	if !s.lost.Swap(true) {
		s.log.Error("the graph store returned a literal without its language or datatype; the file answers queries from now on, until a restart",
			"product", s.config.Product)
	}
}

// PartError means that an answer is incomplete. None of it was passed on.
type PartError struct{ Detail string }

func (e *PartError) Error() string { return "the graph store's answer is incomplete: " + e.Detail }

// asking is a query that the server answers.
type asking struct {
	store  *Store
	query  *sparql.Query
	sent   *syntax.Query // a SELECT or ASK
	form   url.Values    // of the request, without the query
	limits budget.Limits
	begun  bool // a part of the answer was passed on
}

// run runs the query until ctx ends, or until the server stops responding.
func (a *asking) run(ctx context.Context, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	a.limits = l
	ctx, stop := a.store.whileAlive(ctx)
	defer stop()
	var err error
	switch a.query.Form() {
	case syntax.Select:
		err = a.rows(ctx, a.query.Variables(), a.sent.String(), out.Head, out.Row)
	case syntax.Ask:
		var value bool
		if value, err = a.ask(ctx); err == nil {
			a.begun = true
			err = out.Boolean(value)
		}
	case syntax.Construct:
		err = a.construct(ctx, triple)
	}
	if err != nil && ctx.Err() != nil {
		return a.store.blame(ctx)
	}
	return err
}

// answer sends a query and returns a reader of its answer and the body to close. It
// returns an error for an answer that is not complete.
func (a *asking) answer(ctx context.Context, text string) (*results.Reader, io.Closer, error) {
	form := url.Values{"query": {text}}
	for name, values := range a.form {
		form[name] = values
	}
	d := &a.store.config.Dialect
	if a.limits.Time > 0 {
		left := a.limits.Time
		if end, ok := ctx.Deadline(); ok {
			left = time.Until(end)
		}
		d.Ask(form, left)
	}
	response, err := a.store.client.query(ctx, form)
	if err != nil {
		return nil, nil, err
	}
	if err = d.Complete(response.Header); err == nil {
		var r *results.Reader
		if r, err = results.NewReader(response.Body); err == nil {
			return r, response.Body, nil
		}
	}
	response.Body.Close()
	return nil, nil, err
}

// ask returns the server's answer to an ASK.
func (a *asking) ask(ctx context.Context) (bool, error) {
	r, body, err := a.answer(ctx, a.sent.String())
	if err != nil {
		return false, err
	}
	defer body.Close()
	value, ok := r.Boolean()
	if !ok {
		return false, &PartError{"it is not a boolean"}
	}
	return value, nil
}

// rows runs a query and passes on its rows, with the file's terms, in the order of
// variables.
func (a *asking) rows(ctx context.Context, variables []string, text string, head func([]string) error, row func([]rdf.Term) error) error {
	r, body, err := a.answer(ctx, text)
	if err != nil {
		return err
	}
	defer body.Close()
	if _, ok := r.Boolean(); ok {
		return &PartError{"it is a boolean"}
	}
	given, err := r.Next()
	if errors.Is(err, results.ErrNameless) {
		a.store.loses()
		return &PartError{err.Error()}
	}
	a.begun = true
	if err := head(variables); err != nil {
		return err
	}
	columns, texts := make([]int, len(variables)), make([]int, len(variables))
	for i, v := range variables {
		columns[i], texts[i] = slices.Index(r.Vars(), v), slices.Index(r.Vars(), v+textSuffix)
	}
	terms := make([]rdf.Term, len(variables))
	d := &a.store.config.Dialect
	contexts := rdf.NewIRI(a.store.contextsGraph())
	for ; ; given, err = r.Next() {
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, results.ErrNameless) {
			a.store.loses()
		}
		if err != nil {
			return fmt.Errorf("reading the graph store's answer: %w", err)
		}
		for i, c := range columns {
			terms[i] = rdf.Term{}
			if c >= 0 && !given[c].IsZero() {
				if terms[i] = d.in(given[c]); terms[i] == contexts {
					terms[i] = rdf.NewIRI(store.ContextsGraph)
				}
				if text := texts[i]; text >= 0 {
					terms[i] = exactFloat(terms[i], given[text])
				}
			}
		}
		if err := row(terms); err != nil {
			return err
		}
	}
}

// prepare returns the query for the server, or why none can be sent.
func (s *Store) prepare(ctx context.Context, q *sparql.Query, l budget.Limits) (*asking, string) {
	from, named := q.Dataset()
	a := &asking{store: s, query: q, form: url.Values{}}
	defaults, why := s.over(from)
	if why != "" {
		return nil, why
	}
	names, why := s.over(named)
	if why != "" {
		return nil, why
	}
	if len(from)+len(named) == 0 {
		defaults, names = []string{s.config.Graph}, []string{s.contextsGraph()}
	}
	if len(defaults) == 0 {
		defaults = []string{noGraph}
	}
	a.form["default-graph-uri"] = defaults
	if len(names) == 0 {
		names = []string{noGraph}
	}
	b := budget.New(ctx, l)
	defer b.Close()
	sent, graphs, why := s.rewrite(b, q, len(from)+len(named) > 0)
	if why != "" {
		return nil, why
	}
	a.sent = sent
	if graphs {
		a.form["named-graph-uri"] = names
	}
	return a, ""
}

// over returns the server's names for the graphs of a dataset, or why it lacks one.
func (s *Store) over(graphs []rdf.Term) (names []string, why string) {
	for _, g := range graphs {
		if g.Value() != store.ContextsGraph {
			return nil, "it does not have the graph " + g.Value()
		}
		names = append(names, s.contextsGraph())
	}
	return names, ""
}
