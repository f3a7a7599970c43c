package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/segraph/segraph/internal/suite"
)

// bothChecks returns the results of the walk and of bbolt's own check for the snapshot of
// tx.
func bothChecks(t *testing.T, tx *bolt.Tx, file io.ReaderAt) (own, bbolts error) {
	t.Helper()
	own = fmt.Errorf("no meta page has transaction %d", tx.ID())
	for _, m := range readMetas(file) {
		if m.txid == uint64(tx.ID()) {
			own = newWalk(t.Context(), file, m).run()
		}
	}
	for err := range tx.Check() {
		if bbolts == nil {
			bbolts = err
		}
	}
	return own, bbolts
}

// change does something at random in a bucket or in one nested in it.
func change(r *rand.Rand, b *bolt.Bucket, depth int) error {
	key := func() []byte { return fmt.Appendf(nil, "%0*d", 4+20*r.IntN(2), r.IntN(2000)) }
	for range 1 + r.IntN(150/(1+10*depth)) {
		var err error
		switch k := key(); r.IntN(11) {
		case 0, 1, 2, 3, 4:
			err = b.Put(k, bytes.Repeat([]byte{'v'}, r.IntN(300)))
		case 5:
			err = b.Put(k, bytes.Repeat([]byte{'V'}, r.IntN(30_000)))
		case 6, 7, 8: // delete a run of keys, so that pages become empty and trees flat
			c := b.Cursor()
			n := r.IntN(100)
			for k, _ := c.Seek(k); k != nil && n > 0; k, _ = c.Seek(k) {
				n--
				if b.Bucket(k) != nil {
					break
				}
				if err = b.Delete(k); err != nil {
					return err
				}
			}
		case 9:
			if child := b.Bucket(k); child != nil && depth < 4 {
				err = change(r, child, depth+1)
			}
		case 10:
			var child *bolt.Bucket
			if child, err = b.CreateBucket(k); err == nil && depth < 4 {
				err = change(r, child, depth+1)
			}
		}
		if err != nil && !errors.Is(err, berrors.ErrBucketExists) && !errors.Is(err, berrors.ErrIncompatibleValue) {
			return err // these are keys that have another use
		}
	}
	return nil
}

// deleteOne deletes a bucket with its content, in a transaction of its own: bbolt loses
// pages if it deletes a bucket that holds buckets and was changed in the same
// transaction.
func deleteOne(r *rand.Rand, tx *bolt.Tx) error {
	b := tx.Bucket(fmt.Appendf(nil, "bucket %d", r.IntN(3)))
	for b != nil {
		var names [][]byte
		if err := b.ForEachBucket(func(k []byte) error { names = append(names, k); return nil }); err != nil {
			return err
		}
		if len(names) == 0 {
			return nil
		}
		name := names[r.IntN(len(names))]
		if child := b.Bucket(name); r.IntN(3) > 0 {
			b = child
			continue
		}
		return b.DeleteBucket(name)
	}
	return nil
}

// TestWalkAgreesWithBboltOnGoodFiles compares both checks after many transactions, with
// readers that keep pages from being reused, both kinds of free list, and several page
// sizes.
func TestWalkAgreesWithBboltOnGoodFiles(t *testing.T) {
	suite.NotShort(t)
	for seed, o := range []bolt.Options{
		{FreelistType: bolt.FreelistArrayType},
		{FreelistType: bolt.FreelistMapType},
		{FreelistType: bolt.FreelistArrayType, PageSize: 1 << 10},
		{FreelistType: bolt.FreelistMapType, PageSize: 1 << 14},
		{FreelistType: bolt.FreelistArrayType, NoFreelistSync: true},
	} {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		path := filepath.Join(t.TempDir(), "x.db")
		o.NoSync, o.InitialMmapSize = true, 1<<30 // otherwise growing would wait for the readers
		var readers []*bolt.Tx
		var db *bolt.DB
		closeAll := func() {
			for _, tx := range readers {
				_ = tx.Rollback()
			}
			readers = nil
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		rounds := 80
		if testing.Short() || suite.Race {
			rounds = 30
		}
		for round := range rounds {
			if round%40 == 0 {
				if round > 0 {
					closeAll()
				}
				var err error
				if db, err = bolt.Open(path, 0o600, &o); err != nil {
					t.Fatal(err)
				}
			}
			err := db.Update(func(tx *bolt.Tx) error {
				b, err := tx.CreateBucketIfNotExists(fmt.Appendf(nil, "bucket %d", r.IntN(3)))
				if err != nil {
					return err
				}
				return change(r, b, 0)
			})
			if err == nil {
				err = db.Update(func(tx *bolt.Tx) error {
					if r.IntN(20) == 0 {
						return tx.DeleteBucket(fmt.Appendf(nil, "bucket %d", r.IntN(3)))
					}
					return deleteOne(r, tx)
				})
			}
			if err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
				t.Fatal(err)
			}
			tx, err := db.Begin(false)
			if err != nil {
				t.Fatal(err)
			}
			if own, bbolts := bothChecks(t, tx, handle(t, path)); own != nil || bbolts != nil {
				t.Fatalf("%+v, round %d: %v; bbolt says %v", o, round, own, bbolts)
			}
			readers = append(readers, tx)
			if n := r.IntN(6); n < len(readers) {
				_ = readers[n].Rollback()
				readers = append(readers[:n], readers[n+1:]...)
			}
		}
		closeAll()
		if err := checkQuick(path, handle(t, path), Options{}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestWalkOfAnOlderSnapshot checks that the pages of an open snapshot stay unchanged and
// can be reached from its meta page, as long as that exists.
func TestWalkOfAnOlderSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	defer f.Close()
	fillBucket(t, f.DB, 2000)
	old, err := f.DB.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Rollback()
	fillBucket(t, f.DB, 1000)
	metas := readMetas(f.pages)
	if len(metas) != 2 || metas[1].txid != uint64(old.ID()) {
		t.Fatalf("the metas are %+v, and the snapshot is of transaction %d", metas, old.ID())
	}
	if err := newWalk(t.Context(), f.pages, metas[1]).run(); err != nil {
		t.Error(err)
	}
}

// TestWalkKnowsLongFreeLists checks lists of 65,535 pages and more. Their number does not
// fit in the page's header.
func TestWalkKnowsLongFreeLists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: 512, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, size := range []int{512 * 70_000, 1, 2} { // the third lists what the second frees
		err := db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("b"))
			if err != nil {
				return err
			}
			return b.Put([]byte("k"), make([]byte, size))
		})
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.Begin(false)
		if err != nil {
			t.Fatal(err)
		}
		if own, bbolts := bothChecks(t, tx, handle(t, path)); own != nil || bbolts != nil {
			t.Errorf("%v; bbolt says %v", own, bbolts)
		}
		_ = tx.Rollback()
	}
	m := readMetas(handle(t, path))[0]
	head := make([]byte, pageHeader)
	if _, err := handle(t, path).ReadAt(head, int64(m.freelist)*m.pageSize); err != nil {
		t.Fatal(err)
	}
	if n := parseHeader(head).count; n != manyFree {
		t.Errorf("the list has %d pages: nothing was tested", n)
	}
}

// counted counts reads.
type counted struct {
	io.ReaderAt
	reads int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	return c.ReaderAt.ReadAt(b, at)
}

// TestQuickWalkLeavesLeavesOut checks that a quick walk skips leaves, except those with
// buckets, and ends when it has read enough.
func TestQuickWalkLeavesLeavesOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	defer f.Close()
	fillBucket(t, f.DB, 20_000)
	reads := func(quick bool, budget int) int {
		c := &counted{ReaderAt: f.pages}
		w := newWalk(t.Context(), c, readMetas(f.pages)[0])
		w.quick, w.budget = quick, budget
		if err := w.run(); err != nil {
			t.Error(err)
		}
		return c.reads
	}
	all, quick := reads(false, 0), reads(true, 1000)
	if all < 500 || quick > 20 {
		t.Errorf("%d reads, and quickly %d", all, quick)
	}
	err := f.DB.Update(func(tx *bolt.Tx) error {
		for i := range 300 {
			b, err := tx.Bucket([]byte("things")).CreateBucket(fmt.Appendf(nil, "a bucket %d", i))
			if err == nil {
				err = b.Put([]byte("k"), make([]byte, 2000))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := reads(true, 10_000); n < 600 {
		t.Errorf("%d reads where buckets are in leaves", n)
	}
	if n := reads(true, 50); n > 60 {
		t.Errorf("%d reads with a budget of 50", n)
	}
}
