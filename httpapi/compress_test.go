package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

// compressed returns text in the coding that a header field names. It uses the
// compression library directly.
func compressed(t testing.TB, field, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch {
	case strings.Contains(strings.ToLower(field), "gzip"):
		w = gzip.NewWriter(&b)
	case strings.Contains(field, "zstd"):
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	default:
		return text
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// decompressed reads a body to its end with the compression library.
func decompressed(coded string, body io.Reader) (string, error) {
	var in io.Reader
	switch coded {
	case "":
		in = body
	case coding.Gzip:
		r, err := gzip.NewReader(body)
		if err != nil {
			return "", err
		}
		in = r
	case coding.Zstd:
		r, err := zstd.NewReader(body, zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return "", err
		}
		defer r.Close()
		in = r
	}
	text, err := io.ReadAll(in)
	return string(text), err
}

// compressedRoutes are requests with compressed answers.
var compressedRoutes = []call{
	{method: "GET", path: "/events"},
	{method: "GET", path: "/events", header: map[string]string{"Accept": service.MediaNTriples}},
	{method: "GET", path: "/query?query=" + url.QueryEscape("SELECT ?s { ?s ?p ?o }")},
	{method: "GET", path: "/query?query=" + url.QueryEscape("ASK {}")},
	{method: "POST", path: "/query", body: "CONSTRUCT WHERE { ?s ?p ?o }", contentType: mediaQuery},
	{method: "POST", path: "/query", body: "query=ASK%7B%7D", contentType: front.MediaForm},
	{method: "GET", path: "/logs"},
	{method: "GET", path: "/logs/" + knownLog},
	{method: "GET", path: "/logs/" + knownLog, header: map[string]string{"Accept": service.MediaTurtle}},
	{method: "GET", path: "/logs/server?contains=nothing"},
}

func TestAnswersAreCompressedWhereTheClientAsks(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	for _, request := range compressedRoutes {
		for _, prefix := range []string{"", "/api"} {
			ask := func(method, accept string) *httptest.ResponseRecorder {
				r := request
				r.method, r.path, r.ui = method, prefix+request.path, prefix != ""
				r.header = map[string]string{"Accept-Encoding": accept, "Accept": request.header["Accept"]}
				return s.do(t, r)
			}
			plain := ask(request.method, "identity")
			if plain.Code != 200 || plain.Header().Get("Content-Encoding") != "" {
				t.Errorf("%s: %d %q", request.path, plain.Code, plain.Header().Get("Content-Encoding"))
			}
			for _, coded := range []string{"", "gzip", "zstd"} {
				w := ask(request.method, coded)
				text, err := decompressed(coded, bytes.NewReader(w.Body.Bytes()))
				if w.Code != 200 || err != nil || text != plain.Body.String() || w.Header().Get("Content-Encoding") != coded {
					t.Errorf("%s%s in %q: %d %v, %q for %q", prefix, request.path, coded, w.Code, err, text, plain.Body)
				}
				if !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") || w.Header().Get("Content-Type") != plain.Header().Get("Content-Type") {
					t.Errorf("%s in %q: %v", request.path, coded, w.Header())
				}
				if length := w.Header().Get("Content-Length"); length != "" && length != fmt.Sprint(w.Body.Len()) {
					t.Errorf("%s in %q: Content-Length %s for %d bytes", request.path, coded, length, w.Body.Len())
				}
				if request.method == "GET" {
					if head := ask("HEAD", coded); head.Header().Get("Content-Encoding") != coded || head.Header().Get("ETag") != w.Header().Get("ETag") {
						t.Errorf("HEAD %s in %q: %v", request.path, coded, head.Header())
					}
				}
			}
			refused := ask(request.method, "identity;q=0")
			wantProblem(t, refused, 406, "gzip, zstd, identity")
		}
	}
	for _, path := range []string{"/healthz/live", "/openapi.json", "/admin/backup", "/nowhere"} {
		w := s.do(t, call{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip, identity;q=0"}})
		if w.Header().Get("Content-Encoding") != "" || w.Code == 406 {
			t.Errorf("%s is compressed: %d %v", path, w.Code, w.Header())
		}
	}
	if n := s.graph.exports(); n != 0 || s.service.Stats().MemoryBytes != 0 {
		t.Errorf("%d exports and %d places are still held", n, s.service.Stats().MemoryBytes)
	}
}

func TestACompressedGraphHasAWeakETagThatIsKnownInEveryCoding(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	ask := func(method, accept, ifNoneMatch string) *httptest.ResponseRecorder {
		header := map[string]string{"Accept-Encoding": accept}
		if ifNoneMatch != "" {
			header["If-None-Match"] = ifNoneMatch
		}
		return s.do(t, call{method: method, path: "/events", header: header})
	}
	strong := ask("GET", "", "").Header().Get("ETag")
	if !strings.HasPrefix(strong, `"`) {
		t.Fatalf("ETag %s", strong)
	}
	for _, coded := range []string{"", "gzip", "zstd"} {
		want := "W/" + strong
		if coded == "" {
			want = strong
		}
		for _, method := range []string{"GET", "HEAD"} {
			if w := ask(method, coded, ""); w.Header().Get("ETag") != want {
				t.Errorf("%s in %q: ETag %s, want %s", method, coded, w.Header().Get("ETag"), want)
			}
			for _, known := range []string{strong, "W/" + strong, `"x", W/` + strong, "*"} {
				w := ask(method, coded, known)
				h := w.Header()
				if w.Code != 304 || w.Body.Len() > 0 || h.Get("ETag") != want || h.Get("Content-Encoding") != "" || !slices.Contains(h.Values("Vary"), "Accept-Encoding") {
					t.Errorf("%s in %q, knowing %s: %d %v", method, coded, known, w.Code, h)
				}
			}
			if w := ask(method, coded, `W/"x"`); w.Code != 200 || w.Header().Get("Content-Encoding") != coded {
				t.Errorf("%s in %q, knowing another: %d", method, coded, w.Code)
			}
		}
	}
}

func TestAProblemIsNotCompressed(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.err = errors.New("the disk is broken")
	for _, request := range compressedRoutes {
		request.header = map[string]string{"Accept-Encoding": "gzip"}
		w := s.do(t, request)
		if w.Code == 200 { // the server log needs no store
			continue
		}
		wantProblem(t, w, 500, "server failed")
		if got := w.Header().Get("Content-Encoding"); got != "" || w.Header().Get("ETag") != "" {
			t.Errorf("%s: Content-Encoding %q", request.path, got)
		}
	}
}

// TestACompressedAnswerThatIsCutShortLooksSo fails in the middle of an answer. Neither
// the chunked body nor the compressed stream may look complete.
func TestACompressedAnswerThatIsCutShortLooksSo(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is broken")
	line := strings.Repeat("0123456789abcdef", 64)
	for _, path := range []string{"/events", "/logs/" + knownLog, "/query?query=" + url.QueryEscape("SELECT ?a {}")} {
		for _, coded := range []string{"gzip", "zstd"} {
			for _, size := range []int{1, 100 << 10, 4 << 20} {
				s := newOpenService(t)
				s.graph.export = func(_ context.Context, w io.Writer) error {
					for range max(1, size/len(line)) {
						if _, err := io.WriteString(w, line); err != nil {
							return err
						}
					}
					return broken
				}
				s.graph.query = func(_ context.Context, out sparql.Answer, _ func(rdf.Triple) error) error {
					err := out.Head([]string{"a"})
					for range max(1, size/len(line)) {
						err = errors.Join(err, out.Row([]rdf.Term{rdf.NewString(line)}))
					}
					return errors.Join(err, broken)
				}
				server := httptest.NewServer(s.Handler())
				request, err := http.NewRequest("GET", server.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Accept-Encoding", coded)
				request.Header.Set("Accept", service.MediaTurtle)
				if strings.HasPrefix(path, "/query") {
					request.Header.Set("Accept", "text/csv") // Turtle is held back, until its version is known
				}
				response, err := http.DefaultTransport.RoundTrip(request)
				if err == nil {
					body, cut := io.ReadAll(response.Body)
					if response.StatusCode == 200 {
						if cut == nil {
							t.Errorf("%s in %s, %d bytes: the body looks whole", path, coded, size)
						}
						if _, err := decompressed(coded, bytes.NewReader(body)); err == nil {
							t.Errorf("%s in %s, %d bytes: the stream of %d bytes looks whole", path, coded, size, len(body))
						}
					} else if response.StatusCode != 500 || size > 1<<20 {
						t.Errorf("%s in %s, %d bytes: %d %s", path, coded, size, response.StatusCode, body)
					}
					if err := response.Body.Close(); err != nil {
						t.Error(err)
					}
				}
				server.Close()
				if s.service.Stats().MemoryBytes != 0 || s.service.Stats().SpoolBytes != 0 {
					t.Errorf("%s in %s: something is still held", path, coded)
				}
			}
		}
	}
}

func TestASlowReaderOfACompressedAnswerHoldsNothingOfTheStore(t *testing.T) {
	for _, coded := range []string{"gzip", "zstd"} {
		// Longer than making the export takes on a busy machine: a reader that is cut off ends it.
		s := newOpenService(t, func(c *settings) { c.Limits.Patience = 3 * time.Second })
		made := make(chan error, 1)
		s.graph.export = func(_ context.Context, w io.Writer) error {
			_, err := io.CopyN(w, rand.NewChaCha8([32]byte{}), 6<<20) // incompressible
			made <- err
			return err
		}
		server := httptest.NewServer(s.Handler())
		conn := stalled(t, server.Listener.Addr().String(), "GET /events HTTP/1.1\r\nHost: x\r\nAccept-Encoding: "+coded+"\r\n\r\n")
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if err := <-made; err != nil {
			t.Fatalf("the export waits for its reader: %v", err)
		}
		eventually(t, "the export is closed", func() bool { return s.graph.exports() == 0 && s.service.Stats().MemoryBytes == 0 })
		eventually(t, "the reader is cut off", func() bool { return strings.Contains(s.lines(), "read the answer too slowly") })
		if got := s.service.Stats().SpoolBytes; got != 0 {
			t.Errorf("%d bytes of disk are still used", got)
		}
		server.Close()
	}
}
