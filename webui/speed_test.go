package webui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// slowPages are those that may take 300 ms and not 50: they reckon over the whole graph.
var slowPages = []string{"/reports", "/kg-graph"}

// TestAPageTakesFiftyMillisecondsOn100000Triples has three tries, for a machine that others use too.
func TestAPageTakesFiftyMillisecondsOn100000Triples(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it stores 100,000 triples")
	}
	s := openService(t)
	var text strings.Builder
	for i := range suite.Size(100_000, 10_000) {
		if i%5_000 == 0 && i > 0 {
			s.publish(text.String())
			text.Reset()
		}
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> \"value %d\"@en .\n", i/10, i%10, i)
	}
	s.publish(text.String())
	for i := range 2000 {
		s.log.Logger("segraph.test").Info("a line", "i", i, "request_id", fmt.Sprint("r-", i/4))
	}
	b := s.visitor()
	for _, p := range s.ui.pages {
		limit := 50 * time.Millisecond
		if slices.Contains(slowPages, p.path) {
			limit = 300 * time.Millisecond
		}
		var p95 time.Duration
		for range 3 {
			var took []time.Duration
			for range suite.Size(40, 5) {
				begun := time.Now()
				if w := b.get(p.path); w.Code != 200 {
					t.Fatalf("%s: %d", p.path, w.Code)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			if p95 = took[len(took)*19/20-1]; p95 <= limit {
				break
			}
		}
		t.Logf("%-16s p95 %v", p.path, p95.Round(10*time.Microsecond))
		if p95 > limit && !suite.Race {
			t.Errorf("%s: p95 %v, may be %v", p.path, p95, limit)
		}
	}
}
