package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

const (
	beginTime = 200 * time.Millisecond // to search for things to explain
	whyMost   = 30                     // of activities, people or models below the story
)

// whyView returns the address of a view of an explanation: "" for the story, or "diagram".
func whyView(m *Why, view string) string {
	q := url.Values{"iri": {m.IRI}}
	if m.Depth != whySteps {
		q.Set("depth", strconv.Itoa(m.Depth))
	}
	if view != "" {
		q.Set("view", view)
	}
	return "/why?" + views.PlainIRIs.Replace(q.Encode())
}

// getWhy explains one thing: its causes, its consequences, and what no log says about
// them.
func (u *handlers) getWhy(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	asked := strings.TrimSpace(r.URL.Query().Get("iri"))
	names := u.Prefixes(nil)
	m := Why{Depth: whyDepth(r.URL.Query().Get("depth")), View: r.URL.Query().Get("view")}
	status := http.StatusOK
	if !rdf.IsIRI(asked) {
		if err := u.whyChoice(r.Context(), &m, asked, names); err != nil {
			return err
		}
	} else {
		y, err := u.loadWhy(r.Context(), asked, m.Depth)
		if err != nil {
			return err
		}
		if err := u.explainWhy(r.Context(), y, &m, names); err != nil {
			return err
		}
		if m.Unknown {
			status = http.StatusNotFound
		}
		if y.start.family == "human" && v.Actor.Is(auth.Admin) && u.has("/personal-data") {
			m.Kept = "/personal-data?" + url.Values{"iri": {y.start.iri}}.Encode()
		}
		if y.start.family == "human" && v.Actor.Is(auth.Admin) && u.has("/shared-context") {
			m.Same = "/shared-context/people?" + url.Values{"first": {y.start.iri}}.Encode()
		}
	}
	f := u.Frame(r, v, m.PageTitle())
	f.Styles, f.Scripts, f.Width = []string{"graph.css", "why.css"}, []string{"why.js"}, "wide"
	return u.Show(w, r, status, WhyPage(f, m))
}

func whyDepth(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return whySteps
	}
	return min(n, maxWhySteps)
}

// whyChoice offers things to explain: what a search finds, or what robots did last.
func (u *handlers) whyChoice(ctx context.Context, m *Why, asked string, names []turtle.Prefix) error {
	if m.Asked = asked; asked == "" {
		found, newest, err := u.lastActs(ctx, "VALUES ?c { <"+vocabulary.OroResponseAction+"> <"+vocabulary.OroDecisionMakingAction+"> } ?a a ?c", 12)
		if err != nil {
			return err
		}
		persons, err := u.Persons(ctx)
		if err != nil {
			return err
		}
		m.Any = !newest
		m.Last, err = u.tellActs(ctx, newWhy(persons), found, names)
		slices.Reverse(m.Last)
		return err
	}
	found, cut, err := u.search(ctx, asked, findTime)
	if err != nil {
		return err
	}
	m.MoreFound, found = len(found) > maxFound || cut, found[:min(len(found), maxFound)]
	m.Begin, err = u.whyLinks(ctx, found, names)
	return err
}

func (u *handlers) whyLinks(ctx context.Context, iris []string, names []turtle.Prefix) ([]GraphLink, error) {
	links, err := u.graphLinks(ctx, iris, names, views.WhyAddress)
	locate(links)
	return links, err
}

const xsd = "PREFIX xsd: <" + rdf.XSD + ">"

// untilSoon returns a FILTER, which needs the prefix xsd, for a time that may be that of the last activity.
func (u *handlers) untilSoon(variable string) string {
	return views.During(variable, time.Time{}, views.Soon(u.Config.Now()))
}

// lastActs returns activities that match a pattern of ?a, at most limit: the newest or, if none has a time up to now or finding
// these takes longer than beginTime, any. newest reports which.
func (u *handlers) lastActs(ctx context.Context, pattern string, limit int) (out []string, newest bool, err error) {
	limited, cancel := context.WithTimeout(ctx, beginTime)
	defer cancel()
	rows, err := u.Ask(limited, fmt.Sprintf("%s SELECT DISTINCT ?a ?t { { %s } ?a <%s> ?t %s } ORDER BY DESC(?t) LIMIT %d", xsd, pattern, vocabulary.ProvStartedAtTime, u.untilSoon("?t"), limit))
	if newest = err == nil && len(rows) > 0; !newest && (err == nil || limited.Err() != nil) && ctx.Err() == nil {
		rows, err = u.Ask(ctx, fmt.Sprintf("SELECT DISTINCT ?a { %s } LIMIT %d", pattern, limit))
	}
	for _, row := range rows {
		if row[0].IsIRI() && !slices.Contains(out, row[0].Value()) {
			out = append(out, row[0].Value())
		}
	}
	return out, newest || len(out) == 0, err
}

// explainWhy fills the model of an explanation.
func (u *handlers) explainWhy(ctx context.Context, y *why, m *Why, names []turtle.Prefix) (err error) {
	n := y.start
	t := &teller{why: y, names: names, told: map[*graphNode]bool{}}
	m.IRI, m.Name, m.Kind, m.Time, m.Sign = n.iri, t.clause(n), kindWord(n.kind), shownTime(n), n.sign
	m.Graph, m.Notes = views.AboutIRI(n.iri), y.notes
	if y.deeper && m.Depth < maxWhySteps {
		m.DeeperSteps = min(m.Depth+2, maxWhySteps)
		deeper := *m
		deeper.Depth = m.DeeperSteps
		m.Deeper = whyView(&deeper, m.View)
	}
	m.Depths = []int{2, 4, 6, whySteps, 10, maxWhySteps}
	if !slices.Contains(m.Depths, m.Depth) {
		m.Depths = append(m.Depths, m.Depth)
		slices.Sort(m.Depths)
	}
	if !n.described() && len(y.links) == 0 {
		m.Unknown, m.Name = true, ""
		return nil
	}
	if at := y.time(); !at.IsZero() && u.has("/replay") {
		m.Replay = views.ReplayAt(secondsEnd(at))
	}
	if n.isParty() {
		return u.explainParty(ctx, y, m, names)
	}
	if m.Story, m.StoryMore = t.tell(); len(m.Story) > 0 {
		m.Name = m.Story[0].Text
	}
	m.Seen = t.seen()
	drawable := t.drawable()
	if m.View != "diagram" || !drawable {
		m.View = ""
	}
	if drawable {
		m.Tabs = []views.Tab{{Name: "Story", Href: whyView(m, ""), Current: m.View == ""}, {Name: "Diagram", Href: whyView(m, "diagram"), Current: m.View == "diagram"}}
	}
	if m.View == "diagram" {
		m.Drawing = t.draw()
		return nil
	}
	if y.lost {
		m.Notes = append(m.Notes, "Finding the logs took too long. Follow “log” to see them.")
	}
	m.Missing = t.missing()
	t.beside(m)
	if len(m.Effects) > 0 {
		m.Shortened = y.shortened
	} else if y.shortened != "" {
		m.Notes = append(m.Notes, y.shortened)
	}
	return u.whyPlaces(ctx, y, m)
}

// has reports whether there is a page at a path.
func (u *handlers) has(path string) bool {
	return slices.ContainsFunc(u.Pages, func(p views.Page) bool { return p.Path == path })
}

// beside fills what stands beside the chain of causes: consequences, other activities about the same event, whenever they
// were, people and models, at most whyMost of each. It leaves out activities that the story tells, so call tell before.
func (t *teller) beside(m *Why) {
	defer func() {
		cut(&m.Effects, &m.Left.Effects)
		cut(&m.Around, &m.Left.Around)
		cut(&m.People, &m.Left.People)
		cut(&m.Models, &m.Left.Models)
	}()
	seen := map[string]bool{} // people
	for _, n := range t.nodes {
		if t.isEffect(n) && !n.isParty() && t.act(n) == n {
			effect := WhyAct{Text: t.clause(n), Href: views.WhyAddress(n.iri), Time: t.shortTime(n), At: n.at, Steps: t.after[n.iri]}
			if !n.at.IsZero() && n.at.Before(t.time()) {
				effect.Note = "its time is before its cause’s"
			}
			m.Effects = append(m.Effects, effect)
		}
		if by := t.usersOf(n); n.isModel() && (t.isCause(n) || len(by) > 0) {
			fact := t.fact(n)
			m.Models = append(m.Models, WhyModel{Name: n.name(t.names), Href: views.WhyAddress(n.iri), Version: n.literal(vocabulary.SchemaVersion), Score: fact.score, Dataset: fact.dataset, By: by})
		}
		if did := t.part(n); n.isParty() && did != "" && !seen[t.persons.First(n.iri)] {
			seen[t.persons.First(n.iri)] = true
			m.People = append(m.People, WhyPerson{Name: t.name(n.iri, t.names), Href: views.WhyAddress(n.iri), Sign: n.sign, Did: did})
		}
	}
	slices.SortStableFunc(m.Models, func(a, b WhyModel) int { return cmp.Compare(len(b.By), len(a.By)) })
	slices.SortStableFunc(m.Effects, func(a, b WhyAct) int { return cmp.Or(a.Steps-b.Steps, a.At.Compare(b.At)) })
	for _, n := range t.around {
		if slices.Contains(t.records, n) || t.told[n] {
			continue // it is above
		}
		act := WhyAct{Text: t.clause(n), Href: views.WhyAddress(n.iri), Time: t.shortTime(n)}
		switch {
		case t.time().IsZero() || n.at.IsZero(): // no time to compare
		case n.at.Truncate(time.Second).Equal(t.time().Truncate(time.Second)):
			act.Note = "same second"
		case n.at.Before(t.time()):
			act.Note = "before"
		default:
			act.Note = "later"
		}
		m.Around = append(m.Around, act)
	}
}

// cut shortens a list to whyMost, and counts what it leaves out.
func cut[T any](list *[]T, left *int) {
	*left = max(0, len(*list)-whyMost)
	*list = (*list)[:len(*list)-*left]
}

// usersOf returns the names of the robots that used a model for the event that the page
// explains, if several logged it.
func (t *teller) usersOf(model *graphNode) (out []string) {
	if len(t.records) < 2 {
		return nil
	}
	for _, r := range t.records {
		for _, of := range append([]*graphNode{r}, t.madeBy(r)...) {
			if who := t.doer(of); who != "" && slices.ContainsFunc(t.causes[of.iri], func(l *whyLink) bool { return l.cause == model }) && !slices.Contains(out, who) {
				out = append(out, who)
			}
		}
	}
	return out
}

// part describes how a robot or a person took part in what happened, or "".
func (t *teller) part(who *graphNode) string {
	var did, too, spoke, listened, showed, saw bool
	is := func(iri string) bool { return t.persons.First(iri) == t.persons.First(who.iri) }
	for _, n := range t.nodes {
		chain := t.isCause(n) || t.act(n) == t.act(t.start)
		switch {
		case is(n.performer) && chain:
			did = true
		case is(n.performer) && slices.Contains(t.records, n):
			too = true
		case is(n.performer) && slices.Contains(t.around, n):
			saw = true
		case n.isMessage() && is(n.sender()) && chain:
			spoke = true
		case n.isMessage() && slices.ContainsFunc(n.objects(vocabulary.SchemaRecipient), is) && chain:
			listened = true
		case slices.ContainsFunc(n.objects(vocabulary.OAHasTarget), is) && !t.isEffect(n):
			showed = true
		}
	}
	var out []string
	for _, role := range []struct {
		has   bool
		words string
	}{{did, "did this"}, {too, "logged the same event"}, {spoke, "spoke"}, {listened, "was spoken to"}, {showed, "showed emotions"}, {saw && !did && !too, "logged something else at the same event"}} {
		if role.has {
			out = append(out, role.words)
		}
	}
	return strings.Join(out, ", ")
}

// whyPlaces adds where the robots were: the place of the last state in the hour before.
func (u *handlers) whyPlaces(ctx context.Context, y *why, m *Why) error {
	at := y.time()
	if at.IsZero() {
		return nil // nobody knows when it was
	}
	limited, cancel := context.WithTimeout(ctx, aroundTime)
	defer cancel()
	robots := y.valuesOf(func(n *graphNode) bool { return n.family == "robot" })
	if robots == "" {
		return nil
	}
	rows, err := u.Ask(limited, xsd+" SELECT ?who ?place ?label { VALUES ?who { "+robots+"} ?s <"+vocabulary.ProvWasAttributedTo+"> ?who ; <"+vocabulary.ProvGeneratedAtTime+"> ?t ; <"+
		vocabulary.ProvAtLocation+"> ?place "+views.During("?t", at.Add(-time.Hour), at.Truncate(time.Second).Add(time.Second))+" OPTIONAL { ?place <"+vocabulary.RDFSLabel+"> ?label } } ORDER BY DESC(?t) LIMIT 1000")
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		m.Notes = append(m.Notes, "Finding the robots' places took too long.")
		return nil
	}
	for _, row := range rows {
		place := row[2].Value()
		if place == "" {
			place = views.KindName(row[1].Value())
		}
		for i := range m.People {
			if m.People[i].Place == "" && m.People[i].Href == views.WhyAddress(row[0].Value()) {
				m.People[i].Place = place
			}
		}
	}
	return err
}

// time returns when the start happened, as its activity tells if it does not itself. It is
// the zero time if nothing does.
func (y *why) time() time.Time {
	for _, n := range append([]*graphNode{y.start}, y.madeBy(y.start)...) {
		if !n.at.IsZero() {
			return n.at
		}
	}
	return time.Time{}
}

// secondsEnd returns the end of a second, so that a replay there shows what happened in it. It
// returns other times as they are.
func secondsEnd(t time.Time) time.Time {
	if t.Nanosecond() != 0 {
		return t
	}
	return t.Add(time.Second - time.Millisecond)
}
