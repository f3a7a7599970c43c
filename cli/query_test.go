package cli

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

const greetings = `@prefix ex: <http://example.org/> .
ex:m1 a <http://schema.org/Message> ; ex:text "Hello"@en ; ex:size 2 .
ex:m2 a <http://schema.org/Message> ; ex:text "an \u009b31m escape\nand a line" .`

const allMessages = "PREFIX ex: <http://example.org/> SELECT ?m ?text ?size { ?m ex:text ?text OPTIONAL { ?m ex:size ?size } } ORDER BY ?m"

// loaded creates a store with a document in the current folder.
func loaded(t *testing.T, document string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if got := segraph(document, nil, "load", "-", "--format=turtle"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
}

func TestQueryOfAFileInEveryForm(t *testing.T) {
	loaded(t, greetings)
	const construct = "PREFIX ex: <http://example.org/> CONSTRUCT { ?m ex:said ?text } WHERE { ?m ex:text ?text ; ex:size 2 }"
	for _, tt := range []struct {
		query, format, want string // if whole is false, want is a part of the output
		whole               bool
	}{
		{allMessages, "table", "m      text                             size\n" +
			"-----  -------------------------------  ----\n" +
			"ex:m1  Hello@en                         2\n" +
			"ex:m2  an \\u009b31m escape\\nand a line\n2 rows\n", true},
		{allMessages, "csv", "m,text,size\r\nhttp://example.org/m1,Hello,2\r\n", false},
		{allMessages, "tsv", "?m\t?text\t?size\n<http://example.org/m1>\t\"Hello\"@en\t2\n", false},
		{allMessages, "xml", `<literal xml:lang="en">Hello</literal>`, false},
		{allMessages, "json", `"xml:lang":"en"`, false},
		{allMessages, "", `"xml:lang":"en"`, false}, // without a terminal the default is JSON
		{allMessages, "turtle", "ns:Result", false},
		{"ASK { ?s ?p 2 }", "", `"boolean":true`, false},
		{"ASK { ?s ?p 2 }", "table", "true\n", true},
		{"ASK { ?s ?p 2 }", "csv", "true", false},
		{"SELECT ?x { ?x <urn:none> ?y }", "table", "x\n-\n0 rows\n", true},
		{"SELECT (1 AS ?x) {}", "table", "x\n-\n1\n1 row\n", true},
		{"PREFIX ex: <http://example.org/> SELECT * { VALUES ?x { <<( ex:a a \"b\\n\"@he--rtl )>> <<( ex:a ex:p <<( <urn:b> ex:p 1 )>> )>> } }", "table",
			"x\n" + strings.Repeat("-", 40) + "\n<<( ex:a rdf:type \"b\\n\"@he--rtl )>>\n<<( ex:a ex:p <<( <urn:b> ex:p 1 )>> )>>\n2 rows\n", true},
		{construct, "", "@prefix ex: <http://example.org/> .", false},
		{construct, "turtle", "ex:m1 ex:said \"Hello\"@en .\n", false},
		{construct, "ntriples", "<http://example.org/m1> <http://example.org/said> \"Hello\"@en .\n", true},
		{"DESCRIBE <http://example.org/m2>", "ntriples", "<http://example.org/m2> ", false},
		{"CONSTRUCT WHERE { ?s <urn:none> ?o }", "ntriples", "", true},
		{construct, "rdfxml", "said", false},
		{construct, "jsonld", `[{"@id":"http://example.org/m1","http://example.org/said":[{"@value":"Hello","@language":"en"}]}`, false},
	} {
		args := []string{"query", tt.query}
		if tt.format != "" {
			args = append(args, "--format", tt.format)
		}
		got := segraph("", nil, args...)
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, tt.want) || tt.whole && got.stdout != tt.want {
			t.Errorf("%s as %q: %+v", tt.query, tt.format, got)
		}
	}
}

func TestQueryFromAFileAndFromStdin(t *testing.T) {
	loaded(t, greetings)
	if err := os.WriteFile("q.rq", []byte(allMessages), 0o600); err != nil {
		t.Fatal(err)
	}
	want := segraph("", nil, "query", allMessages)
	for _, got := range []outcome{segraph("", nil, "query", "--file", "q.rq"), segraph(allMessages, nil, "query", "--file=-")} {
		if got != want || got.code != 0 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	loaded(t, greetings)
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, exitUsage, "which query?"},
		{[]string{os.Args[0]}, exitUsage, "is a file, not a query"},
		{[]string{"ASK", "{}"}, exitUsage, "put it in quotes"},
		{[]string{"ASK {}", "--file", "q.rq"}, exitUsage, "given twice"},
		{[]string{"ASK {}", "--format", "nquads"}, exitUsage, "ASK can't be printed as nquads"},
		{[]string{"ASK {}", "--format", "turtle"}, exitUsage, "table, json, xml, csv, tsv."},
		{[]string{"DESCRIBE <urn:a>", "--format", "csv"}, exitUsage, "turtle, ntriples"},
		{[]string{"ASK {}", "--format", "html"}, exitUsage, "html"},
		{[]string{"ASK {}", "--token", "x"}, exitUsage, "SEGRAPH_TOKEN"},
		{[]string{"ASK\n{"}, exitFailed, "line 2, column 2"},
		{[]string{"CLEAR ALL"}, exitFailed, "CLEAR is an update"},
		{[]string{"ASK { SERVICE <http://127.0.0.1/> {} }"}, exitFailed, "SERVICE"},
		{[]string{"--file", "none.rq"}, exitFailed, "none.rq"},
		{[]string{"ASK {}", "--data", "none.db"}, exitFailed, "none.db"},
		{[]string{"ASK {}", "--url", "http://127.0.0.1:1"}, exitFailed, "127.0.0.1:1"},
		{[]string{"ASK {}", "--url", "http://127.0.0.1:1", "--token-file", "none"}, exitFailed, "token"},
	} {
		got := segraph("", nil, append([]string{"query"}, tt.args...)...)
		if got.code != tt.code || got.stdout != "" || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%q: %+v; want exit %d and %q", tt.args, got, tt.code, tt.want)
		}
	}
	if got := segraph("", nil, "dump", "--format", "csv"); got.code != exitUsage || !strings.Contains(got.stderr, "turtle, ntriples, trig, nquads, rdfxml or jsonld") {
		t.Errorf("dump as csv: %+v", got)
	}
}

// startService serves the API over segraph.db in the current folder.
func startService(t *testing.T, secret string) (url string, authenticator *auth.Authenticator) {
	t.Helper()
	c := &config.Config{Data: "segraph.db", SnapshotDir: t.TempDir(), SnapshotKeep: 2}
	s, snapshots, err := app.OpenStore(c, memory.Plan{}, false, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if authenticator, err = auth.New(secret); err != nil {
		t.Fatal(err)
	}
	core := service.New(service.Config{Graph: s, Queries: s, Journal: s, Revocations: s, Backups: snapshots, Auth: authenticator, Log: logs.New(logs.Options{Name: "none"}), StoreName: "cayley", SpoolDir: t.TempDir()})
	f := front.New(front.Config{Service: core})
	server := httptest.NewServer(f.API(httpapi.New(httpapi.Config{Front: f}).Routes("")))
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL, authenticator
}

func TestQueryOfAServiceGivesWhatTheFileGives(t *testing.T) {
	suite.NotShort(t)
	loaded(t, greetings)
	tests := [][]string{{allMessages}, {"ASK {}"}, {"DESCRIBE <http://example.org/m1>"}}
	for _, format := range []string{"table", "json", "xml", "csv", "tsv", "turtle"} {
		tests = append(tests, []string{allMessages, "--format", format})
	}
	tests = append(tests, []string{"ASK {}", "--format", "table"}, []string{"DESCRIBE <http://example.org/m1>", "--format", "ntriples"})
	var want []outcome
	for _, args := range tests {
		want = append(want, segraph("", nil, append([]string{"query"}, args...)...))
	}
	url, _ := startService(t, "")
	for i, args := range tests {
		if got := segraph("", nil, append([]string{"query", "--url", url}, args...)...); got != want[i] || got.code != 0 {
			t.Errorf("%q: %+v, want %+v", args, got, want[i])
		}
	}
	if got := segraph("", nil, "query", "ASK {}"); got.code != exitInUse || !strings.Contains(got.stderr, "--url") {
		t.Errorf("the file while the service runs: %+v", got)
	}
}

func TestQueryOfAServiceThatWantsAToken(t *testing.T) {
	loaded(t, greetings)
	url, authenticator := startService(t, key)
	issue := func(role string) string {
		token, err := authenticator.Issue("eva", []string{role}, time.Hour, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(issue("auditor")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		environ, args []string
		code          int
		want          string
	}{
		{nil, nil, exitFailed, "SEGRAPH_TOKEN"},
		{[]string{"SEGRAPH_TOKEN=" + issue("logger")}, nil, exitFailed, "403"},
		{[]string{"SEGRAPH_TOKEN=" + issue("auditor")}, nil, exitOK, `"boolean":true`},
		{[]string{"SEGRAPH_TOKEN_FILE=" + file}, nil, exitOK, `"boolean":true`},
		{nil, []string{"--token-file", file}, exitOK, `"boolean":true`},
		{[]string{"SEGRAPH_TOKEN=" + issue("logger")}, []string{"--token-file", file}, exitOK, `"boolean":true`},
	} {
		got := segraph("", tt.environ, append([]string{"query", "ASK {}", "--url", url}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stdout+got.stderr, tt.want) {
			t.Errorf("%q %q: %+v; want exit %d and %q", tt.environ, tt.args, got, tt.code, tt.want)
		}
		if strings.Contains(got.stdout+got.stderr, "eyJ") {
			t.Errorf("a token is printed: %+v", got)
		}
	}
}

func TestATruncatedAnswerIsAFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"1"}}`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	for _, format := range []string{"table", "json", "csv"} {
		got := segraph("", nil, "query", "SELECT ?x {}", "--url", server.URL, "--format", format)
		if got.code != exitFailed || !strings.Contains(got.stderr, "reading the answer") {
			t.Errorf("%s: %+v", format, got)
		}
	}
}

func TestATokenIsNotSentOnToAnotherService(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other service was asked, with %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	got := segraph("", []string{"SEGRAPH_TOKEN=a.b.c"}, "query", "ASK {}", "--url", server.URL)
	if got.code != exitFailed || !strings.Contains(got.stderr, "307") {
		t.Errorf("%+v", got)
	}
}

func TestALongTableIsStreamedAndLongTextsAreCut(t *testing.T) {
	var b strings.Builder
	p := newPrinter(&b, "table", nil)
	if err := p.Head([]string{"x"}); err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		if err := p.Row([]rdf.Term{rdf.NewString(strings.Repeat("é", i%200))}); err != nil {
			t.Fatal(err)
		}
		if i == 2500 && b.Len() == 0 {
			t.Error("nothing is printed after 2,500 rows")
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 5004 || lines[5002] != "5,000 rows" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-2])
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > maxCell {
			t.Fatalf("a line of %d characters", n)
		}
	}
}

func TestAnExplanationIsTheSamePlanOfTheFileAndOfAService(t *testing.T) {
	loaded(t, greetings)
	const misspelt = "SELECT * { ?m <http://example.org/txt> ?text }"
	if got := segraph("", nil, "query", "--explain", "--format", "xml", misspelt); got.code != exitUsage || !strings.Contains(got.stderr, "table, json") {
		t.Errorf("as XML: %+v", got)
	}
	want := []string{"select, 0 rows", "operator", "did you mean <http://example.org/text>?"}
	asJSON := []string{`"query_kind":"select"`, `"operator":"triple"`, `"matches":0`, `example.org/text`}
	try := func(more ...string) {
		for format, parts := range map[string][]string{"": want, "table": want, "json": asJSON} {
			args := append([]string{"query", "--explain", misspelt}, more...)
			if format != "" {
				args = append(args, "--format", format)
			}
			got := segraph("", nil, args...)
			for _, part := range parts {
				if got.code != exitOK || got.stderr != "" || !strings.Contains(got.stdout, part) {
					t.Errorf("%q lacks %q: %+v", args, part, got)
				}
			}
		}
	}
	try()
	url, _ := startService(t, "")
	try("--url", url)
}
