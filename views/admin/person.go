package admin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

const (
	personRows = 20  // facts that a page shows
	maxOffered = 500 // names that a field completes
)

// getPerson shows all that is kept of a person or, without one, how long what is kept, and legal holds.
func (u *handlers) getPerson(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	q := r.URL.Query()
	if q.Get("iri") != "" { // the journal gets an entry; a single sign-on may lead back to the rest
		if err := u.Front.RefuseLinks(r); err != nil {
			return err
		}
	}
	from, _ := strconv.Atoi(q.Get("from")) // what is no number means 0
	return u.showPerson(w, r, v, http.StatusOK, PersonData{IRI: strings.TrimSpace(q.Get("iri")), Show: q.Get("show"), From: max(0, from), Hold: HoldForm{What: strings.TrimSpace(q.Get("what"))}})
}

// showPerson shows the page with m. If m.IRI is set, which may be a name, it adds what is kept of
// the person. Without such a person, or if m.Wrong is set, it adds the list of people.
func (u *handlers) showPerson(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m PersonData) (err error) {
	if m.Holds, err = u.Service.LegalHolds(); err != nil {
		return err
	}
	if c := u.Service.Config(); c.Retention != nil {
		m.Kept = c.Retention()
		if c.RetentionRan != nil {
			m.Ran = c.RetentionRan()
		}
	}
	if m.Names == nil {
		m.Names = u.LogParties(r.Context())
	}
	row := m.From // of the list of people, if there is no person
	if m.Show == "" {
		m.From = 0 // all events have one page
	}
	if m.IRI != "" && m.Wrong == "" {
		m.Named, m.IRI = m.IRI, m.iriOf(m.IRI)
	}
	if m.Wrong == "" && m.IRI != "" {
		limit := personRows
		if m.From == 0 { // the first page may tell all events
			limit = maxTale
		}
		if m.Person, err = u.Service.Person(r.Context(), v.Actor, m.IRI, m.From, limit, new(service.Kept)); err != nil {
			return err
		}
		if l := m.current(); l.facts != nil { // one list is shown
			whole := len(l.facts.Facts) == l.facts.Count
			if told := whole && slices.Contains(taleLists, l.show); !told {
				l.facts.Facts = l.facts.Facts[:min(len(l.facts.Facts), personRows)]
			}
		}
		if m.Notes, err = u.RemarksOn(m.IRI, "/personal-data?"+url.Values{"iri": {m.IRI}}.Encode()); err != nil {
			return err
		}
	}
	m.Erasures = u.Service.Erasures()
	if m.Person == nil {
		m.From = row
		u.list(r.Context(), &m)
		if m.Total == 0 && m.Named != "" && m.Wrong == "" {
			status, m.Wrong = http.StatusUnprocessableEntity, "No person among the names that could be read is called "+views.Said(m.Named)+". Give another part of the name, or the IRI."
		}
	}
	f := u.Frame(r, v, "Personal data")
	f.Styles = []string{"person.css"}
	return u.Show(w, r, status, PersonPage(f, m))
}

// postPerson adds or lifts a legal hold. If one can't be added, it shows the form with the reason.
func (u *handlers) postPerson(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	var err error
	if form.Value("do") == "lift" {
		if _, err = u.Service.LiftHold(r.Context(), v.Actor, form.Value("id")); err != nil {
			return err
		}
		u.Redirect(w, r, "/personal-data")
		return nil
	}
	m := PersonData{Names: u.LogParties(r.Context()), Hold: HoldForm{strings.TrimSpace(form.Value("what")), form.Value("from"), form.Value("to"), form.Value("reason"), form.Value("until")}}
	zone, _ := views.Zone(form.Value(views.ZoneField))
	h := holds.Hold{Reason: m.Hold.Reason}
	if m.Hold.Until != "" {
		if h.Until, err = time.ParseInLocation(time.DateOnly, m.Hold.Until, zone); err != nil {
			m.Wrong = "A hold ends on a day such as 2027-01-31."
		}
	}
	var begins, ends bool // whether the form has a time that can be read
	h.From, begins = views.ParseTimeIn(m.Hold.From, zone)
	h.To, ends = views.ParseTimeIn(m.Hold.To, zone)
	if !begins && m.Hold.From != "" || !ends && m.Hold.To != "" {
		m.Wrong = "A time of a hold is such as 2026-11-26 20:15."
	}
	if iri := m.iriOf(m.Hold.What); iri != "" {
		h.People = []string{iri}
	} else {
		h.Log = m.Hold.What
	}
	if m.Wrong == "" {
		if _, err = u.Service.Hold(r.Context(), v.Actor, h); err == nil {
			u.Redirect(w, r, "/personal-data")
			return nil
		}
		p := front.ProblemOf(err)
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		m.Wrong = service.Sentence(p.Detail)
	}
	return u.showPerson(w, r, v, http.StatusUnprocessableEntity, m)
}

// iriOf returns the IRI of who is named by an IRI or by a name of m.Names, or "" if nobody has that name, or if
// several people have it in other capitals.
func (m *PersonData) iriOf(text string) (found string) {
	if rdf.IsIRI(text) {
		return text
	}
	several := false
	for iri, name := range m.Names {
		if name == text {
			return iri
		}
		if strings.EqualFold(name, text) {
			several, found = several || found != "", iri
		}
	}
	if several {
		return ""
	}
	return found
}

// held says what a legal hold keeps.
func (m *PersonData) held(ctx context.Context, h holds.Hold) string {
	if len(h.People) > 0 {
		return views.Name(m.called(h.People[0]))
	}
	if h.Log != "" {
		return "the log " + views.Said(h.Log)
	}
	return "all logs from " + views.Clock(ctx, h.From) + " to " + views.Clock(ctx, h.To)
}

// tabs are the lists of facts about the person.
func (m *PersonData) tabs() []personTab {
	p := m.Person
	return []personTab{{"said", "Said", &p.Said}, {"received", "Heard", &p.Received}, {"emotions", "Emotions", &p.Emotions}, {"decisions", "Decisions", &p.Decisions},
		{"contexts", "Shared events", &p.Contexts}, {"cases", "Review cases", &p.Cases}, {"logs", "Logs", &p.Logs}}
}

type personTab struct {
	show, name string
	facts      *service.PersonFacts
}

// current returns the list that is shown; its facts are nil for all events.
func (m *PersonData) current() personTab {
	for _, t := range m.tabs() {
		if t.show == m.Show {
			return t
		}
	}
	return personTab{name: "All"}
}

// at returns the address of a list, from a row on.
func (m *PersonData) at(show string, from int) string {
	q := url.Values{"iri": {m.IRI}}
	if show != "" {
		q.Set("show", show)
	}
	if from > 0 {
		q.Set("from", strconv.Itoa(from))
	}
	return "/personal-data?" + q.Encode()
}

// pager links the pages of the current list.
func (m *PersonData) pager() views.Pager {
	t := m.current()
	return views.PagerAt(m.From, len(t.facts.Facts), t.facts.Count, personRows, func(from int) string { return m.at(t.show, from) })
}

// name returns what the person is called.
func (m *PersonData) name() string {
	if m.Person == nil || len(m.Person.Names) == 0 {
		return views.Short(m.IRI)
	}
	return m.Person.Names[0]
}

// query returns the address of the triples with the person.
func (m *PersonData) query() string { return "/query?query=" + url.QueryEscape(m.Person.Export) }

// first returns the address of the replay at the first thing with a time, or "".
func (t tale) first() string {
	if at, _ := t.span(); !at.IsZero() {
		return views.ReplayAt(at)
	}
	return ""
}

// during says when the person was met, or "".
func (t tale) during() string {
	n := len(t.met)
	if n == 0 || t.met[n-1].events[0].at.IsZero() {
		return ""
	}
	if n == 1 {
		return "Met " + t.met[0].name
	}
	return "Met " + views.Plural(n, "time") + ", last " + t.met[n-1].name
}

// heading says when the person was met, and how much is known, or returns "".
func (m *PersonData) heading(t tale) string {
	parts := m.counts(t)
	if n := m.Person.Logs.Count; n > 0 {
		in := "in " + views.Plural(n, "log")
		if len(parts) == 0 {
			in = "named " + in
		}
		parts = append(parts, in)
	}
	text := strings.Trim(t.during()+": "+strings.Join(parts, ", "), ": ")
	if text == "" {
		return ""
	}
	return views.Capital(text) + "."
}

// counts says how many sentences, emotions and decisions are known.
func (m *PersonData) counts(t tale) (parts []string) {
	for i, about := range []string{"sentence said", "sentence heard", "emotion", "decision"} {
		noun, about, _ := strings.Cut(about, " ")
		if n := t.count(m.tabs()[i]); n > 0 {
			parts = append(parts, strings.TrimSpace(views.Plural(n, noun)+" "+about))
		}
	}
	return parts
}
