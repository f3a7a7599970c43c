package review

import (
	"math"
	"testing"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheBatchPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Decide many", "/shared-context")
	b := service.Batch{ID: "7", By: "ari", At: viewstest.Now.Add(-time.Minute), Accept: true, Total: 1316}
	m := Batch{BatchState: service.BatchState{Batch: b, Open: 1, Agreed: 1, Left: 1314}, Own: true, Words: []string{"no person", "≥ 99 %"}, Queue: "/shared-context?least=99", Review: "/shared-context?batch=7",
		Cases: []BatchCase{
			{Text: "<i>hello", Target: "hello", Href: "/shared-context?case=1", Gap: "0.50 s", Status: "pending", Share: 0.991},
			{Text: "bye", Href: "/shared-context?case=2", Status: "accepted", By: "ari", Share: 0.999, Agrees: true}}}
	viewstest.Show(t, BatchPage(f, m)).Golden("batch-sample", `aria-labelledby="sample-title"`).Reads(`
# Decide many
1,316 cases: no person, ≥ 99 %. Proposed verdict: same event.
Back to the queue → /shared-context?least=99
1 of 1 verdicts by hand agree with the proposed one.
Decide the sample by hand first. 1 case left.
# Sample of 2
Decide the sample → /shared-context?batch=7
Observation | Best candidate | Gap | Likely | Decided by hand
<i>hello → /shared-context?case=1 | hello | 0.50 s | 99.1 % | not yet
bye → /shared-context?case=2 | | | 99.9 % | agrees ari
Opened by ari 1 minute ago. Cases opened later are not part of it. Each decision is in the history → /shared-context?view=quality .
`)
	m.Open, m.Agreed, m.Differed = 0, 18, 2
	viewstest.Show(t, BatchPage(f, m)).Golden("batch-state", `aria-label="Result"`).Reads(`
…
18 of 20 verdicts by hand agree with the proposed one. With 95 % confidence, at least 73 % of all would agree.
Different in the sample: 2 cases
About 10 % of the rest would be decided wrongly. A narrower filter may be better.
form post /shared-context/batch/run [id=7] [Decide the other 1,314: same event]
# Sample of 2
…
`)
	m.Decided, m.Left = 800, 514
	viewstest.Show(t, BatchPage(f, m)).Holds(`<form action="/shared-context/batch/run" method="post">`) // to look at it does not continue it
	m.More = true
	viewstest.Show(t, BatchPage(f, m)).Holds(`
<form action="/shared-context/batch/run" method="post" data-again>
`).Reads(`
…
18 of 20 verdicts by hand agree with the proposed one. With 95 % confidence, at least 73 % of all would agree.
800 decided, 514 left.
form post /shared-context/batch/run [id=7] [Continue]
Stop → /shared-context/batch?id=7
form post /shared-context/batch/undo [id=7] [Undo all 800]
# Sample of 2
…
`)
	m.Decided, m.Left, m.Settled, m.Elsewhere, m.Refused, m.Ended = 1300, 0, 4, 9, []string{"review_1"}, viewstest.Now
	viewstest.Show(t, BatchPage(f, m)).Reads(`
…
18 of 20 verdicts by hand agree with the proposed one. With 95 % confidence, at least 73 % of all would agree.
Done. 1,300 cases decided at once: same event.
Settled by other decisions of this batch: 4 cases.
Decided by somebody else, or no longer matching: 9 cases.
Still to review, for example because somebody kept them separate: 1 case.
form post /shared-context/batch/undo [id=7] [Undo all 1,300]
# Sample of 2
…
`)
	m.Decided, m.Reversed, m.Stuck, m.Undone = 1, 1299, 1, viewstest.Now
	viewstest.Show(t, BatchPage(f, m)).Reads(`
…
18 of 20 verdicts by hand agree with the proposed one. With 95 % confidence, at least 73 % of all would agree.
Undone. 1,299 decisions reversed.
1 decision stayed, because later ones build on them.
# Sample of 2
…
`)
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
