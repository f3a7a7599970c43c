package service

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service/admit"
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
