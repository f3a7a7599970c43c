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
