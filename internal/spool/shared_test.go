package spool_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/internal/suite"
)

func TestEveryReaderOfASharedSpoolGetsAllOfIt(t *testing.T) {
	suite.NotShort(t)
	for _, c := range []struct {
		name   string
		memory int
		disk   int64
		size   int
	}{
		{"nothing", 100, 0, 0},
		{"memory alone", 1000, 0, 1000},
		{"memory and file", 64, 0, 200_000},
		{"a file that is used up", 64, 4096, 100_000},
		{"no file", 64, 1, 50_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := &spool.Pool{Memory: c.memory, Dir: t.TempDir(), Disk: c.disk}
			shared, first := pool.NewShared()
			want := text(c.size)
			var reading sync.WaitGroup
			read := func(r *spool.Reader, seed uint64) {
				defer r.Close()
				random := rand.New(rand.NewPCG(seed, 0))
				var got []byte
				for {
					p := make([]byte, 1+random.IntN(300))
					n, err := r.Read(p)
					got = append(got, p[:n]...)
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
				if !bytes.Equal(got, want) {
					t.Errorf("a reader gets %d bytes that are not the %d written", len(got), len(want))
				}
			}
			reading.Go(func() { read(first, 0) })
			for p := want; len(p) > 0; {
				n := min(97, len(p))
				if len(p)%10 == 0 {
					if r, seed := shared.Join(), uint64(len(p)); r != nil {
						reading.Go(func() { read(r, seed) })
					}
				}
				if m, err := shared.Write(p[:n]); m != n || err != nil {
					t.Fatalf("%d of %d are written: %v", m, n, err)
				}
				p = p[n:]
			}
			shared.CloseWrite(nil)
			reading.Wait()
			if pool.Used() != 0 {
				t.Errorf("%d bytes of disk are still used", pool.Used())
			}
		})
	}
}

func TestAReaderOfASharedSpoolIsAReaderAsIoWantsIt(t *testing.T) {
	pool := &spool.Pool{Memory: 100, Dir: t.TempDir()}
	shared, r := pool.NewShared()
	want := text(5000)
	if _, err := shared.Write(want); err != nil {
		t.Fatal(err)
	}
	shared.CloseWrite(nil)
	late := shared.Join()
	if err := iotest.TestReader(r, want); err != nil {
		t.Error(err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil || pool.Used() != 4900 {
		t.Errorf("%d bytes are used while somebody reads: %v", pool.Used(), err)
	}
	if names, err := os.ReadDir(pool.Dir); err != nil || len(names) > 0 {
		t.Errorf("the file has a name: %v, %v", names, err)
	}
	if got, err := io.ReadAll(late); err != nil || !bytes.Equal(got, want) {
		t.Errorf("a late reader gets %d bytes, %v", len(got), err)
	}
	if err := late.Close(); err != nil || pool.Used() != 0 || shared.Join() != nil {
		t.Errorf("after the last reader %d bytes are used: %v", pool.Used(), err)
	}
}

func TestWithoutRoomTheSlowestReaderLosesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &spool.Pool{Memory: 100, Dir: t.TempDir(), Disk: 1, Patience: time.Minute}
		shared, slow := pool.NewShared()
		fast := shared.Join()
		var got []byte
		go func() { got, _ = io.ReadAll(fast) }()
		begin, want := time.Now(), text(1000)
		if n, err := shared.Write(want); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
		shared.CloseWrite(nil)
		synctest.Wait()
		if !bytes.Equal(got, want) || time.Since(begin) != time.Minute {
			t.Errorf("the fast reader gets %d bytes after %v", len(got), time.Since(begin))
		}
		if _, err := io.ReadAll(slow); !errors.Is(err, spool.ErrStalled) {
			t.Errorf("the slow one gets %v", err)
		}
		if shared.Join() != nil {
			t.Error("a reader can join a text whose beginning is gone")
		}
		_ = errors.Join(fast.Close(), slow.Close())
	})
}

func TestWritingEndsWithTheLastReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, stalls := range []bool{false, true} {
			pool := &spool.Pool{Memory: 10, Dir: t.TempDir(), Disk: 1, Patience: time.Minute}
			shared, r := pool.NewShared()
			var err error
			go func() { _, err = shared.Write(make([]byte, 100)) }()
			synctest.Wait()
			want := spool.ErrStalled
			if stalls {
				time.Sleep(time.Minute) // on the test's own clock
			} else {
				want = spool.ErrClosed
				_ = r.Close()
			}
			synctest.Wait()
			if !errors.Is(err, want) {
				t.Errorf("writing ends with %v, want %v", err, want)
			}
			_ = r.Close()
		}
	})
}

func TestAReadThatWaitsEndsWithClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, r := (&spool.Pool{}).NewShared()
		var err error
		go func() { _, err = r.Read(make([]byte, 1)) }()
		synctest.Wait()
		_ = r.Close()
		synctest.Wait()
		if !errors.Is(err, spool.ErrClosed) {
			t.Errorf("it ends with %v", err)
		}
		broken := errors.New("broken")
		shared, r := (&spool.Pool{}).NewShared()
		shared.CloseWrite(broken)
		if _, err := r.Read(make([]byte, 1)); err != broken || shared.Join() != nil {
			t.Errorf("the writer's error is %v", err)
		}
		_ = r.Close()
	})
}
