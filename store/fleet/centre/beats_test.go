package centre

import "testing"

// An old report of a run is not heard again, and a box that reports with a new run each time does not fill the memory.
func TestRunsOfABoxAreBounded(t *testing.T) {
	t.Parallel()
	b := beats{of: map[string][]run{}}
	for _, c := range []struct {
		run
		want bool
	}{{run{1, 1}, true}, {run{1, 1}, false}, {run{2, 5}, true}, {run{1, 3}, true}, {run{2, 4}, false}, {run{1, 2}, false}} {
		if got := b.newer("hall-1", c.run); got != c.want {
			t.Errorf("%+v is newer: %v", c.run, got)
		}
	}
	for id := range uint64(5 * maxRuns) {
		if b.newer("hall-2", run{10 + id, 1}); !b.newer("hall-2", run{2, id + 1}) { // its real run
			t.Fatal("the box is not heard")
		}
	}
	if n := len(b.of["hall-2"]); n > maxRuns || b.newer("hall-2", run{2, 1}) || b.newer("hall-1", run{2, 5}) {
		t.Errorf("%d runs are known", n)
	}
}
