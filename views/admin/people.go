package admin

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// countTime is how long the list of people waits for each column that it counts.
const countTime = 500 * time.Millisecond

// personRow is a person in the list. The numbers are "–" if they took too long to count.
type personRow struct {
	IRI, Name          string
	Messages, Emotions string
	Last               time.Time // of the newest message; zero if unknown
	Held               bool
}

// list sets the rows of m: the people whose name or IRI has m.Named in it, by name, from row m.From on.
func (u *handlers) list(ctx context.Context, m *PersonData) {
	var all []personRow
	for iri, name := range m.Names {
		if u.IsRobot(iri) {
			continue
		}
		m.Offered = append(m.Offered, name)
		if text := strings.ToLower(m.Named); strings.Contains(strings.ToLower(name), text) || strings.Contains(strings.ToLower(iri), text) {
			all = append(all, personRow{IRI: iri, Name: name, Messages: "–", Emotions: "–"})
		}
	}
	slices.Sort(m.Offered)
	m.Offered = m.Offered[:min(len(m.Offered), maxOffered)]
	slices.SortFunc(all, func(a, b personRow) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.IRI, b.IRI)) })
	m.Total, m.From = len(all), min(m.From, len(all))
	m.Rows = all[m.From:min(len(all), m.From+personRows)]
	for i, row := range m.Rows {
		m.Rows[i].Held = slices.ContainsFunc(m.Holds, func(h holds.Hold) bool { return slices.Contains(h.People, row.IRI) })
	}
	u.counted(ctx, m.Rows, `(COUNT(DISTINCT ?m) AS ?n) (MAX(?t) AS ?last)`, `?m <`+vocabulary.SchemaSender+`> ?me OPTIONAL { ?m <`+vocabulary.ProvWasGeneratedBy+`>/<`+vocabulary.ProvStartedAtTime+`> ?t }`,
		func(p *personRow, row []rdf.Term) {
			p.Messages = row[1].Value()
			p.Last, _ = views.TimeOf(row[2])
		})
	u.counted(ctx, m.Rows, `(COUNT(DISTINCT ?e) AS ?n)`, `?x <`+vocabulary.OAHasTarget+`> ?me ; <`+vocabulary.OnyxHasEmotion+`> ?e`,
		func(p *personRow, row []rdf.Term) { p.Emotions = row[1].Value() })
}

// counted counts what a pattern says of each row's person, ?me, and calls set for each: with 0, and again with the row of
// the answer, if the person has one. If the query takes too long or fails, it calls set for nobody.
func (u *handlers) counted(ctx context.Context, rows []personRow, what, pattern string, set func(*personRow, []rdf.Term)) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	values, nothing := "", rdf.NewString("0")
	for _, p := range rows {
		values += " <" + p.IRI + ">"
	}
	found, err := u.Ask(ctx, "SELECT ?me "+what+" { VALUES ?me {"+values+" } "+pattern+" } GROUP BY ?me")
	if err != nil {
		return
	}
	for i := range rows {
		set(&rows[i], []rdf.Term{{}, nothing, {}})
		for _, row := range found {
			if row[0].Value() == rows[i].IRI {
				set(&rows[i], row)
			}
		}
	}
}

// nouned returns the noun of a count that is shown.
func nouned(count, noun string) string {
	n, err := strconv.Atoi(count)
	if err != nil {
		n = 2
	}
	return views.Noun(n, noun)
}

// people links the pages of the list.
func (m *PersonData) people() views.Pager {
	at := func(from int) string {
		return "/personal-data?" + url.Values{"iri": {m.Named}, "from": {strconv.Itoa(from)}}.Encode()
	}
	p := views.Pager{First: m.From + 1, Last: m.From + len(m.Rows), Total: m.Total}
	if m.From > 0 {
		p.Before = at(max(0, m.From-personRows))
	}
	if p.Last < p.Total {
		p.After = at(p.Last)
	}
	return p
}
