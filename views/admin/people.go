package admin

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// countTime is how long the list of people waits for each column that it counts.
const countTime = 500 * time.Millisecond

// personRow is a person in the list. The numbers are "–" if they took too long to count.
type personRow struct {
	IRI, Name           string
	Sentences, Emotions string
	Last                time.Time // of the newest sentence; zero if unknown
	Held                bool
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
			all = append(all, personRow{IRI: iri, Name: name, Sentences: "–", Emotions: "–"})
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
	u.counted(ctx, m, "said", "?m", `?m <`+vocabulary.SchemaSender+`> ?me ; <`+vocabulary.SchemaText+`> ?text OPTIONAL { ?m <`+vocabulary.ProvWasGeneratedBy+`> ?a . ?a <`+vocabulary.ProvStartedAtTime+`> ?t `+by+` }`,
		func(p *personRow) *string { return &p.Sentences })
	u.counted(ctx, m, "emotions", "?e", `?m <`+vocabulary.OAHasTarget+`> ?me ; <`+vocabulary.OnyxHasEmotion+`> ?e . ?e <`+vocabulary.OnyxHasEmotionCategory+`> ?c
		BIND(REPLACE(STR(?c), "^.*[#/:](`+vocabulary.EmotionSet+`)?", "") AS ?text) OPTIONAL { ?a <`+vocabulary.SegbProducedEntityResult+`> ?m ; <`+vocabulary.ProvStartedAtTime+`> ?t `+by+` }`, func(p *personRow) *string { return &p.Emotions })
}

// by binds who performed ?a.
const by = `OPTIONAL { ?a <` + vocabulary.SegbWasPerformedBy + `> ?by }`

// counted counts what a pattern says of each row's person, ?me: facts with a text, ?text, and maybe a time and who
// reported them, ?t and ?by. It sets the number to that of the person's own page: each event once or, of more than
// maxTale facts, the facts. If a query takes too long or fails, it leaves the numbers.
func (u *handlers) counted(ctx context.Context, m *PersonData, show, fact, pattern string, number func(*personRow) *string) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	ask := func(what, pattern string, rows []personRow, rest string) (map[string][][]rdf.Term, error) {
		values, out := "", map[string][][]rdf.Term{}
		for _, p := range rows {
			values += " <" + p.IRI + ">"
		}
		found, err := u.Ask(ctx, "SELECT ?me "+what+" { VALUES ?me {"+values+" } "+pattern+" } "+rest)
		for _, row := range found {
			out[row[0].Value()] = append(out[row[0].Value()], row)
		}
		return out, err
	}
	counts, err := ask("(COUNT(DISTINCT "+fact+") AS ?n) (MAX(?t) AS ?last)", pattern, m.Rows, "GROUP BY ?me")
	if err != nil {
		return
	}
	var few []personRow // with several facts, but not too many, whose events can be counted
	for i := range m.Rows {
		p, n := &m.Rows[i], "0"
		for _, row := range counts[p.IRI] {
			n = row[1].Value()
			if at, ok := views.TimeOf(row[2]); ok && show == "said" {
				p.Last = at
			}
		}
		if k, _ := strconv.Atoi(n); k > 1 && k <= maxTale {
			n, few = "–", append(few, *p)
		}
		*number(p) = n
	}
	facts, err := ask(fact+" ?t ?by ?text", pattern, few, "ORDER BY ?t "+fact)
	if err != nil {
		return
	}
	for i := range m.Rows {
		var all []service.PersonFact
		for _, row := range facts[m.Rows[i].IRI] {
			all = append(all, service.PersonFact{IRI: row[1].Value(), Time: row[2].Value(), By: row[3].Value(), Text: row[4].Value()})
		}
		if len(all) > 0 {
			*number(&m.Rows[i]) = strconv.Itoa(len(m.events(show, all)))
		}
	}
}

// people links the pages of the list.
func (m *PersonData) people() views.Pager {
	at := func(from int) string {
		return "/personal-data?" + url.Values{"iri": {m.Named}, "from": {strconv.Itoa(from)}}.Encode()
	}
	return views.PagerAt(m.From, len(m.Rows), m.Total, personRows, at)
}
