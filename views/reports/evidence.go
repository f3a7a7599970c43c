package reports

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// getEvidence offers to make an evidence bundle of what the address names.
func (u *handlers) getEvidence(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.showEvidence(w, r, v, http.StatusOK, evidenceOf(r.URL.Query()))
}

func evidenceOf(given url.Values) Evidence {
	return Evidence{Log: given.Get("log"), IRI: given.Get("iri"), Query: given.Get("query"), Case: given.Get("case"),
		From: given.Get("from"), To: given.Get("to"), User: strings.TrimSpace(given.Get("user"))}
}

func (u *handlers) showEvidence(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Evidence) error {
	if auth.CheckName(m.User) != nil { // it may be a token, which no page shows
		m.User = ""
	}
	return u.Show(w, r, status, EvidencePage(u.Frame(r, v, "Evidence"), m))
}

// postEvidence makes an evidence bundle, as a file. If it can't be made, it shows the form
// with the reason.
func (u *handlers) postEvidence(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	given := url.Values{}
	for _, name := range []string{"log", "iri", "query", "case", "from", "to", "user"} {
		given.Set(name, strings.ReplaceAll(form.Value(name), "\r\n", "\n"))
	}
	form.Close() // before the bundle is made
	m := evidenceOf(given)
	about, err := aboutOf(m)
	if err == nil {
		var bundle io.ReadCloser
		if bundle, err = u.Service.Prove(r.Context(), v.Actor, about); err == nil {
			return front.SendBundle(w, bundle)
		}
	}
	p := front.ProblemOf(err)
	if r.Context().Err() != nil || p.Status == http.StatusInternalServerError {
		return err
	}
	m.Wrong = service.Sentence(p.Detail)
	return u.showEvidence(w, r, v, p.Status, m)
}

// aboutOf returns what a form asks to prove.
func aboutOf(m Evidence) (evidence.About, error) {
	a := evidence.About{IRI: m.IRI, Query: m.Query, Case: m.Case, User: m.User}
	if err := auth.CheckName(m.User); err != nil {
		return a, err
	}
	if m.Log != "" {
		a.Logs = []string{m.Log}
	}
	for text, to := range map[*string]**time.Time{&m.From: &a.From, &m.To: &a.To} {
		if *text == "" {
			continue
		}
		if at, ok := views.ParseTime(*text); ok {
			*to = &at
		} else {
			return a, front.NewProblem(http.StatusUnprocessableEntity, "%.100q is not a time; an example is 2026-02-24T12:20", *text)
		}
	}
	return a, nil
}
