package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
)

// TestSlowClientsHoldUpNobody opens 500 connections that send a header slowly, 200 that
// send a body slowly and 200 that read slowly, and measures the effect on others.
func TestSlowClientsHoldUpNobody(t *testing.T) {
	suite.NotShort(t)
	if testing.Short() {
		t.Skip("-short: it opens 900 connections")
	}
	s := newOpenService(t)
	text := []byte(strings.Repeat("x", 1023) + "\n")
	s.graph.export = func(_ context.Context, w io.Writer) error {
		for range 4 << 10 { // 4 MiB: more than the kernel buffers
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return nil
	}
	r := run(t, s, front.ServerOptions{Shutdown: time.Second})
	defer func() {
		r.stop()
		if err := r.wait(t); err != nil {
			t.Errorf("Serve: %v", err)
		}
	}()
	address := r.APIAddr().String()
	before := allocated()
	for range 500 {
		stalled(t, address, "GET /events HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	}
	for range 200 {
		stalled(t, address, "POST /ttl HTTP/1.1\r\nHost: x\r\nContent-Type: text/turtle\r\nContent-Length: 16000000\r\n\r\n<http://e/a> ")
	}
	for range 200 {
		stalled(t, address, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	eventually(t, "all exports are made", func() bool { return s.front.Stats().Requests == 400 && s.graph.exports() == 0 })

	suite.Within(t, "the 99th of 100 documents beside 900 slow clients", 200*time.Millisecond, func() time.Duration { return publishing(t, r.url("/ttl"))[98] })
	grown := allocated() - before
	t.Logf("900 slow clients: memory grew by %d MiB, %d MiB of disk", grown>>20, s.service.Stats().SpoolBytes>>20)
	if grown > 100<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

// publishing returns the sorted durations of 100 posts.
func publishing(t *testing.T, url string) (took []time.Duration) {
	t.Helper()
	for range 100 {
		started := time.Now()
		response, err := http.Post(url, "application/json", strings.NewReader(ttl(small, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusCreated {
			t.Fatalf("status %d", response.StatusCode)
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(started))
	}
	slices.Sort(took)
	return took
}

// allocated returns the bytes of live memory.
func allocated() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func TestASlowHeaderIsCutOff(t *testing.T) {
	t.Parallel()
	r := run(t, newOpenService(t), front.ServerOptions{ReadHeader: 100 * time.Millisecond})
	conn := stalled(t, r.APIAddr().String(), "GET /healthz/live HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	if _, err := io.ReadAll(conn); err != nil {
		t.Error(err)
	}
}

func TestASlowBodyIs408(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Patience = 200 * time.Millisecond })
	r := run(t, s, front.ServerOptions{})
	conn := stalled(t, r.APIAddr().String(),
		"POST /ttl HTTP/1.1\r\nHost: x\r\nContent-Type: text/turtle\r\nContent-Length: 1000\r\n\r\n<http://e/a> ")
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") || !strings.Contains(string(answer), "too slowly") {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestABodyThatNobodyReadsHoldsNoConnection(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *settings) { c.Limits.Patience = 200 * time.Millisecond })
	r := run(t, s, front.ServerOptions{})
	conn := stalled(t, r.APIAddr().String(), "POST /ttl HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 401 ") {
		t.Errorf("%q, %v", answer, err)
	}
}

// A service that witnesses no log receives no checkpoint of anybody.
func TestACheckpointThatNobodyWitnessesIsNotReceived(t *testing.T) {
	t.Parallel()
	r := run(t, newService(t, func(c *settings) { c.Witness, c.Limits.Patience = nil, 200*time.Millisecond }), front.ServerOptions{})
	conn := stalled(t, r.APIAddr().String(), "POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 404 ") {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestARefusalReachesAClientThatIsStillSending(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := run(t, s, front.ServerOptions{})
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: 5 * time.Second}}
	defer client.CloseIdleConnections()
	for i, c := range []struct {
		token  string
		size   int
		expect string
		want   int
	}{
		{"", 8 << 20, "", 401}, {s.token(t, "auditor"), 8 << 20, "", 403}, {s.token(t, "logger"), 17 << 20, "", 413},
		{"", 8 << 20, "100-continue", 401}, {s.token(t, "logger"), 17 << 20, "100-continue", 413}, {s.token(t, "logger"), 8 << 20, "", 400},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(strings.Repeat("x", c.size))
			if chunked {
				body = io.MultiReader(body) // hides the length
			}
			request, err := http.NewRequest("POST", r.url("/ttl"), body)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "text/turtle")
			if c.token != "" {
				request.Header.Set("Authorization", "Bearer "+c.token)
			}
			if c.expect != "" {
				request.Header.Set("Expect", c.expect)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Errorf("%d: %v", i, err)
				continue
			}
			if response.StatusCode != c.want {
				t.Errorf("%d: %d, want %d", i, response.StatusCode, c.want)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	}
}

func TestWorkThatOutlastsTheClientsPatienceIsNotBrokenOff(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Patience = 50 * time.Millisecond })
	s.graph.add = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond): // a slow disk
			return nil
		}
	}
	r := run(t, s, front.ServerOptions{})
	for i := range 3 { // on one connection, so that the deadline of a request must not affect the next
		response, err := http.Post(r.url("/ttl"), "application/json", strings.NewReader(ttl(small, nil)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusCreated {
			t.Errorf("%d: %d %s, %v", i, response.StatusCode, body, err)
		}
	}
}

func TestTheHeaderOfARequestHasALimit(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Header = 16 << 10 })
	r := run(t, s, front.ServerOptions{})
	t.Cleanup(r.stop)
	for size, want := range map[int]int{12 << 10: http.StatusOK, 24 << 10: http.StatusRequestHeaderFieldsTooLarge} { // net/http adds 4 KiB
		q, err := http.NewRequest("GET", r.url("/healthz/live"), nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("X-Large", strings.Repeat("x", size))
		w, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Body.Close()
		if w.StatusCode != want {
			t.Errorf("%d bytes: %d, want %d", size, w.StatusCode, want)
		}
	}
}
