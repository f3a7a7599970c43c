package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/turtle"
)

// oddTerms returns a document of literals that stores tend to change: not canonical,
// beyond 64 bits or 15 digits, malformed, with custom datatypes, or with characters that
// need escapes.
func oddTerms() string {
	var b strings.Builder
	n := 0
	literal := func(text, suffix string) {
		n++
		fmt.Fprintf(&b, "<http://example.org/odd> <http://example.org/p%d> \"%s\"%s .\n", n, text, suffix)
	}
	for datatype, texts := range map[string][]string{
		"integer":           {"01", "-0", "+5", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890", "abc", ""},
		"int":               {"010", "7", "99999999999"},
		"unsignedLong":      {"18446744073709551615"},
		"byte":              {"300", "5"},
		"decimal":           {"1.50", "-0.0", ".5", "1.", "0.1234567890123456789", "123456789012345678.9", "1,5"},
		"double":            {"1.0E6", "1e-7", "0.1", "123456789.123456789", "1.7976931348623157e308", "INF", "-INF", "NaN", "5", "-0.0e0", "x"},
		"float":             {"0.1", "16777217", "3.14159274", "INF"},
		"boolean":           {"true", "false", "1", "0", "TRUE"},
		"dateTime":          {"2026-01-01T00:00:00", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00.1230", "2026-01-01T00:00:00.123456789Z", "2026-01-01T24:00:00", "-0044-03-15T12:00:00", "12026-01-01T00:00:00", "2026-13-01T00:00:00"},
		"date":              {"2026-01-01", "2026-01-01Z", "2026-02-30"},
		"time":              {"12:00:00", "12:00:00.10Z"},
		"duration":          {"P1D", "P1Y2M3DT4H5M6.7S", "P"},
		"dayTimeDuration":   {"PT1H"},
		"yearMonthDuration": {"P1Y"},
		"gYear":             {"2026"},
		"anyURI":            {"http://x/ y"},
		"hexBinary":         {"0fB7"},
		"base64Binary":      {"AQID"},
		"normalizedString":  {"  a "},
		"string":            {"a"},
	} {
		for _, text := range texts {
			literal(text, "^^<http://www.w3.org/2001/XMLSchema#"+datatype+">")
		}
	}
	for _, datatype := range []string{"http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral", "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML",
		"http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON", "http://www.opengis.net/ont/geosparql#wktLiteral", "http://example.org/own"} {
		literal("POINT(1 2)", "^^<"+datatype+">")
	}
	literal(`a \"quote\" and a \\ and\na line\r\nand a tab\t`, "")
	literal(`\u0000\u0001\u001f\u007f\u0085\u2028\uFEFF\U0001F916`, "")
	literal("<script>alert('x')</script> ]]> %s {{x}}", "")
	literal("", "")
	literal("héllo", "@en-GB")
	literal("hallo", "@EN-gb")
	literal("", "@de")
	literal(strings.Repeat("long ", 50_000), "")
	b.WriteString("<http://example.org/odd> <http://example.org/iri> <http://example.org/ü?q=%C3%BC&a=b#c>, <urn:x>, <mailto:a@b> .\n")
	return b.String()
}

// Terms are returned exactly as robots send them, and recognized when they are sent
// again.
func TestOddTermsRoundTrip(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	text := oddTerms()
	want := parse(t, []byte(text), turtle.Turtle)
	for i, added := range []int{len(want), 0} {
		a := s.publish(text, "ari")
		if a.status != http.StatusCreated || a.number(t, "added") != added {
			t.Fatalf("sent for the %d. time: %d, want %d added\n%s", i+1, a.status, added, a.body)
		}
	}
	for accept, format := range map[string]turtle.Format{"text/turtle": turtle.Turtle, "application/n-triples": turtle.NTriples} {
		got := parse(t, request(t, "GET", s.api+"/events", nil, "Accept", accept).body, format)
		sameGraph(t, got, want)
		if g, w := literals(got), literals(want); !slices.Equal(g, w) {
			t.Errorf("%s: the literals differ: %d came back, %d were sent", accept, len(g), len(w))
		}
	}
	if n := s.count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"); n < len(want)-5 { // a store that stores 1 for 01 may merge the two
		t.Errorf("queries see %d triples of %d", n, len(want))
	}
	// Literals that a store might have normalized are found as they were sent.
	for _, pattern := range []string{`"123456789012345678901234567890"^^xsd:integer`, `"P1D"^^xsd:duration`, `"abc"^^xsd:integer`, `"-0044-03-15T12:00:00"^^xsd:dateTime`} {
		if !s.ask("ASK { ?s ?p " + pattern + " }") {
			t.Errorf("no query finds %s", pattern)
		}
	}
	rows := s.rows(`SELECT ?o { ?s ?p ?o FILTER(ISLITERAL(?o) && DATATYPE(?o) = xsd:duration) } ORDER BY ?o`)
	if len(rows) != 3 {
		t.Errorf("durations: %q", rows)
	}
}

const prologue = "PREFIX ex: <http://example.org/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"

// query runs a query and returns the answer in the given format.
func (s *service) query(text, format string) answer {
	s.t.Helper()
	a := request(s.t, "GET", s.api+"/query?"+url.Values{"query": {prologue + text}, "format": {format}}.Encode(), nil)
	if a.status != http.StatusOK {
		s.t.Fatalf("%s\n%d %s", text, a.status, a.body)
	}
	return a
}

// rows returns the rows of a SELECT with terms as in CSV, without the header.
func (s *service) rows(text string) []string {
	s.t.Helper()
	records, err := csv.NewReader(bytes.NewReader(s.query(text, "csv").body)).ReadAll()
	if err != nil || len(records) == 0 {
		s.t.Fatalf("%s: %v", text, err)
	}
	out := make([]string, len(records)-1)
	for i, r := range records[1:] {
		out[i] = strings.Join(r, " ")
	}
	return out
}

// count returns the single number that a SELECT answers.
func (s *service) count(text string) int {
	s.t.Helper()
	var n int
	if rows := s.rows(text); len(rows) != 1 {
		s.t.Fatalf("%s: %q", text, rows)
	} else if _, err := fmt.Sscan(rows[0], &n); err != nil {
		s.t.Fatalf("%s: %q", text, rows)
	}
	return n
}

func (s *service) ask(text string) bool {
	s.t.Helper()
	value, ok := s.query(text, "json").member(s.t, "boolean").(bool)
	if !ok {
		s.t.Fatalf("%s: no boolean", text)
	}
	return value
}

// must publishes a valid document.
func (s *service) must(text string) {
	s.t.Helper()
	if a := s.publish(prologueTurtle+text, "ari"); a.status != http.StatusCreated {
		s.t.Fatalf("POST /ttl: %d\n%s", a.status, a.body)
	}
}

const prologueTurtle = "@prefix ex: <http://example.org/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"

// people is a graph for queries.
const people = `ex:ana a ex:Human ; ex:name "Ana"@es ; ex:age 31 ; ex:knows ex:ben, ex:eve ; ex:met "2026-01-02T10:00:00Z"^^xsd:dateTime .
ex:ben a ex:Human ; ex:name "Ben" ; ex:age 40 ; ex:knows ex:eve ; ex:height 1.5 .
ex:eve a ex:Robot ; ex:name "Eve" ; ex:at [ ex:x 2 ; ex:y 3 ] .
`

// Every query form returns the same rows on every store, in every result format.
func TestQueriesAreAnsweredInEveryForm(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	s.must(people)
	for _, tt := range []struct {
		query string
		want  []string // in the order of the query, or else sorted
	}{
		{`SELECT ?n { ?s ex:name ?n }`, []string{"Ana", "Ben", "Eve"}},
		{`SELECT ?s ?age { ?s a ex:Human . OPTIONAL { ?s ex:height ?h } ?s ex:age ?age FILTER(?age > 35) }`, []string{"http://example.org/ben 40"}},
		{`SELECT ?s ?h { ?s a ex:Human OPTIONAL { ?s ex:height ?h } }`, []string{"http://example.org/ana ", "http://example.org/ben 1.5"}},
		{`SELECT ?s ?x ?y { ?s ex:name ?n OPTIONAL { ?s ex:at ?a . ?a ex:x ?x OPTIONAL { ?a ex:y ?y } } }`, []string{"http://example.org/ana  ", "http://example.org/ben  ", "http://example.org/eve 2 3"}},
		{`SELECT ?t (COUNT(*) AS ?n) { ?s a ?t } GROUP BY ?t`, []string{"http://example.org/Human 2", "http://example.org/Robot 1"}},
		{`SELECT (SUM(?age) AS ?sum) (MIN(?age) AS ?min) { ?s ex:age ?age }`, []string{"71 31"}},
		{`SELECT ?o { ex:ana ex:knows+ ?o }`, []string{"http://example.org/ben", "http://example.org/eve"}},
		{`SELECT ?s { ?s ex:name ?n FILTER NOT EXISTS { ?s ex:knows ?o } }`, []string{"http://example.org/eve"}},
		{`SELECT ?s { ?s ex:name ?n MINUS { ?s a ex:Human } }`, []string{"http://example.org/eve"}},
		{`SELECT ?s { { ?s ex:age 31 } UNION { ?s a ex:Robot } }`, []string{"http://example.org/ana", "http://example.org/eve"}},
		{`SELECT ?s ?v { VALUES ?v { 31 40 99 } ?s ex:age ?v }`, []string{"http://example.org/ana 31", "http://example.org/ben 40"}},
		{`SELECT ?n { { SELECT ?s { ?s ex:age ?a } ORDER BY DESC(?a) LIMIT 1 } ?s ex:name ?n }`, []string{"Ben"}},
		{`SELECT DISTINCT ?t { ?s a ?t . ?s ex:name ?n FILTER(LANG(?n) = "") }`, []string{"http://example.org/Human", "http://example.org/Robot"}},
		{`SELECT ?s { ?s ex:name ?n FILTER(REGEX(STR(?n), "^a", "i")) }`, []string{"http://example.org/ana"}},
		{`SELECT ?s { ?s ex:met ?m FILTER(?m < "2026-02-01T00:00:00Z"^^xsd:dateTime) }`, []string{"http://example.org/ana"}},
		{`SELECT ?s ?b { ?s ex:age ?a BIND(?a * 2 AS ?b) }`, []string{"http://example.org/ana 62", "http://example.org/ben 80"}},
		{`SELECT ?x { ex:nobody ex:name ?x }`, []string{}},
	} {
		got := s.rows(tt.query)
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s\ngot  %q\nwant %q", tt.query, got, tt.want)
		}
	}
	if got := s.rows(`SELECT ?a { ?s ex:age ?a } ORDER BY DESC(?a) LIMIT 1 OFFSET 1`); !slices.Equal(got, []string{"31"}) {
		t.Errorf("the second of two: %q", got)
	}
	for query, want := range map[string]bool{`ASK { ex:ana ex:knows ex:ben }`: true, `ASK { ex:ben ex:knows ex:ana }`: false} {
		if got := s.ask(query); got != want {
			t.Errorf("%s: %v", query, got)
		}
		if got := string(s.query(query, "xml").body); !strings.Contains(got, fmt.Sprintf("<boolean>%v</boolean>", want)) {
			t.Errorf("%s as XML: %s", query, got)
		}
	}
	for format, want := range map[string]string{
		"json": `"xml:lang":"es"`, "xml": `xml:lang="es"`, "csv": "Ana", "tsv": `"Ana"@es`, "ttl": `"Ana"@es`,
	} {
		if got := s.query(`SELECT ?n { ex:ana ex:name ?n }`, format); !bytes.Contains(got.body, []byte(want)) {
			t.Errorf("%s: %s", format, got.body)
		}
	}
	for query, want := range map[string]string{
		`CONSTRUCT { ?o ex:knownBy ?s } { ?s ex:knows ?o }`: "ex:ben ex:knownBy ex:ana . ex:eve ex:knownBy ex:ana, ex:ben .",
		`CONSTRUCT { [] ex:of ?s } { ?s a ex:Human }`:       "[] ex:of ex:ana . [] ex:of ex:ben .",
		`CONSTRUCT WHERE { ex:eve ex:at ?a . ?a ex:x ?x }`:  "ex:eve ex:at [ ex:x 2 ] .",
		`DESCRIBE ex:eve`:               `ex:eve a ex:Robot ; ex:name "Eve" ; ex:at [ ex:x 2 ; ex:y 3 ] .`,
		`DESCRIBE ?s { ?s a ex:Robot }`: `ex:eve a ex:Robot ; ex:name "Eve" ; ex:at [ ex:x 2 ; ex:y 3 ] .`,
	} {
		sameGraph(t, parse(t, s.query(query, "nt").body, turtle.NTriples), parse(t, []byte(prologueTurtle+want), turtle.Turtle))
	}
}

// A query that begins after a 201 sees the published document.
func TestAQuerySeesWhatWasPublishedBeforeIt(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	for i := range 30 {
		s.must(fmt.Sprintf("ex:s%d ex:p %d .", i, i))
		if !s.ask(fmt.Sprintf("ASK { ex:s%d ex:p ?o }", i)) {
			t.Fatalf("log %d is not seen by the next query", i)
		}
	}
}

// Queries see the published graph, and no graph that the store keeps for itself or for
// others.
func TestNoGraphButTheStoresOwnIsSeen(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	s.must(people)
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`); n != 16 {
		t.Errorf("the graph has %d triples, want 16", n)
	}
	for _, query := range []string{
		`SELECT ?g { GRAPH ?g { ?s ?p ?o } }`,
		`SELECT ?s { GRAPH <http://www.openlinksw.com/schemas/virtrdf#> { ?s ?p ?o } }`,
		`SELECT ?s { GRAPH <urn:segraph:log> { ?s ?p ?o } }`,
	} {
		if rows := s.rows(query); len(rows) > 0 {
			t.Errorf("%s gives %d rows, such as %s", query, len(rows), rows[0])
		}
	}
	for _, from := range []string{"FROM", "FROM NAMED"} {
		query := `SELECT ?s ` + from + ` <http://www.openlinksw.com/schemas/virtrdf#> { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }`
		if rows := s.rows(query); len(rows) > 0 { // a graph that is not stored is empty
			t.Errorf("%s returns %d rows, such as %s", query, len(rows), rows[0])
		}
	}
}

// Blank nodes are blank nodes in queries. They join, and each document has its own.
func TestBlankNodesAreNodesAndEachDocumentsOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	const document = "ex:room ex:has [ ex:x 1 ; ex:list (1 2) ] ."
	s.must(document)
	s.must(document)
	if got := s.count(`SELECT (COUNT(DISTINCT ?b) AS ?n) { ex:room ex:has ?b . ?b ex:x 1 FILTER(ISBLANK(?b) && !ISIRI(?b)) }`); got != 2 {
		t.Errorf("%d blank nodes, want 2", got)
	}
	if got := s.count(`SELECT (COUNT(*) AS ?n) { ex:room ex:has/ex:list/<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>*/<http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ?v }`); got != 4 {
		t.Errorf("%d members of lists, want 4", got)
	}
	if a := s.query(`SELECT ?b { ex:room ex:has ?b }`, "json"); bytes.Count(a.body, []byte(`"bnode"`)) != 2 {
		t.Errorf("the answer has no two blank nodes: %s", a.body)
	}
	sameGraph(t, parse(t, s.query(`CONSTRUCT WHERE { ?s ?p ?o }`, "nt").body, turtle.NTriples), parse(t, s.events(), turtle.Turtle))
}

// An answer has all its rows, even if the graph store is set to cut answers or the
// document is large.
func TestAnAnswerIsWhole(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	var doc strings.Builder
	const n = 12_000
	for i := range n {
		fmt.Fprintf(&doc, "ex:s%d ex:p %d .\n", i, i)
	}
	s.must(doc.String())
	if got := s.count(`SELECT (COUNT(*) AS ?n) { ?s ex:p ?o }`); got != n {
		t.Errorf("%d triples are stored, want %d", got, n)
	}
	if got := len(s.rows(`SELECT ?s { ?s ex:p ?o }`)); got != n {
		t.Errorf("SELECT gives %d rows, want %d", got, n)
	}
	if got := bytes.Count(s.query(`CONSTRUCT WHERE { ?s ex:p ?o }`, "nt").body, []byte("\n")); got != n {
		t.Errorf("CONSTRUCT gives %d triples, want %d", got, n)
	}
	if got := s.rows(`SELECT ?o { ?s ex:p ?o } ORDER BY DESC(?o) OFFSET 11000 LIMIT 2`); !slices.Equal(got, []string{"999", "998"}) {
		t.Errorf("a page from far behind: %q", got)
	}
}

// delete_all removes everything. Afterwards only new documents are there.
func TestDeleteAllLeavesNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	s.must(people)
	clear := func(want int) {
		t.Helper()
		a := request(t, "POST", s.api+"/ttl/delete_all", []byte(`{"user":"ari"}`), "Content-Type", "application/json")
		if a.status != http.StatusOK || a.number(t, "removed") != want {
			t.Fatalf("delete_all: %d %s, want %d removed", a.status, a.body, want)
		}
		if n := s.count(`SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`); n != 0 || len(parse(t, s.events(), turtle.Turtle)) != 0 {
			t.Errorf("%d triples are left", n)
		}
	}
	clear(16)
	clear(0)
	s.must("ex:a ex:p 1 .")
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`); n != 1 {
		t.Errorf("%d triples after one was published", n)
	}
}

// Updates, SERVICE and a store's own functions never reach a store.
func TestQueriesOnlyRead(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	s.must(people)
	for _, query := range []string{`INSERT DATA { ex:a ex:p 1 }`, `CLEAR ALL`, `SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }`, `LOAD <http://example.org/>`,
		`SELECT ?s ?u { ?s ex:age ?a BIND(ex:unknown(?a) AS ?u) }`,
		`SELECT ?a (<bif:sys_stat>("st_dbms_ver") AS ?v) { ex:ana ex:age ?a }`,
		`SELECT ?a (<sql:system_base64_encode>("x") AS ?v) { ex:ana ex:age ?a }`} {
		a := request(t, "GET", s.api+"/query?"+url.Values{"query": {prologue + query}}.Encode(), nil)
		if a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`); n != 16 {
		t.Errorf("%d triples, want 16", n)
	}
}

// The resolver's decisions are in the graph of contexts, for queries too.
func TestDecisionsAreSeenByQueries(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	resolve := func(subject, at string) answer {
		a := request(t, "POST", s.api+"/shared-context/resolve", []byte(`{"event_kind":"human_utterance","observed_at":"`+at+`",
			"modality":"speech",`+subject+`"text":"Could you show me the news?","robot_uri":"urn:robot:`+at+`"}`), "Content-Type", "application/json")
		if a.status != http.StatusOK {
			t.Fatalf("resolve: %d %s", a.status, a.body)
		}
		return a
	}
	first := resolve(`"subject_uri":"urn:human:maria",`, "2026-02-11T09:12:13.150Z").member(t, "shared_context_uri").(string)
	second := resolve("", "2026-02-11T09:12:13.950Z")
	caseID, ok := second.member(t, "case_id").(string)
	if !ok {
		t.Fatalf("no case was opened: %s", second.body)
	}
	seen := func() int { return s.count(`SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?s ?p ?o } }`) }
	if !s.ask(`ASK { GRAPH ?g { <` + first + `> ?p ?o } }`) {
		t.Errorf("the context %s is not in the graph of contexts", first)
	}
	for _, query := range []string{
		`SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }`,
		`SELECT DISTINCT ?g { VALUES ?g { <urn:segraph:contexts> } GRAPH ?g { ?s ?p ?o } }`,
		`SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } FILTER(?g = <urn:segraph:contexts>) }`,
	} {
		if got := s.rows(query); !slices.Equal(got, []string{"urn:segraph:contexts"}) {
			t.Errorf("%s: %q", query, got)
		}
	}
	if got := s.count(`SELECT (COUNT(*) AS ?n) FROM <urn:segraph:contexts> { ?s ?p ?o }`); got != seen() {
		t.Errorf("FROM the graph of contexts gives %d triples, GRAPH %d", got, seen())
	}
	before := seen()
	if a := request(t, "POST", s.api+"/shared-context/review/"+caseID+"/accept", []byte("{}"), "Content-Type", "application/json"); a.status != http.StatusOK {
		t.Fatalf("accept: %d %s", a.status, a.body)
	}
	if after := seen(); after == before {
		t.Errorf("the graph of contexts has %d triples before and after a merge", before)
	}
}
