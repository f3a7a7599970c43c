package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// lineAnswer is what the tests read of the answer to a line.
type lineAnswer struct {
	Status   int     `json:"status"`
	LogID    string  `json:"log_id"`
	LogIndex *int    `json:"log_index"`
	Triples  int     `json:"triples"`
	Added    int     `json:"added"`
	Context  string  `json:"shared_context_uri"`
	Outcome  string  `json:"outcome"`
	Case     *string `json:"case_id"`
	Repeated bool    `json:"repeated"`
	Detail   string  `json:"detail"`
	Line     int     `json:"line"`
	Errors   []struct{ Loc []string }
}

// batch sends lines and returns the answers.
func (s *fixture) batch(t testing.TB, lines ...string) []lineAnswer {
	t.Helper()
	w := s.do(t, call{method: "POST", path: "/batch", contentType: linesTypes[0], body: strings.Join(lines, "\n"), token: s.token(t, auth.Logger)})
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != linesTypes[0] {
		t.Fatalf("%d %s %s", w.Code, w.Header(), w.Body)
	}
	return lineAnswers(t, w.Body.Bytes(), len(lines))
}

func lineAnswers(t testing.TB, body []byte, n int) (out []lineAnswer) {
	t.Helper()
	for line := range bytes.Lines(body) {
		var a lineAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, a)
	}
	if len(out) != n {
		t.Fatalf("%d answers for %d lines: %s", len(out), n, body)
	}
	return out
}

// simple returns a line with one triple.
func simple(key string, n int) string {
	return fmt.Sprintf(`{"key":%q,"graph":{"@id":"urn:s%d","urn:p":%d}}`, key, n, n)
}

// The observation of a line is resolved, and its context becomes schema:about of the node.
func TestALineIsStoredWithItsObservation(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	one := strings.TrimSpace(suite.Line(1, true))
	answers := s.batch(t, one, strings.NewReplacer("robot/ari", "robot/tiago", "ari-9f", "tiago-9f").Replace(one), simple("a", 1))
	first, second, third := answers[0], answers[1], answers[2]
	if first.Status != 201 || first.Outcome != "created" || first.Context == "" || first.Triples != 15 || first.Added != 15 || first.LogIndex == nil || *first.LogIndex != 1 {
		t.Errorf("%+v", first)
	}
	if second.Outcome != "matched" || second.Context != first.Context || second.Added != 12 {
		t.Errorf("the second robot does not see the line before: %+v", second)
	}
	if third.Status != 201 || third.Context != "" || third.Outcome != "" {
		t.Errorf("%+v", third)
	}
	log := s.do(t, call{method: "GET", path: "/logs/" + first.LogID, token: s.token(t, auth.Auditor)}).Body.String()
	for _, want := range []string{
		`["\u003chttps://museum.example/robot/ari/heard/9f2c01-1\u003e","\u003chttp://schema.org/about\u003e","\u003c` + first.Context,
		`["\u003c` + first.Context + `\u003e","\u003chttp://schema.org/about\u003e","\u003chttps://museum.example/person/vol1\u003e"]`,
		`["\u003c` + first.Context + `\u003e","\u003chttp://www.w3.org/1999/02/22-rdf-syntax-ns#type\u003e","\u003chttp://schema.org/Event\u003e"]`,
		`"\u003chttp://schema.org/description\u003e"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
}

// A line that is refused stores nothing, and the others are stored. The problem names the
// line and what is wrong.
func TestARefusedLineStoresNothingAndNamesTheFault(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	observed := `"observation":{"event_kind":"wave","observed_at":"2026-01-01T00:00:00Z"}`
	graph := `"graph":{"@id":"urn:s","urn:p":1}`
	for _, c := range []struct {
		line   string
		status int
		detail string
		member string
	}{
		{``, 422, "not JSON", ""},
		{`{`, 422, "column 2", ""},
		{`[]`, 422, "not a JSON object", ""},
		{strings.Repeat("[", 20_000), 422, "not JSON", ""},
		{`{` + graph + `}`, 422, `"key" is missing`, "key"},
		{`{"key":"",` + graph + `}`, 422, `"key" must be 1 to 255`, "key"},
		{`{"key":"é",` + graph + `}`, 422, `"key" must be 1 to 255`, "key"},
		{`{"key":"x"}`, 422, `"graph" is missing`, "graph"},
		{`{"key":"x","grpah":1,` + graph + `}`, 422, `"grpah" is unknown`, "grpah"},
		{`{"key":"x","user":"a\nb",` + graph + `}`, 422, "control", "user"},
		{`{"key":"x","graph":{"@id":"urn:s"}}`, 400, "no triples", ""},
		{`{"key":"x","graph":{"@id":"urn:s","unknown":1}}`, 400, "column 35", ""},
		{`{"key":"x","graph":{"@context":"https://other.example/c","@id":"urn:s"}}`, 400, "not built in", ""},
		{`{"key":"x","graph":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `}`, 400, "nest", ""},
		{`{"key":"x","about":"urn:s",` + graph + `}`, 422, "only with an observation", "about"},
		{`{"key":"x",` + observed + `,` + graph + `}`, 422, `"about" must be the IRI`, "about"},
		{`{"key":"x",` + observed + `,"about":"urn:other",` + graph + `}`, 422, "names no node", "about"},
		{`{"key":"x","observation":{"event_kind":"wave"},"about":"urn:s",` + graph + `}`, 422, "observed_at is missing", "observation"},
		{`{"key":"x","observation":{"event_kind":1},"about":"urn:s",` + graph + `}`, 422, `"event_kind" must be text`, "observation"},
		{`{"key":"x","graph":{"@id":"urn:s","urn:p":"` + strings.Repeat("x", service.MaxLine) + `"}}`, 413, "at most 262144", ""},
		{`{"key":"x","graph":{"@id":"urn:s","urn:p":1` + manyValues(5000) + `}}`, 413, "POST /ttl", ""},
	} {
		before := s.entries()
		answers := s.batch(t, simple(fmt.Sprint("before", before), 1), c.line, simple(fmt.Sprint("after", before), 2))
		p := answers[1]
		if p.Status != c.status || p.Line != 2 || !strings.HasPrefix(p.Detail, "Line 2: ") || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%.80s: %+v, want %d with %q", c.line, p, c.status, c.detail)
		}
		if c.member != "" && (len(p.Errors) == 0 || p.Errors[0].Loc[1] != c.member) {
			t.Errorf("%.80s: the fault is in %v, want %s", c.line, p.Errors, c.member)
		}
		if answers[0].Status != 201 || answers[2].Status != 201 || s.entries() != before+2 {
			t.Errorf("%.80s: %d entries, and the others are %+v, %+v", c.line, s.entries()-before, answers[0], answers[2])
		}
	}
}

// manyValues returns members with n values.
func manyValues(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"urn:p%d":%d`, i, i)
	}
	return b.String()
}

// The same line again gets the first answer, in one request, in another and after a restart;
// another line with the key is refused. So does a line with a case, and one with an observation
// that was sent before, which has no entry of its own. A refused line leaves its key free.
func TestALineThatIsSentAgainGetsItsFirstAnswer(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	one, other := strings.TrimSpace(suite.Line(1, true)), strings.TrimSpace(suite.Line(2, true))
	doubted := strings.NewReplacer("robot/ari", "robot/tiago", "ari-9f", "tiago-9f", `,"subject_uri":"https://museum.example/person/vol1"`, "").Replace(one)
	known := strings.Replace(one, `"key":"ari`, `"key":"other`, 1)
	all := s.batch(t, one, other, one, simple("ari-9f2c01-1", 1), doubted, known)
	same := func(a, b lineAnswer) bool {
		return b.Status == 201 && b.Repeated && a.LogID == b.LogID && a.Context == b.Context && a.Outcome == b.Outcome && a.Added == b.Added && *a.LogIndex == *b.LogIndex &&
			(a.Case == b.Case || a.Case != nil && b.Case != nil && *a.Case == *b.Case)
	}
	if !same(all[0], all[2]) || all[0].Repeated || all[3].Status != 422 || all[3].Errors[0].Loc[1] != "key" || s.entries() != 7 {
		t.Errorf("%d entries, %+v", s.entries(), all)
	}
	if all[4].Case == nil || all[5].Context != all[0].Context {
		t.Errorf("%+v", all)
	}
	s.close()
	s.open()
	again := s.batch(t, other, one, simple("ari-9f2c01-1", 1), doubted, known)
	if !same(all[1], again[0]) || !same(all[0], again[1]) || again[2].Status != 422 || !same(all[4], again[3]) || !same(all[5], again[4]) || s.entries() != 7 {
		t.Errorf("after a restart: %d entries, %+v", s.entries(), again)
	}
	if w := s.do(t, call{method: "DELETE", path: "/logs/" + all[0].LogID, token: s.token(t, auth.Admin)}); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	if a := s.batch(t, one)[0]; !a.Repeated || a.Added != all[0].Added {
		t.Errorf("after it was withdrawn: %+v", a)
	}
	if a := s.batch(t, `{"key":"free","graph":{"@id":"urn:s"}}`, simple("free", 7)); a[0].Status != 400 || a[1].Status != 201 {
		t.Errorf("%+v", a)
	}
}

// Requests that have each other's keys, in opposite order, end.
func TestRequestsWithTheSameKeysDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	var forth, back []string
	for i := range 50 {
		forth, back = append(forth, simple(fmt.Sprint(i), i)), append(back, simple(fmt.Sprint(49-i), 49-i))
	}
	done := make(chan []lineAnswer)
	for _, lines := range [][]string{forth, back, forth} {
		go func() { done <- s.batch(t, lines...) }()
	}
	for range 3 {
		for _, a := range <-done {
			if a.Status != 201 {
				t.Errorf("%+v", a)
			}
		}
	}
	if s.entries() != 50 {
		t.Errorf("%d entries", s.entries())
	}
}

// A request is refused as a whole only for what concerns all of it.
func TestARequestOfLinesIsBounded(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	token := s.token(t, auth.Logger)
	send := func(c call) call { c.method, c.path, c.token = "POST", "/batch"+c.path, token; return c }
	for _, c := range []struct {
		call
		status int
		words  string
	}{
		{call{contentType: "application/json", body: simple("a", 1)}, 415, "application/x-ndjson"},
		{call{contentType: linesTypes[0]}, 400, "no lines"},
		{call{contentType: linesTypes[0], path: "?user=x", body: simple("a", 1)}, 422, "each line names its user"},
		{call{contentType: linesTypes[0], body: strings.Repeat("{}\n", 1001)}, 413, "more than 1000 lines"},
		{call{contentType: linesTypes[0], body: strings.Repeat(" ", 16<<20+1)}, 413, "16 MiB"},
	} {
		wantProblem(t, s.do(t, send(c.call)), c.status, c.words)
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(bytes.Repeat([]byte(" "), 40<<20))
	_ = z.Close()
	wantProblem(t, s.do(t, send(call{contentType: linesTypes[0], body: bomb.String(), header: map[string]string{"Content-Encoding": "gzip"}})), 413, "16 MiB")
	zs, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer zs.Close()
	pack := func(text []byte) call {
		return send(call{contentType: linesTypes[0], body: string(zs.EncodeAll(text, nil)), header: map[string]string{"Content-Encoding": "zstd"}})
	}
	wantProblem(t, s.do(t, pack(bytes.Repeat([]byte(" "), 64<<20))), 413, "16 MiB")
	if s.entries() != 0 {
		t.Errorf("%d entries", s.entries())
	}
	var most, large bytes.Buffer
	for i := range 1000 {
		fmt.Fprintln(&most, simple(fmt.Sprint("m", i), i))
	}
	for i := range 64 { // a line break and 256 KiB - 1 each
		line := simple(fmt.Sprint("l", i), i)
		fmt.Fprintln(&large, line+strings.Repeat(" ", 256<<10-1-len(line)))
	}
	for _, body := range [][]byte{most.Bytes(), large.Bytes()} {
		for i, a := range lineAnswers(t, s.do(t, pack(body)).Body.Bytes(), bytes.Count(body, []byte("\n"))) {
			if a.Status != 201 {
				t.Fatalf("line %d: %+v", i, a)
			}
		}
	}
	bomb.Reset()
	z.Reset(&bomb)
	_, _ = z.Write([]byte(simple("z", 1) + "\n" + simple("y", 1) + "\n"))
	_ = z.Close()
	w := s.do(t, send(call{contentType: linesTypes[1], body: bomb.String(), header: map[string]string{"Content-Encoding": "gzip", "Idempotency-Key": "z", "X-Request-ID": "z"}}))
	if a := lineAnswers(t, w.Body.Bytes(), 2); a[0].Status != 201 || a[1].Status != 201 || a[1].Repeated {
		t.Errorf("%+v", a)
	}
	wantNothingHeld(t, s.fixture)
}

// Warnings about lines repeat their terms, but an answer is at most a few times as long as its request, also if all lines are
// repeated. All warnings are counted.
func TestTheAnswerToLinesIsBounded(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	values := `"0"`
	for n := 1; n < 100; n++ {
		values += fmt.Sprintf(`,"%d"`, n)
	}
	var lines []string
	for n := range 500 {
		lines = append(lines, fmt.Sprintf(`{"key":"k%d","graph":{"@id":"http://e/%s","http://www.w3.org/ns/prov#startedAtTime":[%s]}}`, n, strings.Repeat("\U0001F600", 990), values))
	}
	body := strings.Join(lines, "\n")
	for range 2 {
		w := s.do(t, call{method: "POST", path: "/batch", contentType: linesTypes[0], body: body, token: s.token(t, auth.Logger)})
		if w.Code != http.StatusOK || w.Body.Len() > 1<<20 || strings.Count(w.Body.String(), `"warning_count":100`) != len(lines) {
			t.Errorf("%d: lines of %d bytes have an answer of %d", w.Code, len(body), w.Body.Len())
		}
		if n := strings.Count(w.Body.String(), "DATETIME_WRONG_DATATYPE"); n < 100 {
			t.Errorf("only %d warnings are listed", n)
		}
	}
	w := s.do(t, call{method: "POST", path: "/ttl", token: s.token(t, auth.Logger), contentType: "text/turtle",
		body: "<http://e/" + strings.Repeat("\U0001F600", 990) + "> <http://www.w3.org/ns/prov#startedAtTime> " + values + "."})
	if w.Code != http.StatusCreated || w.Body.Len() > 32<<10 || !strings.Contains(w.Body.String(), `"warning_count":100`) {
		t.Errorf("%d: a document has an answer of %d bytes", w.Code, w.Body.Len())
	}
}

// A client that stalls, in its request or before the answer, holds nothing that others need.
func TestAClientOfLinesThatStallsHoldsNothing(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Limits.Patience = time.Hour })
	server := httptest.NewUnstartedServer(s.Handler())
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(4096) // so that the answer does not fit into the system's memory
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	var body strings.Builder
	for i := range 1000 {
		body.WriteString(simple(fmt.Sprint("stall", i), i) + "\n")
	}
	head := fmt.Sprintf("POST /batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		s.token(t, auth.Logger), linesTypes[0], body.Len())
	half := stalled(t, server.Listener.Addr().String(), head+body.String()[:body.Len()/2])
	if s.batch(t, simple("beside", 1))[0].Status != 201 { // meanwhile half of the body arrives
		t.Error("another batch is not stored beside it")
	}
	if stats := s.service.Stats(); stats.DocumentsRunning != 0 || stats.DocumentBytes != 0 {
		t.Errorf("half a body holds %d processors and %d bytes", stats.DocumentsRunning, stats.DocumentBytes)
	}
	_ = half.Close()
	whole := stalled(t, server.Listener.Addr().String(), "")
	_ = whole.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(whole, head+body.String()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lines are stored", func() bool { return s.entries() == 1001 })
	eventually(t, "the turn ends", func() bool { return s.service.Stats().DocumentsRunning == 0 && s.service.Stats().DocumentBytes == 0 })
}

// A robot learns what of it has arrived, page by page, and nothing of others.
func TestARobotLearnsWhatHasArrived(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	sent := s.batch(t, strings.TrimSpace(suite.Line(1, true)), strings.TrimSpace(suite.Line(2, true)), strings.Replace(simple("c", 1), "{", `{"user":"tiago",`, 1))
	if w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "eve"), token: s.tokenOf("eve", auth.Logger)}); w.Code != 201 {
		t.Fatal(w.Code)
	}
	type page struct {
		Logs []struct {
			LogID string `json:"log_id"`
			User  string
		}
		Next *int
	}
	mine := func(query string) page {
		w := s.do(t, call{method: "GET", path: "/logs/mine" + query, token: s.token(t, auth.Logger)})
		if w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
		return asJSON[page](t, w)
	}
	if p := mine(""); len(p.Logs) != 3 || p.Next != nil || p.Logs[0].LogID != sent[0].LogID || p.Logs[2].LogID != sent[2].LogID || p.Logs[2].User != "tiago" {
		t.Errorf("%+v", p)
	}
	first := mine("?limit=1")
	if len(first.Logs) != 1 || first.Next == nil {
		t.Fatalf("%+v", first)
	}
	for _, after := range []string{fmt.Sprint(*first.Next), sent[0].LogID} {
		if p := mine("?after=" + after); len(p.Logs) != 2 || p.Logs[0].LogID != sent[1].LogID {
			t.Errorf("after %s: %+v", after, p)
		}
	}
	wantProblem(t, s.do(t, call{method: "GET", path: "/logs/mine?after=none", token: s.token(t, auth.Logger)}), 404, "no log")
}

// signedList returns a request that is signed over a list of lines.
func (s *signedService) signedList(change func(body string) string, c toSign, lines ...string) *http.Request {
	s.t.Helper()
	var list, rest strings.Builder
	for i, line := range lines {
		salt := journal.Salt{byte(i), 9}
		list.WriteString(salt.Commit([]byte(line)) + "\n")
		rest.WriteString(base64.RawStdEncoding.EncodeToString(salt[:]) + " " + line + "\n")
	}
	sum := sha256.Sum256([]byte(list.String()))
	c.path, c.kind, c.body, c.list = "/batch", linesTypes[0], change(list.String()+"\n"+rest.String()), "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":"
	return s.signed(c)
}

// Each log of a signed list keeps its own line and the list, and a withdrawn one does not take
// the proof of the others with it. The request can be sent again, but not changed.
func TestEachLineOfASignedRequestIsKeptAlone(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	s.addKey("ari", robot(1))
	asIs := func(body string) string { return body }
	one := strings.TrimSpace(suite.Line(1, true))
	first := s.signedList(asIs, toSign{metadata: metadata{nonce: "the same nonce"}}, simple("bad", 1)+"x", one, simple("two", 2))
	second := again(first, func(*http.Request) {})
	before := s.entries()
	w := s.send(first)
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	all := lineAnswers(t, w.Body.Bytes(), 3)
	if all[0].Status != 422 || all[1].Status != 201 || all[2].Status != 201 || s.entries() != before+3 {
		t.Fatalf("%d entries, %+v", s.entries()-before, all)
	}
	if w := s.do(t, call{method: "DELETE", path: "/logs/" + all[1].LogID, token: s.token(t, auth.Admin)}); w.Code != 200 { // the second entry is of its context
		t.Fatal(w.Code, w.Body)
	}
	if k := s.kept(all[1].LogID); !k.Erased || len(k.Body) > 0 {
		t.Errorf("of the withdrawn line, %q is kept", k.Body)
	}
	k := s.kept(all[2].LogID)
	if l, err := journal.ParseListed(k.Body); err != nil || l.Index != 2 || string(l.Line) != simple("two", 2) || strings.Contains(string(k.Body), "heard") {
		t.Errorf("%v: %q", err, k.Body)
	}
	if w := s.send(second); w.Code != 200 || !lineAnswers(t, w.Body.Bytes(), 3)[2].Repeated || s.entries() != before+5 {
		t.Errorf("the same request again: %d %s", w.Code, w.Body)
	}
	wantProblem(t, s.send(s.signedList(asIs, toSign{metadata: metadata{nonce: "the same nonce"}}, simple("three", 3))), 401, "nonce")
	other := func(body string) string { return strings.Replace(body, "urn:s4", "urn:s5", 1) }
	wantProblem(t, s.send(s.signedList(other, toSign{}, simple("four", 4))), 400, "the list does not have the hash")
	wantProblem(t, s.send(s.signedList(func(string) string { return simple("five", 5) }, toSign{}, simple("five", 5))), 400, "must be a list")
	swapped := func(body string) string { // another list that fits its lines
		salt, line := journal.Salt{1}, simple("six", 7)
		return salt.Commit([]byte(line)) + "\n\n" + base64.RawStdEncoding.EncodeToString(salt[:]) + " " + line
	}
	wantProblem(t, s.send(s.signedList(swapped, toSign{}, simple("six", 6))), 401, "another digest")
	wantProblem(t, s.send(s.signed(toSign{path: "/batch", kind: linesTypes[0], body: simple("seven", 7)})), 401, "list-digest")
	many := make([]string, service.MaxSignedLines+1)
	for i := range many {
		many[i] = simple(fmt.Sprint("many", i), i)
	}
	wantProblem(t, s.send(s.signedList(asIs, toSign{}, many...)), 413, "more than 100 lines")
	if s.entries() != before+5 {
		t.Errorf("%d entries", s.entries()-before)
	}
}

// Users who must sign can't send lines without a signature, and no other route takes a list.
func TestALogOfAUserWhoMustSignIsSignedAsALine(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.RequireSignatures = []string{"ari"} })
	s.addKey("ari", robot(1))
	w := s.do(t, call{method: "POST", path: "/batch", contentType: linesTypes[0], body: simple("a", 1), token: s.token(t, auth.Logger)})
	wantProblem(t, w, 401, "must be signed")
	if asked := w.Header().Get("Accept-Signature"); !strings.Contains(asked, `"list-digest"`) {
		t.Errorf("it asks for %s", asked)
	}
	r := s.signed(toSign{list: "sha-256=:" + base64.StdEncoding.EncodeToString(make([]byte, 32)) + ":"})
	wantProblem(t, s.send(r), 401, "content-digest")
	if w := s.send(s.signedList(func(body string) string { return body }, toSign{}, simple("a", 1))); w.Code != 200 || lineAnswers(t, w.Body.Bytes(), 1)[0].Status != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// heldLines calls before at the beginning of each line.
type heldLines struct {
	service.Lines
	before func()
}

func (l *heldLines) BeginLog(ctx context.Context, d *store.Document, e *journal.Entry) (func() error, error) {
	l.before()
	return l.Lines.BeginLog(ctx, d, e)
}

// newHeldLines returns a service whose lines begin with before.
func newHeldLines(t *testing.T, before func(), change func(*settings)) (s *signedService, post func() *httptest.ResponseRecorder) {
	held := &heldLines{before: before}
	s = newSignedService(t, func(c *settings) {
		held.Lines, c.Lines = c.Lines, held
		change(c)
	})
	c := call{method: "POST", path: "/batch", body: `{"key":"one","graph":{"@id":"urn:s","urn:p":1}}`, contentType: "application/x-ndjson", token: s.token(t, auth.Logger)}
	return s, func() *httptest.ResponseRecorder { return s.do(t, c) }
}

func TestALineThatPanickedMayBeSentAgain(t *testing.T) {
	t.Parallel()
	before := func() { panic("a fault") }
	_, post := newHeldLines(t, func() { before() }, func(*settings) {})
	wantProblem(t, post(), 500, "server failed")
	before = func() {}
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() { answered <- post() }()
	select {
	case w := <-answered:
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"status":201`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for the line that panicked")
	}
}

// A line that waits for another with its key holds the turn of its batch meanwhile.
func TestALineWaitsForItsKeyWithALimit(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}, 1), make(chan struct{})
	_, post := newHeldLines(t, func() { begun <- struct{}{}; <-release }, func(c *settings) { c.Limits.DocumentPatience = 50 * time.Millisecond })
	first := make(chan struct{})
	go func() { defer close(first); post() }()
	<-begun
	otherwise := time.AfterFunc(10*time.Second, func() { close(release) }) // the test would not end
	defer func() {
		if otherwise.Stop() {
			close(release)
		}
		<-first
	}()
	if w := post(); w.Code != 200 || !strings.Contains(w.Body.String(), `"status":503`) || !strings.Contains(w.Body.String(), "under way") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
