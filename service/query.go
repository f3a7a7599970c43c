package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// Querier is a store that answers queries. Its methods are safe for concurrent use.
type Querier interface {
	// Query answers q over one read snapshot of the store. It sends the rows of a SELECT
	// and the boolean of an ASK to out, and the triples of a CONSTRUCT or DESCRIBE to
	// triple. If a limit is reached the error is an *budget.LimitError. Query returns soon
	// after ctx ends.
	Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error
	// Explain runs q and returns its plan; see sparql.Query.Explain.
	Explain(ctx context.Context, q *sparql.Query, l budget.Limits) (*sparql.Explanation, error)
	// Prefixes returns the prefixes of the published documents, sorted by label. Labels
	// and namespaces are unique.
	Prefixes() ([]turtle.Prefix, error)
	// TermsWithPrefix returns up to limit IRIs or literals whose value begins with prefix, in
	// the order of their values.
	TermsWithPrefix(kind rdf.Kind, prefix string, limit int) ([]rdf.Term, error)
	// Ages returns a number for each of some IRIs: the earlier an IRI was stored, the smaller;
	// 0 if it never was.
	Ages(iris []string) ([]uint64, error)
	// Containing returns up to limit IRIs or literals that contain part, ignoring case and
	// accents, in no particular order, and reports whether there are more.
	Containing(ctx context.Context, kind rdf.Kind, part string, limit int) (list []rdf.Term, more bool, err error)
}

// Query is a query as a client sends it.
type Query struct {
	Text          string
	Base          string   // base for relative IRIs if the text has no BASE
	DefaultGraphs []string // if given, these two replace FROM and FROM NAMED
	NamedGraphs   []string
}

// Prepare parses a query within the limits. A long query waits for a slot. The error is
// an *Error, with line and column if known.
func (s *Service) Prepare(ctx context.Context, query Query) (*sparql.Query, error) {
	if limit := s.config.Limits.Body; int64(len(query.Text)) > limit {
		return nil, TooLong(limit)
	}
	slot, err := s.slotToParse(ctx, query.Text)
	if err != nil {
		return nil, err
	}
	defer slot.end()
	return s.prepare(slot.ctx, query)
}

func (s *Service) prepare(ctx context.Context, query Query) (*sparql.Query, error) {
	q, err := sparql.Prepare(ctx, query.Text, sparql.Options{
		Base: query.Base, DefaultGraphs: query.DefaultGraphs, NamedGraphs: query.NamedGraphs, Limits: s.QueryLimits(),
	})
	return q, queryError(err)
}

// Query runs one of the program's own queries, in its turn and within the limits. It
// sends the rows of a SELECT and the boolean of an ASK to out, and triples to triple.
// Neither may wait for the client. The error is an *Error if the client can act on it,
// for example if a limit was reached.
func (s *Service) Query(ctx context.Context, q *sparql.Query, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := s.enterQuery(ctx); err != nil {
		return err
	}
	defer s.queries.Leave(1)
	return queryError(s.run(ctx, q, out, triple))
}

func (s *Service) run(ctx context.Context, q *sparql.Query, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := s.config.Queries.Query(ctx, q, s.QueryLimits(), out, triple); err != nil {
		return fmt.Errorf("run a query: %w", err)
	}
	return nil
}

// Ask runs a client's query as Query does. text is the client's text, which is logged if
// the query runs long.
func (s *Service) Ask(ctx context.Context, q *sparql.Query, text string, out sparql.Answer, triple func(rdf.Triple) error) error {
	slot, err := s.beginQuery(ctx, text)
	if err != nil {
		return err
	}
	defer slot.end()
	return queryError(s.run(slot.ctx, q, out, triple))
}

// QueryLimits returns the limits of one query.
func (s *Service) QueryLimits() budget.Limits {
	return budget.Limits{Time: s.config.Limits.QueryTime, Memory: s.config.Limits.QueryMemory, Shared: s.memory, Processors: s.processors}
}

// querySlot is a slot in which a query is parsed, planned and run. Its time limit starts
// when the slot is taken.
type querySlot struct {
	ctx   context.Context // ends with the query's time limit or with the request
	end   func()          // releases the slot
	taken bool
}

// shortQuery is the largest query, in bytes, that is parsed without a slot. Parsing it
// takes about a millisecond, so a client learns of errors even while all slots are taken.
const shortQuery = 4 << 10

// slotToParse returns the slot for parsing a text. A short text needs none and takes none:
// the returned querySlot has no time limit, and its end does nothing.
func (s *Service) slotToParse(ctx context.Context, text string) (*querySlot, error) {
	if len(text) <= shortQuery {
		return &querySlot{ctx: ctx, end: func() {}}, nil
	}
	return s.beginQuery(ctx, text)
}

// slotToRun calls read in the slot that parsing the text needs, if any, and returns the
// slot in which to run the query: the slot of parsing or, if parsing needed none, a new
// one.
func (s *Service) slotToRun(ctx context.Context, text string, read func(context.Context) error) (*querySlot, error) {
	slot, err := s.slotToParse(ctx, text)
	if err != nil {
		return nil, err
	}
	used := false
	defer func() {
		if !used { // also after a panic
			slot.end()
		}
	}()
	if err := read(slot.ctx); err != nil {
		return nil, err
	}
	if used = slot.taken; !used {
		return s.beginQuery(ctx, text)
	}
	return slot, nil
}

// longQuery is how long a query runs until its text is logged.
const longQuery = 10 * time.Second

// beginQuery waits for a slot. It logs the beginning of the text if the query runs long,
// while it does: then one that ends the process later is known.
func (s *Service) beginQuery(ctx context.Context, text string) (*querySlot, error) {
	if err := s.enterQuery(ctx); err != nil {
		return nil, err
	}
	deadline, cancel := s.QueryLimits().Deadline(ctx)
	long := time.AfterFunc(longQuery, func() {
		s.log.WarnContext(ctx, "a query has been running for "+longQuery.String(), "query", fmt.Sprintf("%.2000s", text))
	})
	return &querySlot{ctx: deadline, taken: true, end: func() {
		cancel()
		long.Stop()
		s.queries.Leave(1)
	}}, nil
}

// enterQuery waits for a slot. The error is an *Error, or wraps ctx's.
func (s *Service) enterQuery(ctx context.Context) error {
	patience := s.config.Limits.QueryPatience
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := s.queries.Enter(limit, 1)
	if cancelled := ctx.Err(); err != nil && cancelled != nil {
		return fmt.Errorf("wait for a query slot: %w", cancelled)
	}
	if err != nil {
		return refuse(Unavailable, "too many queries are waiting; try again later").limited("queries").retry(patience)
	}
	return nil
}

// busyMemory is how long a client should wait if too little memory was free.
const busyMemory = 2 * time.Second

// outOfTime returns the error of a query that exceeded its time limit.
func outOfTime(what string) *Error {
	return refuse(TimedOut, "%s; ask for fewer results, or split the query; /query/explain shows which part takes the time", what).limited("query_time")
}

// queryError turns an error caused by the query into an *Error. It returns other errors
// unchanged.
func queryError(err error) error {
	var (
		limit   *budget.LimitError
		form    *formError
		bad     *syntax.Error
		checked *sparql.CheckError
	)
	line, column := positionOf(err)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit) && limit.Limit == "time":
		return outOfTime(limit.Error())
	case errors.As(err, &limit) && limit.Limit == "shared memory":
		return refuse(Unavailable, "%v; try again later, or ask for fewer results (SEGRAPH_MEMORY sets the memory)", limit).limited("memory").retry(busyMemory)
	case errors.As(err, &limit) && limit.Limit == "memory":
		return refuse(Unavailable, "%v (SEGRAPH_QUERY_MEMORY); ask for fewer results, or split the query", limit).limited("query_memory")
	case errors.As(err, &limit):
		return refuse(Unavailable, "%v; ask for fewer results, or split the query", limit).limited("query_memory")
	case errors.As(err, &form) && !errors.Is(err, spool.ErrClosed) && !errors.Is(err, spool.ErrRevoked) && !errors.Is(err, spool.ErrStalled):
		return refuse(BadForm, "the answer can't be written in this form: %v", form.err)
	case errors.As(err, &checked):
		err = checked // it parses, unlike the next case
	case errors.As(err, &bad):
		err = fmt.Errorf("the query can't be parsed: %w", err)
	case line == 0:
		return err
	}
	e := refuse(Malformed, "%v", err)
	e.Line, e.Column = line, column
	return e
}

// positionOf returns the position of the fault in a query, or 0 if it is unknown.
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

// Prefixes returns the prefixes of the published documents.
func (s *Service) Prefixes() ([]turtle.Prefix, error) {
	return s.config.Queries.Prefixes()
}

// TermsWithPrefix returns up to limit terms of a kind whose value begins with prefix.
func (s *Service) TermsWithPrefix(kind rdf.Kind, prefix string, limit int) ([]rdf.Term, error) {
	return s.config.Queries.TermsWithPrefix(kind, prefix, limit)
}

// Ages returns a number for each of some IRIs: the earlier an IRI was stored, the smaller; 0 if
// it never was.
func (s *Service) Ages(iris []string) ([]uint64, error) {
	return s.config.Queries.Ages(iris)
}

// Containing returns up to limit IRIs or literals that contain part, ignoring case and accents,
// and reports whether there are more.
func (s *Service) Containing(ctx context.Context, kind rdf.Kind, part string, limit int) (list []rdf.Term, more bool, err error) {
	return s.config.Queries.Containing(ctx, kind, part, limit)
}
