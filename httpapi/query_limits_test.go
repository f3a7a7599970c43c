package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

// manyTriples returns a document of n triples with the same predicate.
func manyTriples(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("<http://e/s")
		b.WriteString(strings.Repeat("i", i%7))
		b.WriteString("> <http://e/p> ")
		b.WriteString(strconv.Itoa(i))
		b.WriteString(" .\n")
	}
	return b.String()
}

// crossProduct would run for hours over a hundred triples.
const crossProduct = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o . FILTER(?c + ?f + ?i + ?l + ?o < 0) }"

// promptly checks that try takes at most 250 ms.
func promptly(t *testing.T, try func() time.Duration) {
	t.Helper()
	suite.Within(t, "it took", 250*time.Millisecond, try)
}

func TestAQueryPastItsTimeIs504InTime(t *testing.T) {
	s := newQueryService(t, manyTriples(200), func(c *settings) { c.Limits.QueryTime = 200 * time.Millisecond })
	promptly(t, func() time.Duration {
		started := time.Now()
		wantProblem(t, s.ask(t, crossProduct), http.StatusGatewayTimeout, "200ms")
		return time.Since(started) - 200*time.Millisecond
	})
}

func TestAQueryPastItsMemoryIs503(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, manyTriples(500), func(c *settings) { c.Limits.QueryMemory = 1 << 20 })
	w := s.ask(t, "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f")
	wantProblem(t, w, http.StatusServiceUnavailable, "memory than its limit, which is 1 MiB")
	if w := s.ask(t, "SELECT * { ?a ?b ?c } ORDER BY ?c"); w.Code != 200 {
		t.Errorf("a smaller one: %d %s", w.Code, w.Body)
	}
}

func TestAnAnswerThatTheFormCanNotCarryIs406(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, `<http://e/s> <http://e/p> "a\u0001b" .`)
	wantProblem(t, s.ask(t, "SELECT * { ?s ?p ?o }", "format=xml"), http.StatusNotAcceptable, "U+0001")
	if w := s.ask(t, "SELECT * { ?s ?p ?o }"); w.Code != 200 || !strings.Contains(w.Body.String(), `a\u0001b`) {
		t.Errorf("as JSON: %d %s", w.Code, w.Body)
	}
}

// waiting makes the service's queries wait until the test releases them or their context
// ends.
func waiting(s *fixture) (begun chan struct{}, release chan struct{}, ended chan error) {
	begun, release, ended = make(chan struct{}, 100), make(chan struct{}), make(chan error, 100)
	s.graph.query = func(ctx context.Context, out sparql.Answer, _ func(rdf.Triple) error) error {
		begun <- struct{}{}
		var err error
		select {
		case <-release:
			err = out.Boolean(true)
		case <-ctx.Done():
			err = ctx.Err()
		}
		ended <- err
		return err
	}
	return begun, release, ended
}

func TestMoreQueriesThanMayWaitAre503(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Queries, c.Limits.QueryQueue = 2, 3 })
	begun, release, _ := waiting(s)
	answers := make(chan int, 5)
	for range 5 {
		go func() { answers <- s.ask(t, "ASK {}").Code }()
	}
	<-begun
	<-begun
	eventually(t, "three wait", func() bool { return s.service.Stats().QueriesWaiting == 3 })
	w := s.ask(t, "ASK {}")
	wantProblem(t, w, http.StatusServiceUnavailable, "queries are waiting")
	if w.Header().Get("Retry-After") != "10" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
	if w := s.do(t, call{method: "GET", path: "/healthz/live"}); w.Code != 200 {
		t.Errorf("live: %d", w.Code)
	}
	wantProblem(t, s.ask(t, "ASK"), http.StatusBadRequest, "") // syntax errors are reported without waiting
	if len(begun) > 0 {
		t.Error("more than two run at once")
	}
	close(release)
	for range 5 {
		if code := <-answers; code != 200 {
			t.Errorf("one of those that waited: %d", code)
		}
	}
	if s.service.Stats().QueriesRunning+s.service.Stats().QueriesWaiting > 0 {
		t.Error("places are still taken")
	}
}

func TestAQueryThatWaitsTooLongForItsTurnIs503(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Queries, c.Limits.QueryPatience = 1, 50*time.Millisecond })
	begun, release, ended := waiting(s)
	go s.ask(t, "ASK {}")
	<-begun
	wantProblem(t, s.ask(t, "ASK {}"), http.StatusServiceUnavailable, "queries are waiting")
	close(release)
	<-ended
}

func TestAClientThatHangsUpEndsItsQueryAndItsWait(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Queries = 1 })
	begun, _, ended := waiting(s)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	address := server.Listener.Addr().String()
	request := "GET " + queryPath("ASK {}") + " HTTP/1.1\r\nHost: x\r\n\r\n"
	running := stalled(t, address, request)
	<-begun
	second := stalled(t, address, request)
	eventually(t, "the second waits", func() bool { return s.service.Stats().QueriesWaiting == 1 })
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second gives up", func() bool { return s.service.Stats().QueriesWaiting == 0 })
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	eventually(t, "the place is free", func() bool { return s.service.Stats().QueriesRunning == 0 })
}

func TestAClientThatHangsUpEndsARealQueryWithin250ms(t *testing.T) {
	s := newQueryService(t, manyTriples(200))
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	promptly(t, func() time.Duration {
		conn := stalled(t, server.Listener.Addr().String(), "GET "+queryPath(crossProduct)+" HTTP/1.1\r\nHost: x\r\n\r\n")
		eventually(t, "the query runs", func() bool { return s.service.Stats().QueriesRunning == 1 })
		started := time.Now()
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the query ends", func() bool { return s.service.Stats().QueriesRunning == 0 })
		return time.Since(started)
	})
}

// longAnswer makes the service answer a query with many rows, followed by err.
func longAnswer(s *fixture, rows int, err error) {
	s.graph.query = func(_ context.Context, out sparql.Answer, _ func(rdf.Triple) error) error {
		if err := out.Head([]string{"x"}); err != nil {
			return err
		}
		row := []rdf.Term{rdf.NewString(strings.Repeat("x", 1000))}
		for range rows {
			if err := out.Row(row); err != nil {
				return err
			}
		}
		return err
	}
}

func TestAStalledReaderHoldsNeitherTheStoreNorAPlace(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Patience, c.Limits.Queries = 300*time.Millisecond, 1 })
	longAnswer(s, 8<<10, nil) // 8 MiB: more than the kernel buffers
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	conn := stalled(t, server.Listener.Addr().String(), "GET "+queryPath("SELECT ?x {}")+" HTTP/1.1\r\nHost: x\r\n\r\n")
	head, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil || !strings.Contains(head, "200 OK") {
		t.Fatalf("%q, %v", head, err)
	}
	eventually(t, "the place is free, though nobody reads", func() bool { return s.service.Stats().QueriesRunning == 0 })
	longAnswer(s, 1, nil)
	if response, err := http.Get(server.URL + queryPath("SELECT ?x {}")); err != nil || response.StatusCode != 200 {
		t.Errorf("another client: %v, %v", response, err)
	}
	eventually(t, "the reader is cut off", func() bool { return strings.Contains(s.lines(), "read the answer too slowly") })
	eventually(t, "its disk is free", func() bool { return s.service.Stats().SpoolBytes == 0 })
}

func TestAFailureAfterTheFirstByteBreaksTheBody(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	for _, format := range []string{"json", "xml", "csv", "tsv"} {
		longAnswer(s, 2<<10, errors.New("the disk is broken"))
		response, err := http.Get(server.URL + queryPath("SELECT ?x {}", "format="+format))
		if err != nil {
			continue // a connection broken before the header arrives is also correct
		}
		body, err := io.ReadAll(response.Body)
		if closing := response.Body.Close(); closing != nil {
			t.Error(closing)
		}
		if err == nil && response.StatusCode == 200 { // XML is held back, so that it may still be 500
			t.Errorf("%s: %d, and %d bytes look like a whole answer", format, response.StatusCode, len(body))
		}
		longAnswer(s, 10, errors.New("the disk is broken"))
		if w := s.ask(t, "SELECT ?x {}", "format="+format); w.Code != 500 || strings.Contains(w.Body.String(), "broken") {
			t.Errorf("%s: before the first byte: %d %s", format, w.Code, w.Body)
		}
	}
	eventually(t, "the log says why", func() bool { return strings.Contains(s.lines(), "the disk is broken") })
}

func TestAPanicInAQueryIs500AndMakesTheServiceNotReady(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.query = func(context.Context, sparql.Answer, func(rdf.Triple) error) error { panic("a fault in an operator") }
	wantProblem(t, s.ask(t, "ASK {}"), 500, "server failed")
	if w := s.do(t, call{method: "GET", path: "/healthz/ready"}); w.Code != 503 || s.service.Stats().QueriesRunning != 0 {
		t.Errorf("ready: %d, and %d queries run", w.Code, s.service.Stats().QueriesRunning)
	}
}

func TestTheLogDoesNotSayWhatWasAsked(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.ask(t, "ASK { ?s ?p 'a canary' }")
	s.ask(t, "ASK { ?s ?p 'a canary' ")
	if strings.Contains(s.lines(), "canary") {
		t.Error(s.lines())
	}
}

func TestAQueryThatNoticesItsLimitLateIs504(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOpenService(t)
		s.graph.query = func(context.Context, sparql.Answer, func(rdf.Triple) error) error {
			time.Sleep(s.config.Limits.QueryTime + time.Minute) // on the fake clock
			return errors.New("it was too late")
		}
		for _, coded := range []string{"", "gzip", "zstd"} {
			request := call{method: "GET", path: "/query?query=ASK%20%7B%7D", header: map[string]string{"Accept-Encoding": coded}}
			wantProblem(t, s.do(t, request), 504, "ran longer than 30s; ask for fewer results, or split the query; /query/explain shows")
		}
	})
}

// All queries share one set of processors, so that a large query borrows none that
// another uses.
func TestQueriesShareTheirProcessors(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if p := s.service.QueryLimits().Processors; p == nil || p != s.service.QueryLimits().Processors {
		t.Errorf("two queries have the processors %p and %p", p, s.service.QueryLimits().Processors)
	}
}
