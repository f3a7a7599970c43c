package reports

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/trigram"
	"github.com/segraph/segraph/views"
)

// Limits of the search page.
const (
	searchRows  = 20
	facetRows   = 60 // of a facet; facetShown are not folded
	facetShown  = 6
	searchTime  = 10 * time.Second // to count all sentences
	aboutPeople = 3                // people and sessions above the sentences
)

// States of sentences.
const (
	stateShared = "shared"
	stateReview = "review"
)

// getSearch shows the sentences with the words of a search. Without "full" it leaves their totals out, and the page asks
// again, with "full", once it has loaded. To a visitor who may not read sentences, and to the command palette, which asks
// for a part without "full", it shows what is found by name.
func (u *handlers) getSearch(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	text, full := views.Searched(r), r.URL.Query().Has("full")
	mayRead := v.Known && v.Actor.Is(auth.Auditor, auth.Admin)
	if palette := views.Partial(r) && !full; palette || !mayRead {
		found, err := u.Found(r, v)
		if mayRead && err == nil && text != "" {
			found.Groups = append(found.Groups, views.FoundGroup{Name: "What was said", List: []views.Found{{Name: text, Note: "sentences with these words", Href: "/search?q=" + url.QueryEscape(text)}}})
		}
		if err != nil {
			return err
		}
		if views.Partial(r) {
			return u.Show(w, r, http.StatusOK, views.FoundGroups(found))
		}
		return u.Show(w, r, http.StatusOK, SearchPage(u.Frame(r, v, "Search"), SearchModel{Text: text, Others: found, Full: true, Guest: true}))
	}
	m, err := u.search(r, v, text, full)
	if err != nil {
		return err
	}
	if views.Partial(r) {
		return u.Show(w, r, http.StatusOK, searchGrid(m))
	}
	title := "Search"
	if text != "" {
		title = text + ": search"
	}
	f := u.Frame(r, v, title)
	f.Styles = []string{"search.css"}
	return u.Show(w, r, http.StatusOK, SearchPage(f, m))
}

// search finds sentences for an address: a page of them, the people and sessions that a text names, and, if full, how
// many there are of each person, robot, emotion and session, and what else is found by name. If Waits is set in the
// result, the sentences were not found soon.
func (u *handlers) search(r *http.Request, v *views.Visit, text string, full bool) (m SearchModel, err error) {
	ctx, given := r.Context(), r.URL.Query()
	f, err := u.findingOf(r, v, text)
	if err != nil {
		return m, err
	}
	if f.person.IsIRI() {
		given.Set("person", f.person.Value())
	}
	m = SearchModel{Text: text, Full: full, given: given}
	m.First, _ = strconv.Atoi(given.Get("after"))
	m.First = min(max(m.First, 0), 1e9)
	apart, report := *f, *f.Report // a report remembers names, for one goroutine
	apart.Report = &report
	about := views.Begin(ctx, u.UI, func() ([]AboutCard, error) { return u.about(r, v, &apart, text) })
	defer about.Join()
	var list []*sentence
	var more bool
	var sums *counting
	if full {
		list, more, sums, err = f.count(ctx)
	} else {
		list, more, err = f.soon(ctx, u.Config.Patience)
	}
	if err != nil {
		return m, err
	}
	if m.Waits = f.late; m.Waits {
		more = false
	} else if more {
		m.Next = m.with("before", list[len(list)-1].at.Format(time.RFC3339Nano), "after", strconv.Itoa(m.First+len(list)))
	} else {
		m.Total, m.Counted = m.First+len(list), f.emotion == "" || !f.lacks
	}
	if full {
		m.Total, m.Counted = sums.total, sums.whole
		if err := f.facets(ctx, sums, &m); err != nil {
			return m, err
		}
	}
	if m.Rows, err = u.foundSentences(ctx, f, list); err != nil {
		return m, err
	}
	if m.About, err = about.Wait(); err != nil || !full {
		return m, err
	}
	m.Others, err = u.Found(r, v)
	for i := range m.Others.Groups { // the rows have the sentences
		g := &m.Others.Groups[i]
		n := len(g.List)
		g.List = slices.DeleteFunc(g.List, func(x views.Found) bool { return x.Said })
		g.Total -= n - len(g.List)
	}
	m.Others.Groups = slices.DeleteFunc(m.Others.Groups, func(g views.FoundGroup) bool {
		return len(g.List) == 0 || g.Name == "Sessions" || g.Name == "Robots and people" && len(g.List) <= aboutPeople
	})
	return m, err
}

// soon returns a page of sentences. After patience it gives up and sets late.
func (f *finding) soon(ctx context.Context, patience time.Duration) (list []*sentence, more bool, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if f.emotion != "" || f.state != "" {
		err = f.learn(limited, nil)
	}
	if err == nil {
		list, more, err = f.page(limited)
	}
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		f.late = true
		return nil, false, nil
	}
	return list, more, err
}

// findingOf returns the search that an address describes.
func (u *handlers) findingOf(r *http.Request, v *views.Visit, text string) (*finding, error) {
	asked, err := u.reportOf(r, v, mostRows)
	if err != nil {
		return nil, err
	}
	f := &finding{Report: asked, each: u.Each, containing: u.Service.Containing, sought: sought{words: soughtWords(text)}}
	for _, word := range f.words {
		f.matchers = append(f.matchers, trigram.NewMatcher(word))
	}
	given := r.URL.Query()
	for name, to := range map[string]*rdf.Term{"person": &f.person, "robot": &f.robot} {
		if iri := given.Get(name); rdf.IsIRI(iri) {
			*to = rdf.NewIRI(asked.Persons.First(iri))
		} else if iri != "" {
			return nil, front.NewProblem(http.StatusUnprocessableEntity, "%s is %q, which is not an IRI; an example is https://example.org/robot/ari", name, iri)
		}
	}
	f.emotion, f.state = given.Get("emotion"), given.Get("state")
	if text := given.Get("before"); text != "" {
		var ok bool
		if f.before, ok = views.ParseTime(text); !ok {
			return nil, front.NewProblem(http.StatusUnprocessableEntity, "%q is not a time; an example is 2026-02-24T12:20", text)
		}
	}
	return f, nil
}

// foundSentences returns the rows of some sentences: who said them to whom and who heard, the emotions then, and the
// case that they are in.
func (u *handlers) foundSentences(ctx context.Context, f *finding, list []*sentence) ([]FoundSentence, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if f.cases == nil || f.lacks {
		if err := f.learn(ctx, list); err != nil {
			return nil, err
		}
	}
	to, err := f.listeners(ctx, list)
	if err != nil {
		return nil, err
	}
	people, err := f.names(ctx)
	if err != nil {
		return nil, err
	}
	var all []rdf.Term
	for _, s := range list {
		all = append(append(append(all, s.who), s.robots...), to[s]...)
	}
	if err := f.label(ctx, all...); err != nil {
		return nil, err
	}
	var out []FoundSentence
	for _, s := range list {
		row := FoundSentence{At: s.at, Language: s.text.Language(), Pieces: f.marked(Said(s.text.Value())), Href: replay(s.at), Why: why(s.messages[0]), Shared: s.shared()}
		if !s.who.IsZero() {
			row.Who, row.Robot = f.name(s.who), people[s.who.String()].robot || slices.Contains(s.robots, s.who)
		}
		for _, t := range to[s] {
			row.To = with(row.To, f.name(t))
		}
		for _, t := range s.robots {
			if name := f.name(t); t != s.who && !slices.Contains(row.To, name) {
				row.Heard = with(row.Heard, name)
			}
		}
		for _, x := range f.feelingsOf(s) {
			row.Feelings = append(row.Feelings, FoundFeeling{Name: feeling(x.category), Strength: views.Percentage(x.intensity), Colour: views.SeriesClass(views.SeriesOf(seriesKey(x.category)))})
		}
		if id := f.caseOf(s); id != "" && f.MayCount {
			row.Case = "/shared-context?" + url.Values{"case": {id}}.Encode()
		}
		out = append(out, row)
	}
	return out, nil
}

// listeners returns whom some sentences were said to.
func (f *finding) listeners(ctx context.Context, list []*sentence) (map[*sentence][]rdf.Term, error) {
	of, out := map[rdf.Term]*sentence{}, map[*sentence][]rdf.Term{}
	var messages []rdf.Term
	for _, s := range list {
		for _, m := range s.messages {
			of[m], messages = s, append(messages, m)
		}
	}
	report := *f.Report
	report.Limit = fileRows
	return out, f.each(ctx, valued(report.Query("sentence-listeners"), "?message", messages), func(t []rdf.Term) error {
		f.Persons.Replace([][]rdf.Term{t})
		if s := of[t[0]]; s != nil && t[1].IsIRI() && t[1] != s.who {
			out[s] = with(out[s], t[1])
		}
		return nil
	})
}
