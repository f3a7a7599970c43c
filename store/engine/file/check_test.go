package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
)

func handle(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// fillBucket puts n keys into the bucket "things".
func fillBucket(t *testing.T, db *bolt.DB, n int) {
	t.Helper()
	err := db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("things"))
		if err != nil {
			return err
		}
		for i := range n {
			if err := b.Put(fmt.Appendf(nil, "key %06d", i), bytes.Repeat([]byte{byte(i)}, 50)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goodFile makes a file with all kinds of pages in few transactions and returns the bytes
// of its used pages.
func goodFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "good.db")
	f := mustOpen(t, path)
	fillBucket(t, f.DB, 3000)
	err := f.DB.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("things"))
		for i := range 40 {
			in, err := b.CreateBucket(fmt.Appendf(nil, "bucket %d", i))
			if err == nil {
				err = in.Put([]byte("k"), make([]byte, 10*i*i))
			}
			if err != nil {
				return err
			}
		}
		return b.DeleteBucket([]byte("bucket 39"))
	})
	if err != nil {
		t.Fatal(err)
	}
	fillBucket(t, f.DB, 10)
	if err := f.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	used := readMetas(f.pages)[0].highWater
	f.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return good[:used*4096]
}

// verdicts opens a file with these bytes, checks it, and reads all of it under Guard.
// Each step must end without an error or with a *DamagedError.
func verdicts(t *testing.T, what string, content []byte) (open, check, read error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bad.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, open := Open(path, Options{})
	if open == nil {
		defer f.Close()
		check = f.Check(t.Context())
		read = f.Guard(func() error { return f.DB.View(readAll) })
	}
	for _, err := range []error{open, check, read} {
		var damaged *DamagedError
		if err != nil && !errors.As(err, &damaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	return open, check, read
}

// readAll reads every key and value as a query would.
func readAll(tx *bolt.Tx) error {
	var bucket func(b *bolt.Bucket) error
	sum := 0
	bucket = func(b *bolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if in := b.Bucket(k); v == nil && in != nil {
				return bucket(in)
			}
			sum += bytes.Count(k, []byte("k")) + bytes.Count(v, []byte("v"))
			return nil
		})
	}
	return tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return bucket(b) })
}

func TestFileThatWasCutIsNamed(t *testing.T) {
	good := goodFile(t)
	for at := 0; at < len(good); at += 4096 {
		if open, _, _ := verdicts(t, "cut", good[:at]); open == nil {
			t.Errorf("a file that was cut to %d of %d bytes is opened", at, len(good))
		}
	}
}

// TestDamagedPagesAreNamed changes bytes of each page, one page at a time. Check must
// find every change of a header or an element. (Nothing else records where the last value
// of a page ends, so a change of its length is left to the value's own checksum.)
func TestDamagedPagesAreNamed(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	good := goodFile(t)
	m := readMetas(bytes.NewReader(good))[0]
	for id := range m.highWater {
		r := rand.New(rand.NewPCG(id, 2))
		at := int(id * 4096)
		p := parseHeader(good[at:])
		inUse := p.id == id && (p.kind == branchPage || p.kind == leafPage || p.kind == freelistPage) && !free(t, good, m, id)
		elements := p.tableEnd() - 8
		if p.kind == freelistPage {
			elements = pageHeader + 8*int64(p.count)
		}
		for _, where := range []struct {
			name     string
			from, to int
		}{{"header", 0, pageHeader}, {"elements", pageHeader, int(min(elements, 4096))}, {"body", 0, 4096}} {
			if where.to <= where.from {
				continue
			}
			bad := bytes.Clone(good)
			for range 1 + r.IntN(4) {
				bad[at+where.from+r.IntN(where.to-where.from)] ^= byte(1 + r.IntN(255))
			}
			if bytes.Equal(bad, good) {
				continue // changed back
			}
			what := fmt.Sprintf("page %d, %s", id, where.name)
			open, check, _ := verdicts(t, what, bad)
			if open == nil && check == nil && inUse && where.name != "body" {
				t.Errorf("%s (type %#x): nothing was noticed", what, p.kind)
			}
		}
	}
}

// free reports whether a page is in the list of free pages.
func free(t *testing.T, content []byte, m meta, id uint64) bool {
	t.Helper()
	w := newWalk(t.Context(), bytes.NewReader(content), m)
	if err := w.freelist(m.freelist); err != nil {
		t.Fatal(err)
	}
	return w.claimed[id/64]&(1<<(id%64)) != 0 && id != m.freelist
}

// TestBranchesInACircleAreNamedBeforeTheyAreFollowed checks a cycle of branches. bbolt
// would follow it until the stack is full, which ends the process.
func TestBranchesInACircleAreNamedBeforeTheyAreFollowed(t *testing.T) {
	good := goodFile(t)
	found := 0
	for at := 0; at < len(good); at += 4096 {
		p := parseHeader(good[at:])
		if p.kind != branchPage || p.id != uint64(at/4096) || free(t, good, readMetas(bytes.NewReader(good))[0], p.id) {
			continue
		}
		found++
		for i := range p.count {
			bad := bytes.Clone(good)
			native.PutUint64(bad[at+pageHeader+i*elementSize+8:], p.id)
			if open, _, _ := verdicts(t, "circle", bad); open == nil {
				t.Errorf("page %d leads to itself by element %d, and the file is opened", p.id, i)
			}
		}
	}
	if found == 0 {
		t.Error("the file has no branches: nothing was tested")
	}
}

// TestHugeOverflowNeedsNoMemory checks a page whose header claims billions of pages.
func TestHugeOverflowNeedsNoMemory(t *testing.T) {
	good := goodFile(t)
	m := readMetas(bytes.NewReader(good))[0]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for id := uint64(2); id < m.highWater; id++ {
		if free(t, good, m, id) || parseHeader(good[id*4096:]).id != id {
			continue
		}
		bad := bytes.Clone(good)
		native.PutUint32(bad[id*4096+12:], 0x7F000000)
		if err := newWalk(t.Context(), bytes.NewReader(bad), m).run(); err == nil {
			t.Errorf("page %d: nothing was noticed", id)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > (m.highWater+1)*2*uint64(len(good)) {
		t.Errorf("%d bytes were allocated for copies of a file of %d bytes", grown, len(good))
	}
}

// TestCheckBesideAWriter checks that Check reads one snapshot, however much is written
// meanwhile.
func TestCheckBesideAWriter(t *testing.T) {
	if !suite.Race { // whose only run in CI has -short
		suite.NotShort(t)
	}
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	defer f.Close()
	f.DB.NoSync = true // commit as fast as possible
	fillBucket(t, f.DB, 3000)
	ctx, cancel := context.WithCancel(t.Context())
	var commits atomic.Int64
	var writer sync.WaitGroup
	writer.Go(func() {
		defer cancel()
		r := rand.New(rand.NewPCG(3, 3))
		for ctx.Err() == nil {
			err := f.DB.Update(func(tx *bolt.Tx) error { return change(r, tx.Bucket([]byte("things")), 0) })
			if err != nil {
				t.Error(err)
				return
			}
			commits.Add(1)
		}
	})
	for n := 0; (n < 50 || commits.Load() < 200) && ctx.Err() == nil; n++ {
		if err := f.Check(t.Context()); err != nil {
			t.Error(err)
			break
		}
	}
	cancel()
	writer.Wait()
}

func TestCheckEndsWithItsContext(t *testing.T) {
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Check gave %v", err)
	}
}

// TestGuardNamesFaults cuts the file while it is mapped, as another program could.
func TestGuardNamesFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	fillBucket(t, f.DB, 3000)
	if err := os.Truncate(path, 4*4096); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if err := f.Guard(func() error { return f.DB.View(readAll) }); !errors.As(err, &damaged) {
		t.Errorf("reading gave %v", err)
	}
	if err := f.Check(t.Context()); !errors.As(err, &damaged) {
		t.Errorf("Check gave %v", err)
	}
	if damaged.Damaged() == "" {
		t.Error("the error does not say what is wrong")
	}
}

// TestGuardLetsOthersPanicsPass checks panics that are bugs of the program, or net/http's
// way to abort a response.
func TestGuardLetsOthersPanicsPass(t *testing.T) {
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	defer f.Close()
	for name, do := range map[string]func(){
		"a package":       func() { uuid.MustParse("none") },
		"its own callers": func() { uuid.Must(uuid.Nil, os.ErrClosed) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic was reported as damage", name)
				}
			}()
			_ = f.Guard(func() error { do(); return nil })
		}()
	}
}

// TestGuardNamesPanicsOfDecoders checks panics in bbolt, and in functions that a decoder
// calls.
func TestGuardNamesPanicsOfDecoders(t *testing.T) {
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	defer f.Close()
	var damaged *DamagedError
	for name, do := range map[string]func(){
		"bbolt":   func() { _ = f.DB.View(func(tx *bolt.Tx) error { return tx.Rollback() }) }, // an assertion of bbolt fails
		"library": func() { native.Uint64([]byte{1}) },
		"size":    func() { bytes.Repeat([]byte("x"), -1) },
	} {
		if err := f.Guard(func() error { do(); return nil }); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Guard(func() error { return os.ErrClosed }); err != os.ErrClosed {
		t.Errorf("an error became %v", err)
	}
}
