package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Journal is the record of every write. Its methods may be called from many goroutines at once.
type Journal interface {
	// Logs gives a page of the entries that a filter lets through, the newest first; with a quad, of
	// the logs that brought it.
	Logs(ctx context.Context, f journal.Filter, q *rdf.Quad) (journal.Page, error)
	// Log gives a log with the first most of its quads. One that there is not has no entries.
	Log(ctx context.Context, id string, most int) (store.Log, error)
	// LogText opens all that a log brought to the published graph for writing out. The error is
	// store.ErrNoLog or, also WriteTo's, store.ErrForgotten.
	LogText(ctx context.Context, id string, f turtle.Format) (store.Export, error)
	// Repeated returns the log of before this start that e would publish again, by the same request id and as the same user.
	Repeated(ctx context.Context, e journal.Entry) (earlier journal.Entry, ok bool, err error)
}

// Bounds of the parameters of GET /logs and GET /logs/{log_id}.
const (
	defaultEntries = 100
	maxEntries     = 1000
	defaultTriples = 1000
	maxTriples     = 10_000
	// lookEntries bounds the work of one page: what is rare comes in pages that are not full.
	lookEntries = 200_000
)

// getJournal gives a page of who wrote what and when.
func (a *API) getJournal(w http.ResponseWriter, r *http.Request) error {
	query, err := parameters(r)
	if err != nil {
		return err
	}
	filter, quad, err := journalQuery(query)
	if err != nil {
		return err
	}
	page, err := a.config.Journal.Logs(r.Context(), filter, quad)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	answer := struct {
		Count   int                `json:"count"`
		Entries []journal.Numbered `json:"entries"`
		Next    *uint64            `json:"next"`
	}{len(page.Entries), page.Entries, nil}
	if page.Entries == nil {
		answer.Entries = []journal.Numbered{}
	}
	if page.Next > 0 {
		answer.Next = &page.Next
	}
	return writeCodedJSON(w, r, answer)
}

// queryReader reads the parameters of an address and notes what is wrong with them.
type queryReader struct {
	values url.Values
	faults []fault
}

func (q *queryReader) fault(name, format string, args ...any) {
	q.faults = append(q.faults, fault{[]string{"query", name}, sentence(fmt.Sprintf(format, args...))})
}

func (q *queryReader) number(name string, otherwise, least, most uint64) uint64 {
	if !q.values.Has(name) {
		return otherwise
	}
	n, err := strconv.ParseUint(q.values.Get(name), 10, 63)
	if err != nil || n < least || n > most {
		q.fault(name, "%s must be a whole number from %d to %d", name, least, most)
		return otherwise
	}
	return n
}

func (q *queryReader) time(name string) time.Time {
	s := q.values.Get(name)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		q.fault(name, "%s must be a time such as 2026-01-31T12:00:00Z", name)
	}
	return t
}

func journalQuery(values url.Values) (journal.Filter, *rdf.Quad, error) {
	q := queryReader{values: values}
	f := journal.Filter{
		Limit:   int(q.number("limit", defaultEntries, 1, maxEntries)),
		Before:  q.number("before", 0, 1, 1<<62),
		Since:   q.time("since"),
		Until:   q.time("until"),
		Actor:   values.Get("actor"),
		Claimed: values.Get("user"),
		Action:  journal.Action(values.Get("action")),
		Look:    lookEntries,
	}
	var quad *rdf.Quad
	if values.Has("triple") {
		t, err := oneQuad(values.Get("triple"))
		if err != nil {
			q.fault("triple", "triple must be one triple in N-Triples or a quad in N-Quads: %v", err)
		}
		quad = &t
	}
	if len(q.faults) > 0 {
		return f, nil, wrong(q.faults...)
	}
	return f, quad, nil
}

// oneQuad reads a line of N-Quads, whose full stop may be left out. Blank nodes are called as they are in exports.
func oneQuad(text string) (rdf.Quad, error) {
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, ".") {
		text += " ."
	}
	in := turtle.NewReader(strings.NewReader(text), turtle.NQuads, turtle.Options{})
	q, err := in.Read()
	if err != nil {
		var syntax *turtle.SyntaxError
		if errors.As(err, &syntax) {
			return q, fmt.Errorf("column %d: %s", syntax.Column, syntax.Msg)
		}
		return q, errors.New("there is none")
	}
	if _, err := in.Read(); !errors.Is(err, io.EOF) {
		return q, errors.New("there is more than one")
	}
	return q, nil
}

// getLog gives one log: who wrote it and when, and what it brought, as JSON with the first of its triples
// or as Turtle or N-Triples with all of them.
func (a *API) getLog(w http.ResponseWriter, r *http.Request) error {
	id := mux.Vars(r)["log_id"]
	w.Header().Add("Vary", "Accept")
	switch negotiate(r, "application/json", mediaTurtle, mediaNTriples) {
	case mediaTurtle:
		return a.streamLog(w, r, id, turtle.Turtle, mediaTurtle+"; charset=utf-8")
	case mediaNTriples:
		return a.streamLog(w, r, id, turtle.NTriples, mediaNTriples)
	}
	values, err := parameters(r)
	if err != nil {
		return err
	}
	q := queryReader{values: values}
	most := q.number("limit", defaultTriples, 0, maxTriples)
	if len(q.faults) > 0 {
		return wrong(q.faults...)
	}
	log, err := a.config.Journal.Log(r.Context(), id, int(most))
	if err != nil {
		return fmt.Errorf("read a log: %w", err)
	}
	if len(log.Entries) == 0 {
		return noLog()
	}
	triples := make([][]string, len(log.Quads))
	for i, q := range log.Quads {
		triples[i] = terms(q)
	}
	return writeCodedJSON(w, r, struct {
		LogID   string             `json:"log_id"`
		Entries []journal.Numbered `json:"entries"`
		Total   int64              `json:"total"`
		Kept    bool               `json:"kept"`
		Triples [][]string         `json:"triples"`
	}{id, log.Entries, log.Total, log.Kept, triples})
}

// terms gives a quad's three or four terms as N-Quads has them.
func terms(q rdf.Quad) []string {
	out := []string{q.S.String(), q.P.String(), q.O.String()}
	if !q.G.IsZero() {
		out = append(out, q.G.String())
	}
	return out
}

func noLog() error {
	return newProblem(http.StatusNotFound, "there is no log of this id; GET /logs lists those that there are")
}

func (a *API) streamLog(w http.ResponseWriter, r *http.Request, id string, f turtle.Format, contentType string) error {
	coded, err := chooseCoding(w, r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentType)
	if r.Method == http.MethodHead {
		text, err := a.openLog(r.Context(), id, f)
		if err != nil {
			return err
		}
		w.WriteHeader(http.StatusOK)
		return closeExport(text, nil)
	}
	err = a.sendText(w, r, coded, func(ctx context.Context) (store.Export, error) { return a.openLog(ctx, id, f) })
	if errors.Is(err, store.ErrForgotten) {
		return newProblem(http.StatusNotFound, "what this log brought was deleted since, and only who wrote it and when is kept")
	}
	return err
}

func (a *API) openLog(ctx context.Context, id string, f turtle.Format) (store.Export, error) {
	text, err := a.config.Journal.LogText(ctx, id, f)
	if errors.Is(err, store.ErrNoLog) {
		return nil, noLog()
	}
	if err != nil {
		return nil, fmt.Errorf("read a log: %w", err)
	}
	return text, nil
}
