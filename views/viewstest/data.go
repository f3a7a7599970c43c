package viewstest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/static"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// Publish posts a Turtle document to the API.
func (s *Fixture) Publish(text string) {
	s.T.Helper()
	r := httptest.NewRequest("POST", "/ttl", strings.NewReader(text))
	r.Header.Set("Content-Type", "text/turtle")
	if s.Auth.Enabled() {
		r.Header.Set("Authorization", "Bearer "+s.Token("logger"))
	}
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, r)
	if w.Code != 201 {
		s.T.Fatalf("%d %s", w.Code, w.Body)
	}
}

// LastLog returns the id of the newest entry of the journal.
func (s *Fixture) LastLog() string {
	s.T.Helper()
	page, err := s.Service.Logs(s.T.Context(), journal.Filter{Limit: 1}, nil)
	if err != nil || len(page.Entries) == 0 {
		s.T.Fatalf("the journal has no entry: %v", err)
	}
	return page.Entries[0].LogID
}

// PublishDemo stores the log of two robots.
func (s *Fixture) PublishDemo() {
	s.T.Helper()
	text, err := os.ReadFile(suite.Shared(s.T, "data", "demo-two-robots.ttl"))
	if err != nil {
		s.T.Fatal(err)
	}
	s.Publish(string(text))
}

func QueryPath(query string, more ...string) string {
	return strings.Join(append([]string{"/query?query=" + url.QueryEscape(query)}, more...), "&")
}

// PlayDemo plays the demo into the empty store.
func (s *Fixture) PlayDemo() {
	s.T.Helper()
	if err := s.Service.PlayDemo(s.T.Context(), Eva); err != nil {
		s.T.Fatal(err)
	}
}

// AddCases creates n cases: a robot hears Maria, and half a second later another robot hears
// somebody unknown.
func (s *Fixture) AddCases(n int) (cases []string) { return s.AddCasesAt(0, n) }

// AddCasesAt is like AddCases, some hours later.
func (s *Fixture) AddCasesAt(hours, n int) (cases []string) {
	s.T.Helper()
	words := []string{"Could you show me climate news?", "Where is the restroom please?", "Translate this for the visitor", "What is the weather like in Lyon?"}
	at := time.Date(2026, 2, 11, 9+hours, 0, 0, 0, time.UTC)
	for i := range n {
		for j, robot := range []string{"ari", "tiago"} {
			o := resolver.Observation{EventKind: "human_utterance", ObservedAt: at.Add(time.Duration(i)*time.Minute + time.Duration(j)*500*time.Millisecond).Format("2006-01-02T15:04:05.000Z07:00"),
				Modality: "speech", Text: words[i%len(words)], RobotURI: "https://ex/robot/" + robot}
			if j == 0 {
				o.SubjectURI = "https://ex/human/maria"
			}
			x, err := s.Contexts.Resolve(context.Background(), o, "tester")
			if err != nil {
				s.T.Fatal(err)
			}
			if j == 1 {
				if x.CaseID == nil {
					s.T.Fatalf("observation %d opens no case: %+v", i, x)
				}
				cases = append(cases, *x.CaseID)
			}
		}
	}
	return cases
}

// Want fails unless a page contains all parts.
func Want(t testing.TB, page string, parts ...string) {
	t.Helper()
	page = Unmarked.Replace(page)
	for _, part := range parts {
		if !strings.Contains(page, Unmarked.Replace(part)) {
			t.Errorf("there is no %q in %s", part, page)
		}
	}
}

// PublishLife stores the given number of triples of suite.Life and sets the clock to its
// end.
func (s *Fixture) PublishLife(triples int) {
	s.T.Helper()
	var text bytes.Buffer
	err := suite.Life(&text, triples)
	if err == nil {
		_, err = s.Store.Load(s.T.Context(), bytes.NewReader(text.Bytes()), turtle.NTriples, turtle.Options{}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: s.Now}, nil)
	}
	if err != nil {
		s.T.Fatal(err)
	}
	s.Now = suite.LifeEnd
}

// PublishCapture stores what two real robots sent.
func (s *Fixture) PublishCapture() {
	s.T.Helper()
	text, err := os.ReadFile(suite.Shared(s.T, "data", "robot-capture.jsonl"))
	if err != nil {
		s.T.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var body struct {
			TTL string `json:"ttl_content"`
		}
		if err := json.Unmarshal([]byte(line), &body); err != nil {
			s.T.Fatal(err)
		}
		s.Publish(body.TTL)
	}
}

// GraphOf reads the triples of a data file without the engine.
func GraphOf(t testing.TB, name string) map[string]map[string][]rdf.Term {
	t.Helper()
	f, err := os.Open(suite.Shared(t, "data", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // already read
	syntax := turtle.Turtle
	if filepath.Ext(name) == ".nt" {
		syntax = turtle.NTriples
	}
	out := map[string]map[string][]rdf.Term{}
	for in := turtle.NewReader(f, syntax, turtle.Options{}); ; {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		of := out[q.S.Value()]
		if of == nil {
			of = map[string][]rdf.Term{}
			out[q.S.Value()] = of
		}
		if !slices.Contains(of[q.P.Value()], q.O) {
			of[q.P.Value()] = append(of[q.P.Value()], q.O)
		}
	}
}

// BenchmarkPages measures the named pages of services that open returns, with two sizes of a graph.
func BenchmarkPages(b *testing.B, open func(testing.TB) *Fixture, names []string, paths map[string]string) {
	for _, size := range []struct {
		name    string
		triples int
	}{{"100k", 100_000}, {"5m", 5_000_000}} {
		b.Run(size.name, func(b *testing.B) {
			s := open(b)
			s.PublishLife(size.triples)
			visitor := s.NewVisitor()
			for _, name := range names {
				b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
					var took []time.Duration
					for b.Loop() {
						begun := time.Now()
						if w := visitor.Get(paths[name]); w.Code >= http.StatusBadRequest || strings.Contains(w.Body.String(), "Try this section again") {
							b.Fatal(w.Code, w.Body.Len())
						}
						took = append(took, time.Since(begun))
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[(len(took)*95-1)/100].Microseconds())/1000, "p95-ms")
				})
			}
		})
	}
}

// InOrder reports whether a text has the parts one after the other, apart from marks of
// values.
func InOrder(text string, parts ...string) error {
	text = Unmarked.Replace(text)
	for _, p := range parts {
		_, rest, ok := strings.Cut(text, Unmarked.Replace(p))
		if !ok {
			return fmt.Errorf("after what was found before, %q is not in %q", p, text)
		}
		text = rest
	}
	return nil
}

// Unmarked removes the marks of values in sentences.
var Unmarked = strings.NewReplacer(`<bdi class="said">`, "", "”</bdi>", "", "“", "", "”", "")

var AnyTag = regexp.MustCompile(`<[^>]*>`)

// WordsOf returns the words of a page without tags and marks of values.
func WordsOf(page string) string {
	_, main, _ := strings.Cut(page, "<main")
	return strings.Join(strings.Fields(html.UnescapeString(AnyTag.ReplaceAllString(Unmarked.Replace(main), " "))), " ")
}

// Addresses returns all routes of the table: pages and parts of pages.
func (s *Fixture) Addresses() []address {
	var out []address
	add := func(path string, roles []auth.Role, get, post views.Handler) {
		if get != nil {
			out = append(out, address{path, http.MethodGet, roles}, address{path, http.MethodHead, roles})
		}
		if post != nil {
			out = append(out, address{path, http.MethodPost, roles})
		}
	}
	for _, p := range s.UI.Pages {
		add(p.Path, p.Roles, p.Get, p.Post)
		for _, part := range p.Parts {
			add(part.Path, p.Roles, part.Get, part.Post)
		}
	}
	return out
}

// address is a route of the router and what it accepts.
type address struct {
	Path   string
	Method string
	Roles  []auth.Role
}

// Eva plays the demo in tests.
var Eva = auth.Actor{Username: "eva", Roles: auth.Roles()}

// Fields returns the hidden fields of the decision form and the selected target.
func Fields(page string) url.Values {
	out := url.Values{}
	form := regexp.MustCompile(`(?s)<form id="decision".*?</form>`).FindString(page)
	for _, m := range regexp.MustCompile(`<input type="(hidden|radio)" name="([a-z]+)" value="([^"]*)"( checked)?`).FindAllStringSubmatch(form, -1) {
		if m[1] == "hidden" || m[4] != "" {
			out.Set(m[2], html.UnescapeString(m[3]))
		}
	}
	return out
}

// TimeForms are times as logs write them, with the same in UTC.
var TimeForms = []struct{ Written, At string }{
	{"2026-03-01T24:00:00", "2026-03-02T00:00:00Z"},
	{"2026-03-02T08:00:00", "2026-03-02T08:00:00Z"},
	{"2026-03-02T08:00:00.25", "2026-03-02T08:00:00.25Z"},
	{"2026-03-02T08:00:01Z", "2026-03-02T08:00:01Z"},
	{"2026-03-02T13:45:02+05:45", "2026-03-02T08:00:02Z"},
	{"2026-03-02T24:00:00-10:00", "2026-03-03T10:00:00Z"},
	{"-0044-03-15T12:00:00", "-0044-03-15T12:00:00Z"},
	{"-0044-03-15T12:00:00.5Z", "-0044-03-15T12:00:00.5Z"},
	{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
	{"12026-03-02T08:00:00", "12026-03-02T08:00:00Z"},
	{"12026-03-02T08:00:00.125Z", "12026-03-02T08:00:00.125Z"},
}

// A robot and a person of the demo data.
const (
	ARI   = "https://gsi.upm.es/segb/robots/ari/v1/robot_ari1"
	Maria = "https://gsi.upm.es/segb/robots/ari/v1/human_maria"
)

// FirstLoad returns how many bytes a browser receives for a page and the files that it loads,
// compressed.
func FirstLoad(t testing.TB, page string) int {
	t.Helper()
	size := len(coding.Pack("gzip", []byte(page)))
	loaded := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:href|src)="/static/([^"#]+)`).FindAllStringSubmatch(page, -1) {
		file, _, ok := static.File(m[1], "gzip")
		if !ok {
			t.Errorf("there is no file %s", m[1])
		}
		if !loaded[m[1]] {
			loaded[m[1]] = true
			size += len(file)
		}
	}
	return size
}

// MostBytes returns the most that the first load of a page may have.
func MostBytes(path string) int {
	switch path, _, _ := strings.Cut(path, "?"); path {
	case "/query":
		return 160 << 10
	case "/kg-graph":
		return 95 << 10
	}
	return 40 << 10
}

var ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

var LogID = regexp.MustCompile(`id="log-id"><a[^>]*><code>([^<]+)<`)
