package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of the page of a log.
const (
	logTriples = 100  // shown triples
	logLetters = 8000 // characters of their text
	logActs    = 6    // activities told at first
	logTold    = 40   // activities told in a sentence
	logName    = 40   // characters of a name
)

// getLog shows one entry of the journal, usually a published log.
func (u *handlers) getLog(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	log, err := u.Service.Log(r.Context(), r.URL.Query().Get("id"), views.LogRead)
	if err != nil {
		return err
	}
	e := log.Entries[0]
	m := Log{
		ID: e.LogID, Action: string(e.Action), Time: e.Time, Actor: e.Sender(), Claimed: e.Claimed, Address: e.From(), RequestID: e.RequestID,
		Detail: e.Details(), Parts: len(log.Entries), SHA256: e.SHA256, Page: e.Page, Withdrew: e.Withdrawn, Kept: log.Kept, Triples: log.Triples(), Left: int(log.Total), Box: e.Box != "",
	}
	if m.Parts > 1 && m.SHA256 != "" {
		m.SHA256 = "of part 1: " + m.SHA256
	}
	for _, part := range log.Entries {
		m.Added, m.Removed = m.Added+part.Added, m.Removed+part.Removed
	}
	admin := v.Actor.Is(auth.Admin)
	if e.RequestID != "" && admin {
		m.OfRequest = views.OfRequest(e.RequestID)
	}
	if log.Kept && e.Action == journal.Insert {
		m.Download = "/log/text.ttl?id=" + url.QueryEscape(e.LogID)
		if admin {
			m.Withdraw = views.WithdrawPath(e.LogID)
		}
		if err := u.tellLog(r.Context(), v, &log, &m); err != nil {
			return err
		}
	}
	f := u.Frame(r, v, m.PageTitle(r.Context()))
	f.Styles = []string{"why.css"}
	return u.Show(w, r, http.StatusOK, LogPage(f, m))
}

// tellLog sets what a stored log says: its text, what it is about, and what happened.
func (u *handlers) tellLog(ctx context.Context, v *views.Visit, log *store.Log, m *Log) error {
	var rows [][]rdf.Term
	for _, q := range log.Quads[:min(len(log.Quads), logTriples)] {
		rows = append(rows, []rdf.Term{q.S, q.P, q.O})
	}
	var err error
	if m.Turtle, err = views.WriteTurtle(rows, u.Prefixes(nil)); err != nil {
		return err
	}
	m.Turtle, _ = views.CutText(m.Turtle, logLetters)
	m.More = int(log.Total) - len(rows)
	parties := u.LogParties(ctx)
	links := views.LinkLog(parties, log.Quads)
	m.Things, m.State = u.things(ctx, rows, parties), stateText(parties, log.Quads)
	m.From, m.To = links.Begin.UTC(), links.End.UTC()
	acts := links.Timed[:min(len(links.Timed), logTold)]
	persons, err := u.Persons(ctx)
	if err != nil {
		return err
	}
	if m.Acts, err = u.tellActs(ctx, newWhy(persons), acts, u.Prefixes(nil)); err != nil {
		return err
	}
	if sameDay(v.In(m.From), v.In(m.To)) { // which the heading has
		for i := range m.Acts {
			m.Acts[i].Time = m.Acts[i].At.Format(time.TimeOnly)
		}
	}
	m.ActsMore = len(links.Timed) - len(acts)
	m.Session, m.Graph, m.Query, m.Names = links.Session, links.Graph, links.Query, links.Names
	if len(log.Quads) < int(log.Total) {
		m.Read = len(log.Quads)
	}
	m.Robots = u.robotsOf(links.Names)
	return nil
}

// LogThing is what a log says of one thing.
type LogThing struct {
	Name  views.Cell
	Kind  string // in words, or ""
	Facts []GraphFact
}

// things returns what some triples say, by subject. Names, also those of parties, stand for IRIs. A predicate of PROV-O
// between two things is left out if others say more, as is the name in the heading.
func (u *handlers) things(ctx context.Context, rows [][]rdf.Term, parties views.Names) (out []LogThing) {
	labels, prefixes := u.Labels(ctx, rows), u.Prefixes(nil)
	cell := func(t rdf.Term) views.Cell {
		c := views.CellOf(t, prefixes)
		if at, ok := views.TimeOf(t); ok {
			c.Text = views.Clock(ctx, at)
		} else if t.IsIRI() {
			c.Text, _ = views.CutText(cmp.Or(parties[t.Value()], labels[t.Value()], views.Words(views.Short(t.Value()))), logName)
		}
		c.Note = ""
		if !t.IsIRI() {
			c.Full = "" // the download has all
		}
		return c
	}
	index, classes := map[rdf.Term]int{}, map[rdf.Term][]string{}
	prov, others := map[[2]rdf.Term]int{}, map[[2]rdf.Term]int{} // number of predicates between two things
	for _, row := range rows {
		if strings.HasPrefix(row[1].Value(), vocabulary.Prov) {
			prov[[2]rdf.Term{row[0], row[2]}]++
		} else {
			others[[2]rdf.Term{row[0], row[2]}]++
		}
	}
	implied := func(row []rdf.Term) bool {
		pair := [2]rdf.Term{row[0], row[2]}
		return row[2].IsIRI() && strings.HasPrefix(row[1].Value(), vocabulary.Prov) && prov[pair] == 1 && others[pair] > 0
	}
	for _, row := range rows {
		i, ok := index[row[0]]
		if !ok {
			i, out = len(out), append(out, LogThing{Name: cell(row[0])})
			index[row[0]] = i
		}
		switch p := row[1].Value(); {
		case p == rdf.RDFType:
			classes[row[0]] = append(classes[row[0]], row[2].Value())
			out[i].Kind = views.KindWord(vocabulary.Kind(classes[row[0]]))
		case !implied(row) && !(slices.Contains(views.Labelling, p) && row[2].Value() == labels[row[0].Value()]):
			out[i].Facts = append(out[i].Facts, GraphFact{Name: views.PlainWords(p), IRI: p, Value: cell(row[2])})
		}
	}
	return slices.DeleteFunc(out, func(t LogThing) bool { return len(t.Facts) == 0 })
}

// robotsOf returns the names of the robots among what a log names.
func (u *handlers) robotsOf(names []views.LogName) (out []string) {
	for _, n := range names {
		if u.IsRobot(n.IRI) {
			out = append(out, n.Name)
		}
	}
	return out
}

// getLogText returns everything that a log contributed, as a file.
func (u *handlers) getLogText(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	id := r.URL.Query().Get("id")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="log-%s%s"`, strings.Map(fileLetter, id), path.Ext(r.URL.Path)))
	return u.Front.SendLog(w, r, id, turtle.Turtle)
}

// fileLetter returns c if a UUID may have it, and otherwise -1, so that strings.Map drops
// it.
func fileLetter(c rune) rune {
	if c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
		return c
	}
	return -1
}
