package review

import (
	"math"
	"testing"
	"time"

	"github.com/segraph/segraph/views/viewstest"
)

func TestTheBatchPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Decide many", "/shared-context")
	m := Batch{ID: "7", By: "ari", Own: true, At: viewstest.Now.Add(-time.Minute), Accept: true, Filter: []string{"no person", "≥ 99 %"}, Queue: "/shared-context?least=99", Review: "/shared-context?batch=7",
		Total: 1316, Open: 1, Agreed: 1, Left: 1314, Sample: []BatchCase{
			{Text: "<i>hello", Target: "hello", Href: "/shared-context?case=1", Gap: "0.50 s", Status: "pending", Share: 0.991},
			{Text: "bye", Href: "/shared-context?case=2", Status: "accepted", By: "ari", Share: 0.999, Agrees: true}}}
	viewstest.Golden(t, "batch-open", BatchPage(f, m))
	m.Open, m.Agreed, m.Differed = 0, 18, 2
	viewstest.Golden(t, "batch-ready", BatchPage(f, m))
	m.Decided, m.Left = 800, 514
	viewstest.Golden(t, "batch-running", BatchPage(f, m))
	m.Decided, m.Left, m.Settled, m.Elsewhere, m.Refused, m.Ended = 1300, 0, 4, 9, 1, viewstest.Now
	viewstest.Golden(t, "batch-done", BatchPage(f, m))
	m.Decided, m.Reversed, m.Stuck, m.Undone = 1, 1299, 1, viewstest.Now
	viewstest.Golden(t, "batch-undone", BatchPage(f, m))
}

func TestTheBoundOfASampleIsWilsons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agreed, n int
		want      float64
	}{{20, 20, 0.881}, {19, 20, 0.804}, {10, 20, 0.327}, {0, 20, 0}, {0, 0, 0}} {
		if got := AtLeast(c.agreed, c.n); math.Abs(got-c.want) > 0.002 {
			t.Errorf("%d of %d: %.4f, want %.3f", c.agreed, c.n, got, c.want)
		}
	}
}
