package spool_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/internal/spool"
)

// text returns n bytes in which every position can be recognized.
func text(n int) []byte {
	random := rand.NewChaCha8([32]byte{1})
	out := make([]byte, n)
	_, _ = random.Read(out) // never fails
	return out
}

func TestASpoolGivesBackWhatWasWritten(t *testing.T) {
	for _, c := range []struct {
		name             string
		memory           int
		disk             int64
		size, put, taken int
	}{
		{"nothing", 100, 0, 0, 10, 10},
		{"memory alone", 1000, 0, 1000, 7, 13},
		{"one byte of memory", 1, 0, 500, 3, 2},
		{"small pieces through memory and file", 64, 0, 100_000, 11, 17},
		{"large pieces through memory and file", 1 << 10, 0, 1 << 20, 10_000, 4096},
		{"a bounded file", 64, 4096, 100_000, 100, 30},
		{"a file too small for a piece", 64, 10, 20_000, 100, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := &spool.Pool{Memory: c.memory, Dir: t.TempDir(), Disk: c.disk}
			s, r := pool.New()
			want := text(c.size)
			var writing sync.WaitGroup
			writing.Go(func() {
				for p := want; len(p) > 0; {
					n := min(c.put, len(p))
					if m, err := s.Write(p[:n]); m != n || err != nil {
						t.Errorf("%d of %d are written: %v", m, n, err)
					}
					p = p[n:]
				}
				s.CloseWrite(nil)
			})
			var got []byte
			p := make([]byte, c.taken)
			for {
				n, err := r.Read(p)
				got = append(got, p[:n]...)
				if c.disk > 0 && pool.Used() > c.disk {
					t.Fatalf("%d bytes of disk are used", pool.Used())
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			writing.Wait()
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes come back and are not the %d that were written", len(got), len(want))
			}
			if err := r.Close(); err != nil || pool.Used() != 0 {
				t.Errorf("after Close %d bytes are used: %v", pool.Used(), err)
			}
		})
	}
}

func TestReadIsAReaderAsIoWantsIt(t *testing.T) {
	pool := &spool.Pool{Memory: 100, Dir: t.TempDir()}
	s, r := pool.New()
	want := text(5000)
	if _, err := s.Write(want); err != nil {
		t.Fatal(err)
	}
	s.CloseWrite(nil)
	if err := iotest.TestReader(r, want); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheWriterDoesNotWaitForTheReader(t *testing.T) {
	pool := &spool.Pool{Memory: 1 << 10, Dir: t.TempDir()}
	s, r := pool.New()
	want := text(8 << 20)
	for p := want; len(p) > 0; p = p[1<<16:] { // nobody reads, so a blocking writer would hang
		if _, err := s.Write(p[:1<<16]); err != nil {
			t.Fatal(err)
		}
	}
	s.CloseWrite(nil)
	if got := pool.Used(); got < 8<<20-1<<10 || got > 8<<20 {
		t.Errorf("%d bytes of disk are used", got)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes come back: %v", len(got), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheFileHasNoNameAndRoomIsUsedAgain(t *testing.T) {
	dir := t.TempDir()
	pool := &spool.Pool{Memory: 10, Dir: dir}
	s, r := pool.New()
	p := make([]byte, 1000)
	for range 100 {
		if _, err := s.Write(p); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, p); err != nil {
			t.Fatal(err)
		}
	}
	if pool.Used() > 1000 {
		t.Errorf("%d bytes of disk are used for a queue of 1,000", pool.Used())
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 0 {
		t.Errorf("files are left: %v, %v", names, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestAWriterWaitsWhereTheDiskIsUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &spool.Pool{Memory: 100, Dir: t.TempDir(), Disk: 200}
		s, r := pool.New()
		written := false
		go func() {
			for range 5 { // 500 bytes, with room for 300
				if _, err := s.Write(make([]byte, 100)); err != nil {
					t.Error(err)
				}
			}
			written = true
			s.CloseWrite(nil)
		}()
		synctest.Wait()
		if written {
			t.Error("more was written than there is room for")
		}
		got, err := io.ReadAll(r)
		if len(got) != 500 || err != nil {
			t.Errorf("%d bytes come back: %v", len(got), err)
		}
		synctest.Wait()
		if !written {
			t.Error("the writer still waits")
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheWritersErrorComesAfterItsBytes(t *testing.T) {
	s, r := (&spool.Pool{}).New()
	broken := errors.New("broken")
	if _, err := s.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	s.CloseWrite(broken)
	got, err := io.ReadAll(r)
	if string(got) != "abc" || err != broken {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCloseEndsAWriterThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := (&spool.Pool{Memory: 1, Dir: t.TempDir(), Disk: 1}).New()
		var err error
		go func() { _, err = s.Write([]byte("abc")) }()
		synctest.Wait()
		if closing := r.Close(); closing != nil {
			t.Error(closing)
		}
		synctest.Wait()
		if !errors.Is(err, spool.ErrClosed) {
			t.Errorf("the writer got %v", err)
		}
		if _, err := s.Write([]byte("x")); !errors.Is(err, spool.ErrClosed) {
			t.Errorf("a later writer got %v", err)
		}
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, spool.ErrClosed) {
			t.Errorf("a later reader got %v", err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}

func TestWithoutADiskTheQueueIsInMemory(t *testing.T) {
	keep := func(int64) int64 { return 1 << 62 } // more than any disk has
	for _, c := range []struct {
		name string
		pool *spool.Pool
		why  error // error of TryWrite
	}{
		{"no folder", &spool.Pool{Dir: t.TempDir() + "/absent"}, os.ErrNotExist},
		{"a full disk", spool.PoolOn("/dev/full"), spool.ErrDiskFull},
		{"a share that is used up", &spool.Pool{Dir: t.TempDir(), Disk: 1}, spool.ErrUsedUp},
		{"a disk with too little free", &spool.Pool{Dir: t.TempDir(), Keep: keep}, spool.ErrDiskFull},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "a full disk" && runtime.GOOS != "linux" {
				t.Skip("it takes Linux's /dev/full")
			}
			c.pool.Memory = 100
			s, r := c.pool.New()
			want := text(10_000)
			if n, err := s.TryWrite(want); n != 100 || !errors.Is(err, c.why) {
				t.Errorf("%d bytes at once, %v", n, err)
			}
			var writing sync.WaitGroup
			writing.Go(func() {
				if n, err := s.Write(want[100:]); n != len(want)-100 || err != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
				s.CloseWrite(nil)
			})
			got, err := io.ReadAll(r)
			writing.Wait()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes come back: %v", len(got), err)
			}
			if used := c.pool.Used(); used != 0 {
				t.Errorf("%d bytes of disk are counted that nothing holds", used)
			}
			if err := r.Close(); err != nil || c.pool.Used() != 0 {
				t.Errorf("after Close %d bytes are used: %v", c.pool.Used(), err)
			}
		})
	}
}

func TestAFileIsUsedAgainOnceTheDiskHasRoom(t *testing.T) {
	full := true
	pool := &spool.Pool{Memory: 10, Dir: t.TempDir(), Keep: func(int64) int64 {
		if full {
			return 1 << 62
		}
		return 0
	}}
	s, r := pool.New()
	if n, err := s.TryWrite(make([]byte, 100)); n != 10 || !errors.Is(err, spool.ErrDiskFull) {
		t.Errorf("%d, %v", n, err)
	}
	full = false
	if n, err := s.TryWrite(make([]byte, 90)); n != 90 || err != nil || pool.Used() != 90 {
		t.Errorf("%d, %v, %d bytes of disk", n, err, pool.Used())
	}
	s.CloseWrite(nil)
	if got, err := io.ReadAll(r); len(got) != 100 || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestAWriterWithoutRoomGivesUpAfterThePoolsPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &spool.Pool{Memory: 100, Dir: t.TempDir(), Disk: 1, Patience: time.Minute}
		s, r := pool.New()
		begun := time.Now()
		var wrote int
		var err error
		done := make(chan struct{})
		go func() { wrote, err = s.Write(make([]byte, 1000)); close(done) }()
		for range 3 { // the reader makes room just before each timeout
			time.Sleep(59 * time.Second)
			if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		<-done
		if !errors.Is(err, spool.ErrStalled) || wrote != 400 {
			t.Errorf("%d bytes are written, %v", wrote, err)
		}
		if took := time.Since(begun); took != (3*59+60)*time.Second {
			t.Errorf("it gave up after %v", took)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestARevokedSpoolIsReadAndWrittenNoMore revokes a spool with text in memory and in a file.
func TestARevokedSpoolIsReadAndWrittenNoMore(t *testing.T) {
	pool := &spool.Pool{Memory: 10, Dir: t.TempDir()}
	s, r := pool.NewShared()
	if _, err := s.Write(text(100)); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 5)); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	pool.Revoke()
	if n, err := r.Read(make([]byte, 5)); n != 0 || !errors.Is(err, spool.ErrRevoked) {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if n, err := s.Write([]byte("x")); n != 0 || !errors.Is(err, spool.ErrRevoked) {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if s.Join() != nil {
		t.Error("it can be joined")
	}
	if err := r.Close(); err != nil || pool.Used() != 0 {
		t.Errorf("%v, and %d bytes are used", err, pool.Used())
	}
	s, r = pool.New()
	defer r.Close()
	if _, err := s.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if n, err := r.Read(make([]byte, 5)); n != 1 || err != nil {
		t.Error(n, err)
	}
}
