package index

import (
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// Over any range, Backwards returns the tuples of a scan in reverse order.
func TestBackwardsGivesWhatAScanGives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tuples := sorted(rapid.SliceOfN(tupleGen(), 0, 2000).Draw(rt, "tuples"))
		db := open(t)
		update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, tuples, func(int) {}) })
		view(t, db, func(b *bolt.Bucket) {
			w := Index{Parts: []*bolt.Bucket{b}}.Backwards()
			for range 5 {
				lo, hi := tupleGen().Draw(rt, "lo"), tupleGen().Draw(rt, "hi")
				w.Seek(lo, hi)
				var got []Tuple
				for ts := w.Next(); ts != nil; ts = w.Next() {
					got = append(got, ts...)
				}
				slices.Reverse(got)
				if want := all(t, b, lo, hi); w.Err() != nil || !slices.Equal(got, want) {
					rt.Fatalf("%d tuples backwards, %v; %d forwards", len(got), w.Err(), len(want))
				}
			}
		})
		db.Close()
	})
}

func TestBackwardsOverNothing(t *testing.T) {
	w := Index{Parts: []*bolt.Bucket{nil}}.Backwards()
	w.Seek(least, greatest)
	if w.Next() != nil || w.Err() != nil {
		t.Error("an index that does not exist has tuples")
	}
}

// An estimate is exact for few tuples, and close for many that are evenly distributed.
func TestEstimateIsNear(t *testing.T) {
	db := open(t)
	var tuples []Tuple
	const n = 200_000
	for i := range uint64(n) {
		tuples = append(tuples, Tuple{1, 1000 + i/2, i})
	}
	update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, tuples, func(int) {}) })
	view(t, db, func(b *bolt.Bucket) {
		for _, tt := range []struct{ first, last uint64 }{{0, 999}, {0, 1000}, {1100, 1199}, {1000, 51_000}, {0, 1 << 62}, {91_000, 1 << 40}} {
			lo, hi := Tuple{1, tt.first}, Tuple{1, tt.last, ^uint64(0)}
			want, err := NewScan(b).Count(lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			got, err := NewScan(b).Estimate(lo, hi)
			if few := want < 5000; err != nil || few && got != want || got < want*9/10 || got > want*11/10 {
				t.Errorf("from %d to %d it is %d, %v; want %d", tt.first, tt.last, got, err, want)
			}
		}
	})
}
