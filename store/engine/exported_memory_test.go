package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/turtle"
)

// heap notes how much memory was in use at the writes to it.
type heap uint64

func (h *heap) Write(p []byte) (int, error) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	*h = max(*h, heap(m.HeapAlloc))
	return len(p), nil
}

// TestAnExportHoldsLongTermsOnce has a long predicate of many pairs, and many long reifiers of a triple.
func TestAnExportHoldsLongTermsOnce(t *testing.T) {
	suite.NotShort(t)
	var pairs, reifiers strings.Builder
	fmt.Fprintf(&pairs, "<http://e/s> <http://e/%08000d> 0", 1)
	reifiers.WriteString("<http://e/s> <http://e/p> <http://e/o> ")
	for i := range 40_000 {
		fmt.Fprintf(&pairs, ",%d", i)
	}
	for i := range 5_000 {
		fmt.Fprintf(&reifiers, "~ <http://e/%020000d> ", i)
	}
	for _, text := range []string{pairs.String(), reifiers.String()} {
		s := openStore(t)
		mustAddText(t, s, text+" .")
		var before, during heap
		_, _ = before.Write(nil)
		if err := s.Dump(t.Context(), &during, turtle.Turtle); err != nil {
			t.Fatal(err)
		}
		if held := (int64(during) - int64(before)) >> 20; held > 30 {
			t.Errorf("%.20s: %d MB are held", text, held)
		}
	}
}

// TestManyLongReifiersAreNotSorted has reifiers whose texts are not all held: they come in the order in which they were stored.
func TestManyLongReifiersAreNotSorted(t *testing.T) {
	const triple = "<http://e/s> <http://e/p> <http://e/o> "
	for n, first := range map[int]string{10: "<http://e/0", 300: "<http://e/z>"} {
		s := openStore(t)
		mustAddText(t, s, triple+"~ <http://e/z> .")
		var more strings.Builder
		for i := range n {
			fmt.Fprintf(&more, "~ <http://e/%020000d> ", i)
		}
		mustAddText(t, s, triple+more.String()+".")
		if text := exported(t, s, turtle.Turtle); !strings.Contains(text, "<http://e/o> ~ "+first) {
			t.Errorf("%d reifiers: %.200s", n, text)
		}
	}
}
