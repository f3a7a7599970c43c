package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsDividedByWhatThereIs(t *testing.T) {
	var before Plan
	for _, available := range []int64{60, 64, 128, 256, 512, 1 << 10, 24 << 10, 1 << 20} {
		p := Divide(available*mib, "a test")
		if sum := p.Runtime + minOutside; sum > p.Available {
			t.Errorf("of %d MiB the runtime has %d", available, p.Runtime/mib)
		}
		// Live memory, and as much garbage as requests hold.
		if sum := idle + p.Terms + p.Deferred + p.Lookup + p.Contexts + 2*p.Requests; sum > p.Runtime || p.Requests < 5*mib {
			t.Errorf("of %d MiB requests share %d, and the runtime has %d", available, p.Requests/mib, p.Runtime/mib)
		}
		if p.Query > p.Requests || p.Query > 1<<30 || p.Document > p.Requests || p.Connections < 200 || p.Connections > 4096 {
			t.Errorf("of %d MiB: %+v", available, p)
		}
		if p.Requests < before.Requests || p.Query < before.Query || p.Terms < before.Terms || p.Deferred < before.Deferred || p.Connections < before.Connections {
			t.Errorf("%d MiB give less than a smaller size: %+v, %+v", available, p, before)
		}
		before = p
	}
	if least := Divide(Least, ""); Divide(1, "").Requests != least.Requests {
		t.Error("less memory than Least is not divided like Least")
	}
}

// The headers of all connections have an eighth of the memory, or 16 KiB each.
func TestHeadersOfAllConnectionsAreInThePlan(t *testing.T) {
	for _, available := range []int64{60, 64, 512, 1 << 10, 4 << 10, 24 << 10} {
		p := Divide(available*mib, "a test")
		if n := p.Header(p.Connections); int64(n*p.Connections) > p.Available/8 || n < 30<<10 || n > 128<<10 {
			t.Errorf("of %d MiB, %d connections have %d bytes each", available, p.Connections, n)
		}
	}
	if p := Divide(64*mib, "a test"); p.Header(1<<20) != 16<<10 || p.Header(1) != 128<<10 {
		t.Error("it is not from 16 to 128 KiB")
	}
}

func TestOnlyMuchMemoryHasRoomForMoreGarbage(t *testing.T) {
	for available, want := range map[int64]int64{60: 40, 256: 40, 1 << 10: 40, 2 << 10: 40, 4 << 10: 64, 8 << 10: 128, 24 << 10: 160, 1 << 20: 160} {
		usual, writing := Divide(available*mib, "a test").Garbage()
		if usual != 40*mib || writing != want*mib {
			t.Errorf("of %d MiB the garbage has %d, and %d while writes make it; want 40 and %d", available, usual/mib, writing/mib, want)
		}
	}
}

func TestGOMEMLIMITIsKept(t *testing.T) {
	for _, limit := range []int64{40, 100, 1000, 10_000} {
		available := limit*mib + outside(limit*mib)
		if got := Divide(available, "").Runtime; got < limit*mib*9/10 || got > limit*mib {
			t.Errorf("with GOMEMLIMIT=%dMiB the runtime has %d MiB", limit, got/mib)
		}
	}
}

func TestAvailableMemoryIsKnown(t *testing.T) {
	bytes, from := Available()
	if bytes < 32*mib || from == "" {
		t.Errorf("%d bytes are available: %s", bytes, from)
	}
}

func TestOneRequestMayTakeMuchAndEightDivideIt(t *testing.T) {
	const step, size = 1 << 10, 1 << 20
	take := func(p *Pool, held *int64) bool {
		if p.Take(*held, step) != nil {
			return false
		}
		*held += step
		return true
	}
	for _, n := range []int64{1, 2, 8} {
		p, held := NewPool(size), make([]int64, n)
		for more := true; more; {
			more = false
			for i := range held {
				more = take(p, &held[i]) || more
			}
		}
		want := float64(size) * share / float64(1+share*n)
		for i := range held {
			if got := float64(held[i]); got < 0.9*want || got > 1.1*want {
				t.Errorf("one of %d has %.0f bytes, want %.0f", n, got, want)
			}
		}
		var late int64
		if !take(p, &late) {
			t.Errorf("after %d requests nothing is free", n)
		}
		err := p.Take(held[0], size)
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.Size != size || !strings.Contains(err.Error(), "of the 1.0 MiB of memory that all requests share") {
			t.Errorf("the refusal is %v", err)
		}
		p.Give(late)
		for i := range held {
			p.Give(held[i])
		}
		if p.Used() != 0 {
			t.Errorf("%d bytes are still used", p.Used())
		}
	}
}

func TestARequestWaitsForMemoryInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		if err := p.Take(0, 60); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		wait := func(name string, ctx context.Context, n int64) (ended chan func()) {
			ended = make(chan func(), 1)
			go func() {
				give, err := p.Wait(ctx, n)
				if err == nil {
					mu.Lock()
					order = append(order, name)
					mu.Unlock()
				}
				ended <- give
			}()
			synctest.Wait()
			return ended
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first := wait("first", t.Context(), 50)
		second := wait("second", t.Context(), 10) // enough is free, but the first waiter goes first
		gone := wait("gone", ctx, 100)
		if len(order) != 0 || p.Take(0, 20) == nil {
			t.Errorf("%v have memory that is not free, or a query took what the first waits for", order)
		}
		p.Give(60)
		give1, give2 := <-first, <-second
		synctest.Wait()
		if slices.Sort(order); strings.Join(order, " ") != "first second" || p.Used() != 60 {
			t.Errorf("%v, and %d bytes are used", order, p.Used())
		}
		time.Sleep(time.Second) // on the test's own clock
		(<-gone)()
		give1()
		give1() // no effect
		give2()
		if p.Used() != 0 || len(order) != 2 {
			t.Errorf("%v, and %d bytes are used", order, p.Used())
		}
		give, err := p.Wait(t.Context(), 1000) // more than the pool has: it takes what one request may hold
		if err != nil || p.Used() != p.MaxRequest() {
			t.Errorf("%d of %d bytes, %v", p.Used(), p.Size(), err)
		}
		give()
	})
}
