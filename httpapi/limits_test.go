package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// limitMet is a way for a client to exceed a limit, with a part of the message and the
// metric that counts it.
type limitMet struct {
	limit  string
	status int // 0 if the answer is broken off
	words  string
	meet   func(t *testing.T, s *fixture) *httptest.ResponseRecorder // returns nil if the answer is broken off
	change func(*settings)
}

func ask(path string) func(*testing.T, *fixture) *httptest.ResponseRecorder {
	return func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		return s.do(t, call{method: "GET", path: path})
	}
}

func post(path, body string) func(*testing.T, *fixture) *httptest.ResponseRecorder {
	return func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		return s.do(t, call{method: "POST", path: path, body: body})
	}
}

// failing makes the store return an error.
func failing(err error, meet func(*testing.T, *fixture) *httptest.ResponseRecorder) func(*testing.T, *fixture) *httptest.ResponseRecorder {
	return func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		s.graph.err = err
		return meet(t, s)
	}
}

var refusals = []limitMet{
	{"body_size", 413, "larger than the limit of 100 bytes", post("/ttl/delete_all", strings.Repeat(" ", 101)), func(c *settings) { c.Limits.Body = 100 }},
	{"bodies", 503, "too many large bodies", post("/ttl", ttl(strings.Repeat("# x\n", 1<<16), nil)), func(c *settings) { c.Limits.BodyDisk = 1 }},
	{"body_rate", 408, "came too slowly", drip, func(c *settings) { c.Limits.Patience = 200 * time.Millisecond }},
	{"answer_rate", 0, "", takeSlowly, func(c *settings) { c.Limits.Patience = 200 * time.Millisecond }},
	{"spool", 0, "", takeLate, func(c *settings) { c.Limits.SpoolDisk, c.Limits.RoomPatience = 1, 100*time.Millisecond }},
	{"documents", 503, "too many documents", func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		turn, err := s.service.BeginDocument(t.Context(), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		defer turn.End()
		return post("/ttl", ttl(strings.Repeat("# x\n", 1<<12), nil))(t, s)
	}, func(c *settings) { c.Limits.Workers, c.Limits.DocumentPatience = 1, time.Millisecond }},
	{"exports", 503, "too many exports", func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		making := make(chan struct{})
		s.graph.export = func(ctx context.Context, _ io.Writer) error {
			close(making)
			<-ctx.Done()
			return ctx.Err()
		}
		export, err := s.service.Export(t.Context(), rdf.Term{}, turtle.NTriples, "")
		if err != nil {
			t.Fatal(err)
		}
		<-making
		w := ask("/events")(t, s)
		if err := export.Close(); err != nil {
			t.Error(err)
		}
		return w
	}, func(c *settings) { c.Limits.Workers, c.Limits.ExportPatience = 1, time.Millisecond }},
	{"queries", 503, "too many queries", func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		begun, release, ended := waiting(s)
		go s.ask(t, "ASK {}")
		<-begun
		w := ask("/query?query=ASK%7B%7D")(t, s)
		close(release)
		<-ended
		return w
	}, func(c *settings) { c.Limits.Queries, c.Limits.QueryPatience = 1, time.Millisecond }},
	{"query_time", 504, "more time than its limit", failing(&budget.LimitError{Limit: "time", Detail: "1s"}, ask("/query?query=ASK%7B%7D")), nil},
	{"query_memory", 503, "SEGRAPH_QUERY_MEMORY", failing(&budget.LimitError{Limit: "memory", Detail: "1 MiB"}, ask("/query?query=ASK%7B%7D")), nil},
	{"memory", 503, "SEGRAPH_MEMORY sets the memory", failing(&budget.LimitError{Limit: "shared memory", Detail: "nothing is free"}, ask("/query?query=ASK%7B%7D")), nil},
	{"document_memory", 413, "SEGRAPH_MEMORY sets the memory", post("/ttl", ttl(strings.Repeat("# x\n", 1<<12), nil)), func(c *settings) { c.Limits.Memory = 64 << 10 }},
	{"failed_tokens", 429, "too many wrong tokens", func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		wrong := call{method: "GET", path: "/events", token: "x.y.z"}
		s.do(t, wrong)
		return s.do(t, wrong)
	}, func(c *settings) { c.Limits.FailedTokens = 1 }},
	{"connections", 503, "too many connections", oneMore, func(c *settings) { c.Limits.Connections = 1 }},
	{"client_connections", 429, "too many connections from your address", oneMore, func(c *settings) { c.Limits.ClientConnections = 1 }},
	{"header_rate", 0, "", sendHeader("GET /healthz/live HTTP/1.1\r\nHost: x\r\nX-Slow: "), nil},
	{"header_size", 0, "", sendHeader("GET /healthz/live HTTP/1.1\r\nHost: x\r\nX-Large: " + strings.Repeat("x", 256<<10)), nil},
	{"disk", 507, "the disk is full", failing(store.ErrDiskFull, post("/ttl", ttl(small, nil))), nil},
	{"snapshot_room", 507, "--snapshot-keep 0", failing(&backup.NoRoomError{Need: 3, Free: 2, Left: 1}, post("/ttl/delete_all", `{"user":null}`)), nil},
}

// Every limit that a client can exceed gives a message, if the client can still receive
// one, and is counted by its name.
func TestEveryLimitIsExplainedAndCounted(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	var names []string
	for _, c := range refusals {
		names = append(names, c.limit)
		t.Run(c.limit, func(t *testing.T) {
			counted := metrics.New("test")
			change := func(config *settings) {
				config.Metrics = counted
				if c.change != nil {
					c.change(config)
				}
			}
			s := newOpenService(t, change)
			if c.limit == "failed_tokens" {
				s = newService(t, change)
			}
			if w := c.meet(t, s); w != nil {
				if w.Code != c.status || !strings.Contains(strings.ToLower(w.Body.String()), strings.ToLower(c.words)) {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			line := fmt.Sprintf("segraph_refusals_total{limit=%q} 1\n", c.limit)
			eventually(t, line, func() bool {
				return strings.Contains(measured(counted), line)
			})
		})
	}
	slices.Sort(names)
	if want := slices.Sorted(slices.Values(front.LimitNames)); !slices.Equal(names, want) {
		t.Errorf("there are the limits %q, and met were %q", want, names)
	}
}

// measured returns the text of the metrics.
func measured(set *metrics.Set) string {
	w := httptest.NewRecorder()
	set.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	return w.Body.String()
}

// drip sends a body byte by byte: never idle for long, but much too slowly.
func drip(t *testing.T, s *fixture) *httptest.ResponseRecorder {
	r := run(t, s, front.ServerOptions{})
	conn := stalled(t, r.APIAddr().String(), "POST /ttl HTTP/1.1\r\nHost: x\r\nContent-Type: text/turtle\r\nContent-Length: 100000\r\n\r\n")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := io.WriteString(conn, " "); err != nil {
				return // it was cut off
			}
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	return answered(t, conn)
}

// answered reads an answer and everything after it until the connection is closed.
func answered(t *testing.T, conn net.Conn) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	answer, err := io.ReadAll(io.LimitReader(conn, 2000))
	if len(answer) == 0 {
		t.Fatalf("it was not answered: %v", err)
	}
	if _, err := fmt.Sscanf(string(answer), "HTTP/1.1 %d", &w.Code); err != nil {
		t.Fatal(err)
	}
	w.Body.Write(answer)
	return w
}

// begun requests an export of 16 MiB and reads nothing.
func begun(t *testing.T, s *fixture) net.Conn {
	s.graph.export = func(_ context.Context, w io.Writer) error {
		for range 256 {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return err
			}
		}
		return nil
	}
	r := run(t, s, front.ServerOptions{})
	return stalled(t, r.APIAddr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
}

// takeSlowly reads an answer in pieces: never idle for long, but too slowly.
func takeSlowly(t *testing.T, s *fixture) *httptest.ResponseRecorder {
	conn := begun(t, s)
	go func() { // until the test closes the connection
		for p := make([]byte, 64); ; {
			if _, err := conn.Read(p); err != nil {
				return
			}
			<-time.After(5 * time.Millisecond) // about 12 KiB/s
		}
	}()
	return nil
}

// takeLate reads an answer only after there was no room for it for too long.
func takeLate(t *testing.T, s *fixture) *httptest.ResponseRecorder {
	conn := begun(t, s)
	eventually(t, "the export has begun", func() bool { return s.graph.exports() == 1 })
	eventually(t, "the export is given up", func() bool { return s.graph.exports() == 0 })
	if n, _ := io.Copy(io.Discard, conn); n >= 16<<20 {
		t.Errorf("all of it came: %d bytes", n)
	}
	return nil
}

// oneMore sends a request on a second connection while the first is open.
func oneMore(t *testing.T, s *fixture) *httptest.ResponseRecorder {
	r := run(t, s, front.ServerOptions{})
	stalled(t, r.APIAddr().String(), "")
	eventually(t, "the first connection is there", func() bool { return s.front.Stats().Connections == 1 })
	return answered(t, stalled(t, r.UIAddr().String(), "GET /api/auth/mode HTTP/1.1\r\nHost: x\r\n\r\n"))
}

// sendHeader sends an incomplete header on a connection that was used before, and waits
// until it is closed.
func sendHeader(text string) func(*testing.T, *fixture) *httptest.ResponseRecorder {
	return func(t *testing.T, s *fixture) *httptest.ResponseRecorder {
		r := run(t, s, front.ServerOptions{ReadHeader: 200 * time.Millisecond})
		conn := stalled(t, r.APIAddr().String(), "GET /healthz/live HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text) // it may be closed earlier
		_, _ = io.Copy(io.Discard, conn)
		return nil
	}
}
