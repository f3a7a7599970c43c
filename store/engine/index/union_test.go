package index

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"

	"github.com/segraph/segraph/internal/suite"
)

// An index in several buckets reads like one in a single bucket, with every way to read.
func TestAnIndexInPartsReadsAsOne(t *testing.T) {
	suite.NotShort(t)
	db, err := bolt.Open(filepath.Join(t.TempDir(), "x.db"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	random := rand.New(rand.NewPCG(3, 4))
	some := func() Tuple {
		return Tuple{1 + random.Uint64N(20), 1 + random.Uint64N(20), 1 + random.Uint64N(40)}
	}
	seen := map[Tuple]bool{}
	var all []Tuple
	parts := make([][]Tuple, 4)
	for range 6000 {
		tuple := some()
		if seen[tuple] {
			continue
		}
		seen[tuple] = true
		all = append(all, tuple)
		i := random.IntN(3) // the last part stays empty
		if tuple[0] > 15 {
			i = 0
		}
		parts[i] = append(parts[i], tuple)
	}
	slices.SortFunc(all, Compare)
	err = db.Update(func(tx *bolt.Tx) error {
		buckets := []*bolt.Bucket{nil} // a missing part
		for i, part := range parts {
			b, err := tx.CreateBucket([]byte{byte(i)})
			if err != nil {
				return err
			}
			slices.SortFunc(part, Compare)
			if err := (&Editor{}).Insert(b, part, nil); err != nil {
				return err
			}
			buckets = append(buckets, b)
		}
		scan, back, find := NewScan(buckets...), Index{Parts: buckets}.Backwards(), NewFinder(buckets...)
		read := func(next func() []Tuple) (out []Tuple) {
			for batch := next(); batch != nil; batch = next() {
				out = append(out, batch...)
			}
			return out
		}
		for range 2000 {
			lo, hi := some(), some()
			if random.IntN(4) == 0 {
				lo, hi = Prefix(lo[0])
			}
			var want []Tuple
			for _, tuple := range all {
				if !ids.Less(&tuple, &lo) && !ids.Less(&hi, &tuple) {
					want = append(want, tuple)
				}
			}
			scan.Seek(lo, hi)
			if got := read(scan.Next); !slices.Equal(got, want) || scan.Err() != nil {
				t.Fatalf("a scan from %v to %v gives %v, want %v: %v", lo, hi, got, want, scan.Err())
			}
			find.Seek(lo, hi)
			if got := read(find.Next); !slices.Equal(got, want) || find.Err() != nil {
				t.Fatalf("a finder from %v to %v gives %v, want %v: %v", lo, hi, got, want, find.Err())
			}
			back.Seek(lo, hi)
			got := read(back.Next)
			slices.Reverse(got)
			if !slices.Equal(got, want) || back.Err() != nil {
				t.Fatalf("backwards from %v to %v there are %v, want %v: %v", hi, lo, got, want, back.Err())
			}
			if n, err := scan.Count(lo, hi); n != int64(len(want)) || err != nil {
				t.Fatalf("from %v to %v there are %d, want %d: %v", lo, hi, n, len(want), err)
			}
			if found, err := scan.Contains(lo); found != seen[lo] || err != nil {
				t.Fatalf("Contains(%v) = %v, want %v: %v", lo, found, seen[lo], err)
			}
			if lo[0] == hi[0] {
				if n, err := scan.Estimate(lo, hi); n != int64(len(want)) || err != nil { // few blocks, so it is exact
					t.Fatalf("about %d, want %d: %v", n, len(want), err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Damage in one part is an error before the tuples of other parts that come after it.
func TestDamageInOnePartEndsTheReading(t *testing.T) {
	db := open(t)
	ts := grid(t, db, 2000)
	var other Tuple
	update(t, db, func(b *bolt.Bucket) error {
		k, v := b.Cursor().First()
		v = slices.Clone(v)
		v[0] ^= 1
		if err := b.Put(slices.Clone(k), v); err != nil {
			return err
		}
		o, err := b.Tx().CreateBucket([]byte("other"))
		if err != nil {
			return err
		}
		other = ts[len(ts)-1]
		other[2]++
		return (&Editor{}).Insert(o, []Tuple{other}, nil)
	})
	view(t, db, func(b *bolt.Bucket) {
		x := Index{Parts: []*bolt.Bucket{b, b.Tx().Bucket([]byte("other"))}}
		for name, r := range map[string]part{"scan": x.Scan(), "finder": x.Finder()} {
			r.Seek(least, greatest)
			if got := r.Next(); got != nil || r.Err() == nil {
				t.Errorf("%s: %v, error %v", name, got, r.Err())
			}
		}
	})
}
