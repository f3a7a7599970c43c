package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Query sends q to a server that has received all earlier writes. If that one fails before a
// part of its answer was passed on, or has passed on nothing in half of the time that is left,
// another does. The file answers if the query can't be sent, if the servers refuse it, would
// answer only in part or take too long, or, unless the store is strict, if none can be queried.
// out, triple and the errors are those of engine.Store.Query; an error may also wrap
// store.ErrUnavailable.
func (s *Store) Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	f, why, err := s.answerer(ctx, nil)
	if err != nil {
		return err
	}
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	for tried := []*follower(nil); f != nil; {
		why, err = f.answer(ctx, q, l, out, triple)
		if ctx.Err() != nil && err == nil && why != "" {
			return context.Cause(ctx)
		}
		if why == "" {
			return err
		}
		tried = append(tried, f)
		next, _, none := s.answerer(ctx, tried)
		noneLeft := next == nil && err != nil // f was the last one, and is unavailable
		if none != nil || noneLeft && (s.strict || errors.Is(err, errFrozen)) {
			return cmp.Or(err, none)
		}
		if f = next; f != nil {
			s.log.InfoContext(ctx, "another graph store answers a query", "product", f.config.Product, "because", why)
		}
	}
	s.log.InfoContext(ctx, "the file answers a query in place of the graph store", "because", why)
	return s.Store.Query(ctx, q, l, out, triple)
}

// errBrokenOff is the cause of an error of a server whose answer ended early. It may be the query's fault.
var errBrokenOff = errors.New("the answer broke off")

// errSlow is the cause of an error of a server that takes too long.
var errSlow = errors.New("the graph store is slow")

// answer has the server answer a query. out and triple are those of Query. If why is not "", nothing was passed on, and another
// server or the file may answer instead: why says why this one did not, and err is not nil if it is unavailable.
func (f *follower) answer(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) (why string, err error) {
	a, unfit := f.prepare(ctx, q, l)
	if why := cmp.Or(unfit, f.lacks()); why != "" {
		return why, nil
	}
	f.asked.Add(1)
	defer f.asked.Add(-1)
	attempt, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	if end, ok := ctx.Deadline(); ok {
		defer time.AfterFunc(time.Until(end)/2, func() {
			if a.begun.CompareAndSwap(waiting, givenUp) {
				giveUp(errSlow)
			}
		}).Stop()
	}
	err = a.run(attempt, l, out, triple)
	var refusal *RefusalError
	var part *PartError
	switch {
	case errors.Is(err, errSlow):
		if f.group.strict && f.probe(ctx) != nil {
			err = f.frozen()
			return detailOf(err), err
		}
		f.look()
		return f.config.Product + " has sent nothing in half of the query's time", nil
	case errors.As(err, &refusal):
		return refusal.Error(), nil
	case errors.As(err, &part):
		return part.Error(), nil
	case !unavailable(err):
		return "", err
	}
	f.look()
	alive := errors.Is(err, errBrokenOff) && f.probe(ctx) == nil // so the query may be at fault
	if !f.group.strict && !alive {
		f.missed(err)
	}
	if a.begun.Load() == passing || ctx.Err() != nil {
		return "", err
	}
	return detailOf(err), err
}

// Explain returns how the file runs a query, like engine.Store.Explain. It also returns
// the query for the server that would be asked first, or why none is sent.
func (s *Store) Explain(ctx context.Context, q *sparql.Query, l budget.Limits) (*sparql.Explanation, error) {
	down, _ := s.absence()
	if down != nil && !s.fileTakes(down) {
		return nil, down
	}
	x, err := s.Store.Explain(ctx, q, l)
	if err != nil {
		return nil, err
	}
	f := append(s.ready(), s.followers...)[0] // the first that is ready or, if none is, the first
	x.Server = &sparql.Server{Product: f.config.Product}
	a, why := f.prepare(ctx, q, l)
	why = cmp.Or(why, f.lacks())
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
func (f *follower) lacks() string {
	switch {
	case f.unable.Load():
		return "it lacks published data"
	case f.lost.Load():
		return "it returned a literal without its language or datatype"
	case f.doubt.Load():
		return "it was unreachable, and may lack changes"
	}
	return ""
}

// loses records that an answer has a literal that lost its language or datatype. The file
// answers from then on, until the store connects to the server again.
func (f *follower) loses() {
	if !f.lost.Swap(true) {
		f.log.Error("the graph store returned a literal without its language or datatype; the file answers queries from now on, until the service connects to it again",
			"product", f.config.Product)
	}
}

// PartError means that an answer is incomplete. None of it was passed on.
type PartError struct{ Detail string }

func (e *PartError) Error() string { return "the graph store's answer is incomplete: " + e.Detail }

// asking is a query that the server answers.
type asking struct {
	server *follower
	query  *sparql.Query
	sent   *syntax.Query // a SELECT or ASK
	form   url.Values    // of the request, without the query
	limits budget.Limits
	begun  atomic.Int32 // waiting, passing or givenUp

	contexts rdf.Term // the server's name for the graph of contexts
}

const (
	waiting = iota // nothing of the answer was passed on
	passing        // a part of it was
	givenUp        // another server or the file answers
)

// begin is called before anything of the answer is passed on.
func (a *asking) begin() error {
	if !a.begun.CompareAndSwap(waiting, passing) {
		return errSlow
	}
	return nil
}

// run runs the query until ctx ends, or until the server stops responding.
func (a *asking) run(ctx context.Context, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	a.limits = l
	ctx, stop := a.server.whileAlive(ctx)
	defer stop()
	var err error
	switch a.query.Form() {
	case syntax.Select:
		err = a.rows(ctx, a.query.Variables(), a.sent.String(), out.Head, out.Row)
	case syntax.Ask:
		var value bool
		if value, err = a.ask(ctx); err == nil {
			err = a.begin()
		}
		if err == nil {
			err = out.Boolean(value)
		}
	case syntax.Construct:
		err = a.construct(ctx, triple)
	}
	if err != nil && ctx.Err() != nil {
		return a.server.blame(ctx)
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
	d := &a.server.config.Dialect
	if a.limits.Time > 0 {
		left := a.limits.Time
		if end, ok := ctx.Deadline(); ok {
			left = time.Until(end)
		}
		d.Ask(form, left)
	}
	response, err := a.server.client.query(ctx, form)
	if err != nil {
		return nil, nil, err
	}
	if err = d.Complete(response.Header); err == nil {
		var r *results.Reader
		if r, err = results.NewReader(response.Body); err == nil {
			return r, response.Body, nil
		}
		err = a.brokenOff(err)
	}
	response.Body.Close()
	return nil, nil, err
}

// brokenOff returns the error of an answer that can't be read, before anything of it was passed on.
func (a *asking) brokenOff(err error) error {
	return &store.UnreadyError{Detail: a.server.config.Product + " broke off an answer", Err: errors.Join(errBrokenOff, err)}
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

// heldBytes is about how much of an answer is held. The client has received nothing of it,
// so another server can answer if this one fails.
const heldBytes = 64 << 10

// rows runs a query and passes on its rows, with the file's terms, in the order of variables. It calls head before the first
// row; row must not keep its argument. rows holds about heldBytes first. Until it passes them on, its error is a *PartError
// or a store.ErrUnavailable, and another server may answer; after that, none can.
func (a *asking) rows(ctx context.Context, variables []string, text string, head func([]string) error, row func([]rdf.Term) error) error {
	r, body, err := a.answer(ctx, text)
	if err != nil {
		return err
	}
	defer body.Close()
	if _, ok := r.Boolean(); ok {
		return &PartError{"it is a boolean"}
	}
	columns, texts := make([]int, len(variables)), make([]int, len(variables))
	for i, v := range variables {
		columns[i], texts[i] = slices.Index(r.Vars(), v), slices.Index(r.Vars(), v+textSuffix)
	}
	var held [][]rdf.Term
	size := 0
	begun := func() bool { return a.begun.Load() == passing }
	pass := func() (err error) {
		if !begun() {
			if err = a.begin(); err == nil {
				err = head(variables)
			}
		}
		for i := 0; i < len(held) && err == nil; i++ {
			err = row(held[i])
		}
		held = held[:0]
		return err
	}
	terms := make([]rdf.Term, len(variables))
	for {
		given, err := r.Next()
		nameless := errors.Is(err, results.ErrNameless)
		if nameless {
			a.server.loses()
		}
		switch {
		case errors.Is(err, io.EOF):
			return pass()
		case err != nil && begun():
			return fmt.Errorf("reading the graph store's answer: %w", err)
		case nameless:
			return &PartError{err.Error()}
		case err != nil:
			return a.brokenOff(err)
		}
		if !begun() {
			terms = make([]rdf.Term, len(variables)) // to be held
		}
		size += a.restore(terms, given, columns, texts)
		held = append(held, terms)
		if begun() || size >= heldBytes {
			if err := pass(); err != nil {
				return err
			}
		}
	}
}

// restore sets terms to the file's terms for given, a row of the server's answer. columns and
// texts hold the index in given of each term and of its text with all digits, which only floats
// have, or -1 if there is none. The server has the graph of contexts under a name of its own.
// restore returns the approximate size of the terms in bytes.
func (a *asking) restore(terms, given []rdf.Term, columns, texts []int) (size int) {
	d := &a.server.config.Dialect
	for i, c := range columns {
		terms[i] = rdf.Term{}
		if c >= 0 && !given[c].IsZero() {
			terms[i] = d.in(given[c])
			if terms[i] == a.contexts {
				terms[i] = rdf.NewIRI(store.ContextsGraph)
			}
			if text := texts[i]; text >= 0 {
				terms[i] = exactFloat(terms[i], given[text])
			}
		}
		size += len(terms[i].Value()) + 1
	}
	return size + 1
}

// prepare returns the query for the server, or why none can be sent.
func (f *follower) prepare(ctx context.Context, q *sparql.Query, l budget.Limits) (*asking, string) {
	from, named := q.Dataset()
	a := &asking{server: f, query: q, form: url.Values{}, contexts: rdf.NewIRI(f.contextsGraph())}
	defaults, why := f.over(from)
	if why != "" {
		return nil, why
	}
	names, why := f.over(named)
	if why != "" {
		return nil, why
	}
	if len(from)+len(named) == 0 {
		defaults, names = []string{f.config.Graph}, []string{f.contextsGraph()}
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
	sent, graphs, why := f.rewrite(b, q, len(from)+len(named) > 0)
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
func (f *follower) over(graphs []rdf.Term) (names []string, why string) {
	for _, g := range graphs {
		if g.Value() != store.ContextsGraph {
			return nil, "it does not have the graph " + g.Value()
		}
		names = append(names, f.contextsGraph())
	}
	return names, ""
}
