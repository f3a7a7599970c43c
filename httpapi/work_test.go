package httpapi

import (
	"context"
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
		s := newOpenService(t, func(c *settings) { c.Limits.Document = 100_000; c.Limits.Workers = 1 })
		document := func(size int) call {
			return call{method: "POST", path: "/ttl", body: ttl(small+strings.Repeat("#", size)+"\n", nil)}
		}
		// The first one waits for the disk. It holds memory but no processor.
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
		wantProblem(t, w, 503, "many documents are being processed")
		if took := time.Since(begun); took != 10*time.Second || w.Header().Get("Retry-After") != "10" {
			t.Errorf("after %v, Retry-After %q", took, w.Header().Get("Retry-After"))
		}
		w = s.do(t, call{method: "POST", path: "/ttl/validate", body: document(50_000).body})
		wantProblem(t, w, 503, "many documents are being processed")

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
