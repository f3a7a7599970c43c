package webui

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"mime/multipart"
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

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/static"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// publish posts a Turtle document to the API.
func (s *fixture) publish(text string) {
	s.t.Helper()
	r := httptest.NewRequest("POST", "/ttl", strings.NewReader(text))
	r.Header.Set("Content-Type", "text/turtle")
	if s.auth.Enabled() {
		r.Header.Set("Authorization", "Bearer "+s.token("logger"))
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	if w.Code != 201 {
		s.t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// lastLog returns the id of the newest entry of the journal.
func (s *fixture) lastLog() string {
	s.t.Helper()
	page, err := s.service.Logs(s.t.Context(), journal.Filter{Limit: 1}, nil)
	if err != nil || len(page.Entries) == 0 {
		s.t.Fatalf("the journal has no entry: %v", err)
	}
	return page.Entries[0].LogID
}

// publishDemo stores the log of two robots.
func (s *fixture) publishDemo() {
	s.t.Helper()
	text, err := os.ReadFile(suite.Shared(s.t, "data", "demo-two-robots.ttl"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.publish(string(text))
}

func queryPath(query string, more ...string) string {
	return strings.Join(append([]string{"/query?query=" + url.QueryEscape(query)}, more...), "&")
}

// playDemo plays the demo into the empty store.
func (s *fixture) playDemo() {
	s.t.Helper()
	if err := s.service.PlayDemo(s.t.Context(), eva); err != nil {
		s.t.Fatal(err)
	}
}

// addCases creates n cases: a robot hears Maria, and half a second later another robot hears
// somebody unknown.
func (s *fixture) addCases(n int) (cases []string) { return s.addCasesAt(0, n) }

// addCasesAt is like addCases, some hours later.
func (s *fixture) addCasesAt(hours, n int) (cases []string) {
	s.t.Helper()
	words := []string{"Could you show me climate news?", "Where is the restroom please?", "Translate this for the visitor", "What is the weather like in Lyon?"}
	at := time.Date(2026, 2, 11, 9+hours, 0, 0, 0, time.UTC)
	for i := range n {
		for j, robot := range []string{"ari", "tiago"} {
			o := resolver.Observation{EventKind: "human_utterance", ObservedAt: at.Add(time.Duration(i)*time.Minute + time.Duration(j)*500*time.Millisecond).Format("2006-01-02T15:04:05.000Z07:00"),
				Modality: "speech", Text: words[i%len(words)], RobotURI: "https://ex/robot/" + robot}
			if j == 0 {
				o.SubjectURI = "https://ex/human/maria"
			}
			x, err := s.contexts.Resolve(context.Background(), o, "tester")
			if err != nil {
				s.t.Fatal(err)
			}
			if j == 1 {
				if x.CaseID == nil {
					s.t.Fatalf("observation %d opens no case: %+v", i, x)
				}
				cases = append(cases, *x.CaseID)
			}
		}
	}
	return cases
}

// want fails unless a page contains all parts.
func want(t testing.TB, page string, parts ...string) {
	t.Helper()
	page = unmarked.Replace(page)
	for _, part := range parts {
		if !strings.Contains(page, unmarked.Replace(part)) {
			t.Errorf("there is no %q in %s", part, page)
		}
	}
}

// follow returns the page that an answer redirects to.
func (b *visitor) follow(w *httptest.ResponseRecorder) string {
	b.t.Helper()
	if w.Code != 303 {
		b.t.Fatalf("%d %s", w.Code, w.Body)
	}
	w = b.get(w.Header().Get("Location"))
	if w.Code != 200 {
		b.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// decide submits the decision form of a page.
func (b *visitor) decide(page, do string) string {
	b.t.Helper()
	form := fields(page)
	form.Set("do", do)
	return b.follow(b.post("/shared-context/decide", form))
}

// publishLife stores the given number of triples of suite.Life and sets the clock to its
// end.
func (s *fixture) publishLife(triples int) {
	s.t.Helper()
	out, in := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(in, 1<<20)
		err := suite.Life(buffered, triples)
		if err == nil {
			err = buffered.Flush()
		}
		in.CloseWithError(err)
	}()
	if _, err := s.store.Load(s.t.Context(), out, turtle.NTriples, turtle.Options{}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: s.now}, nil); err != nil {
		s.t.Fatal(err)
	}
	s.now = suite.LifeEnd
}

// publishCapture stores what two real robots sent.
func (s *fixture) publishCapture() {
	s.t.Helper()
	text, err := os.ReadFile(suite.Shared(s.t, "data", "robot-capture.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var body struct {
			TTL string `json:"ttl_content"`
		}
		if err := json.Unmarshal([]byte(line), &body); err != nil {
			s.t.Fatal(err)
		}
		s.publish(body.TTL)
	}
}

// graphOf reads the triples of a data file without the engine.
func graphOf(t testing.TB, name string) map[string]map[string][]rdf.Term {
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

// send posts the form of /logs/insert like a browser.
func (b *visitor) send(fields map[string]string, file []byte) *httptest.ResponseRecorder {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			b.t.Fatal(err)
		}
	}
	name := ""
	if file != nil {
		name = "log.ttl"
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(http.MethodPost, "/logs/insert", form.FormDataContentType(), &body)
}

// check checks a text and returns the ticket.
func (b *visitor) check(text string) string {
	b.t.Helper()
	w := b.send(map[string]string{"ttl": text, "action": "check"}, nil)
	found := ticketField.FindStringSubmatch(w.Body.String())
	if found == nil {
		b.t.Fatalf("no ticket: %d %s", w.Code, w.Body)
	}
	return found[1]
}

// graph returns the graph as N-Triples.
func (b *visitor) graph() string {
	b.t.Helper()
	r := httptest.NewRequest("GET", "/events", nil)
	r.Header.Set("Accept", "application/n-triples")
	if b.auth.Enabled() {
		r.Header.Set("Authorization", "Bearer "+b.token("auditor"))
	}
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, r)
	if w.Code != 200 {
		b.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// insert inserts a text on the page with the ticket of its check, and returns the log's
// id.
func (b *visitor) insert(text, ticket string) string {
	b.t.Helper()
	w := b.send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, nil)
	id := logID.FindStringSubmatch(w.Body.String())
	if id == nil {
		b.t.Fatalf("not stored: %d %s", w.Code, w.Body)
	}
	want(b.t, w.Body.String(), `href="/logs/insert?withdraw=`+id[1]+`"`)
	return id[1]
}

// openBatch opens a batch for a filter and returns it.
func (b *visitor) openBatch(filter, do string) *service.Batch {
	b.t.Helper()
	w := b.post("/shared-context/batch", url.Values{"filter": {filter}, "do": {do}})
	if w.Code != 303 {
		b.t.Fatalf("%d %s", w.Code, w.Body)
	}
	batch, err := b.service.Batch(strings.TrimPrefix(w.Header().Get("Location"), "/shared-context/batch?id="))
	if err != nil {
		b.t.Fatal(err)
	}
	return batch
}

// fits checks the size of a page.
func (b *visitor) fits(path string) string {
	b.t.Helper()
	w := b.get(path)
	if n := firstLoad(b.t, w.Body.String()); w.Code != http.StatusOK || n > mostBytes(path) {
		b.t.Errorf("%s: %d, %d bytes, at most %d are allowed", path, w.Code, n, mostBytes(path))
	}
	return w.Body.String()
}

// answersWithin checks a page's answer time against a limit: the one at index which of
// the sorted times of several answers.
func (b *visitor) answersWithin(limit time.Duration, path string, which, of int) {
	b.t.Helper()
	if suite.Race { // the detector makes everything ten times slower, and finds races in few runs too
		limit, which, of = 20*limit, 0, 2
	}
	suite.Within(b.t, path, limit, func() time.Duration {
		var took []time.Duration
		for range of {
			begun := time.Now()
			if w := b.get(path); w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
				b.t.Errorf("%s: %d", path, w.Code)
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took[which]
	})
}

// benchmarkPages measures the named pages with two sizes of a graph.
func benchmarkPages(b *testing.B, names []string, paths map[string]string) {
	for _, size := range []struct {
		name    string
		triples int
	}{{"100k", 100_000}, {"5m", 5_000_000}} {
		b.Run(size.name, func(b *testing.B) {
			s := openService(b)
			s.publishLife(size.triples)
			visitor := s.visitor()
			for _, name := range names {
				b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
					var took []time.Duration
					for b.Loop() {
						begun := time.Now()
						if w := visitor.get(paths[name]); w.Code >= http.StatusBadRequest || strings.Contains(w.Body.String(), "Try this section again") {
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

// explanation returns the text of a page of /why, without markup.
func (b *visitor) explanation(t *testing.T, iri string, more ...string) string {
	t.Helper()
	values := url.Values{"iri": {iri}}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	w := b.get("/why?" + values.Encode())
	if w.Code != 200 {
		t.Fatalf("%s: %d %s", iri, w.Code, w.Body)
	}
	return wordsOf(w.Body.String())
}

// inOrder reports whether a text has the parts one after the other, apart from marks of
// values.
func inOrder(text string, parts ...string) error {
	text = unmarked.Replace(text)
	for _, p := range parts {
		_, rest, ok := strings.Cut(text, unmarked.Replace(p))
		if !ok {
			return fmt.Errorf("after what was found before, %q is not in %q", p, text)
		}
		text = rest
	}
	return nil
}

// unmarked removes the marks of values in sentences.
var unmarked = strings.NewReplacer(`<bdi class="said">`, "", "”</bdi>", "", "“", "", "”", "")

var anyTag = regexp.MustCompile(`<[^>]*>`)

// wordsOf returns the words of a page without tags and marks of values.
func wordsOf(page string) string {
	_, main, _ := strings.Cut(page, "<main")
	return strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllString(unmarked.Replace(main), " "))), " ")
}

// addresses returns all routes of the table: pages and parts of pages.
func (s *fixture) addresses() []address {
	var out []address
	add := func(path string, roles []auth.Role, get, post handler) {
		if get != nil {
			out = append(out, address{path, http.MethodGet, roles}, address{path, http.MethodHead, roles})
		}
		if post != nil {
			out = append(out, address{path, http.MethodPost, roles})
		}
	}
	for _, p := range s.ui.pages {
		add(p.path, p.roles, p.get, p.post)
		for _, part := range p.parts {
			add(part.path, p.roles, part.get, part.post)
		}
	}
	return out
}

// address is a route of the router and what it accepts.
type address struct {
	path   string
	method string
	roles  []auth.Role
}

// eva plays the demo in tests.
var eva = auth.Actor{Username: "eva", Roles: auth.Roles()}

// fields returns the hidden fields of the decision form and the selected target.
func fields(page string) url.Values {
	out := url.Values{}
	form := regexp.MustCompile(`(?s)<form id="decision".*?</form>`).FindString(page)
	for _, m := range regexp.MustCompile(`<input type="(hidden|radio)" name="([a-z]+)" value="([^"]*)"( checked)?`).FindAllStringSubmatch(form, -1) {
		if m[1] == "hidden" || m[4] != "" {
			out.Set(m[2], html.UnescapeString(m[3]))
		}
	}
	return out
}

// timeForms are times as logs write them, with the same in UTC.
var timeForms = []struct{ written, at string }{
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
	ari   = "https://gsi.upm.es/segb/robots/ari/v1/robot_ari1"
	maria = "https://gsi.upm.es/segb/robots/ari/v1/human_maria"
)

// firstLoad returns how many bytes a browser receives for a page and the files that it loads,
// compressed.
func firstLoad(t testing.TB, page string) int {
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

// mostBytes returns the most that the first load of a page may have.
func mostBytes(path string) int {
	switch path, _, _ := strings.Cut(path, "?"); path {
	case "/query":
		return 160 << 10
	case "/kg-graph":
		return 95 << 10
	}
	return 40 << 10
}

var ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

var logID = regexp.MustCompile(`id="log-id"><a[^>]*><code>([^<]+)<`)
