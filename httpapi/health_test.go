package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

func TestHealthAndModeAnswerWithoutAToken(t *testing.T) {
	t.Parallel()
	on, off := newService(t), newOpenService(t)
	for _, c := range []struct {
		s          *fixture
		path, want string
	}{
		{on, "/healthz/live", `{"live":true}`},
		{off, "/healthz/live", `{"live":true}`},
		{on, "/healthz/ready", `{"cayley":true,"ready":true,"store":"cayley","triplestore":true}`},
		{off, "/healthz/ready", `{"cayley":true,"ready":true,"store":"cayley","triplestore":true}`},
		{on, "/auth/mode", `{"auth_enabled":true}`},
		{off, "/auth/mode", `{"auth_enabled":false}`},
	} {
		w := c.s.do(t, call{method: "GET", path: c.path})
		if w.Code != 200 || strings.TrimSpace(w.Body.String()) != c.want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
	}
}

// A disk without the room that posts need is named before posts get 507.
func TestReadyWarnsOfADiskWithoutRoom(t *testing.T) {
	t.Parallel()
	free, known := int64(0), true
	s := newOpenService(t, func(c *settings) {
		c.Disk = func() (int64, int64, bool) { return free, 40 << 20, known }
	})
	need := 40<<20 + s.config.Limits.Document
	for _, c := range []struct {
		free  int64
		known bool
		want  string // of the warning
	}{
		{need, true, ""}, {need - 1, true, fmt.Sprintf("has %.1f MiB left, and posts may need %d MiB", float64(need-1)/(1<<20), need>>20)},
		{3 << 19, true, "has 1.5 MiB left"}, {0, true, "has 0.0 MiB left"}, {0, false, ""},
	} {
		free, known = c.free, c.known
		w := s.do(t, call{method: "GET", path: "/healthz/ready"})
		var ready struct {
			Ready   bool
			Warning string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &ready); err != nil {
			t.Fatal(err)
		}
		if w.Code != 200 || !ready.Ready || (c.want == "") != (ready.Warning == "") || !strings.Contains(ready.Warning, c.want) {
			t.Errorf("%d bytes free: %d %s", c.free, w.Code, w.Body)
		}
	}
	if n := strings.Count(s.lines(), "the disk is almost full"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
}

func TestReadyIs503WithoutTheStoreAndWhileShuttingDown(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.StoreName = "virtuoso" })
	ask := func() string {
		w := s.do(t, call{method: "GET", path: "/healthz/ready"})
		if w.Code != 503 {
			t.Errorf("status %d", w.Code)
		}
		return strings.TrimSpace(w.Body.String())
	}
	s.graph.err = store.ErrUnavailable
	if got := ask(); got != `{"ready":false,"store":"virtuoso","triplestore":false,"virtuoso":false}` {
		t.Errorf("without the store: %s", got)
	}
	if w := s.do(t, call{method: "GET", path: "/healthz/live"}); w.Code != 200 {
		t.Errorf("live: %d", w.Code)
	}
	s.graph.err = nil
	s.service.SetReady(false)
	if got := ask(); got != `{"ready":false,"store":"virtuoso","triplestore":true,"virtuoso":true}` {
		t.Errorf("shutting down: %s", got)
	}
	s.service.SetReady(true)
	if w := s.do(t, call{method: "GET", path: "/healthz/ready"}); w.Code != 200 {
		t.Errorf("ready again: %d %s", w.Code, w.Body)
	}
}

// A centre that reads a stream is ready for those who do not mind that it lags.
func TestReadyIs503WhileACentreLags(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Lag = func() (time.Duration, string) { return 6 * time.Second, "" } })
	for path, want := range map[string]int{"": 200, "?lag=7s": 200, "?lag=5s": 503, "?lag=-5s": 422, "?lag=5": 422} {
		if w := s.do(t, call{method: "GET", path: "/healthz/ready" + path}); w.Code != want || want == 503 && !strings.Contains(w.Body.String(), "This centre has not read all of its stream for more than 5s.") {
			t.Errorf("%s: %d %s, want %d", path, w.Code, w.Body, want)
		}
	}
	for _, c := range []call{{method: "POST", path: "/ttl", body: ttl(small, nil)}, {method: "POST", path: "/forward", body: "pack", contentType: pack.MediaType}, sample("POST", "/shared-context/resolve"), sample("POST", "/ttl/delete_all")} {
		if w := s.do(t, c); w.Code != 403 || !strings.Contains(w.Body.String(), "SEGRAPH_FORWARD_FROM") {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
	}
}

// A process that must be restarted is not live, so that its supervisor restarts it.
func TestLiveIs503OnceOnlyARestartHelps(t *testing.T) {
	t.Parallel()
	var failed error
	s := newService(t, func(c *settings) { c.Failed = func() error { return failed } })
	live := func() (int, string) {
		w := s.do(t, call{method: "GET", path: "/healthz/live"})
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	if code, body := live(); code != 200 || body != `{"live":true}` {
		t.Errorf("%d %s", code, body)
	}
	failed = errors.New("the disk failed")
	if code, body := live(); code != 503 || body != `{"detail":"The disk failed.","live":false}` {
		t.Errorf("%d %s", code, body)
	}
}

func TestLiveAnswersWithin50MillisecondsDuringExports(t *testing.T) {
	s := newOpenService(t)
	stop := make(chan struct{})
	s.graph.export = func(ctx context.Context, w io.Writer) error {
		line := []byte(strings.Repeat("x", 4095) + "\n")
		for {
			select {
			case <-stop:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			default:
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	for range 2 {
		response, err := http.Get(server.URL + "/events")
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = io.Copy(io.Discard, response.Body) // until the test closes it
		}()
		defer func() {
			_ = response.Body.Close()
			<-read
		}()
	}
	defer close(stop)

	suite.Within(t, "the 95th of 100 answers", 50*time.Millisecond, func() time.Duration { return liveAnswers(t, server.URL)[94] })
}

// liveAnswers returns the sorted durations of 100 liveness requests.
func liveAnswers(t *testing.T, url string) []time.Duration {
	t.Helper()
	var took []time.Duration
	for range 100 {
		started := time.Now()
		response, err := http.Get(url + "/healthz/live")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(started))
	}
	slices.Sort(took)
	return took
}

// The reason why the store is unreachable is shown only if its text is meant for clients.
func TestReadyAndProblemsSayWhyTheStoreIsAway(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for err, want := range map[error]string{
		&store.UnreadyError{Detail: "the store wants another password", Err: errors.New("secret details")}: "The store wants another password.",
		fmt.Errorf("%w: secret details", store.ErrUnavailable):                                             "",
	} {
		s.graph.mu.Lock()
		s.graph.err = err
		s.graph.mu.Unlock()
		w := s.do(t, call{method: "GET", path: "/healthz/ready"})
		body := asJSON[map[string]any](t, w)
		detail, _ := body["detail"].(string)
		if w.Code != http.StatusServiceUnavailable || body["triplestore"] != false || detail != want {
			t.Errorf("%v: %d %s", err, w.Code, w.Body)
		}
		post := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
		p := wantProblem(t, post, http.StatusServiceUnavailable, "try again later")
		if post.Header().Get("Retry-After") == "" || strings.Contains(p.Detail, "secret") {
			t.Errorf("%v: %s, Retry-After %q", err, p.Detail, post.Header().Get("Retry-After"))
		}
	}
}

// While the file answers in place of the graph store, the service is ready, and says so
// in /healthz/ready and in a header of every answer. The header describes the moment of
// its answer.
func TestAServiceReportsThatTheFileServesForTheGraphStore(t *testing.T) {
	t.Parallel()
	following := store.Following{State: store.FollowOK}
	s := newOpenService(t, func(c *settings) {
		c.StoreName = "virtuoso"
		c.Following = func() []store.Following {
			return []store.Following{following, {Name: "b", State: store.FollowConflict, Detail: "it is another's"}}
		}
	})
	header := func(what call) string {
		t.Helper()
		w := s.do(t, what)
		if w.Code >= 300 {
			t.Errorf("%s %s: %d %s", what.method, what.path, w.Code, w.Body)
		}
		return w.Header().Get("X-Graph-Store")
	}
	ready := func() map[string]any {
		t.Helper()
		w := s.do(t, call{method: "GET", path: "/healthz/ready"})
		if w.Code != http.StatusOK {
			t.Errorf("%+v: %d", following, w.Code)
		}
		return asJSON[map[string]any](t, w)
	}
	calls := []call{{method: "POST", path: "/ttl", body: ttl(small, nil)}, {method: "GET", path: "/query?query=ASK%7B%7D"}}
	for _, f := range []store.Following{
		{State: store.FollowOK},
		{State: store.FollowUnreachable, Detail: "Virtuoso is unreachable", Behind: 7},
		{State: store.FollowResync, Detail: "Virtuoso is receiving the whole published graph", Behind: 3},
	} {
		following = f
		ok := f.State == store.FollowOK
		body := ready()
		if body["ready"] != true || body["triplestore"] != ok || body["virtuoso"] != ok || body["graph_store"] != f.State || body["behind"] != float64(f.Behind) {
			t.Errorf("%+v: %v", f, body)
		}
		if rows, _ := body["graph_stores"].([]any); len(rows) != 2 || !reflect.DeepEqual(rows[1], map[string]any{"name": "b", "state": "conflict", "behind": 0.0, "detail": "It is another's."}) {
			t.Errorf("%+v: %v", f, body)
		}
		if detail, _ := body["detail"].(string); detail != service.Sentence(f.Detail) && !(ok && detail == "") {
			t.Errorf("%+v: %q", f, detail)
		}
		if h := s.service.Health(t.Context()); h.Ready != true || h.Store != ok || h.Following[0] != f {
			t.Errorf("%+v: the page gets %+v", f, h)
		}
		for _, c := range calls {
			if got := header(c); got != f.State && !(ok && got == "") {
				t.Errorf("%+v: %s has X-Graph-Store: %q", f, c.path, got)
			}
		}
	}
	following = store.Following{State: store.FollowOK}
	s.graph.query = func(_ context.Context, out sparql.Answer, _ func(rdf.Triple) error) error {
		following.State = store.FollowUnreachable // lost during the query
		return out.Boolean(true)
	}
	if got := header(calls[1]); got != store.FollowUnreachable {
		t.Errorf("a query that the file answered in the end has X-Graph-Store: %q", got)
	}
}

// Requests every second to a service that is not ready log one line at first, and then
// one per minute.
func TestAStoreThatIsNotReadyIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	s := newOpenService(t, func(c *settings) { c.Now = func() time.Time { return now } })
	lines := func() (out []string) {
		for _, e := range s.config.Log.Query(logs.Filter{Limit: 1000, Level: slog.LevelInfo}) {
			out = append(out, e.Text())
		}
		return out
	}
	ask := func(seconds, status int) {
		t.Helper()
		for range seconds {
			if w := s.do(t, call{method: "GET", path: "/healthz/ready"}); w.Code != status {
				t.Fatalf("status %d", w.Code)
			}
			now = now.Add(time.Second)
		}
	}
	const away, again = "the store is not ready", "the store is ready again"
	before := len(lines())
	s.graph.err = store.ErrUnavailable
	ask(59, 503)
	want := []string{away}
	if got := lines()[before:]; !slices.Equal(got, want) {
		t.Fatalf("in the first minute: %q", got)
	}
	ask(120, 503)
	want = append(want, away, away)
	s.graph.err = &store.UnreadyError{Detail: "the store wants another password", Err: errors.New("401")}
	ask(5, 503)
	want = append(want, away)
	s.graph.err = nil
	ask(1, 200)
	want = append(want, again, "request")
	if got := lines()[before:]; !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
}
