// Package report reckons what /reports shows, by SPARQL alone. Its rules:
//
//   - Every query is a file of queries, named after what it asks, and can be run as it stands: where a report
//     has a range of time, lines that begin with #range become part of it, and #limit its LIMIT.
//   - A number that is shown leads to the query that yields it. A row's number has the table's query with
//     VALUES behind it.
//   - Names are those of package vocabulary; the prefixes come from there, and a test holds the names to it.
//   - What a section can't reckon is its error, never an empty table.
package report

import (
	"context"
	"embed"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

//go:embed queries/*.rq
var queries embed.FS

// Ask runs a SELECT and gives its rows; the zero term is what is unbound.
type Ask func(ctx context.Context, query string) ([][]rdf.Term, error)

// Report is one reckoning. Ask and Now must be there.
type Report struct {
	Ask      Ask
	From, To time.Time // what is shown is not before From and before To; the zero time is open
	Now      time.Time
	// Limit is how many rows a table has at most that grows with the graph.
	Limit int

	people map[string]person // by IRI, once they were asked for
	apart  map[string]string // what each of them is called, by IRI, and others whom some row names
	links  map[string]string // of queries by name, which many cells begin with
}

// section is one part of a report.
type section struct {
	name, title, about string
	reckon             func(*Report, context.Context, *views.ReportSection) error
}

var sections = []section{
	{"totals", "Totals", "What there is. Triples, robots and humans are those of the whole graph.", (*Report).totals},
	{"activity", "Activity", "Logged activities by robot, by kind and by time.", (*Report).activity},
	{"people", "Participants", "Who took part, and whom each interacted with.", (*Report).participants},
	{"conversations", "Conversations", "The newest messages. A pause of 2 minutes begins a new conversation; what several robots heard is one message.", (*Report).conversations},
	{"ml", "Machine learning", "Which models were used, by whom and when, what they were trained on and how well they did.", (*Report).learning},
	{"emotions", "Emotions", "What robots read in people and in themselves.", (*Report).emotions},
	{"states", "Robot states", "States over time, places and moves.", (*Report).states},
	{"resolver", "Shared events", "What several robots logged of one event, and what the resolver made of it.", (*Report).resolver},
}

// Names returns the names of all sections, in order.
func Names() []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.name)
	}
	return out
}

// CheapestFirst returns the names of all sections, those that take longest on a large
// graph last; the first of the page first, because everybody sees it.
func CheapestFirst() []string {
	return []string{"totals", "conversations", "states", "ml", "people", "emotions", "resolver", "activity"}
}

// Title returns a section without its content, and whether there is one of that name.
func Title(name string) (views.ReportSection, bool) {
	at := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
	if at < 0 {
		return views.ReportSection{}, false
	}
	return views.ReportSection{Name: name, Title: sections[at].title, About: sections[at].about}, true
}

// Section reckons one section, of a name that Names gives.
func (r *Report) Section(ctx context.Context, name string) (views.ReportSection, error) {
	out, ok := Title(name)
	if !ok {
		return out, fmt.Errorf("there is no section %q", name)
	}
	for _, s := range sections {
		if s.name == name {
			if err := s.reckon(r, ctx, &out); err != nil {
				return out, fmt.Errorf("reckon the section %s: %w", name, err)
			}
		}
	}
	return out, nil
}

// Query returns the text of a query in the report's range.
func (r *Report) Query(name string) string { return r.between(name, r.From, r.To) }

// between returns the text of a query in a range.
func (r *Report) between(name string, from, to time.Time) string {
	text, err := queries.ReadFile(path.Join("queries", name+".rq"))
	if err != nil {
		panic(err) // the file is part of the program
	}
	var body strings.Builder
	for line := range strings.Lines(string(text)) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		words := strings.Fields(line)
		switch {
		case len(words) > 0 && words[0] == "#limit":
			fmt.Fprintf(&body, "%sLIMIT %d\n", indent, r.Limit+1)
		case len(words) > 0 && words[0] == "#range":
			variable := words[len(words)-1]
			var bounds []string
			if !from.IsZero() {
				bounds = append(bounds, variable+" >= "+moment(from))
			}
			if !to.IsZero() {
				bounds = append(bounds, variable+" < "+moment(to))
			}
			if len(bounds) == 0 {
				continue
			}
			if len(words) > 2 {
				fmt.Fprintf(&body, "%s%s .\n", indent, strings.Join(words[1:], " "))
			}
			fmt.Fprintf(&body, "%sFILTER(%s)\n", indent, strings.Join(bounds, " && "))
		default:
			body.WriteString(line)
		}
	}
	return prefixed(body.String())
}

// moment writes a time for a query.
func moment(t time.Time) string {
	return `"` + t.UTC().Format("2006-01-02T15:04:05.999999Z07:00") + `"^^xsd:dateTime`
}

// prefixed declares the prefixes that a query uses.
func prefixed(query string) string {
	var head strings.Builder
	for _, p := range vocabulary.Prefixes() {
		for at := 0; ; {
			i := strings.Index(query[at:], p.Label+":")
			if i < 0 {
				break
			}
			at += i + len(p.Label)
			if before := at - len(p.Label) - 1; before < 0 || strings.ContainsRune(" ^/|(,{\n", rune(query[before])) {
				fmt.Fprintf(&head, "PREFIX %s: <%s>\n", p.Label, p.Namespace)
				break
			}
		}
		if strings.Contains(query, "^^"+p.Label+":") && !strings.Contains(head.String(), "PREFIX "+p.Label+":") {
			fmt.Fprintf(&head, "PREFIX %s: <%s>\n", p.Label, p.Namespace)
		}
	}
	return head.String() + query
}

// link returns the address of the page of a query.
func link(query string) string { return "/query?query=" + url.QueryEscape(query) }

// href returns the address of a query of that name.
func (r *Report) href(name string) string {
	to, ok := r.links[name]
	if !ok {
		if r.links == nil {
			r.links = map[string]string{}
		}
		to = link(r.Query(name))
		r.links[name] = to
	}
	return to
}

// row returns the address of the query of that name for those of its rows alone that have
// these values, of which none may be unbound or a blank node; else it is that of the
// whole query.
func (r *Report) row(name string, bound ...binding) string {
	variables, values := "", ""
	for _, b := range bound {
		if b.value.IsZero() || b.value.IsBlank() {
			return r.href(name)
		}
		variables += " ?" + b.variable
		values += " " + b.value.String()
	}
	return r.href(name) + url.QueryEscape("VALUES ("+variables+" ) { ("+values+" ) }\n")
}

// binding is a variable and its value.
type binding struct {
	variable string
	value    rdf.Term
}

// rows asks the query of that name.
func (r *Report) rows(ctx context.Context, name string) ([][]rdf.Term, error) {
	rows, err := r.Ask(ctx, r.Query(name))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", name, err)
	}
	return rows, nil
}

// limited asks the query of that name, which has a #limit, and tells whether there is
// more than it gives.
func (r *Report) limited(ctx context.Context, name string) ([][]rdf.Term, bool, error) {
	rows, err := r.rows(ctx, name)
	if len(rows) > r.Limit {
		return rows[:r.Limit], true, err
	}
	return rows, false, err
}

// table begins a table that is made of the query of that name.
func (r *Report) table(name, title, nothing string, columns ...string) views.ReportTable {
	t := views.ReportTable{Name: name, Title: title, Query: r.href(name), Nothing: nothing}
	if r.Query(name) != r.between(name, time.Time{}, time.Time{}) {
		t.Nothing = strings.TrimSuffix(nothing, ".") + " in this range."
	}
	for _, c := range columns {
		text, num := strings.CutSuffix(c, "#")
		t.Columns = append(t.Columns, views.ReportColumn{Name: text, Num: num})
	}
	return t
}

// count is a cell of a number, which leads to its query.
func count(term rdf.Term, href string) views.ReportCell {
	n := whole(term)
	return views.ReportCell{Text: views.Count(n), Value: strconv.Itoa(n), Href: href}
}

// whole reads a count.
func whole(term rdf.Term) int {
	n, err := strconv.Atoi(term.Value())
	if err != nil {
		return 0
	}
	return n
}

// when is a cell of a time.
func when(term rdf.Term) views.ReportCell {
	t, ok := moments(term)
	if !ok {
		return plain(term.Value())
	}
	return views.ReportCell{Text: t.UTC().Format("2006-01-02 15:04:05"), Value: term.Value(), Title: term.Value(), Unbroken: true}
}

// moments reads a time; one without a zone is taken for UTC.
func moments(term rdf.Term) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, term.Value()); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// plain is a cell of a text.
func plain(text string) views.ReportCell { return views.ReportCell{Text: text, Value: text} }

// named is a cell of an IRI by the last part of its name.
func named(term rdf.Term) views.ReportCell {
	return views.ReportCell{Text: local(term), Value: term.Value(), Title: term.Value(), Href: about(term)}
}

// used is a cell of what others may be said to have, and of which itself nothing may be
// said: a class, a category or a place. It leads to those, and to what there is of it.
func used(term rdf.Term) views.ReportCell {
	c := named(term)
	if c.Href != "" {
		c.Href = link(fmt.Sprintf("CONSTRUCT { ?who ?has %[1]s . %[1]s ?is ?what }\n{ { ?who ?has %[1]s } UNION { %[1]s ?is ?what } }\nLIMIT 1000\n", term))
	}
	return c
}

// about returns the address of what the graph says of an IRI.
func about(term rdf.Term) string {
	if !term.IsIRI() || !rdf.IsIRI(term.Value()) {
		return ""
	}
	return link("DESCRIBE <" + term.Value() + ">")
}

// local returns the last part of an IRI, or the whole of any other term.
func local(term rdf.Term) string {
	text := term.Value()
	if !term.IsIRI() {
		return text
	}
	trimmed := strings.TrimRight(text, "/#")
	if at := strings.LastIndexAny(trimmed, "/#"); at >= 0 && at+1 < len(trimmed) {
		return trimmed[at+1:]
	}
	return text
}

// shares draws how large each number of a column is beside the largest.
func shares(rows [][]views.ReportCell, column int) {
	most := 1
	value := func(c views.ReportCell) int { return whole(rdf.NewString(c.Value)) }
	for _, row := range rows {
		most = max(most, value(row[column]))
	}
	for _, row := range rows {
		row[column].Share = max(1, 100*value(row[column])/most)
	}
}
