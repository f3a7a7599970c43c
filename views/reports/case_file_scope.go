package reports

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// mostChosen is how many logs a reader may leave out of a case file, one by one.
const mostChosen = 12

// caseFields are the fields of an address that say what a case file is about.
var caseFields = []string{"log", "iri", "why", "q", "from", "to", "robot", "offered"}

// scopeOf reads what a case file is about. The error is a problem for the reader; with it, the scope has what the form
// shows again, which is nothing if it names too much.
func (u *handlers) scopeOf(r *http.Request, v *views.Visit, q url.Values) (s service.CaseFileScope, err error) {
	s = service.CaseFileScope{Logs: q["log"], IRI: q.Get("iri"), Why: q.Get("why"), Words: strings.TrimSpace(q.Get("q")), Robots: q["robot"]}
	var until error
	s.From, err = replayTime(q, "from")
	s.To, until = replayTime(q, "to")
	switch offered := len(q["offered"]); {
	case max(offered, len(s.Robots)) > replayRobots || len(s.Logs) > service.MaxCaseFileLogs:
		s, err = service.CaseFileScope{}, front.NewProblem(http.StatusUnprocessableEntity, "a case file is about at most %d robots or %d logs", replayRobots, service.MaxCaseFileLogs)
	case cmp.Or(err, until) != nil:
		err = cmp.Or(err, until)
	case s.From.IsZero() != s.To.IsZero():
		err = front.NewProblem(http.StatusUnprocessableEntity, "a time has two ends; give both From and Until")
	case !s.From.IsZero() && !s.From.Before(s.To):
		err = front.NewProblem(http.StatusUnprocessableEntity, "the time ends before it begins; choose a later Until or an earlier From")
	case offered > 0 && len(s.Robots) == 0: // without any, it would be about all
		err = front.NewProblem(http.StatusUnprocessableEntity, "choose at least one robot")
	}
	if err == nil && s.Words != "" {
		s.Said, err = u.saidWith(r, v, s.Words)
	}
	return s, err
}

// saidWith returns the messages that a search for a text finds, with their texts: few more than a case file may have.
func (u *handlers) saidWith(r *http.Request, v *views.Visit, text string) (out []rdf.Quad, err error) {
	plain := *r
	plain.URL = &url.URL{} // whose parameters are not those of a search
	f, err := u.findingOf(&plain, v, text)
	if err != nil {
		return nil, err
	}
	query, _, err := f.query(r.Context(), fewTexts)
	if err != nil || query == "" {
		return nil, err
	}
	err = f.each(r.Context(), query, func(t []rdf.Term) error {
		q := rdf.Quad{S: t[0], P: rdf.NewIRI(vocabulary.SchemaText), O: t[1]}
		if f.wants(q.O.Value()) && (len(out) == 0 || out[len(out)-1] != q) { // a message has a row for each robot
			out = append(out, q)
		}
		if len(out) > evidence.MaxTriples {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

// scopeWords says what a case file is about, with values quoted, or returns "" if the scope is open.
func (u *handlers) scopeWords(ctx context.Context, s service.CaseFileScope) string {
	var row []rdf.Term
	for _, iri := range append([]string{s.IRI, s.Why}, s.Robots...) {
		if rdf.IsIRI(iri) {
			row = append(row, rdf.NewIRI(iri))
		}
	}
	labels := u.Labels(ctx, [][]rdf.Term{row})
	name := func(iri string) string { return views.Name(cmp.Or(labels[iri], views.Short(iri))) }
	switch {
	case len(s.Logs) == 1:
		return "what the log " + views.Said(s.Logs[0]) + " says"
	case len(s.Logs) > 1:
		return "what " + views.Plural(len(s.Logs), "log") + " say"
	case s.IRI != "":
		return "all that names " + name(s.IRI) + ", and what robots did about it"
	case s.Why != "":
		return "what led to " + name(s.Why)
	case s.Words != "":
		return "sentences with " + views.Said(s.Words)
	case s.From.IsZero() && s.To.IsZero():
		return ""
	}
	out := "what happened"
	if !s.From.IsZero() && !s.To.IsZero() {
		out += " from " + views.Period{From: s.From.UTC(), To: s.To}.Words()
	}
	var robots []string
	for _, iri := range s.Robots {
		robots = append(robots, name(iri))
	}
	if len(robots) > 0 {
		out += ", logged by " + views.List(robots)
	}
	return out
}

// scopeValues returns the fields of the form of a case file.
func scopeValues(s service.CaseFileScope, reason string) url.Values {
	out := url.Values{"reason": {reason}, "log": s.Logs, "robot": s.Robots}
	for name, value := range map[string]string{"iri": s.IRI, "why": s.Why, "q": s.Words} {
		if value != "" {
			out.Set(name, value)
		}
	}
	for name, at := range map[string]time.Time{"from": s.From, "to": s.To} {
		if !at.IsZero() {
			out.Set(name, exact(at))
		}
	}
	return out
}
