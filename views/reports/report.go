package reports

import (
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

//go:embed queries/*.rq
var queries embed.FS

// Ask runs a SELECT and returns its rows. An unbound variable is the zero term.
type Ask func(ctx context.Context, query string) ([][]rdf.Term, error)

// Report computes the content of /reports with SPARQL queries alone. Its rules:
//
//   - Every query is a file in queries, named after what it computes, and runs unchanged.
//     If a report has a time range, lines that begin with #range become part of the
//     query, #limit its LIMIT, and #event what finds the event that another was merged
//     into. If classes of other vocabularies count as activities,
//     the patterns of activities match them too. For that, each must be a triple pattern
//     of its own, as in "?activity prov:startedAtTime ?start".
//   - Every number links to the query of the rows that it counts, with VALUES added for a
//     row's number. A link names the query and the values; the service writes the query
//     when a reader follows it. A time links to the session at that time.
//   - Names are those of package vocabulary. The prefixes come from there, and a test checks the names.
//   - If a section fails, it returns an error, never an empty table.
//
// Ask and Now are required.
type Report struct {
	Ask      Ask
	From, To time.Time // time range, from From up to but not including To; the zero time is open
	Now      time.Time
	// Zone is the reader's time zone; nil is UTC. Texts and intervals follow it, addresses are in UTC.
	Zone *time.Location
	Ages views.Ages // of names that are equal; may be nil
	// Persons are the people with several names. Each is one person in all sections.
	Persons views.Persons
	// Limit is the largest number of rows of a table that grows with the graph.
	Limit int
	// Gap is the silence that ends a session. If it is 0, the data suggests one.
	Gap time.Duration
	// Who, if set, limits the participants to one, and shows everyone whom that one met.
	Who rdf.Term
	// Only, if set, is the section that the page shows alone. Links to other ranges keep it.
	Only string
	// Cache keeps results for the store's Version. Without one of them nothing is kept.
	Cache   *Cache
	Version string
	// Classes are the classes of other vocabularies that count as activities. With MayCount the
	// reader may choose them.
	Classes  []Counted
	MayCount bool
	// Lessened, unless nil, reports which of some triples are of a log that lost others as somebody was erased.
	Lessened func(ctx context.Context, triples []rdf.Triple, since time.Time) (are []bool, lost bool, err error)

	people        map[string]person // by IRI; nil until queried
	distinctNames map[string]string // distinct names of people, and of others in rows, by IRI
	labels        map[string]string // names of others that have no type, by IRI
}

// section is a section of a report.
type section struct {
	name, title, about string
	reckon             func(*Report, context.Context, *ReportSection) error
}

var sections = []section{
	{"sessions", "Sessions", "Who was active together, and when. A session opens as a replay.", (*Report).sessions},
	{"activity", "Activity", "Logged activities by robot, by kind and by time.", (*Report).activity},
	{"people", "People", "Who took part, and whom each met.", (*Report).participants},
	{"conversations", "Conversations", "The newest messages. A conversation ends after 2 minutes without a message among its members.", (*Report).conversations},
	{"ml", "Models", "Who used them, when, and how well they scored.", (*Report).learning},
	{"emotions", "Emotions", "Emotions that robots detected or expressed.", (*Report).emotions},
	{"states", "States", "What robots were doing, where, and their moves.", (*Report).states},
	{"resolver", "Shared events", "Events that several robots logged, and how they were resolved.", (*Report).resolver},
	{"classes", "Left out", "What reports can’t place: activities and times, misspelt terms, and classes that they do not know.", (*Report).leftOut},
}

// Names returns the names of all sections, in order.
func Names() []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.name)
	}
	return out
}

// Title returns a section without its content, and reports whether it exists.
func Title(name string) (s ReportSection, ok bool) {
	for _, s := range slices.Concat(sections, cards) {
		if s.name == name {
			return ReportSection{Name: name, Title: s.title, About: s.about}, true
		}
	}
	return ReportSection{}, false
}

// Section computes the section with the given name, one of Names.
func (r *Report) Section(ctx context.Context, name string) (ReportSection, error) {
	out, ok := Title(name)
	if !ok {
		return out, fmt.Errorf("there is no section %q", name)
	}
	for _, s := range slices.Concat(sections, cards) {
		if s.name == name {
			if err := s.reckon(r, ctx, &out); err != nil {
				return out, fmt.Errorf("compute the section %s: %w", name, err)
			}
			if c := out.Card; c != nil && c.Nothing != "" && !c.AllTime && r.ranged() {
				c.Nothing += inRange
			}
		}
	}
	return out, nil
}

// Query returns the text of a query for the report's range.
func (r *Report) Query(name string) string { return r.between(name, r.From, r.To) }

func queryFile(name string) string { return path.Join("queries", name+".rq") }

// mergedEvent binds ?event to the event that ?named was merged into last, or to ?named.
const mergedEvent = "%[1]sOPTIONAL { ?named sc:mergedInto+ ?into FILTER NOT EXISTS { ?into sc:mergedInto ?further } }\n%[1]sBIND(COALESCE(?into, ?named) AS ?event)\n"

// between returns the text of a query for a range. Lines of the query's file that begin with #limit, #range or #event
// stand for what depends on the report. A line #range ends with the variable of the time. It may have triple patterns
// that bind the variable, which the query has only with a range. Where a query subtracts ?east, the zone of a logged
// time, it adds the reader's zone: see ahead.
func (r *Report) between(name string, from, to time.Time) string {
	text, err := queries.ReadFile(queryFile(name))
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
		case len(words) > 0 && words[0] == "#event":
			fmt.Fprintf(&body, mergedEvent, indent)
		case len(words) > 0 && words[0] == "#range":
			bounds := views.During(words[len(words)-1], from, to)
			if bounds == "" {
				continue
			}
			if len(words) > 2 {
				fmt.Fprintf(&body, "%s%s .\n", indent, strings.Join(words[1:], " "))
			}
			fmt.Fprintf(&body, "%s%s\n", indent, bounds)
		default:
			body.WriteString(strings.ReplaceAll(line, "- ?east", "- ?east"+r.ahead(from, to)))
		}
	}
	return prefixed(r.counting(r.asOne(name, body.String())))
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
	}
	return head.String() + query
}

// link returns the address of the page of a query.
func link(query string) string { return "/query?query=" + escaped(query) }

// rows runs the query with a name.
func (r *Report) rows(ctx context.Context, name string) ([][]rdf.Term, error) {
	rows, err := r.Ask(ctx, r.Query(name))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", name, err)
	}
	r.Persons.Replace(rows)
	return rows, nil
}

// limited runs the query with a name, which has a #limit, and reports whether there are
// more rows.
func (r *Report) limited(ctx context.Context, name string) (rows [][]rdf.Term, more bool, err error) {
	rows, err = r.rows(ctx, name)
	if len(rows) > r.Limit {
		return rows[:r.Limit], true, err
	}
	return rows, false, err
}

// inRange ends a sentence that says what was not found.
const inRange = " in this range"

// ranged reports whether the report has a time range.
func (r *Report) ranged() bool { return !r.From.IsZero() || !r.To.IsZero() }

// limits reports whether the report's range limits what the query with a name finds.
func (r *Report) limits(name string) bool {
	return r.Query(name) != r.between(name, time.Time{}, time.Time{})
}

// table returns an empty table for the query with a name.
func (r *Report) table(name, title, nothing string, columns ...string) ReportTable {
	t := ReportTable{Name: name, Title: title, Query: r.href(name), Nothing: nothing}
	if r.limits(name) {
		t.Nothing = strings.TrimSuffix(nothing, ".") + inRange + "."
	}
	for _, c := range columns {
		text, num := strings.CutSuffix(c, "#")
		t.Columns = append(t.Columns, ReportColumn{Name: text, Num: num})
	}
	return t
}

// count returns the cell of a number, linked to its query.
func count(term rdf.Term, href string) ReportCell {
	n := parseCount(term)
	return ReportCell{Text: views.Count(n), Value: strconv.Itoa(n), Href: href}
}

func parseCount(term rdf.Term) int {
	n, err := strconv.Atoi(term.Value())
	if err != nil {
		return 0
	}
	return n
}

// in returns a time in the reader's zone.
func (r *Report) in(t time.Time) time.Time {
	if r.Zone == nil {
		return t.UTC()
	}
	return t.In(r.Zone)
}

func (r *Report) when(term rdf.Term) ReportCell {
	t, ok := views.TimeOf(term)
	if !ok {
		return plain(term.Value())
	}
	return ReportCell{Text: r.in(t).Format(views.TimeForm), Value: term.Value(), Title: term.Value(), Unbroken: true, Href: replay(t)}
}

// replay returns the address of the session at a time.
func replay(at time.Time) string {
	return "/replay?at=" + at.UTC().Format(time.RFC3339Nano)
}

func plain(text string) ReportCell { return ReportCell{Text: text, Value: text} }

// named returns the cell of an IRI, with its local name.
func named(term rdf.Term) ReportCell {
	return ReportCell{Text: local(term), Value: term.Value(), Title: term.Value(), Href: about(term)}
}

// used returns the cell of a class, category or place, which may have no triples of its
// own. It links to the nodes that use it and to its own triples.
func used(term rdf.Term) ReportCell {
	c := named(term)
	if c.Href != "" {
		c.Href = (&Report{}).row(usedQuery, binding{"what", term})
	}
	return c
}

// about returns the address of the page about an IRI.
func about(term rdf.Term) string {
	if !term.IsIRI() || !rdf.IsIRI(term.Value()) {
		return ""
	}
	return link("DESCRIBE <" + term.Value() + ">")
}

// why returns the address of the explanation of an activity or of what it made.
func why(term rdf.Term) string {
	if !term.IsIRI() || !rdf.IsIRI(term.Value()) {
		return ""
	}
	return "/why?iri=" + escaped(term.Value())
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

// shares sets the bars of a column, relative to its largest number.
func shares(rows [][]ReportCell, column int) {
	most := 1
	value := func(c ReportCell) int { return parseCount(rdf.NewString(c.Value)) }
	for _, row := range rows {
		most = max(most, value(row[column]))
	}
	for _, row := range rows {
		row[column].Share = max(1, 100*value(row[column])/most)
	}
}
