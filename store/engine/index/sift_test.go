package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// decode with a sieve returns all tuples in the set, in order.
func TestASieveKeepsItsTuples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := sorted(rapid.SliceOfN(tupleGen(), 1, 200).Draw(t, "tuples"))
		if rapid.Bool().Draw(t, "one first id") {
			for i := range ts {
				ts[i][0] = ts[0][0]
			}
			ts = sorted(ts)
		}
		key := appendKey(nil, ts[0])
		var b []byte
		for i := 1; i < len(ts); i++ {
			b = appendEntry(b, &ts[i-1], &ts[i])
		}
		b = appendTrailer(b, key, len(ts))
		pick := rapid.SampledFrom(ts)
		lo, hi := pick.Draw(t, "lo"), pick.Draw(t, "hi")
		s := &sieve{first: pick.Draw(t, "in the set")[2], bits: []uint64{rapid.Uint64().Draw(t, "bits") | 1, 3}}
		got, _, err := s.decode(nil, key, b, &lo, &hi)
		want, _, _ := decode(nil, key, b, &lo, &hi)
		drops := func(t Tuple) bool {
			at := t[2] - s.first
			return at >= 128 || s.bits[at/64]>>(at%64)&1 == 0
		}
		if got, want := slices.DeleteFunc(got, drops), slices.DeleteFunc(want, drops); err != nil || !slices.Equal(got, want) {
			t.Fatalf("decoded %x, %v; want %x", got, err, want)
		}
	})
}

// A finder that sifts drops most tuples that are not in the set, and no others.
func TestAFinderThatSiftsDropsMost(t *testing.T) {
	db := open(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	var ts []Tuple
	for range 50_000 {
		ts = append(ts, Tuple{2<<60 | rnd.Uint64N(2), 2<<60 | rnd.Uint64N(20_000), 2<<60 | rnd.Uint64N(1000)})
	}
	update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, sorted(ts), nil) })
	view(t, db, func(b *bolt.Bucket) {
		const first = 2<<60 | 30
		f := NewFinder(b)
		if !f.Sift(first, []uint64{5, 0, 1 << 63}) {
			t.Fatal("the finder does not sift")
		}
		drops := func(t Tuple) bool { return !slices.Contains([]uint64{first, first + 2, first + 191}, t[2]) }
		find := func(lo, hi Tuple) (got []Tuple) {
			f.Seek(lo, hi)
			for batch := f.Next(); batch != nil; batch = f.Next() {
				got = append(got, batch...)
			}
			want := slices.DeleteFunc(all(t, b, lo, hi), drops)
			if kept := slices.DeleteFunc(slices.Clone(got), drops); f.Err() != nil || !slices.Equal(kept, want) {
				t.Fatalf("[%x, %x] gives %d tuples of the set, want %d, %v", lo, hi, len(kept), len(want), f.Err())
			}
			return got
		}
		if got := find(least, greatest); len(got) > len(ts)/20 {
			t.Errorf("%d of %d tuples are not dropped", len(got), len(ts))
		}
		for range 200 {
			find(Prefix(2<<60|rnd.Uint64N(3), 2<<60|rnd.Uint64N(20_100)))
			lo, hi := Prefix(2<<60, 2<<60|rnd.Uint64N(20_000))
			hi[1] += rnd.Uint64N(300)
			find(lo, hi)
		}
	})
}
