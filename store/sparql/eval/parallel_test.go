package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/segraph/segraph/store/sparql/budget"
)

// Each call is made once, on as many goroutines at a time as processors are free.
func TestParallelUsesFreeProcessors(t *testing.T) {
	for _, tt := range []struct{ processors, shared, queries, want int }{
		{1, 0, 1, 1}, {2, 0, 1, 2}, {8, 0, 1, 8}, {8, 3, 1, 3}, {2, 8, 1, 2}, {8, 4, 3, 2}, {8, 2, 3, 1},
	} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			withProcessors(t, tt.processors, func() {
				var l Limits
				if tt.shared > 0 {
					l.Processors = budget.NewProcessors(tt.shared)
				}
				b := budget.New(context.Background(), l)
				defer b.Close()
				for range tt.queries - 1 { // which run beside this one
					defer budget.New(context.Background(), l).Close()
				}
				const n = 100
				var calls [n]atomic.Int32
				var running, most atomic.Int32
				all := make(chan struct{})
				err := parallel(b, n, func(i int) {
					calls[i].Add(1)
					now := running.Add(1)
					defer running.Add(-1)
					for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
					}
					if int(now) == tt.want && i < n/2 {
						select {
						case <-all:
						default:
							close(all)
						}
					}
					<-all // until the wanted number runs
				})
				if err != nil || int(most.Load()) != tt.want {
					t.Errorf("%d at once, %v; want %d", most.Load(), err, tt.want)
				}
				for i := range calls {
					if calls[i].Load() != 1 {
						t.Errorf("call %d is made %d times", i, calls[i].Load())
					}
				}
			})
		})
	}
}

// A new query gets a processor that another one has borrowed, and finds none to
// borrow itself. All calls are made.
func TestBorrowedProcessorsAreGivenBack(t *testing.T) {
	withProcessors(t, 2, func() {
		l := Limits{Processors: budget.NewProcessors(2)}
		b := budget.New(context.Background(), l)
		defer b.Close()
		var other *budget.Budget
		var running, done atomic.Int32
		both := make(chan struct{})
		err := parallel(b, 100, func(i int) {
			if running.Add(1) == 2 {
				other = budget.New(context.Background(), l)
				close(both)
			}
			<-both
			done.Add(1)
		})
		if err != nil || done.Load() != 100 {
			t.Errorf("%d of 100 calls, %v", done.Load(), err)
		}
		if n := other.Borrow(1); n != 0 {
			t.Errorf("%d are free while two queries run on two processors", n)
		}
		other.Close()
		if n := b.Borrow(5); n != 1 {
			t.Errorf("%d are free while one query runs on two processors", n)
		}
		b.GiveBack()
	})
}

// A helper leaves once its processor is wanted. The query's own goroutine goes on.
func TestHelpersLeaveWhenAnotherQueryComes(t *testing.T) {
	withProcessors(t, 2, func() {
		l := Limits{Processors: budget.NewProcessors(2)}
		b := budget.New(context.Background(), l)
		defer b.Close()
		if b.Borrow(1) != 1 {
			t.Fatal("no processor is free")
		}
		w := &tasks{b: b, n: 100, f: func(int) {}}
		defer budget.New(context.Background(), l).Close()
		if w.help(); w.next.Load() != 0 {
			t.Errorf("a helper makes %d calls while its processor is wanted", w.next.Load())
		}
		if w.work(func() bool { return false }); w.next.Load() <= 100 {
			t.Errorf("%d of 100 calls are made", w.next.Load())
		}
	})
}

// A panic on a borrowed processor reaches the goroutine of the query, whose caller
// can recover from it.
func TestPanicOnABorrowedProcessorReachesTheQuery(t *testing.T) {
	withProcessors(t, 2, func() {
		b := budget.New(context.Background(), Limits{})
		defer func() {
			if text := fmt.Sprint(recover()); !strings.Contains(text, "broken") {
				t.Errorf("recovered %s", text)
			}
		}()
		var running atomic.Int32
		both := make(chan struct{})
		_ = parallel(b, 2, func(i int) { // each of the two goroutines makes one of the calls
			if running.Add(1) == 2 {
				close(both)
			}
			<-both
			panic("broken")
		})
		t.Error("nothing panics")
	})
}

// Work on several processors stops soon after the query's context ends.
func TestParallelStops(t *testing.T) {
	withProcessors(t, 2, func() {
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int32
		err := parallel(budget.New(ctx, Limits{}), 1_000_000, func(int) {
			if calls.Add(1) == 10 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || calls.Load() > 20 {
			t.Errorf("%d calls, %v", calls.Load(), err)
		}
	})
}
