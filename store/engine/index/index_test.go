package index

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// open returns a bbolt database that is closed when the test ends.
func open(t testing.TB) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "index.db"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var bucketName = []byte("spo")

func update(t testing.TB, db *bolt.DB, f func(b *bolt.Bucket) error) {
	t.Helper()
	err := db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucketName)
		if err != nil {
			return err
		}
		return f(b)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, db *bolt.DB, f func(b *bolt.Bucket)) {
	t.Helper()
	if err := db.View(func(tx *bolt.Tx) error { f(tx.Bucket(bucketName)); return nil }); err != nil {
		t.Fatal(err)
	}
}

func all(t testing.TB, b *bolt.Bucket, lo, hi Tuple) []Tuple {
	t.Helper()
	var out []Tuple
	s := NewScan(b)
	s.Seek(lo, hi)
	for ts := s.Next(); ts != nil; ts = s.Next() {
		out = append(out, ts...)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return out
}

// idGen draws ids like those of a dictionary: mostly small numbers under a few tags, with
// some extremes.
func idGen() *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		switch rapid.IntRange(0, 9).Draw(t, "shape") {
		case 0:
			return rapid.Uint64().Draw(t, "any")
		case 1:
			return rapid.SampledFrom([]uint64{0, 1, ^uint64(0), 1 << 63, 1<<60 - 1}).Draw(t, "extreme")
		case 2:
			return 13<<60 | 1<<59 + rapid.Uint64Range(0, 1<<20).Draw(t, "value")
		}
		return rapid.Uint64Range(1, 3).Draw(t, "tag")<<60 | rapid.Uint64Range(0, 60).Draw(t, "number")
	})
}

func tupleGen() *rapid.Generator[Tuple] {
	return rapid.Custom(func(t *rapid.T) Tuple {
		g := idGen()
		return Tuple{g.Draw(t, "a"), g.Draw(t, "b"), g.Draw(t, "c")}
	})
}

func sorted(ts []Tuple) []Tuple {
	ts = slices.Clone(ts)
	slices.SortFunc(ts, Compare)
	return slices.Compact(ts)
}

// TestIndexIsASortedSet compares the index with a set in memory over random insertions,
// deletions, look-ups, scans and counts.
func TestIndexIsASortedSet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		db, err := bolt.Open(filepath.Join(t.TempDir(), "index.db"), 0o600, &bolt.Options{NoSync: true})
		if err != nil {
			rt.Fatal(err)
		}
		defer db.Close()
		model := map[Tuple]bool{}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			ts := sorted(rapid.SliceOfN(tupleGen(), 0, 400).Draw(rt, "tuples"))
			insert := rapid.IntRange(0, 2).Draw(rt, "insert") > 0
			var reported, want []int
			for i, x := range ts {
				if model[x] != insert {
					want = append(want, i)
				}
				if insert {
					model[x] = true
				} else {
					delete(model, x)
				}
			}
			update(t, db, func(b *bolt.Bucket) error {
				if insert {
					return new(Editor).Insert(b, ts, func(i int) { reported = append(reported, i) })
				}
				return new(Editor).Delete(b, ts, func(i int) { reported = append(reported, i) })
			})
			if !slices.Equal(reported, want) {
				rt.Fatalf("reported %v, want %v", reported, want)
			}
		}
		var full []Tuple
		for x := range model {
			full = append(full, x)
		}
		full = sorted(full)
		view(t, db, func(b *bolt.Bucket) {
			if got := all(t, b, least, greatest); !slices.Equal(got, full) {
				rt.Fatalf("holds %v, want %v", got, full)
			}
			for range 20 {
				lo, hi := tupleGen().Draw(rt, "lo"), tupleGen().Draw(rt, "hi")
				if rapid.Bool().Draw(rt, "prefix") {
					lo, hi = Prefix(lo[:rapid.IntRange(0, 3).Draw(rt, "bound")]...)
				}
				var want []Tuple
				for _, x := range full {
					if Compare(x, lo) >= 0 && Compare(x, hi) <= 0 {
						want = append(want, x)
					}
				}
				if got := all(t, b, lo, hi); !slices.Equal(got, want) {
					rt.Fatalf("[%v, %v] gives %v, want %v", lo, hi, got, want)
				}
				s := NewScan(b)
				if n, err := s.Count(lo, hi); err != nil || n != int64(len(want)) {
					rt.Fatalf("Count(%v, %v) = %d, %v; want %d", lo, hi, n, err, len(want))
				}
				if ok, err := s.Contains(lo); err != nil || ok != model[lo] {
					rt.Fatalf("Contains(%v) = %v, %v", lo, ok, err)
				}
			}
		})
	})
}

// TestOneTransactionDeletesAndInserts checks indexes in a transaction that empties pages.
// bbolt keeps such pages in the tree until the commit, and its cursors stop at them. The
// test removes ranges, and then inserts tuples inside, before and after them.
func TestOneTransactionDeletesAndInserts(t *testing.T) {
	var ts []Tuple
	for i := range uint64(60_000) {
		ts = append(ts, Tuple{2<<60 | i, 2<<60 | i%7, 2<<60 | i*3})
	}
	n := len(ts)
	for _, gone := range [][2]int{{n / 4, n * 3 / 4}, {0, n / 2}, {n / 2, n}, {0, n}, {1, n}, {0, n - 1}} {
		db := open(t)
		update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, ts, nil) })
		want := slices.Concat(ts[:gone[0]], ts[gone[1]:])
		update(t, db, func(b *bolt.Bucket) error {
			if err := new(Editor).Delete(b, ts[gone[0]:gone[1]], nil); err != nil {
				return err
			}
			if got := all(t, b, least, greatest); !slices.Equal(got, want) {
				t.Errorf("without %v: %d tuples, want %d", gone, len(got), len(want))
			}
			for _, at := range []int{0, 1, n / 4, n/2 - 1, n / 2, n * 5 / 8, n - 1} {
				if err := new(Editor).Insert(b, ts[at:at+1], nil); err != nil {
					return err
				}
				want = append(want, ts[at])
				if ok, err := NewScan(b).Contains(ts[at]); !ok || err != nil {
					t.Errorf("without %v: tuple %d was put back and is not there, %v", gone, at, err)
				}
			}
			return nil
		})
		want = sorted(want)
		view(t, db, func(b *bolt.Bucket) {
			if got := all(t, b, least, greatest); !slices.Equal(got, want) {
				t.Errorf("without %v and with some put back: %d tuples, want %d", gone, len(got), len(want))
			}
		})
	}
}

func TestScanOfNoBucketIsEmpty(t *testing.T) {
	s := NewScan(nil)
	if n, err := s.Count(least, greatest); n != 0 || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	if ok, err := s.Contains(Tuple{1, 2, 3}); ok || err != nil {
		t.Errorf("Contains = %v, %v", ok, err)
	}
}

// TestFinderFindsWhatScanDoes compares them in order, at random, and across the ends of
// blocks.
func TestFinderFindsWhatScanDoes(t *testing.T) {
	db := open(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	var ts []Tuple
	for range 30_000 {
		ts = append(ts, Tuple{2<<60 | rnd.Uint64N(3000), 2<<60 | rnd.Uint64N(4), 2<<60 | rnd.Uint64N(1000)})
	}
	ts = sorted(ts)
	update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, ts, nil) })
	view(t, db, func(b *bolt.Bucket) {
		f := NewFinder(b)
		find := func(lo, hi Tuple) {
			t.Helper()
			var got []Tuple
			f.Seek(lo, hi)
			for batch := f.Next(); batch != nil; batch = f.Next() {
				got = append(got, batch...)
			}
			if want := all(t, b, lo, hi); f.Err() != nil || !slices.Equal(got, want) {
				t.Fatalf("[%x, %x] gives %d tuples, want %d, %v", lo, hi, len(got), len(want), f.Err())
			}
		}
		find(least, greatest)
		find(greatest, greatest)
		for a := range uint64(3100) {
			lo, hi := Prefix(2<<60 | a)
			find(lo, hi)
		}
		for i := 0; i+9 < len(ts); i += 200 { // few in each block, then longer and earlier ranges there
			find(ts[i+4], ts[i+5])
			find(ts[i+4], ts[i+9])
			find(ts[i+2], ts[i+3])
			find(ts[i+6], ts[i+6])
		}
		for i := range 3000 {
			ids := []uint64{2<<60 | rnd.Uint64N(3100), 2<<60 | rnd.Uint64N(4), 2<<60 | rnd.Uint64N(1000)}
			find(Prefix(ids[:1+i%3]...))
			lo, hi := ts[rnd.IntN(len(ts))], ts[rnd.IntN(len(ts))]
			if i%300 == 0 {
				find(lo, hi)
			}
		}
	})
	empty := NewFinder(nil)
	if empty.Seek(least, greatest); empty.Next() != nil || empty.Err() != nil {
		t.Error("a missing bucket has tuples")
	}
}

// TestLogsLeaveFullBlocks checks that ids that grow at many places of an index at once
// leave full blocks.
func TestLogsLeaveFullBlocks(t *testing.T) {
	db := open(t)
	const runs, rounds, each = 50, 200, 10
	for r := range uint64(rounds) {
		var ts []Tuple
		for a := range uint64(runs) {
			for i := range uint64(each) {
				ts = append(ts, Tuple{2<<60 | a, 2<<60 | 7, 2<<60 | 1000 + (r*each+i)*300})
			}
		}
		update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, ts, nil) })
	}
	view(t, db, func(b *bolt.Bucket) {
		blocks, size := 0, 0
		if err := b.ForEach(func(k, v []byte) error { blocks++; size += len(v); return nil }); err != nil {
			t.Fatal(err)
		}
		if fill := float64(size) / float64(blocks*targetSize); fill < 0.85 {
			t.Errorf("blocks are %.0f %% full, want 85 %% or more (%d blocks)", 100*fill, blocks)
		}
	})
}

// TestRandomInsertsKeepBlocksHalfFull checks the worst case of splitting.
func TestRandomInsertsKeepBlocksHalfFull(t *testing.T) {
	db := open(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	update(t, db, func(b *bolt.Bucket) error {
		for range 20_000 {
			if err := new(Editor).Insert(b, []Tuple{{2<<60 | rnd.Uint64N(1<<20), 2<<60 | 5, 2<<60 | rnd.Uint64N(1<<20)}}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	view(t, db, func(b *bolt.Bucket) {
		blocks, size := 0, 0
		_ = b.ForEach(func(k, v []byte) error { blocks++; size += len(v); return nil })
		if fill := float64(size) / float64(blocks*targetSize); fill < 0.5 {
			t.Errorf("blocks are %.0f %% full, want 50 %% or more (%d blocks)", 100*fill, blocks)
		}
	})
}
