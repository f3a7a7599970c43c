package reports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// person is a robot or a human.
type person struct {
	term  rdf.Term
	name  string
	robot bool
}

func (p person) kind() string {
	if p.robot {
		return "Robot"
	}
	return "Person"
}

// names returns all robots and humans by IRI, with distinct names. r.name and r.who need them.
func (r *Report) names(ctx context.Context) (map[string]person, error) {
	if r.people != nil {
		return r.people, nil
	}
	rows, err := r.rows(ctx, "participants")
	if err != nil {
		return nil, err
	}
	people := map[string]person{}
	for _, row := range rows {
		who, class, label := row[0], row[1], row[2]
		key := who.String()
		p := people[key]
		p.term = who
		p.robot = p.robot || class.Value() == vocabulary.OroRobot
		if p.name == "" {
			p.name = label.Value()
		}
		people[key] = p
	}
	labels := map[string]string{}
	for _, p := range people {
		if p.term.IsIRI() {
			labels[p.term.Value()] = p.name
		}
	}
	r.distinctNames = views.TellApart(labels, r.Ages)
	for key, p := range people {
		if p.term.IsIRI() {
			p.name = r.distinctNames[p.term.Value()]
			people[key] = p
		}
	}
	r.people = people
	return people, nil
}

// who returns the cell of a robot or human.
func (r *Report) who(term rdf.Term) ReportCell {
	if term.IsZero() {
		return ReportCell{}
	}
	return ReportCell{Text: r.name(term), Value: term.Value(), Title: term.Value(), Href: why(term)}
}

// name returns a distinct name for a robot or human. Call names first. A participant
// without a type is not among the names and gets a distinct one here.
func (r *Report) name(term rdf.Term) string {
	if !term.IsIRI() {
		return cmp.Or(r.people[term.String()].name, term.Value())
	}
	if name, ok := r.distinctNames[term.Value()]; ok {
		return name
	}
	own := cmp.Or(r.labels[term.Value()], views.Short(term.Value()))
	labels := map[string]string{term.Value(): own}
	for iri, name := range r.distinctNames {
		if name == own || strings.HasPrefix(name, own+" (") {
			labels[iri] = own
		}
	}
	youngest := func(iris []string) []uint64 { // term has the age 0 of what was never stored, so the others keep their names
		ages := make([]uint64, len(iris))
		for i, iri := range iris {
			if iri != term.Value() {
				ages[i] = 1
			}
		}
		return ages
	}
	r.distinctNames[term.Value()] = views.TellApart(labels, youngest)[term.Value()]
	return r.distinctNames[term.Value()]
}

// label reads the labels of robots and humans that have no type, so that name can use
// them. It reads the labels of the first maxValues only.
func (r *Report) label(ctx context.Context, all ...rdf.Term) error {
	var iris []string
	for _, term := range all {
		_, known := r.distinctNames[term.Value()]
		if _, read := r.labels[term.Value()]; read {
			continue
		}
		if term.IsIRI() && rdf.IsIRI(term.Value()) && !known && !slices.Contains(iris, term.Value()) && len(iris) < maxValues {
			iris = append(iris, term.Value())
		}
	}
	if len(iris) == 0 {
		return nil
	}
	query, err := r.RowsQuery("names", url.Values{"who": iris})
	if err != nil {
		return err
	}
	rows, err := r.Ask(ctx, query)
	if err != nil {
		return fmt.Errorf("ask names: %w", err)
	}
	if r.labels == nil {
		r.labels = map[string]string{}
	}
	r.Persons.Replace(rows)
	for _, iri := range iris { // also those without a name, so that they are not read again
		r.labels[iri] = ""
	}
	for _, row := range rows {
		if iri := row[0].Value(); r.labels[iri] == "" {
			r.labels[iri] = row[1].Value()
		}
	}
	return nil
}

// column returns the distinct terms of a column of rows.
func column(rows [][]rdf.Term, i int) (out []rdf.Term) {
	seen := map[rdf.Term]bool{}
	for _, row := range rows {
		if t := row[i]; !t.IsZero() && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// participants shows who took part, and who met whom.
func (r *Report) participants(ctx context.Context, out *ReportSection) error {
	people, err := r.names(ctx)
	if err != nil {
		return err
	}
	counts, err := r.messageCounts(ctx)
	if err != nil {
		return err
	}
	ordered, err := r.pairs(ctx)
	if err != nil {
		return err
	}
	all := slices.Collect(maps.Values(people))
	if !r.Who.IsZero() {
		all = slices.DeleteFunc(all, func(p person) bool { return p.term != r.Who })
		ordered = slices.DeleteFunc(ordered, func(p *pair) bool { return p.from != r.Who && p.to != r.Who })
	}
	t := r.peopleTable(all, counts, ordered)
	out.Tables = append(out.Tables, r.metTable(ordered), t)
	if !r.Who.IsZero() {
		out.Title, out.Leads = "Whom "+quoted.Name(r.name(r.Who))+" met", r.leads(ordered)
		out.Tables[1].Folded = true // the leads say it
	}
	return nil
}

// messageCounts returns how many messages each participant sent and heard, by name of the query and
// participant.
func (r *Report) messageCounts(ctx context.Context) (map[string]map[string]rdf.Term, error) {
	counts := map[string]map[string]rdf.Term{}
	for _, name := range []string{"sent", "heard"} {
		rows, err := r.rows(ctx, name)
		if err != nil {
			return nil, err
		}
		counts[name] = map[string]rdf.Term{}
		for _, row := range rows {
			counts[name][row[0].String()] = row[1]
		}
	}
	return counts, nil
}

// pairs returns who met whom, the most often first.
func (r *Report) pairs(ctx context.Context) ([]*pair, error) {
	pairs := map[[2]string]*pair{}
	for _, name := range []string{"said", "overheard", "noticed"} {
		rows, err := r.rows(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			who, whom, times := row[0], row[1], row[2]
			if who == whom { // by two names
				continue
			}
			key := [2]string{who.String(), whom.String()}
			p := pairs[key]
			if p == nil {
				p = &pair{from: who, to: whom}
				pairs[key] = p
			}
			switch n := parseCount(times); name {
			case "said":
				p.said = n
			case "overheard":
				p.heard = n
			default:
				p.noticed = n
			}
		}
	}
	ordered := make([]*pair, 0, len(pairs))
	for _, p := range pairs {
		ordered = append(ordered, p)
	}
	slices.SortFunc(ordered, func(a, b *pair) int {
		if n := b.said + b.heard + b.noticed - a.said - a.heard - a.noticed; n != 0 {
			return n
		}
		return strings.Compare(a.from.String()+" "+a.to.String(), b.from.String()+" "+b.to.String())
	})
	return ordered, nil
}

// peopleTable lists participants, robots first.
func (r *Report) peopleTable(all []person, counts map[string]map[string]rdf.Term, ordered []*pair) ReportTable {
	t := r.table("participants", "Robots and people", "Nobody has a type: oro:Robot for robots, oro:Human or a person class for people.",
		"Who", "What", "Messages said#", "Messages heard#", "Talked with", "Only heard", "Only noticed")
	slices.SortFunc(all, func(a, b person) int {
		if a.robot != b.robot {
			return map[bool]int{true: -1, false: 1}[a.robot]
		}
		return strings.Compare(a.name+a.term.String(), b.name+b.term.String())
	})
	for _, p := range all[:min(len(all), r.Limit)] {
		key := p.term.String()
		talked, heard, noticed := r.met(p.term, ordered)
		messages := count(counts["heard"][key], r.counted("heard", binding{"who", p.term}))
		t.Rows = append(t.Rows, []ReportCell{
			r.who(p.term), plain(p.kind()),
			count(counts["sent"][key], r.counted("sent", binding{"who", p.term})),
			r.byRobot(p.term, messages),
			r.meeting(p.term, talked), r.meeting(p.term, heard), r.meeting(p.term, noticed),
		})
	}
	t.More = len(all) > r.Limit
	return t
}

// byRobot leaves out the text of a cell that counts what only robots do, if it is 0 and about
// a human.
func (r *Report) byRobot(who rdf.Term, c ReportCell) ReportCell {
	if p, known := r.people[who.String()]; known && !p.robot && c.Value == "0" {
		c.Text, c.Href = "", ""
	}
	return c
}
