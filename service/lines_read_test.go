package service

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/store/sparql/budget"
)

// Lines are read ahead on a free processor, which is given back while other requests arrive.
func TestLinesAreReadAheadUntilOthersNeedTheProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	synctest.Test(t, func(t *testing.T) {
		s := &Service{processors: budget.NewProcessors(2)}
		s.processors.Quiet = quiet
		lines := make([][]byte, 100)
		for i := range lines {
			lines[i] = []byte("{") // refused, which costs little
		}
		s.processors.Enter() // that of the caller
		a := s.readAhead(t.Context(), Batched{Lines: lines})
		defer a.stop()
		next := func() (ahead int) {
			t.Helper()
			if l := a.next(); l == nil || l.err == nil {
				t.Fatalf("a line became %v", l)
			}
			synctest.Wait()
			return len(a.lines)
		}
		if n := next(); n != linesAhead-1 {
			t.Errorf("%d lines are read ahead on a free processor, not %d", n, linesAhead-1)
		}
		s.processors.Arrived()
		for range linesAhead {
			next()
		}
		if n := next(); n != 0 {
			t.Errorf("%d lines are read ahead beside other requests", n)
		}
		if s.processors.Wanted() {
			t.Error("the processor is not given back")
		}
		time.Sleep(quiet)
		if n := next(); n != linesAhead-1 {
			t.Errorf("%d lines are read ahead after the others", n)
		}
	})
}
