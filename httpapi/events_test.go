package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/spool"
)

func TestTheGraphIsExportedInTheRequestedForm(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	for _, c := range []struct{ accept, want string }{
		{"", "text/turtle; charset=utf-8"},
		{"*/*", "text/turtle; charset=utf-8"},
		{"text/*", "text/turtle; charset=utf-8"},
		{"text/turtle", "text/turtle; charset=utf-8"},
		{"TEXT/Turtle; charset=utf-8", "text/turtle; charset=utf-8"},
		{"text/html,application/xhtml+xml,*/*;q=0.8", "text/turtle; charset=utf-8"},
		{"application/json, text/plain, */*", "text/turtle; charset=utf-8"},
		{"application/n-triples", "application/n-triples"},
		{"application/*", "application/n-triples"},
		{"application/rdf+xml", "application/rdf+xml"},
		{"text/turtle;q=0.5, application/n-triples", "application/n-triples"},
		{"text/turtle;q=0.5, application/n-triples;q=0.4", "text/turtle; charset=utf-8"},
		{"text/turtle;q=0, */*", "application/n-triples"},
		{"*/*;q=0.1, application/n-triples;q=0.2", "application/n-triples"},
		{"text/turtle;q=nonsense", "text/turtle; charset=utf-8"},
		{"application/ld+json", "application/ld+json"},
		{"application/trig", "application/trig"},
		{"application/n-quads", "application/n-quads"},
		{"application/json, text/plain, text/turtle", "text/turtle; charset=utf-8"}, // SEGB's old front end
		{"text/html", ""},
		{"application/json", ""},
		{"text/turtle;q=0", ""},
		{"*/*;q=0", ""},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			request := call{method: method, path: "/events"}
			if c.accept != "" {
				request.header = map[string]string{"Accept": c.accept}
			}
			w := s.do(t, request)
			if w.Header().Get("Vary") != "Accept" {
				t.Errorf("%q: Vary %q", c.accept, w.Header().Get("Vary"))
			}
			if c.want == "" {
				wantProblem(t, w, http.StatusNotAcceptable, "text/turtle, application/n-triples, application/rdf+xml")
			} else if w.Code != 200 || w.Header().Get("Content-Type") != c.want {
				t.Errorf("%q: %d %q, want %q", c.accept, w.Code, w.Header().Get("Content-Type"), c.want)
			}
		}
	}
	if n := s.graph.exports(); n != 0 {
		t.Errorf("%d exports were not closed", n)
	}
}

func TestTheETagTellsWhetherTheGraphIsTheSame(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	ask := func(method, ifNoneMatch string) *httptest.ResponseRecorder {
		return s.do(t, call{method: method, path: "/events", header: map[string]string{"If-None-Match": ifNoneMatch}})
	}
	first := ask("GET", "")
	tag := first.Header().Get("ETag")
	if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' || first.Header().Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("ETag %s, Cache-Control %q", tag, first.Header().Get("Cache-Control"))
	}
	for _, c := range []struct {
		given string
		want  int
	}{
		{tag, 304}, {"W/" + tag, 304}, {`"other", ` + tag, 304}, {"*", 304}, {`"other"`, 200}, {strings.Trim(tag, `"`), 200}, {"", 200},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			w := ask(method, c.given)
			if w.Code != c.want || w.Header().Get("ETag") != tag {
				t.Errorf("%s %s: %d, ETag %s", method, c.given, w.Code, w.Header().Get("ETag"))
			}
			if w.Code == 304 && w.Body.Len() > 0 {
				t.Errorf("%s %s: a body of %d bytes", method, c.given, w.Body.Len())
			}
		}
	}
	s.do(t, call{method: "POST", path: "/ttl", body: ttl("<http://e/x> <http://e/y> 1 .", nil)})
	if w := ask("GET", tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("after a change: %d, ETag %s", w.Code, w.Header().Get("ETag"))
	}
	if n := s.graph.exports(); n != 0 {
		t.Errorf("%d exports were not closed", n)
	}
}

func TestAnEmptyGraphIs200(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/n-triples"}})
	if w.Code != 200 || w.Body.Len() != 0 || !strings.Contains(s.lines(), "path=/events status=200") {
		t.Errorf("%d %q, and in the log %s", w.Code, w.Body, s.lines())
	}
}

func TestHEADMakesNoText(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.export = func(context.Context, io.Writer) error { t.Error("the text was made"); return nil }
	if w := s.do(t, call{method: "HEAD", path: "/events"}); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestAnExportThatFailsAtOnceIsAProblemAndALaterOneABrokenBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first int // bytes sent before the failure
	}{{"at once", 0}, {"in memory", 10}, {"in the file", 1 << 20}} {
		t.Run(c.name, func(t *testing.T) {
			s := newOpenService(t)
			s.graph.export = func(_ context.Context, w io.Writer) error {
				if _, err := w.Write(make([]byte, c.first)); err != nil {
					return err
				}
				return errors.New("the disk is broken")
			}
			server := httptest.NewServer(s.Handler())
			defer server.Close()
			response, err := http.Get(server.URL + "/events")
			if err != nil {
				if c.first == 0 { // a connection broken before the header arrives is also correct
					t.Fatal(err)
				}
				return
			}
			body, err := io.ReadAll(response.Body)
			if closing := response.Body.Close(); closing != nil {
				t.Error(closing)
			}
			if c.first == 0 {
				if response.StatusCode != 500 || err != nil || strings.Contains(string(body), "broken") {
					t.Errorf("%d %q, %v", response.StatusCode, body, err)
				}
				return
			}
			if err == nil {
				t.Errorf("%d bytes look like a whole answer", len(body))
			}
			eventually(t, "the log says why", func() bool { return strings.Contains(s.lines(), "the disk is broken") })
			if n := s.graph.exports(); n != 0 {
				t.Errorf("%d exports were not closed", n)
			}
		})
	}
}

// stalled opens a connection, sends a request and returns without reading the answer.
func stalled(t testing.TB, address, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestAStalledReaderHoldsNothingOfTheStoreAndIsCutOff(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Patience = time.Second })
	made := make(chan error, 1)
	s.graph.export = func(_ context.Context, w io.Writer) error {
		_, err := io.Copy(w, strings.NewReader(strings.Repeat("x", 8<<20)))
		made <- err
		return err
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	conn := stalled(t, server.Listener.Addr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	head, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil || !strings.Contains(head, "200 OK") {
		t.Fatalf("%q, %v", head, err)
	}

	if err := <-made; err != nil {
		t.Fatalf("the export waits for its reader: %v", err)
	}
	eventually(t, "the export is closed", func() bool { return s.graph.exports() == 0 })
	if response, err := http.Get(server.URL + "/healthz/live"); err != nil || response.StatusCode != 200 {
		t.Errorf("another client: %v, %v", response, err)
	}
	eventually(t, "the reader is cut off", func() bool { return strings.Contains(s.lines(), "read the answer too slowly") })
	if got := s.service.Stats().SpoolBytes; got != 0 {
		t.Errorf("%d bytes of disk are still used", got)
	}
	names, err := os.ReadDir(s.config.SpoolDir)
	if err != nil || len(names) > 0 {
		t.Errorf("files are left: %v, %v", names, err)
	}
}

func TestASlowReaderThatIsFastEnoughGetsAll(t *testing.T) {
	t.Parallel()
	const size = 2 << 20
	s := newOpenService(t, func(c *settings) { c.Limits.Patience = 500 * time.Millisecond; c.Limits.Rate = 1 << 20 })
	s.graph.export = func(_ context.Context, w io.Writer) error {
		_, err := w.Write(make([]byte, size))
		return err
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	response, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	got, p := 0, make([]byte, 32<<10)
	for {
		n, err := response.Body.Read(p)
		got += n
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Millisecond) // a client that reads about 3 MiB/s
	}
	if got != size {
		t.Errorf("%d bytes came", got)
	}
}

func TestAClientThatHangsUpEndsItsExport(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	ended := make(chan error, 1)
	s.graph.export = func(ctx context.Context, w io.Writer) error {
		_, err := w.Write([]byte("begun\n"))
		if err == nil {
			<-ctx.Done()
			err = ctx.Err()
		}
		ended <- err
		return err
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	conn := stalled(t, server.Listener.Addr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) && !errors.Is(err, spool.ErrClosed) { // the client may be gone before the first byte
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the export goes on")
	}
	eventually(t, "the export is closed", func() bool { return s.graph.exports() == 0 })
}

func TestAPanicWhileTheTextIsMadeBreaksTheBodyAndMakesTheServiceNotReady(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.graph.export = func(_ context.Context, w io.Writer) error {
		if _, err := w.Write([]byte("begun\n")); err != nil {
			return err
		}
		panic("a fault in the writer")
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	request, err := http.NewRequest("GET", server.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token(t, auth.Auditor))
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		_, err = io.ReadAll(response.Body)
	}
	if err == nil {
		t.Error("the answer looks whole")
	}
	if w := s.do(t, call{method: "GET", path: "/healthz/ready"}); w.Code != 503 {
		t.Errorf("the service is still ready: %s", w.Body)
	}
	if !strings.Contains(s.lines(), "CRITICAL") || !strings.Contains(s.lines(), "a fault in the writer") || s.graph.exports() != 0 {
		t.Errorf("%d exports are open, and the log is %s", s.graph.exports(), s.lines())
	}
}

func TestOverHTTP10ABrokenExportIsAResetAndAWholeOneIsNot(t *testing.T) {
	t.Parallel()
	const size = 300_000
	var fails atomic.Bool
	s := newOpenService(t)
	s.graph.export = func(_ context.Context, w io.Writer) error {
		if _, err := w.Write(make([]byte, size)); err != nil {
			return err
		}
		if fails.Load() {
			return errors.New("the disk is broken")
		}
		return nil
	}
	r := run(t, s, front.ServerOptions{})
	for range 20 { // a race between a reset and the end would give different results
		for _, broken := range []bool{false, true} {
			fails.Store(broken)
			conn := stalled(t, r.APIAddr().String(), "GET /events HTTP/1.0\r\n\r\n")
			answer, err := io.ReadAll(conn)
			if broken && err == nil {
				t.Fatalf("%d bytes look like a whole answer", len(answer))
			}
			if !broken && (err != nil || len(answer) < size) {
				t.Fatalf("%d bytes, %v", len(answer), err)
			}
		}
	}
}

func TestShutdownResetsUnfinishedHTTP10Answers(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	begun := make(chan struct{})
	s.graph.export = func(ctx context.Context, w io.Writer) error {
		if _, err := w.Write([]byte("begun")); err != nil {
			return err
		}
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}
	r := run(t, s, front.ServerOptions{Shutdown: 50 * time.Millisecond})
	conn := stalled(t, r.APIAddr().String(), "GET /events HTTP/1.0\r\n\r\n")
	<-begun
	r.stop()
	if answer, err := io.ReadAll(conn); err == nil {
		t.Errorf("%q looks like a whole answer", answer)
	}
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

func TestEveryAnswerOverHTTP10IsWhole(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.add = func(context.Context) error { panic("a fault") }
	r := run(t, s, front.ServerOptions{})
	for request, want := range map[string]string{
		"GET /healthz/live HTTP/1.0\r\n\r\n": "200", "GET /openapi.json HTTP/1.0\r\n\r\n": "200", "GET /nowhere HTTP/1.0\r\n\r\n": "404",
		"HEAD /events HTTP/1.0\r\n\r\n": "200", "GET /events HTTP/1.0\r\nIf-None-Match: *\r\n\r\n": "304",
		"POST /ttl HTTP/1.0\r\nContent-Type: text/turtle\r\nContent-Length: 22\r\n\r\n<urn:a> <urn:b> \"c\" . ": "500",
	} {
		answer, err := io.ReadAll(stalled(t, r.APIAddr().String(), request))
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.0 "+want) {
			t.Errorf("%q: %.60q, %v", request, answer, err)
		}
	}
}
