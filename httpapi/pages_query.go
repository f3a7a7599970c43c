package httpapi

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/turtle"
)

// Prefixer is a Querier that knows the prefixes that documents were published with.
type Prefixer interface {
	// Prefixes gives them sorted by label, each label and each namespace once.
	Prefixes() ([]turtle.Prefix, error)
}

// Query runs a query for a page as GET /query does: in its turn and within the limits. The rows of a
// SELECT and the boolean of an ASK go to out, triples to triple; neither may wait for the client.
// The error is a *Problem where the client is to be told of it, such as a limit that was reached.
func (a *API) Query(ctx context.Context, q *sparql.Query, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := a.queries.enter(ctx); err != nil {
		return err
	}
	defer a.queries.leave()
	return a.runForPage(ctx, q, out, triple)
}

func (a *API) runForPage(ctx context.Context, q *sparql.Query, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := a.config.Queries.Query(ctx, q, a.queryLimits(), out, triple); err != nil {
		return queryProblem(fmt.Errorf("run a query: %w", err))
	}
	return nil
}

// Ask runs a query that a person asks by a page, of which the text is given too, as Query does. It is noted among
// those that run.
func (a *API) Ask(r *http.Request, q *sparql.Query, text string, out sparql.Answer, triple func(rdf.Triple) error) error {
	place, err := a.beginQuery(r, text)
	if err != nil {
		return err
	}
	defer place.end()
	return a.runForPage(place.ctx, q, out, triple)
}

// QueryLimits are those of one query.
func (a *API) QueryLimits() eval.Limits { return a.queryLimits() }

// Prepare reads a query that a page was sent, as GET /query does. A long one waits for a place among the queries.
// The error is a *Problem, with line and column where it has a place.
func (a *API) Prepare(r *http.Request, text string) (*sparql.Query, error) {
	if int64(len(text)) > a.config.Limits.Body {
		return nil, &http.MaxBytesError{Limit: a.config.Limits.Body}
	}
	place, err := a.placeToRead(r, text)
	if err != nil {
		return nil, err
	}
	defer place.end()
	return a.prepare(place.ctx, r, queryRequest{text: text})
}

// JudgeQuery says whether Prepare would take a text, and what is wrong with it. The error is that there was no
// place or no time for it.
func (a *API) JudgeQuery(r *http.Request, text string) (QueryValidation, error) {
	place, err := a.placeToRead(r, text)
	if err != nil {
		return QueryValidation{}, err
	}
	defer place.end()
	return judge(place.ctx, text, sparql.Options{Base: baseIRI(r), Limits: a.queryLimits()})
}

// Download answers a request of a page with the whole answer to a query, as a file: format is one that the
// parameter of GET /query takes. Cells of CSV that a spreadsheet would run have a ' in front, other than in the
// answers of GET /query, which are to the letter.
func (a *API) Download(w http.ResponseWriter, r *http.Request, text, format, name string) error {
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return a.answerQuery(w, r, queryRequest{text: text, formats: strings.Fields(format), toPeople: true})
}

// Prefixes gives the prefixes that documents were published with, or none where the store knows none.
func (a *API) Prefixes() ([]turtle.Prefix, error) {
	p, ok := a.config.Queries.(Prefixer)
	if !ok {
		return nil, nil
	}
	list, err := p.Prefixes()
	if err != nil {
		return nil, fmt.Errorf("read the prefixes: %w", err)
	}
	return list, nil
}

// Logs gives the newest entries of the journal of logs that brought a triple to the published graph.
func (a *API) Logs(ctx context.Context, t rdf.Triple, most int) (journal.Page, error) {
	page, err := a.config.Journal.Logs(ctx, journal.Filter{Limit: most, Look: lookEntries}, &rdf.Quad{S: t.S, P: t.P, O: t.O})
	if err != nil {
		return page, fmt.Errorf("read the journal: %w", err)
	}
	return page, nil
}

// Withdrawer is a Journal whose logs can be withdrawn.
type Withdrawer interface {
	Withdraw(ctx context.Context, logID string, e journal.Entry) (store.Withdrawn, error)
}

// Withdraw withdraws a log: it removes what that log alone brought, and enters this in the journal. claimed is as in
// Insert. The error is a *Problem where there is nothing to take back, or where it can't be told what that is.
func (a *API) Withdraw(ctx context.Context, actor auth.Actor, claimed, logID string) (store.Withdrawn, error) {
	graph, can := a.config.Journal.(Withdrawer)
	if !can {
		return store.Withdrawn{}, newProblem(http.StatusNotImplemented, "this service can't withdraw logs")
	}
	out, err := graph.Withdraw(ctx, logID, a.entry(ctx, actor, journal.Withdraw, claimed))
	var unfit *store.UnfitError
	switch {
	case errors.Is(err, store.ErrNoLog):
		return out, noLog()
	case errors.Is(err, store.ErrForgotten):
		return out, forgottenLog()
	case errors.As(err, &unfit):
		return out, newProblem(http.StatusConflict, "%s", unfit.Detail)
	case err != nil:
		return out, fmt.Errorf("withdraw a log: %w", err)
	}
	return out, nil
}

// lookInserts bounds how many entries of the journal are looked through for a person's own logs.
const lookInserts = 20_000

// LastInserts returns the newest logs, at most so many, that an actor inserted with the page and that are still
// stored. Logs that the actor's programs sent are not among them.
func (a *API) LastInserts(ctx context.Context, actor auth.Actor, most int) ([]journal.Entry, error) {
	var out []journal.Entry
	f := journal.Filter{Limit: 4 * most, Look: lookInserts, Actor: actor.Username, Action: journal.Insert, Page: true}
	page, err := a.config.Journal.Logs(ctx, f, nil)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	for _, e := range page.Entries {
		log, err := a.config.Journal.Log(ctx, e.LogID, 0)
		if err != nil {
			return nil, fmt.Errorf("read a log: %w", err)
		}
		if log.Kept && len(out) < most {
			out = append(out, e.Entry)
		}
	}
	return out, nil
}

// StoredLog returns a log, with its first most triples. The error is a *Problem where there is no such log, or
// nothing of it left.
func (a *API) StoredLog(ctx context.Context, logID string, most int) (store.Log, error) {
	log, err := a.config.Journal.Log(ctx, logID, most)
	switch {
	case err != nil:
		return log, fmt.Errorf("read a log: %w", err)
	case len(log.Entries) == 0:
		return log, noLog()
	case !log.Kept:
		return log, forgottenLog()
	}
	return log, nil
}

func forgottenLog() error {
	return newProblem(http.StatusConflict, "this log was withdrawn, or its graph was deleted, since")
}

// Beginner is a Querier that finds terms by how they begin.
type Beginner interface {
	// Beginning gives at most so many IRIs, or literals, whose value begins with prefix, in the order of their values.
	Beginning(kind rdf.Kind, prefix string, most int) ([]rdf.Term, error)
}

// Beginning is that of the store, or gives nothing where the store has no such index.
func (a *API) Beginning(kind rdf.Kind, prefix string, most int) ([]rdf.Term, error) {
	b, ok := a.config.Queries.(Beginner)
	if !ok {
		return nil, nil
	}
	list, err := b.Beginning(kind, prefix, most)
	if err != nil {
		return nil, fmt.Errorf("look terms up by how they begin: %w", err)
	}
	return list, nil
}
