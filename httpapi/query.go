package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Querier is a store that answers queries. Its method may be called from many goroutines at once.
type Querier interface {
	// Query answers q over one moment of the store: the rows of a SELECT and the boolean of an
	// ASK go to out, the triples of a CONSTRUCT or DESCRIBE to triple. Past a limit the error is
	// an *eval.LimitError; it ends soon after ctx does.
	Query(ctx context.Context, q *sparql.Query, l eval.Limits, out sparql.Answer, triple func(rdf.Triple) error) error
}

// Running keeps which queries run, for the case that one of them ends the process.
type Running interface {
	Begin(requestID, actor, text string) (end func())
}

// getQuery and postQuery are the query operation of the SPARQL 1.1 Protocol, section 2.1.
func (a *API) getQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := readQueryParameters(r)
	if err != nil {
		return err
	}
	return a.answerQuery(w, r, q)
}

func (a *API) postQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := a.readQueryBody(r)
	if err != nil {
		return err
	}
	return a.answerQuery(w, r, q)
}

// answerQuery runs a query as fast as the store gives its answer, which waits in a spool for
// the client. So neither a moment of the store nor one of the places for queries is held
// for a client that reads slowly.
func (a *API) answerQuery(w http.ResponseWriter, r *http.Request, asked queryRequest) error {
	place, err := a.placeToRead(r, asked.text)
	if err != nil {
		return err
	}
	q, forms, err := a.readQuery(place.ctx, w, r, asked)
	if err != nil || r.Method == http.MethodHead {
		place.end()
	}
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead { // what could be told by running it is the length alone
		w.Header().Set("Content-Type", forms[0].contentType)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	if !place.taken {
		if place, err = a.beginQuery(r, asked.text); err != nil {
			return err
		}
	}
	return a.streamQuery(w, q, forms, place)
}

// readQuery reads a query and decides the form of its answer, and how that is coded. Of several forms the first is the
// client's choice, and the others are what it takes as well.
func (a *API) readQuery(ctx context.Context, w http.ResponseWriter, r *http.Request, asked queryRequest) (*sparql.Query, []answerForm, error) {
	q, err := a.prepare(ctx, r, asked)
	if err != nil {
		return nil, nil, err
	}
	w.Header().Add("Vary", "Accept")
	forms, err := a.chooseForms(r, q.Form(), asked.formats)
	if err != nil {
		return nil, nil, err
	}
	coded, err := chooseCoding(w, r)
	for i := range forms {
		if asked.toPeople {
			forms[i] = forms[i].harmless()
		}
		forms[i].coding = coded
	}
	return q, forms, err
}

// place is one of those in which queries are read, planned and run. Its time begins when it is taken.
type place struct {
	ctx   context.Context // ends with the time for a query, or with the request
	end   func()          // gives the place back
	taken bool
}

// shortQuery is how many bytes a query may have to be read without a place. That takes about a millisecond, and
// so what is wrong with it is told while others run.
const shortQuery = 4 << 10

// placeToRead returns the place that reading a text needs: none if it is short.
func (a *API) placeToRead(r *http.Request, text string) (*place, error) {
	if len(text) <= shortQuery {
		return &place{ctx: r.Context(), end: func() {}}, nil
	}
	return a.beginQuery(r, text)
}

// beginQuery waits for a place for a query, and has it kept that it runs.
func (a *API) beginQuery(r *http.Request, text string) (*place, error) {
	if err := a.queries.enter(r.Context()); err != nil {
		return nil, err
	}
	ctx, cancel := a.queryLimits().Deadline(r.Context())
	forget := func() {}
	if a.config.Running != nil {
		q := requestOf(r)
		forget = a.config.Running.Begin(q.ID, q.Actor, text)
	}
	return &place{ctx: ctx, taken: true, end: func() {
		cancel()
		forget()
		a.queries.leave()
	}}, nil
}

// spoolPatience is how much longer than it may run a query waits for room in the spools: it stops
// by itself in time unless it waits for that.
const spoolPatience = 2 * time.Second

// streamQuery runs a query into a spool, in one of the forms, gives back its place as soon as it is done, and sends what is
// in the spool.
func (a *API) streamQuery(w http.ResponseWriter, q *sparql.Query, forms []answerForm, place *place) error {
	// What runs the query may outlive the handler's first error, not the handler.
	ctx, cancel := context.WithCancel(place.ctx)
	defer cancel()
	s := a.spools.New()
	tooLong := time.AfterFunc(a.config.Limits.QueryTime+spoolPatience, func() { _ = s.Close() })
	ran, chosen := make(chan struct{}), make(chan answerForm, 1)
	go func() {
		defer close(ran)
		defer place.end()
		defer tooLong.Stop()
		defer a.guard(ctx, func() { s.CloseWrite(errors.New("the query broke down")) })
		s.CloseWrite(a.writeAnswer(ctx, q, forms, s, func(form answerForm) { chosen <- form }))
	}()
	err := send(headed{w, chosen}, s)
	if errors.Is(err, spool.ErrClosed) { // by tooLong: on a busy machine a query may notice its limit late
		err = newProblem(http.StatusGatewayTimeout, "the query ran longer than %v; ask for less, or for parts", a.config.Limits.QueryTime).limited("query_time")
	}
	cancel()
	err = errors.Join(err, s.Close()) // which also ends a query that waits for room
	<-ran
	return queryProblem(err)
}

func (a *API) runQuery(ctx context.Context, q *sparql.Query, out answerWriter) error {
	if err := a.config.Queries.Query(ctx, q, a.queryLimits(), out, out.Triple); err != nil {
		return fmt.Errorf("run a query: %w", err)
	}
	return out.Close()
}

func (a *API) queryLimits() eval.Limits {
	return eval.Limits{Time: a.config.Limits.QueryTime, Memory: a.config.Limits.QueryMemory, Shared: a.memory, Processors: a.processors}
}

// busyMemory is when a client that found too little memory free tries again.
const busyMemory = 2 * time.Second

// queryProblem says what a client is told of an error that is the query's. Other errors it
// gives back.
func queryProblem(err error) error {
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
		return newProblem(http.StatusGatewayTimeout, "%v; ask for less, or for parts", limit).limited("query_time")
	case errors.As(err, &limit) && limit.Limit == "shared memory":
		return newProblem(http.StatusServiceUnavailable, "%v; try again later, or ask for less (SEGRAPH_MEMORY sets what there is)", limit).limited("memory").retryAfter(busyMemory)
	case errors.As(err, &limit) && limit.Limit == "memory":
		return newProblem(http.StatusServiceUnavailable, "%v (SEGRAPH_QUERY_MEMORY); ask for less, or for parts", limit).limited("query_memory")
	case errors.As(err, &limit):
		return newProblem(http.StatusServiceUnavailable, "%v; ask for less, or for parts", limit).limited("query_memory")
	case errors.As(err, &form) && !errors.Is(err, spool.ErrClosed) && !errors.Is(err, spool.ErrStalled):
		return newProblem(http.StatusNotAcceptable, "the answer can't be written in this form: %v", form.err)
	case errors.As(err, &checked):
		err = checked // which can be read, unlike the next
	case errors.As(err, &bad):
		err = fmt.Errorf("the query can't be read: %w", err)
	case errors.As(err, &update), errors.As(err, &service):
	default:
		return err
	}
	p := newProblem(http.StatusBadRequest, "%v", err)
	p.Line, p.Column = placeOf(err)
	return p
}
