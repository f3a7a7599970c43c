package service

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

func TestExportsLeaveSomeOfTheDiskFree(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct{ disk, free int64 }{
		{3 * mib, 3 * mib / 2}, {64 * mib, 32 * mib}, {2 * gib, gib}, {5 * gib, gib}, {10 * gib, gib}, {250 * gib, gib},
	} {
		if got := keepFree(c.disk); got != c.free {
			t.Errorf("of %d bytes %d stay free, want %d", c.disk, got, c.free)
		}
	}
	if New(Config{Log: logs.New(logs.Options{})}).spools.Keep == nil {
		t.Error("spools may fill the disk")
	}
}

// A client that reads slowly but steadily must not hold a read snapshot indefinitely,
// because the file would grow.
func TestAnExportWithoutRoomWaitsForItsClientOnlySoLongInAll(t *testing.T) {
	pool := &spool.Pool{Memory: 1, Disk: 1, Patience: time.Hour} // each single wait may take long
	text, reading := pool.New()
	m := &exporter{ctx: t.Context(), gate: admit.NewGate(1), to: text, room: 5 * time.Millisecond}
	defer m.leave()
	var reader sync.WaitGroup
	defer reader.Wait()
	defer reading.Close()
	reader.Go(func() {
		for p := make([]byte, 1); ; {
			<-time.After(time.Millisecond)
			if _, err := reading.Read(p); err != nil {
				return
			}
		}
	})
	n, err := m.Write([]byte("begun"))
	for err == nil {
		n, err = m.Write([]byte("and so on"))
	}
	if !errors.Is(err, spool.ErrStalled) || m.waited < maxWaits*m.room {
		t.Errorf("%d, %v after %v", n, err, m.waited)
	}
}

// A page waits for its turn without memory, which documents can use meanwhile.
func TestAPageWaitsForItsTurnBeforeMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Log: logs.New(logs.Options{Name: "none"}), Limits: Limits{Workers: 2, Memory: 6 << 20, ExportPatience: time.Minute}})
		if err := s.pages.Enter(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := s.Page(t.Context(), 10_000, "gzip", func(_ context.Context, kept *Kept) (any, error) {
				if used := s.memory.Used(); kept.Entries != 320 || used < 1<<20 || used > 3<<20 {
					t.Errorf("%d entries have %d bytes of memory", kept.Entries, used)
				}
				err := kept.Add(rdf.NewString(strings.Repeat("x", 1<<20)))
				if used := s.memory.Used(); err != nil || used < 3<<20 {
					t.Errorf("with a text of a MiB it has %d bytes, %v", used, err)
				}
				return nil, cmp.Or(kept.Add(rdf.NewString(strings.Repeat("x", 4<<20))), errors.New("it had room"))
			})
			ended <- err
		}()
		synctest.Wait()
		if used := s.memory.Used(); used != 0 {
			t.Errorf("it holds %d bytes before its turn", used)
		}
		s.pages.Leave(1)
		if e := ErrorOf(<-ended); e == nil || e.Kind != Unavailable || s.memory.Used() != 0 || s.pages.Inside() != 0 {
			t.Errorf("%v, with %d bytes of memory and %d turns", e, s.memory.Used(), s.pages.Inside())
		}
	})
}

// A text that needs much memory waits for it without a turn of the exports, and only so long.
func TestATextWaitsForMemoryBeforeItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Service{memory: memory.NewPool(1 << 20), exporters: admit.NewGate(1)}
		s.config.Limits.ExportPatience = time.Minute
		give, err := s.memory.Wait(t.Context(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		defer give()
		var refused error
		ended := make(chan bool)
		go func() {
			defer close(ended)
			_, refused = s.makeText(t.Context(), s.exporters, 1<<19, "", func(context.Context) (store.Export, error) { return nil, errors.New("it has begun") })
		}()
		synctest.Wait()
		if n := s.exporters.Inside(); n != 0 {
			t.Errorf("%d have a turn while they wait for memory", n)
		}
		<-ended
		if e := ErrorOf(refused); e == nil || e.Kind != Unavailable {
			t.Errorf("without memory it is %v", refused)
		}
	})
}

// A page that has waited for room goes on while the next one has the turn, which may wait for its memory.
func TestAPageTakesNoSecondTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &spool.Pool{Memory: 1, Disk: 1, Patience: time.Hour}
		to, reading := pool.New()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		m := &exporter{ctx: ctx, gate: admit.NewGate(1), page: true, to: to, room: time.Hour}
		if err := m.enter(ctx); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := m.Write([]byte("more than there is room for"))
			ended <- err
		}()
		synctest.Wait()
		if err := m.gate.Enter(ctx, 1); err != nil { // the next page
			t.Fatal(err)
		}
		go func() {
			for p := make([]byte, 1); ; {
				if _, err := reading.Read(p); err != nil {
					return
				}
			}
		}()
		if err := <-ended; err != nil {
			t.Errorf("the page stands still: %v", err)
		}
		m.gate.Leave(1)
		to.CloseWrite(nil)
		synctest.Wait()
		_ = reading.Close()
	})
}
