package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// countExports makes write produce the graph's text, and counts the exports that begin.
func countExports(s *fixture, write func(ctx context.Context, w io.Writer) error) *atomic.Int64 {
	var begun atomic.Int64
	s.graph.export = func(ctx context.Context, w io.Writer) error {
		begun.Add(1)
		return write(ctx, w)
	}
	return &begun
}

// publish changes the graph.
func (s *fixture) publish(t *testing.T, name string) {
	t.Helper()
	if w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(fmt.Sprintf("<http://e/%s> <http://e/p> 1 .", name), nil)}); w.Code != 201 {
		t.Fatal(w.Code, w.Body)
	}
}

func TestExportsOfOneETagShareOneCopy(t *testing.T) {
	t.Parallel()
	const size, readers = 8 << 20, 40
	text := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	s := newOpenService(t)
	s.publish(t, "a")
	begun := countExports(s, func(_ context.Context, w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	var slow []net.Conn
	for range readers {
		slow = append(slow, stalled(t, server.Listener.Addr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"))
	}
	eventually(t, "all slow readers have asked, and the store is let go of", func() bool { return s.front.Stats().Requests == readers && s.graph.exports() == 0 })
	head := s.do(t, call{method: "HEAD", path: "/events"})
	for _, header := range []map[string]string{nil, {"Range": "bytes=0-9"}, {"If-None-Match": `"x"`}} {
		w := s.do(t, call{method: "GET", path: "/events", header: header})
		if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), text) || w.Header().Get("ETag") != head.Header().Get("ETag") {
			t.Errorf("a fast reader with %v: %d, %d bytes, ETag %s", header, w.Code, w.Body.Len(), w.Header().Get("ETag"))
		}
	}
	if w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"If-None-Match": head.Header().Get("ETag")}}); w.Code != 304 {
		t.Errorf("a reader that knows it: %d", w.Code)
	}
	if n, disk := begun.Load(), s.service.Stats().SpoolBytes; n != 1 || disk > size {
		t.Errorf("the text was made %d times and takes %d bytes of disk", n, disk)
	}
	for _, coded := range []string{"gzip", "zstd"} {
		w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"Accept-Encoding": coded}})
		got, err := decompressed(coded, w.Body)
		if err != nil || got != string(text) || w.Header().Get("Content-Encoding") != coded {
			t.Errorf("in %s: %d bytes, %v", coded, len(got), err)
		}
	}
	for _, conn := range slow {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the copy is gone with its last reader", func() bool { return s.service.Stats().SpoolBytes == 0 && s.front.Stats().Requests == 0 })
	if names, err := os.ReadDir(s.config.SpoolDir); err != nil || len(names) > 0 {
		t.Errorf("files are left: %v, %v", names, err)
	}
	if w := s.do(t, call{method: "GET", path: "/events"}); w.Body.Len() != size || s.service.Stats().ExportReaders != 0 {
		t.Errorf("a later reader gets %d bytes, and %d readers are left", w.Body.Len(), s.service.Stats().ExportReaders)
	}
}

func TestAnExportThatWaitsTooLongForItsTurnIs503(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Workers, c.Limits.ExportPatience = 1, 50*time.Millisecond })
	s.publish(t, "a")
	making, goOn := make(chan struct{}), make(chan struct{})
	countExports(s, func(context.Context, io.Writer) error {
		close(making)
		<-goOn
		return nil
	})
	var first sync.WaitGroup
	first.Go(func() { s.do(t, call{method: "GET", path: "/events"}) })
	<-making
	s.publish(t, "b") // otherwise the second export would join the first
	w := s.do(t, call{method: "GET", path: "/events"})
	wantProblem(t, w, 503, "Too many exports or pages are being made")
	if w.Header().Get("Retry-After") != "1" || w.Header().Get("ETag") != "" {
		t.Errorf("%v", w.Header())
	}
	close(goOn)
	first.Wait()
}

func TestRequestsThatWaitShareTheNextExport(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Workers = 1 })
	s.publish(t, "a")
	making, goOn := make(chan struct{}, 100), make(chan struct{}, 100)
	begun := countExports(s, func(_ context.Context, w io.Writer) error {
		making <- struct{}{}
		<-goOn
		_, err := w.Write([]byte("text"))
		return err
	})
	var asking sync.WaitGroup
	ask := func() {
		if w := s.do(t, call{method: "GET", path: "/events"}); w.Code != 200 || w.Body.String() != "text" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	asking.Go(ask)
	<-making
	const waiting = 10
	for i := range waiting { // each of a different state of the graph
		s.publish(t, fmt.Sprint("b", i))
		asking.Go(ask)
		eventually(t, "it waits", func() bool { return s.service.Stats().ExportsWaiting == i+1 })
	}
	goOn <- struct{}{}
	<-making // the second, which all of them read
	eventually(t, "all have joined", func() bool { return s.service.Stats().ExportReaders == waiting })
	goOn <- struct{}{}
	asking.Wait()
	if n := begun.Load(); n != 2 {
		t.Errorf("the text was made %d times", n)
	}
}

func TestAReaderThatHangsUpLeavesAnExportToTheOthers(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	goOn, ended := make(chan struct{}), make(chan error, 2)
	begun := countExports(s, func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "begun\n")
		if err != nil {
			return err
		}
		select {
		case <-goOn:
			_, err = io.WriteString(w, "and ended\n")
		case <-ctx.Done():
			err = ctx.Err()
		}
		ended <- err
		return err
	})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	first := stalled(t, server.Listener.Addr().String(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(t, "the first is there", func() bool { return begun.Load() == 1 })
	var other sync.WaitGroup
	other.Go(func() {
		w := s.do(t, call{method: "GET", path: "/events"})
		if body := w.Body.String(); w.Code != 200 || body != "begun\nand ended\n" {
			t.Errorf("the other gets %d %q", w.Code, body)
		}
	})
	eventually(t, "the other has joined", func() bool { return s.service.Stats().ExportReaders == 2 })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first is gone", func() bool { return s.front.Stats().Requests == 1 })
	close(goOn)
	other.Wait()
	if err := <-ended; err != nil || begun.Load() != 1 {
		t.Errorf("it was made %d times, %v", begun.Load(), err)
	}
}

func TestAnExportThatFailsFailsForAllItsReaders(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	goOn := make(chan struct{})
	begun := countExports(s, func(context.Context, io.Writer) error {
		<-goOn
		return errors.New("the disk is broken")
	})
	var asking sync.WaitGroup
	for range 5 {
		asking.Go(func() {
			w := s.do(t, call{method: "GET", path: "/events"})
			if w.Code != 500 || strings.Contains(w.Body.String(), "broken") || w.Header().Get("ETag") != "" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	eventually(t, "all have joined", func() bool { return s.service.Stats().ExportReaders == 5 && begun.Load() == 1 })
	close(goOn)
	asking.Wait()
	if n := s.graph.exports(); n != 0 || s.service.Stats().ExportsRunning != 0 {
		t.Errorf("%d exports and %d turns are still held", n, s.service.Stats().ExportsRunning)
	}
}
