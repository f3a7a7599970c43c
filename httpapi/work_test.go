package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestDocumentsWaitForTheirTurnAndSmallOnesDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newOpenService(t, func(c *Config) { c.Limits.Document = 100_000; c.Limits.Workers = 1 })
		document := func(size int) call {
			return call{method: "POST", path: "/ttl", body: ttl(small+strings.Repeat("#", size)+"\n", nil)}
		}
		// The first one waits for the disk: it holds memory, and no processor.
		disk := make(chan struct{})
		blocked := true
		s.graph.add = func(context.Context) error {
			if blocked {
				blocked = false
				<-disk
			}
			return nil
		}
		var first *httptest.ResponseRecorder
		var working sync.WaitGroup
		working.Go(func() { first = s.do(t, document(60_000)) })
		synctest.Wait()

		for _, size := range []int{0, 3000, 30_000} {
			if w := s.do(t, document(size)); w.Code != http.StatusCreated {
				t.Errorf("a document of %d bytes beside it: %d %s", size, w.Code, w.Body)
			}
		}
		begun := time.Now()
		w := s.do(t, document(50_000))
		wantProblem(t, w, 503, "many documents are being worked on")
		if took := time.Since(begun); took != 10*time.Second || w.Header().Get("Retry-After") != "10" {
			t.Errorf("after %v, Retry-After %q", took, w.Header().Get("Retry-After"))
		}
		w = s.do(t, call{method: "POST", path: "/ttl/validate", body: document(50_000).body})
		wantProblem(t, w, 503, "many documents are being worked on")

		var second *httptest.ResponseRecorder
		working.Go(func() { second = s.do(t, document(50_000)) })
		synctest.Wait()
		close(disk)
		working.Wait()
		if first.Code != http.StatusCreated || second.Code != http.StatusCreated {
			t.Errorf("the first: %d %s, and one that waited: %d %s", first.Code, first.Body, second.Code, second.Body)
		}
		wantNothingHeld(t, s)
	})
}

func TestOnlySoManyDocumentsAreReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &workload{processors: newGate(2), memory: newGate(1 << 20), patience: time.Minute}
		reading, most := 0, 0
		var mu sync.Mutex
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			reading += n
			most = max(most, reading)
		}
		for range 20 {
			go func() {
				turn, err := l.begin(t.Context(), smallDocument+1)
				if err != nil {
					t.Error(err)
					return
				}
				defer turn.end()
				count(1)
				time.Sleep(time.Second) // of the bubble's clock: the reading
				count(-1)
				turn.checked()
				time.Sleep(time.Hour) // the disk, for which no processor is held
			}()
		}
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if most != 2 || reading != 0 || l.processors.inside() != 0 || l.memory.inside() != 20*(smallDocument+1) {
			t.Errorf("%d at most, %d still; %d processors and %d bytes are held", most, reading, l.processors.inside(), l.memory.inside())
		}
		time.Sleep(2 * time.Hour)
		if l.memory.inside() != 0 {
			t.Errorf("%d bytes are held", l.memory.inside())
		}
	})
}

func TestADocumentThatWaitsEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, busy := range []string{"memory", "processors"} {
			l := &workload{processors: newGate(1), memory: newGate(1 << 20), patience: time.Minute}
			if busy == "memory" {
				l.memory = newGate(10_000)
			}
			turn, err := l.begin(t.Context(), 10_000)
			if err != nil {
				t.Fatal(err)
			}
			ctx, hangUp := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := l.begin(ctx, 10_000)
				ended <- err
			}()
			synctest.Wait()
			hangUp()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v", busy, err)
			}
			turn.end()
			turn.end() // which changes nothing
			if l.memory.inside() != 0 || l.processors.inside() != 0 {
				t.Errorf("%s: %d bytes and %d processors are held", busy, l.memory.inside(), l.processors.inside())
			}
		}
	})
}

func TestAGateLetsInByOrderAndWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(10)
		var order []string
		wait := func(ctx context.Context, name string, weight int64) {
			go func() {
				if g.enter(ctx, weight) == nil {
					order = append(order, name)
				}
			}()
			synctest.Wait()
		}
		enters := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := strings.Join(order, " "); got != want {
				t.Errorf("in are %q, want %q", got, want)
			}
		}
		heavy, giveUp := context.WithCancel(t.Context())
		wait(t.Context(), "a", 6)
		wait(heavy, "b", 5)
		wait(t.Context(), "c", 3) // there is room for it, but b came first
		wait(t.Context(), "d", 2)
		enters("a")
		giveUp()
		enters("a c")
		g.leave(6)
		enters("a c d")
		wait(t.Context(), "e", 100) // more than the gate: alone
		g.leave(3)
		enters("a c d")
		g.leave(2)
		enters("a c d e")
		g.leave(100)
		if g.inside() != 0 {
			t.Errorf("%d is still in", g.inside())
		}
	})
}
