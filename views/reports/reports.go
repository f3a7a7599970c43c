package reports

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

const (
	mostRows = 100     // rows of a table that grows with the graph
	fileRows = 100_000 // rows of its file
	// soonReported is how long a page waits for its first sections. Slower ones, and those
	// further down, are loaded after it.
	soonReported = 200 * time.Millisecond
)

// newReport returns a report without a range. rows is the most that a table may have.
func (u *handlers) newReport(r *http.Request, v *views.Visit, rows int) (*Report, error) {
	out := &Report{Now: v.Now, Zone: v.Zone, Limit: rows, Ask: u.Ask, Ages: u.Ages, Cache: u.replays, Version: u.version(r), MayCount: v.Actor.Is(auth.Admin), Lessened: u.Lessened}
	classes, err := u.Service.CountedClasses()
	if err == nil {
		out.Persons, err = u.Persons(r.Context())
	}
	if err != nil {
		return nil, err
	}
	if out.Version != "" { // cached results depend on them
		out.Version += out.Persons.Version()
	}
	for _, c := range classes {
		out.Classes = append(out.Classes, Counted{Class: c.Class, Time: c.Time, Robot: c.Robot, By: c.By})
		if out.Version != "" {
			out.Version += " " + c.Class + " " + c.Time + " " + c.Robot
		}
	}
	return out, nil
}

// reportOf returns the report for the range in an address.
func (u *handlers) reportOf(r *http.Request, v *views.Visit, rows int) (*Report, error) {
	out, err := u.newReport(r, v, rows)
	if err != nil {
		return nil, err
	}
	if text := r.URL.Query().Get("gap"); text != "" {
		gap, err := time.ParseDuration(text)
		if err != nil || gap < Gaps[0] || gap > Gaps[len(Gaps)-1] {
			return nil, front.NewProblem(http.StatusUnprocessableEntity, "%q is not a gap; an example is 10m, and the most is 12h", text)
		}
		out.Gap = gap
	}
	if text := r.URL.Query().Get("who"); text != "" {
		if !rdf.IsIRI(text) {
			return nil, front.NewProblem(http.StatusUnprocessableEntity, "who is %q, which is not an IRI; an example is https://example.org/robot/ari", text)
		}
		out.Who = rdf.NewIRI(out.Persons.First(text))
	}
	for name, at := range map[string]*time.Time{"from": &out.From, "to": &out.To} {
		text := r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		var ok bool
		if *at, ok = views.GivenTime(text, r.URL.Query()); !ok {
			return nil, front.NewProblem(http.StatusUnprocessableEntity, "%q is not a time; an example is 2026-02-24T12:20", text)
		}
	}
	if !out.From.IsZero() && !out.To.IsZero() && !out.From.Before(out.To) {
		return nil, front.NewProblem(http.StatusUnprocessableEntity, "the range ends before it begins; choose a later Until or an earlier From")
	}
	return out, nil
}

// reportPath returns an address with values and more, which has names and values in turn. It
// changes values.
func reportPath(path string, values url.Values, more ...string) string {
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// getReports shows the sections that are ready soon, and placeholders for the others.
// With a section's name it shows only that section, however long it takes. A script gets
// it as a part of the page.
func (u *handlers) getReports(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	if name := r.URL.Query().Get("last"); name != "" {
		return u.toLast(w, r, v, name)
	}
	asked, err := u.reportOf(r, v, mostRows)
	if wrong := (*front.Problem)(nil); errors.As(err, &wrong) && !views.Partial(r) {
		kept := keptOf(r.URL.Query())
		m := Dashboard{From: r.URL.Query().Get("from"), To: r.URL.Query().Get("to"), Wrong: wrong.Detail, Kept: keptFields(kept), Quick: quickRanges(kept, v.Now, time.Time{})}
		return u.showReports(w, r, v, wrong.Status, m)
	} else if err != nil {
		return err
	}
	only := cmp.Or(r.URL.Query().Get("section"), overview)
	if !views.Partial(r) && only != overview {
		asked.Only = only
	}
	one := only != overview
	if _, ok := Title(only); one && !ok {
		return front.NewProblem(http.StatusNotFound, "there is no section %q", only)
	}
	if one && views.Partial(r) {
		s, err := u.section(r, v, asked, only)
		if err != nil {
			return err
		}
		return u.Show(w, r, http.StatusOK, ReportPart(s))
	}
	return u.showReport(w, r, v, asked, only)
}

// showReport shows the page of a report, or what to begin with if the graph is empty. only is the name of the section that is
// shown, or overview. showReport also records in u.Demo whether the store has the demo, for other pages.
func (u *handlers) showReport(w http.ResponseWriter, r *http.Request, v *views.Visit, asked *Report, only string) error {
	found, err := u.Ask(r.Context(), "SELECT ?s { ?s ?p ?o } LIMIT 1")
	if err != nil {
		return err
	}
	m := Dashboard{Range: asked.rangeWords(), Empty: len(found) == 0, From: views.FieldTime(r.Context(), asked.From), To: views.FieldTime(r.Context(), asked.To)}
	kept := keptOf(r.URL.Query())
	m.Kept, m.Quick = keptFields(kept), quickRanges(kept, asked.From, asked.To)
	if m.Empty {
		u.Demo.Store(false)
		m.Start = u.start(r, v)
	} else {
		if v.Actor.Is(auth.Admin) {
			if m.Demo, err = u.Service.HasDemo(r.Context()); err != nil {
				return err
			}
			u.Demo.Store(m.Demo)
		}
		m.Tabs, m.More = tabs(asked, only)
		body := views.Begin(r.Context(), u.UI, func() (ReportBody, error) { return u.sections(r, v, asked, only) })
		defer body.Join()
		if !body.Soon() {
			m.Later = body.Wait
			f := u.reportsFrame(r, v)
			return u.Stream(w, r, ReportsPage(f, m))
		}
		if m.Body, err = body.Wait(); err != nil {
			return err
		}
	}
	return u.showReports(w, r, v, http.StatusOK, m)
}

func (u *handlers) showReports(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Dashboard) error {
	return u.Show(w, r, status, ReportsPage(u.reportsFrame(r, v), m))
}

func (u *handlers) reportsFrame(r *http.Request, v *views.Visit) views.Frame {
	f := u.Frame(r, v, "Reports")
	f.Styles, f.Scripts = []string{"reports.css"}, []string{"reports.js"}
	return f
}

// lastRange is a range at the end of the data.
type lastRange struct {
	name, title string
	long        time.Duration // 0 for the last session
}

// lastRanges are the ranges at the end of the data, by their names in addresses. They are
// found when a reader follows the link, so they cost a page nothing, and are never empty.
var lastRanges = []lastRange{{"session", "Last session", 0}, {"day", "Last day", 24 * time.Hour}, {"week", "7 days", 7 * 24 * time.Hour}, {"month", "30 days", 30 * 24 * time.Hour}}

// keptOf returns the parameters of an address that also hold for another range: the section, the
// participant and the gap.
func keptOf(given url.Values) url.Values {
	out := url.Values{}
	for _, name := range []string{"section", "who", "gap"} {
		if given.Get(name) != "" {
			out.Set(name, given.Get(name))
		}
	}
	return out
}

// keptFields returns the hidden fields of a form, in order of their names.
func keptFields(values url.Values) (out []views.Field) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, views.Field{Name: name, Value: values.Get(name)})
	}
	return out
}

// quickRanges returns links to the predefined ranges, with the current one marked.
func quickRanges(kept url.Values, from, to time.Time) []views.Tab {
	path := func(last string) string { return reportPath("/reports", maps.Clone(kept), "last", last) }
	out := []views.Tab{{Name: "All", Href: reportPath("/reports", kept), Current: from.IsZero() && to.IsZero()}, {Name: "Today", Href: path("today")}}
	for _, l := range lastRanges {
		out = append(out, views.Tab{Name: l.title, Href: path(l.name)})
	}
	return out
}

// toLast redirects to today, to the last 24 hours, or to a range at the end of the data: the
// last session, or the days up to its last activity. Days are the reader's.
func (u *handlers) toLast(w http.ResponseWriter, r *http.Request, v *views.Visit, name string) error {
	show := func(from, to time.Time) {
		values := (&Report{From: from, To: to}).Values()
		maps.Copy(values, keptOf(r.URL.Query()))
		u.Redirect(w, r, reportPath("/reports", values))
	}
	const day = 24 * time.Hour
	switch today := views.Floor(v.Now, day); name {
	case "today":
		show(today, views.Next(today, day))
		return nil
	case "hours":
		end := v.Now.UTC().Truncate(time.Second).Add(time.Second)
		show(end.Add(-24*time.Hour), end)
		return nil
	}
	at := slices.IndexFunc(lastRanges, func(l lastRange) bool { return l.name == name })
	if at < 0 {
		return front.NewProblem(http.StatusNotFound, "there is no range %q", name)
	}
	all, err := u.reportOf(r, v, mostRows)
	if err != nil {
		return err
	}
	all.From, all.To = time.Time{}, views.Soon(v.Now)
	found, err := all.Sessions(r.Context())
	if err != nil {
		return err
	}
	if len(found.List) == 0 {
		show(time.Time{}, time.Time{})
		return nil
	}
	last := found.List[0]
	from, to := last.From.Truncate(time.Second), last.To.Truncate(time.Second).Add(time.Second)
	if long := lastRanges[at].long; long > 0 {
		to = views.Next(views.Floor(all.in(last.To), day), day)
		from = to.AddDate(0, 0, -int(long/day))
	}
	show(from, to)
	return nil
}

// lesser are the sections that fewer readers need. Their links are behind "More", unless one is shown.
var lesser = []string{"classes"}

// tabs returns links to the overview and the sections, and those behind "More". only is the section that is shown, or overview.
func tabs(asked *Report, only string) (out, more []views.Tab) {
	out = []views.Tab{{Name: "Overview", Href: reportPath("/reports", asked.Values()), Current: only == overview}}
	for _, s := range sections {
		t := views.Tab{Name: s.title, Href: sectionPath(asked, s.name), Current: only == s.name}
		if slices.Contains(lesser, s.name) && !t.Current {
			more = append(more, t)
		} else {
			out = append(out, t)
		}
	}
	return out, more
}

// sections computes the sections of a page: one, however long it takes, or the cards of the overview that are ready soon. The
// others are placeholders, which a script loads.
func (u *handlers) sections(r *http.Request, v *views.Visit, asked *Report, only string) (out ReportBody, err error) {
	soon, cancel := context.WithTimeout(r.Context(), max(soonReported, u.Config.Patience))
	defer cancel()
	names, part := []string{only}, r
	if only == overview {
		names, part = nil, r.WithContext(soon)
		for _, c := range cards {
			names = append(names, c.name)
		}
	}
	for _, name := range names {
		s, err := u.section(part, v, asked, name)
		if err != nil {
			return out, err
		}
		out.Sections = append(out.Sections, s)
	}
	out.Board = only == overview
	out.Unknown = out.Board && !asked.ranged() && slices.ContainsFunc(out.Sections, func(s ReportSection) bool {
		return s.Name == cards[0].name && s.Card != nil && len(s.Card.Sessions) == 0
	})
	return out, r.Context().Err()
}

// sectionPath returns the address of a section alone.
func sectionPath(asked *Report, name string) string {
	return reportPath("/reports", asked.Values(), "section", name)
}

// section computes one section. If time runs out, it returns a placeholder. It shows other errors in place of the section.
func (u *handlers) section(r *http.Request, v *views.Visit, asked *Report, name string) (ReportSection, error) {
	s, _ := Title(name)
	load := sectionPath(asked, name)
	if r.Context().Err() == nil {
		found, err := asked.Section(r.Context(), name)
		switch {
		case err == nil:
			s = found
			for i := range s.Tables {
				s.Tables[i].CSV = reportPath("/reports/table", asked.Values(), "section", name, "table", s.Tables[i].Name)
			}
		case r.Context().Err() == nil:
			p := front.ProblemOf(err)
			if p.Status == http.StatusInternalServerError {
				u.Log.ErrorContext(r.Context(), "a section of the reports can't be computed", "section", name, "error", err)
			}
			s.Problem = &views.Problem{Status: p.Status, Title: p.Title, Detail: p.Detail, RequestID: v.RequestID}
		}
	}
	s.Load = load
	computed := len(s.Tables)+len(s.Figures) > 0 || s.Card != nil
	if err := r.Context().Err(); err != nil && !computed {
		s.Waits = true
		if !errors.Is(err, context.DeadlineExceeded) { // the reader is gone
			return s, err
		}
	}
	return s, nil
}

// rangeWords describes the range; "" means everything.
func (r *Report) rangeWords() string {
	var out []string
	if !r.From.IsZero() {
		out = append(out, "from "+r.in(r.From).Format(views.ClockForm))
	}
	if !r.To.IsZero() {
		out = append(out, "until "+r.in(r.To).Format(views.ClockForm))
	}
	if len(out) == 0 {
		return ""
	}
	text := strings.Join(out, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}
