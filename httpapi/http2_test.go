package httpapi

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/suite"
)

// overHTTP2 serves with TLS and returns a client with one HTTP/2 connection to the API's
// listener.
func overHTTP2(t *testing.T, s *fixture) (*running, *http.Client) {
	t.Helper()
	source := httptest.NewTLSServer(nil) // provides the certificate
	defer source.Close()
	config := source.TLS.Clone()
	config.NextProtos = []string{"h2", "http/1.1"}
	transport := source.Client().Transport.(*http.Transport).Clone()
	transport.ForceAttemptHTTP2, transport.DisableCompression = true, true
	transport.TLSClientConfig = &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs, ServerName: "example.com"}
	t.Cleanup(transport.CloseIdleConnections)
	return run(t, s, front.ServerOptions{TLS: config}), &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// A client does not read a large export over HTTP/2. Its request is ended, and others on
// the same connection continue.
func TestASlowReaderOverHTTP2IsCutOffAlone(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	counted := metrics.New("test")
	s := newOpenService(t, func(c *settings) { c.Limits.Patience, c.Metrics = 200*time.Millisecond, counted })
	text := []byte(strings.Repeat("x", 1023) + "\n")
	s.graph.export = func(_ context.Context, w io.Writer) error {
		for range 16 << 10 { // 16 MiB: more than Go's client buffers
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return nil
	}
	r, client := overHTTP2(t, s)
	url := "https://" + r.APIAddr().String()
	slow, err := client.Get(url + "/events")
	if err != nil || slow.ProtoMajor != 2 {
		t.Fatalf("%v %v", slow, err)
	}
	defer func() { _ = slow.Body.Close() }() // already broken
	eventually(t, "the slow request has ended", func() bool { return s.front.Stats().Requests == 0 })
	response, err := client.Get(url + "/healthz/live")
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("another request: %v %v", response, err)
	}
	_ = response.Body.Close() // only the status matters
	if n := s.front.Stats().Connections; n != 1 {
		t.Errorf("there are %d connections", n)
	}
	if n, err := io.Copy(io.Discard, slow.Body); err == nil {
		t.Errorf("the export looks whole, with %d bytes", n)
	}
	w := httptest.NewRecorder()
	counted.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(w.Body.String(), `segraph_refusals_total{limit="answer_rate"} 1`) {
		t.Errorf("the refusal is not counted: %s", s.lines())
	}
}

// TestASlowBodyOverHTTP2Is408 sends a body that stalls.
func TestASlowBodyOverHTTP2Is408(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Patience = 200 * time.Millisecond })
	r, client := overHTTP2(t, s)
	body, hold := io.Pipe()
	defer func() { _ = hold.Close() }()                        // nobody reads it any more
	go func() { _, _ = hold.Write([]byte("<http://e/a> ")) }() // fails once the request has ended
	request, err := http.NewRequest(http.MethodPost, "https://"+r.APIAddr().String()+"/ttl", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "text/turtle")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // already read
	if response.StatusCode != http.StatusRequestTimeout || response.ProtoMajor != 2 {
		t.Errorf("%s", response.Status)
	}
}

// Requests at once on one HTTP/2 connection count as connections do. The next ones are refused, and the connection stays.
func TestRequestsAtOnceOverHTTP2AreLimited(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.ClientConnections = 4 })
	r, client := overHTTP2(t, s)
	url := "https://" + r.APIAddr().String()
	get := func(path string, want int) {
		t.Helper()
		response, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // only the status matters
		if response.StatusCode != want || (response.Header.Get("Retry-After") != "") != (want == 429) {
			t.Errorf("%s: %s, %v", path, response.Status, response.Header)
		}
	}
	get("/auth/mode", 200) // all use its connection
	eventually(t, "it has ended", func() bool { return s.front.Stats().Requests == 0 })
	var bodies []*io.PipeWriter
	for range 4 {
		body, hold := io.Pipe()
		bodies = append(bodies, hold)
		request, err := http.NewRequest(http.MethodPost, url+"/ttl", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "text/turtle")
		go func() {
			if response, err := client.Do(request); err == nil {
				_ = response.Body.Close() // its status is of no interest
			}
		}()
		_, _ = hold.Write([]byte("<http://e/a> "))
	}
	eventually(t, "all are received", func() bool { return s.front.Stats().Requests == 4 && s.front.Stats().Connections == 4 })
	get("/auth/mode", 429)
	get("/healthz/live", 200)
	_ = bodies[0].Close() // that of a pipe never fails
	eventually(t, "one has ended", func() bool { return s.front.Stats().Connections == 3 })
	get("/auth/mode", 200)
	for _, hold := range bodies {
		_ = hold.Close()
	}
	eventually(t, "only the connection is left", func() bool { return s.front.Stats().Connections == 1 && s.front.Stats().Requests == 0 })
}

// Also answers that a client does not take count, whatever their size.
func TestAnswersThatNobodyTakesOverHTTP2AreLimited(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, ofOthers, func(c *settings) { c.Limits.ClientConnections = 4 })
	r, _ := overHTTP2(t, s)
	conn, err := tls.Dial("tcp", r.APIAddr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	sent := "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x06\x04\x00\x00\x00\x00\x00" + "\x00\x04\x00\x00\x00\x00" // INITIAL_WINDOW_SIZE: 0
	for i := range 10 {
		header := "\x82\x87\x01\x01x\x04\x0a/auth/mode" // GET, https, a host, and the path
		sent += "\x00\x00" + string(rune(len(header))) + "\x01\x05\x00\x00\x00" + string(rune(2*i+1)) + header
	}
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	eventually(t, "four wait for the client, and the refusals of six", func() bool {
		n := s.front.Stats()
		return n.Requests == 10 && n.Connections == 4 && n.Refused == 6
	})
	_ = conn.Close() // the client is gone
	eventually(t, "all have ended", func() bool { n := s.front.Stats(); return n.Requests+n.Connections+n.Refused == 0 })
}
