package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// running is a front.Server in operation.
type running struct {
	*front.Server
	*fixture
	stop  context.CancelFunc
	ended chan error // the result of Serve
}

// run serves on two free ports until stop is called or the test ends.
func run(t testing.TB, s *fixture, o front.ServerOptions) *running {
	t.Helper()
	o.API, o.UI = "127.0.0.1:0", "127.0.0.1:0"
	server, err := s.front.Listen(t.Context(), o, s.handlers)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{server, s, stop, make(chan error, 1)}
	go func() { r.ended <- server.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err, ok := <-r.ended; ok && err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return r
}

// wait returns the result of Serve.
func (r *running) wait(t testing.TB) error {
	t.Helper()
	select {
	case err := <-r.ended:
		close(r.ended)
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not end")
		return nil
	}
}

func (r *running) url(path string) string { return "http://" + r.APIAddr().String() + path }

func get(url string) (int, error) {
	response, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, errors.Join(err, response.Body.Close())
}

func TestBothListenersAnswer(t *testing.T) {
	t.Parallel()
	r := run(t, newOpenService(t), front.ServerOptions{})
	ui := "http://" + r.UIAddr().String()
	for url, want := range map[string]int{
		r.url("/healthz/ready"): 200, r.url("/"): 404, r.url("/api/events"): 404,
		ui + "/": 404, ui + "/api/healthz/ready": 200, ui + "/api/docs": 200, ui + "/events": 404,
	} {
		if got, err := get(url); got != want || err != nil {
			t.Errorf("%s: %d, %v", url, got, err)
		}
	}
}

func TestAnAddressThatIsTakenIsAnError(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, o := range []front.ServerOptions{
		{API: taken.Addr().String(), UI: "127.0.0.1:0"},
		{API: "127.0.0.1:0", UI: taken.Addr().String()},
	} {
		if _, err := s.front.Listen(t.Context(), o, s.handlers); err == nil || !strings.Contains(err.Error(), taken.Addr().String()) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestShuttingDownFinishesWritesAndTakesNothingNew(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	writing, finish := make(chan struct{}), make(chan struct{})
	s.graph.add = func(context.Context) error {
		close(writing)
		<-finish
		return nil
	}
	r := run(t, s, front.ServerOptions{})
	type answer struct {
		status int
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		response, err := http.Post(r.url("/ttl"), "application/json", strings.NewReader(ttl(small, nil)))
		if err != nil {
			answered <- answer{0, err}
			return
		}
		answered <- answer{response.StatusCode, response.Body.Close()}
	}()
	<-writing
	r.stop()
	eventually(t, "no new connection is taken", func() bool {
		conn, err := net.DialTimeout("tcp", r.APIAddr().String(), time.Second)
		if err != nil {
			return true
		}
		return conn.Close() != nil
	})
	if w := s.do(t, call{method: "GET", path: "/healthz/ready"}); w.Code != 503 {
		t.Errorf("it still says that it is ready: %s", w.Body)
	}
	select {
	case err := <-r.ended:
		t.Fatalf("it ended before the write: %v", err)
	default:
	}
	close(finish)
	if got := <-answered; got.status != http.StatusCreated || got.err != nil {
		t.Errorf("the write got %+v", got)
	}
	if err := r.wait(t); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if len(s.graph.entries()) != 1 {
		t.Errorf("%d writes", len(s.graph.entries()))
	}
}

func TestShutdownCutsShortWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	s.graph.export = func(ctx context.Context, w io.Writer) error {
		defer close(ended)
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}
	r := run(t, s, front.ServerOptions{Shutdown: 100 * time.Millisecond})
	stalled(t, r.APIAddr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	<-begun
	r.stop()
	if err := r.wait(t); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if !strings.Contains(s.lines(), "aborting the requests that take too long active=1") {
		t.Errorf("the log says nothing of it: %s", s.lines())
	}
	if log := s.lines(); !strings.Contains(log, "the service shut down before the request ended") || strings.Contains(log, "the client disconnected") {
		t.Errorf("the log does not say that the shutdown ended the request: %s", log)
	}
	select { // Serve has returned, so no request may be running
	case <-ended:
	default:
		t.Error("the export goes on")
	}
	if s.graph.exports() != 0 || s.front.Stats().Requests != 0 {
		t.Errorf("%d exports, %d requests", s.graph.exports(), s.front.Stats().Requests)
	}
}

func TestServingLeavesNoGoroutineBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	r := run(t, newOpenService(t), front.ServerOptions{})
	client := &http.Client{Transport: &http.Transport{}}
	for range 20 {
		response, err := client.Get(r.url("/events"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	client.CloseIdleConnections()
	r.stop()
	if err := r.wait(t); err != nil {
		t.Fatal(err)
	}
	eventually(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= before })
}

func TestManyRequestsOnOneConnection(t *testing.T) {
	t.Parallel()
	r := run(t, newOpenService(t), front.ServerOptions{})
	conn, err := net.Dial("tcp", r.APIAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for i, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/ttl", ttl(small, nil), 201}, {"GET", "/events", "", 200}, {"PUT", "/ttl", "x", 405},
		{"POST", "/ttl", "{", 422}, {"OPTIONS", "*", "", 404}, {"GET", "/nowhere", "body", 404}, {"POST", "/ttl", ttl(small, nil), 201},
	} {
		_, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			c.method, c.path, len(c.body), c.body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != c.want || response.Header.Get("X-Request-ID") == "" {
			t.Errorf("%d: %s %s: %d %v", i, c.method, c.path, response.StatusCode, response.Header)
		}
	}
}

// stuckExports is a store whose exports keep reading until they are released, even if
// their context ends.
type stuckExports struct {
	*persist.Store
	begun, goOn chan struct{}
}

type stuckExport struct {
	store.Export
	stuckExports
}

func (s stuckExports) Export(ctx context.Context, name rdf.Term, f turtle.Format) (store.Export, error) {
	e, err := s.Store.Export(ctx, name, f)
	return stuckExport{e, s}, err
}

func (e stuckExport) WriteTo(w io.Writer) (int64, error) {
	close(e.begun)
	<-e.goOn
	return e.Export.WriteTo(w)
}

func TestTheStoreIsNotClosedUnderARequestThatDoesNotEnd(t *testing.T) {
	suite.NotShort(t)
	t.Parallel() // the server waits 5 s for the request
	opened, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graph := stuckExports{opened, make(chan struct{}), make(chan struct{})}
	s := newOpenService(t, func(c *settings) { c.Graph = graph })
	r := run(t, s, front.ServerOptions{Shutdown: 50 * time.Millisecond})
	stalled(t, r.APIAddr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	<-graph.begun
	r.stop()
	if err := r.wait(t); err == nil || !strings.Contains(err.Error(), "1 requests") {
		t.Errorf("Serve does not say that a request is left: %v", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- opened.Close() }()
	select {
	case err := <-closed:
		t.Fatalf("the store was closed under the request: %v", err)
	case <-time.After(200 * time.Millisecond): // no condition to poll for
	}
	close(graph.goOn)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	eventually(t, "the request has ended", func() bool { return s.front.Stats().Requests == 0 })
}
