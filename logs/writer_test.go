package logs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/logs"
)

// gate is a writer that blocks until it is opened.
type gate struct {
	entered chan struct{} // gets a value when somebody stands at the gate, unless it is nil
	opened  chan struct{}
	taken   bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	select {
	case g.entered <- struct{}{}:
	default:
	}
	<-g.opened
	return g.taken.Write(p)
}

func TestAStuckWriterStopsNobodyWhoLogs(t *testing.T) {
	out := &gate{entered: make(chan struct{}, 1), opened: make(chan struct{})}
	b := logs.New(logs.Options{Writer: out, Entries: 100_000})
	const records = 10_001 // more than the queue holds
	b.Logger("x").Info("m")
	<-out.entered // the writer is stuck with the first line, so that the queue takes exactly as many as it holds
	var logging sync.WaitGroup
	for range 4 {
		logging.Go(func() {
			for range records / 4 {
				b.Logger("x").Info("m")
			}
		})
	}
	logging.Wait()
	if got := len(query(b)); got != records {
		t.Errorf("%d records are kept, want %d", got, records)
	}
	close(out.opened)
	flush(t, b)

	lines := strings.Split(strings.TrimSuffix(out.taken.String(), "\n"), "\n")
	last := lines[len(lines)-1]
	written := len(lines) - 1
	if want := fmt.Sprintf(" | WARNING | segraph.log | rid=- actor=- ip=- | %d lines dropped: ", records-written); !strings.Contains(last, want) {
		t.Errorf("%d lines are written, and the last is %q", written, last)
	}
	if written != 4097 {
		t.Errorf("%d lines are written", written)
	}
}

func TestTheNoticeStandsWhereLinesAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gate{opened: make(chan struct{})}
		b := logs.New(logs.Options{Writer: out, JSON: true})
		long := strings.Repeat("x", logs.MaxText)
		for range 1000 { // more bytes than the queue holds
			b.Logger("x").Info(long, "a", long, "b", long)
		}
		close(out.opened)
		synctest.Wait() // all waiting lines are written
		b.Logger("x").Info("end")
		flush(t, b)
		lines := strings.Split(out.taken.String(), "\n")
		n := len(lines) - 1 // the part after the last newline is empty
		notice := fmt.Sprintf(`"%d lines dropped`, 1000-(n-2))
		if !strings.Contains(lines[n-2], notice) || !strings.Contains(lines[n-1], `"end"`) || strings.Count(out.taken.String(), "lines dropped") != 1 {
			t.Errorf("of %d lines the last is %q", n, lines[n-1])
		}
	})
}

// refusing is a writer that returns err until it is set to nil.
type refusing struct {
	taken bytes.Buffer
	err   error
}

func (r *refusing) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.taken.Write(p)
}

func TestLinesThatTheWriterRefusesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &refusing{err: syscall.EPIPE}
		b := logs.New(logs.Options{Writer: out})
		for range 3 {
			b.Logger("x").Info("nobody reads this")
		}
		synctest.Wait()
		out.err = nil
		b.Logger("x").Info("read")
		flush(t, b)
		if got := out.taken.String(); !strings.Contains(got, "| 3 lines dropped") || !strings.HasSuffix(got, "| read\n") || strings.Contains(got, "nobody") {
			t.Errorf("got %q", got)
		}
	})
}

func TestCloseWaitsForASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gate{opened: make(chan struct{})}
		b := logs.New(logs.Options{Writer: out})
		b.Logger("x").Info("stuck")
		begun := time.Now()
		if err := b.Close(); err == nil || time.Since(begun) != time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		b.Logger("x").Info("late")
		if len(query(b)) != 2 {
			t.Error("a record that comes after Close is not kept")
		}
		close(out.opened)
		flush(t, b) // the second Close succeeds
		if got := out.taken.String(); !strings.Contains(got, "stuck") || strings.Contains(got, "late") {
			t.Errorf("got %q", got)
		}
	})
}

func TestLinesOfManyGoroutinesAreWhole(t *testing.T) {
	var out bytes.Buffer
	b := logs.New(logs.Options{Writer: &out})
	var logging sync.WaitGroup
	for range 8 {
		logging.Go(func() {
			for range 100 {
				b.Logger("x").Info("0123456789")
			}
		})
	}
	logging.Wait()
	flush(t, b)
	if got := strings.Count(out.String(), "| 0123456789\n"); got != 800 {
		t.Errorf("%d lines", got)
	}
	for i, e := range query(b) { // in the same order
		line, err := out.ReadString('\n')
		if errors.Is(err, io.EOF) || strings.TrimSuffix(line, "\n") != e.Raw {
			t.Fatalf("line %d is %q, and kept is %q", i, line, e.Raw)
		}
	}
}
