package webui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/webui/report"
)

// Limits of the page of a log.
const (
	logTriples  = 100  // shown triples
	logLetters  = 8000 // characters of their text
	logRead     = 2000 // triples searched for times, robots and subjects
	logNames    = 8    // robots and people
	logSubjects = 12   // nodes in the graph and the query
	logActs     = 6    // activities told in a sentence
)

// getLog shows one entry of the journal, usually a published log.
func (u *UI) getLog(w http.ResponseWriter, r *http.Request, v *visit) error {
	log, err := u.service.Log(r.Context(), r.URL.Query().Get("id"), logRead)
	if err != nil {
		return err
	}
	e := log.Entries[0]
	m := views.Log{
		ID: e.LogID, Action: string(e.Action), Time: e.Time, Actor: e.Sender(), Claimed: e.Claimed, Address: e.From(), RequestID: e.RequestID,
		Detail: e.Details(), Parts: len(log.Entries), SHA256: e.SHA256, Page: e.Page, Withdrew: e.Withdrawn, Kept: log.Kept,
	}
	if m.Parts > 1 && m.SHA256 != "" {
		m.SHA256 = "of part 1: " + m.SHA256
	}
	for _, part := range log.Entries {
		m.Triples, m.Added, m.Removed = m.Triples+part.Triples, m.Added+part.Added, m.Removed+part.Removed
	}
	admin := v.actor.Is(auth.Admin)
	if e.RequestID != "" && admin {
		m.OfRequest = ofRequest(e.RequestID)
	}
	if log.Kept && e.Action == journal.Insert {
		m.Download = "/log/text.ttl?id=" + url.QueryEscape(e.LogID)
		if admin {
			m.Withdraw = withdrawPath(e.LogID)
		}
		var rows [][]rdf.Term
		for _, q := range log.Quads[:min(len(log.Quads), logTriples)] {
			rows = append(rows, []rdf.Term{q.S, q.P, q.O})
		}
		if m.Turtle, err = writeTurtle(rows, u.names(nil)); err != nil {
			return err
		}
		m.Turtle, _ = cutText(m.Turtle, logLetters)
		m.More = int(log.Total) - len(rows)
		links := u.linkLog(r.Context(), log.Quads)
		m.From, m.To = links.begin.UTC(), links.end.UTC()
		acts := links.timed[:min(len(links.timed), logActs)]
		if m.Acts, err = u.tellActs(r.Context(), acts, u.names(nil)); err != nil {
			return err
		}
		m.ActsMore = len(links.timed) - len(acts)
		m.Session, m.Graph, m.Query, m.Robots = links.session, links.graph, links.query, links.names
	}
	f := u.frame(r, v, m.PageTitle())
	f.Styles = []string{"why.css"}
	return u.show(w, r, http.StatusOK, views.LogPage(f, m))
}

// logLinks are the addresses that the triples of a log lead to; "" if there are none.
type logLinks struct {
	session, graph, query string
	names                 []views.LogName // robots and people
	begin, end            time.Time       // of its events; zero if none has a time
	timed                 []string        // activities with a start
}

// linkLog returns what the triples of a log lead to.
func (u *UI) linkLog(ctx context.Context, quads []rdf.Quad) logLinks {
	var out logLinks
	begin, subjects := firstOf(quads)
	for _, q := range quads {
		p := q.P.Value()
		if at, ok := report.TimeOf(q.O); ok && (out.end.IsZero() || at.After(out.end)) && (p == vocabulary.ProvStartedAtTime || p == vocabulary.ProvEndedAtTime || p == vocabulary.ProvGeneratedAtTime) {
			out.end = at
		}
		if p == vocabulary.ProvStartedAtTime && rdf.IsIRI(q.S.Value()) && q.S.IsIRI() && !slices.Contains(out.timed, q.S.Value()) {
			out.timed = append(out.timed, q.S.Value())
		}
	}
	out.begin = begin
	if !begin.IsZero() {
		out.session = "/replay?" + url.Values{"at": {begin.UTC().Format(time.RFC3339Nano)}}.Encode()
	}
	known, named := u.parties(ctx), map[string]bool{}
	names := views.TellApart(known, u.ages)
	for _, q := range quads {
		for _, t := range []rdf.Term{q.S, q.O} {
			iri := t.Value()
			if _, ok := known[iri]; ok && t.IsIRI() && !named[iri] && len(named) < logNames {
				named[iri] = true
				out.names = append(out.names, views.LogName{Name: names[iri], IRI: iri, Href: graphState{selected: iri}.page()})
			}
		}
	}
	if len(subjects) == 0 {
		return out
	}
	var st graphState
	query := "CONSTRUCT { ?s ?p ?o }\nWHERE {\n  VALUES ?s {\n"
	for _, iri := range subjects[:min(len(subjects), logSubjects)] {
		st.ops = append(st.ops, graphOp{iri: iri})
		query += "    <" + iri + ">\n"
	}
	out.graph = st.page()
	out.query = "/query?" + url.Values{"query": {query + "  }\n  ?s ?p ?o\n}\n"}}.Encode()
	return out
}

// firstOf returns the first time in the triples of a log, and its subjects, those with a
// time first.
func firstOf(quads []rdf.Quad) (begin time.Time, subjects []string) {
	var rest []string
	timed, seen := map[string]bool{}, map[string]bool{}
	for _, q := range quads {
		p, s := q.P.Value(), q.S.Value()
		at, ok := report.TimeOf(q.O)
		if ok = ok && (p == vocabulary.ProvStartedAtTime || p == vocabulary.ProvGeneratedAtTime); ok && (begin.IsZero() || at.Before(begin)) {
			begin = at
		}
		switch {
		case !q.S.IsIRI():
		case ok && !timed[s]:
			timed[s], subjects = true, append(subjects, s)
		case !ok && !seen[s]:
			seen[s], rest = true, append(rest, s)
		}
	}
	for _, s := range rest {
		if !timed[s] {
			subjects = append(subjects, s)
		}
	}
	return begin, subjects
}

// getLogText returns everything that a log contributed, as a file.
func (u *UI) getLogText(w http.ResponseWriter, r *http.Request, _ *visit) error {
	id := r.URL.Query().Get("id")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="log-%s%s"`, strings.Map(fileLetter, id), path.Ext(r.URL.Path)))
	return u.front.SendLog(w, r, id, turtle.Turtle)
}

// fileLetter keeps the characters of a UUID.
func fileLetter(c rune) rune {
	if c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
		return c
	}
	return -1
}
