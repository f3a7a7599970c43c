package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

func TestAnExportNeedsNoDisk(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	s := newOpenService(t, func(c *settings) { c.SpoolDir += "/absent" })
	s.graph.export = func(_ context.Context, w io.Writer) error {
		_, err := w.Write(make([]byte, size))
		return err
	}
	w := s.do(t, call{method: "GET", path: "/events"})
	if w.Code != 200 || w.Body.Len() != size {
		t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
	}
}

func TestOnlySoManyExportsAreMadeAtOnce(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Workers = 2 })
	var making, most atomic.Int64
	goOn := make(chan struct{})
	s.graph.export = func(_ context.Context, w io.Writer) error {
		most.Store(max(most.Load(), making.Add(1)))
		defer making.Add(-1)
		<-goOn
		_, err := w.Write(make([]byte, 1000))
		return err
	}
	var asking sync.WaitGroup
	for _, format := range []string{service.MediaTurtle, service.MediaNTriples} {
		for _, coded := range []string{"identity", "gzip", "zstd"} { // six different texts
			asking.Go(func() {
				w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"Accept": format, "Accept-Encoding": coded}})
				if w.Code != 200 || w.Body.Len() == 0 {
					t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
				}
			})
		}
	}
	eventually(t, "all have asked and two are made", func() bool { return s.front.Stats().Requests == 6 && making.Load() == 2 })
	if open := s.graph.exports(); open != 2 {
		t.Errorf("%d moments of the store are held", open)
	}
	// A request that needs no text need not wait.
	if w := s.do(t, call{method: "HEAD", path: "/events"}); w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
	close(goOn)
	asking.Wait()
	if most.Load() != 2 || s.service.Stats().ExportsRunning != 0 {
		t.Errorf("%d were made at once, and %d still are", most.Load(), s.service.Stats().ExportsRunning)
	}
}

// roomless returns a service whose exports find no room on the disk and are larger than
// what the kernel buffers for a client that does not read.
func roomless(t *testing.T, room time.Duration) (s *fixture, size int) {
	s = newOpenService(t, func(c *settings) { c.Limits.Workers = 1; c.Limits.SpoolDisk = 1; c.Limits.RoomPatience = room })
	size = 8 << 20
	s.graph.export = func(_ context.Context, w io.Writer) error {
		part := make([]byte, 64<<10)
		for range size / len(part) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
	return s, size
}

func TestAnExportThatWaitsForRoomHoldsNoTurn(t *testing.T) {
	t.Parallel()
	s, size := roomless(t, time.Hour)
	r := run(t, s, front.ServerOptions{Shutdown: 100 * time.Millisecond})
	for range 5 {
		stalled(t, r.APIAddr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	eventually(t, "all wait for their clients", func() bool {
		return s.front.Stats().Requests == 5 && s.graph.exports() > 0 && s.service.Stats().ExportsRunning == 0
	})
	response, err := http.Get(r.url("/events"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || n != int64(size) {
		t.Errorf("a reader beside them gets %d bytes, %v", n, err)
	}
}

func TestAnExportWithoutRoomIsCutShortInTime(t *testing.T) {
	t.Parallel()
	s, size := roomless(t, 200*time.Millisecond)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	conn := stalled(t, server.Listener.Addr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(t, "an export is made", func() bool { return s.graph.exports() == 1 })
	eventually(t, "the moment of the store is let go of", func() bool { return s.graph.exports() == 0 })
	answer, err := io.ReadAll(conn)
	if len(answer) >= size || bytes.HasSuffix(answer, []byte("0\r\n\r\n")) {
		t.Errorf("%d bytes that look whole, %v", len(answer), err)
	}
	if !strings.Contains(s.lines(), "the reader of the spool is too slow") {
		t.Errorf("the log does not say why: %s", s.lines())
	}
}
