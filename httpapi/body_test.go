package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

func TestABodyOverItsLimitIs413WithTheLimit(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := newOpenService(t)
	document, usual := int64(16<<20), int64(1<<20)
	for _, c := range []struct {
		path  string
		limit int64
		words string
	}{
		{"/ttl", document, "16 MiB (16777216 bytes)"},
		{"/ttl/validate", document, "16 MiB (16777216 bytes)"},
		{"/ttl/delete_all", usual, "1 MiB (1048576 bytes)"},
	} {
		for _, chunked := range []bool{false, true} {
			ask := func(size int64) *httptest.ResponseRecorder {
				const start, end = `{"ttl_content":"`, `","user":null}`
				body := start + strings.Repeat(" ", int(size)-len(start)-len(end)) + end
				r := call{method: "POST", path: c.path, body: body}.request()
				if chunked {
					r.ContentLength = -1
				}
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, r)
				return w
			}
			wantProblem(t, ask(c.limit+1), 413, c.words)
			if w := ask(c.limit); w.Code == 413 {
				t.Errorf("%s: a body of just the limit is refused: %s", c.path, w.Body)
			}
		}
	}
	wantNothingHeld(t, s)
}

// Every route with a body, on both listeners, limits its size with 413 and accepts the
// codings that it names.
func TestEveryRouteBoundsItsBodyAndNamesTheCodingsThatItTakes(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := newOpenService(t)
	posts := 0
	for _, r := range allSpecified(t) {
		if r.method != "POST" {
			continue
		}
		posts++
		limit, words := 1<<20, "1 MiB"
		switch r.path {
		case "/ttl", "/ttl/validate", "/batch", "/forward":
			limit, words = 16<<20, "16 MiB"
		case "/add-checkpoint":
			limit, words = 64<<10, "65536 bytes"
		}
		for _, prefix := range []string{"", "/api"} {
			request := sample("POST", r.path)
			request.path, request.ui = prefix+request.path, prefix != ""
			for _, encoding := range []string{"br", "deflate", "gzip, gzip", "zstd,gzip", "gzip, br", "x"} {
				encoded := request
				encoded.header = map[string]string{"Content-Encoding": encoding}
				w := s.do(t, encoded)
				wantProblem(t, w, 415, "Content-Encoding")
				if got := w.Header().Get("Accept-Encoding"); got != "gzip, zstd" {
					t.Errorf("%s: Accept-Encoding %q", request.path, got)
				}
			}
			plain := s.do(t, request)
			for _, encoding := range []string{"identity", "gzip", "zstd", "x-gzip", " GZIP ,", "identity, zstd"} {
				encoded := request
				encoded.header = map[string]string{"Content-Encoding": encoding}
				encoded.contentType = cmp.Or(encoded.contentType, "application/json")
				encoded.body = compressed(t, encoding, encoded.body)
				// Without a secret key no token is issued.
				if w := s.do(t, encoded); w.Code != plain.Code || w.Code > 201 && r.path != "/admin/tokens" {
					t.Errorf("%s in %s: %d %s, want %d", request.path, encoding, w.Code, w.Body, plain.Code)
				}
			}
			request.body += strings.Repeat(" ", limit+1-len(request.body))
			wantProblem(t, s.do(t, request), 413, words)
		}
	}
	if posts < 11 {
		t.Errorf("only %d routes take a body", posts)
	}
	wantNothingHeld(t, s)
}

func TestContentTypesAndEncodings(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct {
		path, contentType, encoding string
		status                      int
		detail                      string
	}{
		{"/ttl", "application/json", "", 201, ""},
		{"/ttl", "application/json; charset=utf-8", "", 201, ""},
		{"/ttl", "Application/JSON;charset=UTF8;x=y", "", 201, ""},
		{"/ttl", "application/json; charset=latin1", "", 415, "UTF-8"},
		{"/ttl", "application/json; charset", "", 415, "Content-Type"},
		{"/ttl", "-", "", 415, "application/json, text/turtle, application/n-triples, application/rdf+xml or application/ld+json"},
		{"/ttl", "application/x-www-form-urlencoded", "", 415, "application/json, text/turtle, application/n-triples, application/rdf+xml or application/ld+json"},
		{"/ttl", "text/plain", "", 415, "application/json, text/turtle, application/n-triples, application/rdf+xml or application/ld+json"},
		{"/ttl", "application/json", "gzip", 400, "The body is not valid gzip: invalid header"},
		{"/ttl", "application/json", "zstd", 400, "The body is not valid zstd: magic number mismatch"},
		{"/ttl", "application/json", "identity", 201, ""},
		{"/ttl", "application/json", "gzip, identity, gzip", 415, "more than one Content-Encoding"},
		{"/ttl", "application/json", " ", 201, ""},
		{"/ttl/delete_all", "text/turtle", "", 415, "application/json"},
		{"/ttl/delete_all", "-", "", 415, "application/json"},
		{"/ttl/delete_all", "application/json", "br", 415, "Content-Encoding"},
		{"/query/validate", "text/plain", "", 415, "only JSON"},
		{"/shared-context/resolve", "text/turtle", "", 415, "only JSON"},
		{"/admin/revocations", "application/x-www-form-urlencoded", "", 415, "only JSON"},
	} {
		request := call{method: "POST", path: c.path, body: ttl(small, nil), contentType: c.contentType}
		if c.encoding != "" {
			request.header = map[string]string{"Content-Encoding": c.encoding}
		}
		w := s.do(t, request)
		if c.detail == "" {
			if w.Code != c.status {
				t.Errorf("%+v: %d %s", c, w.Code, w.Body)
			}
			continue
		}
		wantProblem(t, w, c.status, c.detail)
	}
}

func TestATruncatedBodyIs400AndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	r := call{method: "POST", path: "/ttl", body: "x"}.request()
	r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	wantProblem(t, w, 400, "Content-Length")
	if len(s.graph.entries()) > 0 {
		t.Error("something was stored")
	}
}

// inMemory is how much of a body is kept in memory while it arrives. Larger bodies go
// through a file.
const inMemory = 64 << 10

// A body with malformed chunks is 400, whatever its size, and logs nothing at level
// ERROR.
func TestABodyOfMalformedChunksIs400WithoutAnErrorInTheLog(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	r := run(t, s, front.ServerOptions{})
	whole := fmt.Sprintf("%x\r\n%s\r\n", 2*inMemory, strings.Repeat(" ", 2*inMemory))
	for _, path := range []string{"/ttl", "/ttl/validate", "/ttl/delete_all", "/shared-context/resolve"} {
		for _, chunks := range []string{"zz\r\nno size\r\n0\r\n\r\n", "5\r\nlonger than five\r\n0\r\n\r\n", "fffffffffffffffff\r\n", whole + "-1\r\n"} {
			answer := reply(t, stalled(t, r.APIAddr().String(), "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks))
			var p front.Problem
			if err := json.NewDecoder(answer.Body).Decode(&p); err != nil || answer.StatusCode != 400 || p.Status != 400 || !strings.Contains(p.Detail, "body") {
				t.Errorf("%s with %.20q: %d %+v, %v", path, chunks, answer.StatusCode, p, err)
			}
		}
	}
	if lines := s.lines(); strings.Contains(lines, "ERROR") || !strings.Contains(lines, "400") {
		t.Errorf("the log says\n%s", lines)
	}
	wantNothingHeld(t, s)
}

// wantNothingHeld checks that requests returned everything that they took.
func wantNothingHeld(t *testing.T, s *fixture) {
	t.Helper()
	if m, p, d := s.service.Stats().DocumentBytes, s.service.Stats().DocumentsRunning, s.front.Stats().BodyBytes; m != 0 || p != 0 || d != 0 {
		t.Errorf("%d bytes of documents, %d processors and %d bytes of disk are still held", m, p, d)
	}
	if shared, heads := s.service.Stats().MemoryBytes, s.front.Stats().HeadBytes; shared != 0 || heads != 0 {
		t.Errorf("%d bytes of memory and %d bytes of bodies there are still held", shared, heads)
	}
}

func TestALargeBodyIsReadExactly(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, size := range []int{inMemory - 1, inMemory, inMemory + 1, 3*inMemory + 7} {
		for _, chunked := range []bool{false, true} {
			start, end := `<http://e/a> <http://e/b> "`, `" .`
			var text strings.Builder
			for i := 0; text.Len() < size-len(start)-len(end); i++ {
				text.WriteByte("0123456789abcdefghijklmno"[i*i%25])
			}
			r := call{method: "POST", path: "/ttl?user=ari", body: start + text.String() + end, contentType: service.MediaTurtle}.request()
			if chunked {
				r.ContentLength = -1
			}
			s.graph.lines = nil
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			if w.Code != http.StatusCreated || len(s.graph.lines) != 1 {
				t.Fatalf("%d bytes: %d %s", size, w.Code, w.Body)
			}
			if got := keys(s.graph.lines)[0]; !strings.Contains(got, `"`+text.String()+`"`) {
				t.Errorf("%d bytes: what is stored has %d", size, len(got))
			}
		}
	}
	wantNothingHeld(t, s)
}

func TestABodyWithoutDiskSpaceIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	large := call{method: "POST", path: "/ttl", body: ttl(small+strings.Repeat("#", 2*inMemory)+"\n", nil)}
	s := newOpenService(t, func(c *settings) { c.Limits.BodyDisk = 1000 })
	w := s.do(t, large)
	wantProblem(t, w, 503, "large bodies")
	if w.Header().Get("Retry-After") != "10" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
	s = newOpenService(t, func(c *settings) { c.KeepFromBodies = func(int64) int64 { return 1 << 62 } })
	wantProblem(t, s.do(t, large), 507, "disk is full")
	if w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)}); w.Code != http.StatusCreated {
		t.Errorf("a small one: %d %s", w.Code, w.Body)
	}
	wantNothingHeld(t, s)
}

// TestBodiesThatStallHoldUpNobody has many clients that stop in the middle of a large
// body.
func TestBodiesThatStallHoldUpNobody(t *testing.T) {
	s := newOpenService(t)
	r := run(t, s, front.ServerOptions{Shutdown: 100 * time.Millisecond})
	before := allocated()
	part := strings.Repeat(" ", 1<<20-1)
	for range 100 {
		stalled(t, r.APIAddr().String(), "POST /ttl HTTP/1.1\r\nHost: x\r\nContent-Type: text/turtle\r\nContent-Length: 2000000\r\n\r\n"+part)
	}
	eventually(t, "all that was sent is received", func() bool { return s.front.Stats().BodyBytes > 90<<20 })
	if grown := allocated() - before; grown > 40<<20 {
		t.Errorf("100 bodies of a megabyte each take %d MiB of memory", grown>>20)
	}
	for _, size := range []int{0, 10_000, 2 << 20} {
		response, err := http.Post(r.url("/ttl"), "application/json", strings.NewReader(ttl(small+strings.Repeat(" ", size), nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusCreated {
			t.Errorf("beside them, %d bytes are answered %d, %v", size, response.StatusCode, err)
		}
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
	wantNothingHeld(t, s)
}

// The beginnings of many bodies must not fill the memory. Over HTTP/2, few connections have many.
func TestTheHeadsOfBodiesShareMemory(t *testing.T) {
	const clients, share = 200, 1 << 20
	s := newOpenService(t, func(c *settings) { c.Limits.Memory = 8 * share })
	r := run(t, s, front.ServerOptions{Shutdown: 100 * time.Millisecond})
	part := strings.Repeat(" ", inMemory-1)
	before := allocated()
	for range clients {
		stalled(t, r.APIAddr().String(), "POST /ttl HTTP/1.1\r\nHost: x\r\nContent-Type: text/turtle\r\nContent-Length: 65536\r\n\r\n"+part)
	}
	eventually(t, "what was sent is received", func() bool { return s.front.Stats().BodyBytes > (clients-share/inMemory)*inMemory*3/4 })
	if grown, heads := allocated()-before, s.front.Stats().HeadBytes; grown > 10<<20 || heads > share || heads < share/2 {
		t.Errorf("%d requests that are being received take %d KiB of memory, and %d bytes are counted", clients, grown>>10, heads)
	}
	response, err := http.Post(r.url("/ttl"), "application/json", strings.NewReader(ttl(small+strings.Repeat(" ", 2*inMemory), nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusCreated {
		t.Errorf("beside them, a document is answered %d, %v", response.StatusCode, err)
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
	wantNothingHeld(t, s)
}

// A large body that is no document waits for memory, and has it while it is parsed.
func TestALargeQueryWaitsForMemory(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Memory, c.Limits.DocumentPatience = 2<<20, 50*time.Millisecond })
	during := int64(0)
	s.graph.query = func(_ context.Context, out sparql.Answer, _ func(rdf.Triple) error) error {
		during = s.service.Stats().MemoryBytes
		return out.Boolean(true)
	}
	c := call{method: "POST", path: "/query", body: "ASK {}" + strings.Repeat(" ", 200<<10), contentType: "application/sparql-query"}
	if w := s.do(t, c); w.Code != 200 || during < 800<<10 {
		t.Errorf("%d %s; %d bytes were held", w.Code, w.Body, during)
	}
	wantNothingHeld(t, s)
	end, err := s.service.BeginText(t.Context(), 300<<10)
	if err != nil {
		t.Fatal(err)
	}
	wantProblem(t, s.do(t, c), 503, "try again")
	end()
	wantNothingHeld(t, s)
	if w := s.do(t, c); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
