package virtuoso

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/follow/remote"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

const xsd = "http://www.w3.org/2001/XMLSchema#"

// literals lists literals, whether they are alien, and how segraph shows Virtuoso's form
// of the others.
var literals = []struct {
	text, datatype string
	alien          bool
	shown          string // "" if unchanged
}{
	{"1", xsd + "integer", false, ""}, {"01", xsd + "integer", false, "1"}, {"-0", xsd + "integer", false, "0"},
	{"999999999999999999", xsd + "integer", false, ""}, {"9223372036854775807", xsd + "integer", true, ""},
	{"-1000000000000000000", xsd + "integer", true, ""}, {"abc", xsd + "integer", true, ""}, {"300", xsd + "byte", true, ""},
	{"010", xsd + "int", false, "10"}, {"18446744073709551615", xsd + "unsignedLong", true, ""},
	{"1.50", xsd + "decimal", false, "1.5"}, {"100.0", xsd + "decimal", false, "100"}, {"0.00012", xsd + "decimal", false, ""},
	{"123456789012.345", xsd + "decimal", false, ""}, {"0.1234567890123456789", xsd + "decimal", true, ""}, {"1,5", xsd + "decimal", true, ""},
	{"1.0E6", xsd + "double", false, "1.0E6"}, {"0.1", xsd + "double", false, "1.0E-1"}, {"123456789.125", xsd + "double", false, "1.23456789125E8"},
	{"INF", xsd + "double", true, ""}, {"NaN", xsd + "float", true, ""}, {"3.1415927", xsd + "float", false, "3.1415927E0"},
	{"true", xsd + "boolean", false, ""}, {"0", xsd + "boolean", false, "false"}, {"TRUE", xsd + "boolean", true, ""},
	{"2026-01-01T00:00:00Z", xsd + "dateTime", false, ""}, {"2026-01-01T00:00:00+00:00", xsd + "dateTime", false, "2026-01-01T00:00:00Z"},
	{"2026-01-01T10:00:00+02:00", xsd + "dateTime", false, ""}, {"2026-01-01T00:00:00", xsd + "dateTime", false, ""},
	{"2026-01-01T00:00:00.1230", xsd + "dateTime", false, "2026-01-01T00:00:00.123"}, {"2026-01-01T00:00:00.123456Z", xsd + "dateTime", false, ""},
	{"2026-01-01T00:00:00.1234567Z", xsd + "dateTime", true, ""}, {"2026-01-01T24:00:00", xsd + "dateTime", true, ""},
	{"-0044-03-15T00:00:00", xsd + "dateTime", true, ""}, {"12026-01-01T00:00:00", xsd + "dateTime", true, ""}, {"2026-13-01T00:00:00", xsd + "dateTime", true, ""},
	{"2026-01-01", xsd + "date", false, ""}, {"P1D", xsd + "duration", true, ""}, {"PT1H", xsd + "dayTimeDuration", true, ""},
	{"x", xsd + "string", false, ""}, {"x", "http://example.org/own", false, ""}, {"2026", xsd + "gYear", false, ""}, {"12:00:00", xsd + "time", false, ""},
	{"POINT(1 2)", "http://www.opengis.net/ont/geosparql#wktLiteral", true, ""}, {`{"a":1}`, "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON", true, ""},
}

func TestTermsThatVirtuosoWouldChangeAreKnown(t *testing.T) {
	for _, l := range literals {
		if got := alien(rdf.NewLiteral(l.text, l.datatype)); got != l.alien {
			t.Errorf("%q^^%s is alien: %v", l.text, l.datatype, got)
		}
	}
}

// A real Virtuoso returns every literal as the table says: unchanged, or in its own form
// of the same value.
func TestVirtuosoShowsValuesAsDocumented(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	s := follow(t, v)
	d := &store.Document{}
	want := map[string]string{}
	for _, l := range literals {
		subject := "urn:" + url.PathEscape(l.text) + ":" + l.datatype
		d.Add(rdf.Quad{S: rdf.NewIRI(subject), P: rdf.NewIRI("urn:p"), O: rdf.NewLiteral(l.text, l.datatype)})
		if want[subject] = l.shown; l.shown == "" {
			want[subject] = l.text
		}
	}
	rows := addAndAsk(t, s, d)
	for subject, text := range want {
		if got := rows[subject]; got.Value() != text || !strings.HasSuffix(subject, got.Datatype()) {
			t.Errorf("%s is shown as %v, want %q", subject, got, text)
		}
	}
}

// of returns the configuration of a Virtuoso with a password of dba and a graph.
func of(v *servers.Virtuoso, password, graph string) remote.Config {
	c := Configure()
	c.Name, c.User, c.Password, c.Graph = "virtuoso", "dba", password, graph
	c.Query, c.Update, c.GraphStore = v.URL+"/sparql", v.URL+"/sparql-auth", v.URL+"/sparql-graph-crud-auth"
	return c
}

// follow creates a file that a Virtuoso follows, and waits until it is up to date.
func follow(t *testing.T, v *servers.Virtuoso) *remote.Store {
	t.Helper()
	return followAs(t, of(v, v.Password, "urn:test"))
}

func followAs(t *testing.T, c remote.Config) *remote.Store {
	t.Helper()
	return followWith(t, remote.Options{}, c)
}

func followWith(t *testing.T, o remote.Options, c remote.Config) *remote.Store {
	t.Helper()
	file, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	s := remote.Follow(file.Store, file.Outbox, o, c)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for end := time.Now().Add(time.Minute); s.Following()[0].State != store.FollowOK; time.Sleep(time.Millisecond) { // between two checks
		if time.Now().After(end) {
			t.Fatal(s.Following())
		}
	}
	return s
}

// addAndAsk adds a document, and returns Virtuoso's values of the property urn:p, by
// subject.
func addAndAsk(t *testing.T, s *remote.Store, d *store.Document) answer {
	t.Helper()
	if _, err := s.Add(t.Context(), d, journal.Entry{Action: journal.Insert}); err != nil {
		t.Fatal(err)
	}
	q, err := sparql.Prepare(context.Background(), "SELECT ?s ?o { ?s <urn:p> ?o }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x, err := s.Explain(t.Context(), q, budget.Limits{}); err != nil || x.Server.Query == "" {
		t.Fatalf("Virtuoso is not asked: %+v, %v", x, err)
	}
	rows := answer{}
	if err := s.Query(t.Context(), q, budget.Limits{}, rows, nil); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Virtuoso keeps the language and the datatype of a literal, even if another transaction
// that introduced the name was rolled back.
func TestNoLanguageAndNoDatatypeIsLost(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	v.Undo(t, "SELECT DB.DBA.RDF_TWOBYTE_OF_LANGUAGE ('x-lost')", "SELECT DB.DBA.RDF_TWOBYTE_OF_DATATYPE ('urn:lost')")
	s := follow(t, v)
	d := &store.Document{}
	want := answer{}
	for subject, o := range map[string]rdf.Term{
		"urn:1": rdf.NewLang("a", "x-lost"), "urn:2": rdf.NewLiteral("a", "urn:lost"), "urn:3": rdf.NewLang("a", "en-GB"),
		"urn:4": rdf.NewLiteral("a", "urn:new"), "urn:5": rdf.NewLiteral("P1D", rdf.XSDDuration), "urn:6": rdf.NewString("a"),
	} {
		d.Add(rdf.Quad{S: rdf.NewIRI(subject), P: rdf.NewIRI("urn:p"), O: o})
		want[subject] = o
	}
	want["urn:3"] = rdf.NewLang("a", "en-gb")
	if got := addAndAsk(t, s, d); !maps.Equal(got, want) {
		t.Errorf("it has %v, want %v", got, want)
	}
}

// logged collects log output.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take returns the output since the last call.
func (l *logged) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// A graph that was in Virtuoso before segraph is imported into an empty file, with all
// digits of its numbers. If the settings name another graph, the log names this one.
func TestAnExistingGraphIsImportedOrReported(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	t.Parallel()
	v := servers.StartVirtuoso(t, 1_000_000)
	const older = "http://amor-segb/events"
	v.Update(t, "INSERT { GRAPH <"+older+`> { <urn:1> <urn:p> "a"@en . <urn:2> <urn:p> "0.123456789012345"^^<`+rdf.XSDDouble+`> .
		<urn:3> <urn:p> "0.8333333"^^<`+rdf.XSDFloat+`> . <urn:4> <urn:p> true . <urn:5> <urn:p> _:x . _:x <urn:q> <urn:1> } } WHERE {}`)
	v.Update(t, "INSERT DATA { GRAPH <"+older+`:contexts> { <urn:s> <urn:p> <urn:o> } }`)

	var log logged
	c := of(v, v.Password, "urn:test")
	o := remote.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	followWith(t, o, c)
	if text := log.take(); !strings.Contains(text, "other="+older) {
		t.Errorf("the log does not name the graph: %s", text)
	}

	c.Graph = older
	s := followWith(t, o, c)
	q, err := sparql.Prepare(context.Background(), "SELECT ?s ?o { ?s ?p ?o FILTER(!ISBLANK(?s)) }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := answer{}
	if err := s.Store.Query(t.Context(), q, budget.Limits{}, file, nil); err != nil {
		t.Fatal(err)
	}
	want := answer{"urn:1": rdf.NewLang("a", "en"), "urn:2": rdf.NewLiteral("1.23456789012345E-1", rdf.XSDDouble),
		"urn:3": rdf.NewLiteral("8.333333E-1", rdf.XSDFloat), "urn:4": rdf.NewLiteral("true", rdf.XSDBoolean), "urn:5": file["urn:5"]}
	if !file["urn:5"].IsBlank() || !maps.Equal(file, want) {
		t.Errorf("the file has %v, want %v", file, want)
	}
	if served := addAndAsk(t, s, &store.Document{}); !maps.Equal(served, want) {
		t.Errorf("queries show %v, want %v", served, want)
	}
	if text := log.take(); !strings.Contains(text, "the graph of contexts at the graph store is cleared") {
		t.Errorf("the log does not report the cleared contexts: %s", text)
	}
}

// Errors of a transaction that was rolled back are recognized, in both of their forms.
func TestErrorsThatPassAreKnown(t *testing.T) {
	for said, want := range map[string]bool{
		"Virtuoso 40001 Error SR172: Transaction deadlocked SPARQL query: INSERT DATA {}":                                       true,
		"<!DOCTYPE HTML> <html> <body> <h1>HTTP/1.1 500 Request Failed</h1> <h3>Error 40001</h3> <xmp>SR172: Transaction</xmp>": true,
		"Virtuoso S1T00 Error SR171: Transaction timed out":                                                                     true,
		`Virtuoso 22005 Error SR341: Invalid integer value converting 'abc' INSERT DATA { <a> <b> "Virtuoso 40001 Error" }`:     false,
		"<!DOCTYPE HTML> <html> <body> <h1>HTTP/1.1 500 Request Failed</h1> <h3>Error 37000</h3> <xmp>RDF loader: syntax error": false,
	} {
		if passing(said) != want {
			t.Errorf("%s: passes: %v", said, !want)
		}
		if rejects := Configure().Dialect.Rejects; !rejects(said) || rejects(said[:10]) {
			t.Errorf("%s: only the whole text is a refusal", said)
		}
	}
}

// answer holds the second column by the first.
type answer map[string]rdf.Term

func (a answer) Head([]string) error { return nil }
func (a answer) Boolean(bool) error  { return nil }
func (a answer) Row(row []rdf.Term) error {
	a[row[0].Value()] = row[1]
	return nil
}

func TestBlankNodesHaveNamesInVirtuoso(t *testing.T) {
	for _, number := range []string{"1", "123456789012"} {
		if got, ok := isBlank(blank(number)); !ok || got != number {
			t.Errorf("%s is %s, and comes back as %q", number, blank(number), got)
		}
	}
	for _, other := range []string{"nodeID://b10000", "http://x/", "nodeID://bx"} {
		if _, ok := isBlank(other); ok {
			t.Errorf("%s is taken for a node of segraph", other)
		}
	}
}

func TestTermsThatVirtuosoCannotStoreAreRefusedWithTheReason(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tt := range []struct {
		term rdf.Term
		want string
	}{
		{rdf.NewString(long(1 << 20)), ""}, {rdf.NewString(long(1<<20 + 1)), "a literal has 1048577 bytes"},
		{rdf.NewIRI("urn:" + long(3996)), ""}, {rdf.NewIRI("urn:" + long(3997)), "an IRI has 4001 bytes"},
		{rdf.NewIRI("nodeID://b1"), "blank node"},
		{rdf.NewLang("x", "en-"+long(98)), "language tag"},
		{rdf.NewLiteral("x", "urn:"+long(1000)), "datatype"},
		{rdf.NewLiteral("x", "urn:ä"), "beyond ASCII"}, {rdf.NewLang("ä", "de"), ""},
	} {
		if got := refuse(tt.term); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%.40s…: %q, want %q", tt.term.Value(), got, tt.want)
		}
	}
}

func TestAnswersThatVirtuosoCutsAreFound(t *testing.T) {
	if err := complete(http.Header{}); err != nil {
		t.Error(err)
	}
	var part *remote.PartError
	if err := complete(http.Header{"X-Sql-State": {"S1TAT"}}); !errors.As(err, &part) {
		t.Errorf("S1TAT: %v", err)
	}
	if err := complete(http.Header{"X-Sparql-Maxrows": {"10000"}}); !errors.As(err, &part) {
		t.Errorf("MaxRows: %v", err)
	}
}

func TestQueriesThatVirtuosoAnswersWronglyAreKnown(t *testing.T) {
	for text, distrusted := range map[string]bool{
		"SELECT * { ?s ?p ?o OPTIONAL { ?o ?q ?r } OPTIONAL { ?o ?q ?t } }":                      false,
		"SELECT * { ?s ?p ?o OPTIONAL { ?o ?q ?r OPTIONAL { ?r ?q ?t } } }":                      true,
		"SELECT * { ?s ?p ?o { SELECT * { OPTIONAL { ?o ?q ?r { OPTIONAL { ?r ?q ?t } } } } } }": true,
		"SELECT * { ?s <urn:a>/<urn:b>|^<urn:c> ?o }":                                            false,
		"SELECT * { ?s <urn:a>? ?o }":                                                            false,
		"SELECT * { ?s (<urn:a>/^(<urn:b>+)) ?o }":                                               true,
		"SELECT * { { ?s <urn:a>* ?o } UNION { ?s ?p ?o } }":                                     true,
		"SELECT * { ?s <bif:contains> ?o }":                                                      true,
	} {
		q, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if why := distrust(q); (why != "") != distrusted {
			t.Errorf("%s: %q", text, why)
		}
	}
}

// Virtuoso cuts the password with which its database is created. The error reports that,
// and its advice works.
func TestAPasswordThatVirtuosoCutsIsNamedWithTheWayOut(t *testing.T) {
	suite.Slow(t, "it makes two databases of Virtuoso")
	t.Parallel()
	const long = "0123456789abcdef0123456789abcdef"
	v := servers.StartVirtuosoWith(t, 1_000_000, long)
	file, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	s := remote.Follow(file.Store, file.Outbox, remote.Options{}, of(v, long, "urn:test"))
	defer s.Close()
	var text string
	for end := time.Now().Add(time.Minute); !strings.Contains(text, "32 characters"); time.Sleep(time.Millisecond) { // between two checks
		if time.Now().After(end) {
			t.Fatalf("the error does not name the cause: %s", text)
		}
		text = s.Following()[0].Detail
	}
	if !strings.Contains(text, "to its first 20 characters") || strings.Contains(text, long) {
		t.Errorf("the error is %q", text)
	}
	addAndAsk(t, followAs(t, of(v, long[:maxPassword], "urn:other")), &store.Document{})
}

// The advice about a shorter password never suggests the same password again.
func TestAdviceAboutAPasswordFitsItsLength(t *testing.T) {
	for password, want := range map[string]string{
		strings.Repeat("x", 20): "Set that password",
		strings.Repeat("x", 21): "21 characters",
	} {
		if got := loginAdvice(password); !strings.Contains(got, want) {
			t.Errorf("of %d characters: %s", len(password), got)
		}
	}
}

// Virtuoso also ends a query soon after its time limit.
func TestVirtuosoReceivesTheTimeLeft(t *testing.T) {
	form := url.Values{}
	ask(form, 30*time.Second)
	if form.Get("timeout") != "31000" {
		t.Errorf("timeout=%s", form.Get("timeout"))
	}
}
