package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Limits of the parameters of GET /logs and GET /logs/{log_id}.
const (
	defaultEntries = 100
	maxEntries     = 1000
	defaultTriples = 1000
	maxTriples     = 10_000
	maxSeq         = 1 << 62
)

// getJournal returns a page of journal entries: who wrote what, and when.
func (a *API) getJournal(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	filter, quads := journalQuery(q)
	if err := q.err(); err != nil {
		return err
	}
	return a.front.Page(w, r, filter.Limit, func(ctx context.Context, kept *service.Kept) (any, error) {
		filter.Limit = kept.Entries
		page, err := a.service.Logs(ctx, filter, quads)
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
		return answer, err
	})
}

// journalQuery returns the filter that a query string asks for, and the quad to look for, or nil.
func journalQuery(q *queryReader) (f journal.Filter, quads []rdf.Quad) {
	f = journal.Filter{
		Limit:   int(q.number("limit", defaultEntries, 1, maxEntries)),
		Before:  q.number("before", 0, 1, maxSeq),
		Since:   q.time("since"),
		Until:   q.time("until"),
		Actor:   q.Get("actor"),
		Claimed: q.Get("user"),
		Action:  journal.Action(q.Get("action")),
	}
	if known := journal.Actions(); f.Action != "" && !slices.Contains(known, q.Get("action")) {
		q.fault("action", "the parameter \"action\" must be one of %s", strings.Join(known, ", "))
	}
	if q.Has("triple") {
		t, err := oneQuad(q.Get("triple"))
		if err != nil {
			q.fault("triple", "the parameter \"triple\" must be one triple in N-Triples or a quad in N-Quads: %v", err)
		}
		quads = []rdf.Quad{t}
	}
	return f, quads
}

// oneQuad parses a line of N-Quads. The final full stop is optional. Blank nodes have the
// labels of exports.
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

// deleteLog withdraws a log. With the withdrawal an answer is kept for a retry that only counts the log's contexts, because it
// is not known yet which of them stay. The full answer replaces it when it is sent, so a retry gets the former only after a kill
// or an error in between.
func (a *API) deleteLog(w http.ResponseWriter, r *http.Request) error {
	id := mux.Vars(r)["log_id"]
	if err := a.noMembers(r); err != nil {
		return err
	}
	answer := func(gone store.Withdrawn, contexts store.WithdrawnContexts) any {
		return struct {
			LogID    string                  `json:"log_id"`
			Removed  int                     `json:"removed"`
			Stayed   int                     `json:"stayed"`
			Contexts store.WithdrawnContexts `json:"contexts"`
		}{id, gone.Removed, gone.Stayed, contexts}
	}
	front.EncodeResult(r, func(gone store.Withdrawn) any { return answer(gone, service.Named(gone.Contexts)) })
	gone, contexts, err := a.service.Withdraw(r.Context(), front.ActorOf(r), "", id)
	return front.WriteResult(w, http.StatusOK, answer(gone, contexts), err)
}

// maxAfter is the largest integer of JSON that every client keeps exactly.
const maxAfter = 1<<53 - 1

// postWithdraw withdraws many logs.
func (a *API) postWithdraw(w http.ResponseWriter, r *http.Request) error {
	o := a.front.Members(r)
	c := service.Choice{Query: o.OptionalText("query")}
	c.User = o.OptionalText("user")
	o.Only("logs", "user", "robot", "kind", "from", "to", "query", "after", "preview") // a misspelt condition would choose all logs
	c.Logs = logIDs(o)
	c.Robot, c.Kind = optionalIRI(o, "robot"), optionalIRI(o, "kind")
	c.Since, c.Until = optionalTime(o, "from"), optionalTime(o, "to")
	if after := o.OptionalNumber("after"); after != nil {
		if *after < 0 || *after > maxAfter || *after != math.Trunc(*after) {
			o.Fault("after", "the member \"after\" must be the next of an answer")
		} else {
			c.After = uint64(*after)
		}
	}
	preview := o.OptionalBool("preview")
	if err := o.Err(); err != nil {
		return err
	}
	answer, err := a.service.WithdrawAll(r.Context(), front.ActorOf(r), c, preview)
	if err != nil {
		return err
	}
	return front.WriteJSON(w, http.StatusOK, answer) // which is kept: another attempt would find other logs
}

// logIDs returns the array of log ids in the member logs, or nil.
func logIDs(o *strictjson.Object) (ids []string) {
	if logs := o.Raw("logs"); logs != nil && (json.Unmarshal(logs, &ids) != nil || slices.Contains(ids, "")) { // null counts as ""
		o.Fault("logs", "the member \"logs\" must be an array of log ids")
	}
	return ids
}

// optionalIRI returns the IRI in a member, or the zero Term.
func optionalIRI(o *strictjson.Object, name string) (t rdf.Term) {
	if iri := o.OptionalText(name); rdf.IsIRI(iri) {
		t = rdf.NewIRI(iri)
	} else if iri != "" {
		o.Fault(name, "the member %q must be an IRI", name)
	}
	return t
}

// optionalTime returns the time in a member, or the zero time.
func optionalTime(o *strictjson.Object, name string) (at time.Time) {
	if text := o.OptionalText(name); text != "" {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, text); err != nil {
			o.Fault(name, "the member %q must be a time such as 2026-01-31T12:00:00Z", name)
		}
	}
	return at
}

// getLog returns one log: as JSON, with its author, its time and the first triples of its
// contribution, or as text in one of service.PublishedFormats, with all triples.
func (a *API) getLog(w http.ResponseWriter, r *http.Request) error {
	id := mux.Vars(r)["log_id"]
	w.Header().Add("Vary", "Accept")
	offers := append([]string{"application/json"}, service.MediaTypes(service.PublishedFormats())...)
	media := front.Negotiate(r, offers...)
	if media == "" {
		return front.NotAcceptable(offers)
	}
	if f, ok := service.FormatOf(media); ok {
		return a.front.SendLog(w, r, id, f.Format)
	}
	q := readQuery(r)
	most := q.number("limit", defaultTriples, 0, maxTriples)
	if err := q.err(); err != nil {
		return err
	}
	return a.front.Page(w, r, int(most), func(ctx context.Context, kept *service.Kept) (any, error) {
		log, err := a.service.Log(ctx, id, min(int(most), kept.Entries))
		triples := make([][]string, len(log.Quads))
		for i, q := range log.Quads {
			triples[i] = terms(q)
		}
		return struct {
			LogID   string             `json:"log_id"`
			Entries []journal.Numbered `json:"entries"`
			Total   int64              `json:"total"`
			Kept    bool               `json:"kept"`
			Triples [][]string         `json:"triples"`
		}{id, log.Entries, log.Total, log.Kept, triples}, err
	})
}

// terms returns a quad's three or four terms in N-Quads syntax.
func terms(q rdf.Quad) []string {
	out := []string{q.S.String(), q.P.String(), q.O.String()}
	if !q.G.IsZero() {
		out = append(out, q.G.String())
	}
	return out
}
