package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// Querier is a store that answers queries. Its methods may be called from many goroutines
// at once.
type Querier interface {
	// Query answers q over one read snapshot of the store: the rows of a SELECT and the
	// boolean of an ASK go to out, the triples of a CONSTRUCT or DESCRIBE to triple. Past
	// a limit the error is an *eval.LimitError; it ends soon after ctx does.
	Query(ctx context.Context, q *sparql.Query, l eval.Limits, out sparql.Answer, triple func(rdf.Triple) error) error
	// Explain runs q and returns its plan, as sparql.Query's Explain does.
	Explain(ctx context.Context, q *sparql.Query, l eval.Limits) (*sparql.Explanation, error)
	// Prefixes returns the prefixes that documents were published with, sorted by label,
	// each label and each namespace once.
	Prefixes() ([]turtle.Prefix, error)
	// Beginning returns at most so many IRIs, or literals, whose value begins with
	// prefix, in the order of their values.
	Beginning(kind rdf.Kind, prefix string, most int) ([]rdf.Term, error)
	// Containing returns the IRIs that contain part without regard to case, in no order.
	// It reports false if there are more than most, or no index tells.
	Containing(ctx context.Context, part string, most int) (list []rdf.Term, ok bool, err error)
}

// Running records which queries run, in case one of them ends the process.
type Running interface {
	Begin(requestID, actor, text string) (end func())
}

// Query is a query as a client sends it.
type Query struct {
	Text          string
	Base          string   // relative IRIs are resolved against it where the text has no BASE
	DefaultGraphs []string // these and the next take the place of FROM and FROM NAMED, if any is there
	NamedGraphs   []string
}

// Prepare reads a query within the limits of a query. A long one waits for a place among
// the queries. The error is an *Error, with line and column where it has a place.
func (s *Service) Prepare(ctx context.Context, asked Query) (*sparql.Query, error) {
	if limit := s.config.Limits.Body; int64(len(asked.Text)) > limit {
		return nil, TooLong(limit)
	}
	place, err := s.placeToRead(ctx, asked.Text)
	if err != nil {
		return nil, err
	}
	defer place.end()
	return s.prepare(place.ctx, asked)
}

func (s *Service) prepare(ctx context.Context, asked Query) (*sparql.Query, error) {
	q, err := sparql.Prepare(ctx, asked.Text, sparql.Options{
		Base: asked.Base, DefaultGraphs: asked.DefaultGraphs, NamedGraphs: asked.NamedGraphs, Limits: s.QueryLimits(),
	})
	return q, queryError(err)
}

// Query runs a query of the program's own, in its turn and within the limits. The rows of
// a SELECT and the boolean of an ASK go to out, triples to triple; neither may wait for
// the client. The error is an *Error where the client is to be told of it, such as a
// limit that was reached.
func (s *Service) Query(ctx context.Context, q *sparql.Query, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := s.enterQuery(ctx); err != nil {
		return err
	}
	defer s.queries.leave(1)
	return s.run(ctx, q, out, triple)
}

func (s *Service) run(ctx context.Context, q *sparql.Query, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := s.config.Queries.Query(ctx, q, s.QueryLimits(), out, triple); err != nil {
		return queryError(fmt.Errorf("run a query: %w", err))
	}
	return nil
}

// Ask runs a client's query as Query does. text is what the client sent, which is
// recorded among the queries that run.
func (s *Service) Ask(ctx context.Context, q *sparql.Query, text string, out sparql.Answer, triple func(rdf.Triple) error) error {
	place, err := s.beginQuery(ctx, text)
	if err != nil {
		return err
	}
	defer place.end()
	return s.run(place.ctx, q, out, triple)
}

// QueryLimits returns the limits of one query.
func (s *Service) QueryLimits() eval.Limits {
	return eval.Limits{Time: s.config.Limits.QueryTime, Memory: s.config.Limits.QueryMemory, Shared: s.memory, Processors: s.processors}
}

// place is one of those in which queries are read, planned and run. Its time begins when
// it is taken.
type place struct {
	ctx   context.Context // ends with the time for a query, or with the request
	end   func()          // gives the place back
	taken bool
}

// shortQuery is how many bytes a query may have to be read without a place. That takes
// about a millisecond, so a client learns what is wrong with it while others run.
const shortQuery = 4 << 10

// placeToRead returns the place that reading a text needs: none if it is short.
func (s *Service) placeToRead(ctx context.Context, text string) (*place, error) {
	if len(text) <= shortQuery {
		return &place{ctx: ctx, end: func() {}}, nil
	}
	return s.beginQuery(ctx, text)
}

// beginQuery waits for a place for a query, and records that it runs.
func (s *Service) beginQuery(ctx context.Context, text string) (*place, error) {
	if err := s.enterQuery(ctx); err != nil {
		return nil, err
	}
	deadline, cancel := s.QueryLimits().Deadline(ctx)
	forget := func() {}
	if s.config.Running != nil {
		q := logbuf.RequestOf(ctx)
		forget = s.config.Running.Begin(q.ID, q.Actor, text)
	}
	return &place{ctx: deadline, taken: true, end: func() {
		cancel()
		forget()
		s.queries.leave(1)
	}}, nil
}

// enterQuery waits for a place to run a query in. The error is an *Error, or wraps that
// of ctx.
func (s *Service) enterQuery(ctx context.Context) error {
	patience := s.config.Limits.QueryPatience
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := s.queries.enter(limit, 1)
	if gone := ctx.Err(); err != nil && gone != nil {
		return fmt.Errorf("wait for a place to run a query in: %w", gone)
	}
	if err != nil {
		return refuse(Unavailable, "too many queries wait to be run; try again later").limited("queries").retry(patience)
	}
	return nil
}

// busyMemory is when a client that found too little memory free tries again.
const busyMemory = 2 * time.Second

// queryError returns the *Error that a client is told of an error that is the query's. It
// returns other errors as they are.
func queryError(err error) error {
	var (
		limit   *eval.LimitError
		form    *formError
		bad     *syntax.Error
		update  *syntax.UpdateError
		service *syntax.ServiceError
		checked *sparql.CheckError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit) && limit.Limit == "time":
		return refuse(TimedOut, "%v; ask for less, or for parts", limit).limited("query_time")
	case errors.As(err, &limit) && limit.Limit == "shared memory":
		return refuse(Unavailable, "%v; try again later, or ask for less (SEGRAPH_MEMORY sets what there is)", limit).limited("memory").retry(busyMemory)
	case errors.As(err, &limit) && limit.Limit == "memory":
		return refuse(Unavailable, "%v (SEGRAPH_QUERY_MEMORY); ask for less, or for parts", limit).limited("query_memory")
	case errors.As(err, &limit):
		return refuse(Unavailable, "%v; ask for less, or for parts", limit).limited("query_memory")
	case errors.As(err, &form) && !errors.Is(err, spool.ErrClosed) && !errors.Is(err, spool.ErrStalled):
		return refuse(BadForm, "the answer can't be written in this form: %v", form.err)
	case errors.As(err, &checked):
		err = checked // which can be read, unlike the next
	case errors.As(err, &bad):
		err = fmt.Errorf("the query can't be read: %w", err)
	case errors.As(err, &update), errors.As(err, &service):
	default:
		return err
	}
	e := refuse(Malformed, "%v", err)
	e.Line, e.Column = positionOf(err)
	return e
}

// positionOf returns where in a query its fault is; 0 where the error has no position.
func positionOf(err error) (line, column int) {
	var (
		bad     *syntax.Error
		update  *syntax.UpdateError
		service *syntax.ServiceError
	)
	switch {
	case errors.As(err, &bad):
		return bad.Line, bad.Column
	case errors.As(err, &update):
		return update.Line, update.Column
	case errors.As(err, &service):
		return service.Line, service.Column
	}
	return 0, 0
}

// Prefixes returns the prefixes that documents were published with.
func (s *Service) Prefixes() ([]turtle.Prefix, error) {
	list, err := s.config.Queries.Prefixes()
	if err != nil {
		return nil, fmt.Errorf("read the prefixes: %w", err)
	}
	return list, nil
}

// Beginning returns at most so many terms of a kind whose value begins with prefix.
func (s *Service) Beginning(kind rdf.Kind, prefix string, most int) ([]rdf.Term, error) {
	list, err := s.config.Queries.Beginning(kind, prefix, most)
	if err != nil {
		return nil, fmt.Errorf("look terms up by how they begin: %w", err)
	}
	return list, nil
}

// Containing returns the IRIs that contain part without regard to case. It reports false
// if there are more than most, or no index tells.
func (s *Service) Containing(ctx context.Context, part string, most int) (list []rdf.Term, ok bool, err error) {
	if list, ok, err = s.config.Queries.Containing(ctx, part, most); err != nil {
		return nil, false, fmt.Errorf("look IRIs up by a part of them: %w", err)
	}
	return list, ok, nil
}
