package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
)

// sliceLevel is a level in a sorted slice.
type sliceLevel []Entry

func (l sliceLevel) Ascend(from Tuple, f func(Entry) bool) {
	at, _ := slices.BinarySearchFunc(l, from, func(e Entry, t Tuple) int { return Compare(e.Tuple, t) })
	for _, e := range l[at:] {
		if !f(e) {
			return
		}
	}
}

func (l sliceLevel) Descend(from Tuple, f func(Entry) bool) {
	at, found := slices.BinarySearchFunc(l, from, func(e Entry, t Tuple) int { return Compare(e.Tuple, t) })
	if found {
		at++
	}
	for i := at - 1; i >= 0; i-- {
		if !f(l[i]) {
			return
		}
	}
}

// change adds and removes random tuples in a new level on top of present, and updates
// present.
func change(random *rand.Rand, n int, some func() Tuple, present map[Tuple]bool) sliceLevel {
	entries := map[Tuple]Entry{}
	for range n {
		t := some()
		e, touched := entries[t]
		if !touched {
			e = Entry{Tuple: t, Under: present[t]}
		}
		e.Present = random.IntN(2) == 0
		entries[t] = e
		if delete(present, t); e.Present {
			present[t] = true
		}
	}
	var out sliceLevel
	for _, e := range entries {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return Compare(a.Tuple, b.Tuple) })
	return out
}

func drain(next func() []Tuple) (out []Tuple) {
	for batch := next(); batch != nil; batch = next() {
		out = append(out, batch...)
	}
	return out
}

// Parts and levels together read like a sorted slice of the present tuples, with every
// way to read.
func TestAnIndexWithLevelsReadsAsASortedSlice(t *testing.T) {
	suite.NotShort(t)
	for _, levels := range []int{1, 2, 3} {
		for _, parts := range []int{0, 1, 3} {
			for _, size := range []int{1, 40, 1200} {
				t.Run(fmt.Sprintf("%d levels of %d on %d parts", levels, size, parts), func(t *testing.T) {
					random := rand.New(rand.NewPCG(uint64(levels), uint64(parts*10_000+size)))
					readLevels(t, random, levels, parts, size)
				})
			}
		}
	}
}

func readLevels(t *testing.T, random *rand.Rand, levels, parts, size int) {
	some := func() Tuple {
		tuple := Tuple{random.Uint64N(12), random.Uint64N(12), random.Uint64N(40)}
		if i := random.IntN(60); i < 3 { // the least and the greatest id
			tuple[i] = -random.Uint64N(2)
		}
		return tuple
	}
	present := map[Tuple]bool{}
	buckets := make([][]Tuple, parts)
	for range 3000 {
		if tuple := some(); parts > 0 && !present[tuple] {
			present[tuple] = true
			i := random.IntN(parts)
			buckets[i] = append(buckets[i], tuple)
		}
	}
	db := open(t)
	err := db.Update(func(tx *bolt.Tx) error {
		x := Index{Parts: []*bolt.Bucket{nil}}
		for i, ts := range buckets {
			b, err := tx.CreateBucket([]byte{byte(i)})
			if err != nil {
				return err
			}
			if err := new(Editor).Insert(b, sorted(ts), nil); err != nil {
				return err
			}
			x.Parts = append(x.Parts, b)
		}
		for range levels {
			x.Levels = append(x.Levels, change(random, size, some, present))
		}
		var full []Tuple
		for tuple := range present {
			full = append(full, tuple)
		}
		compareReads(t, x, sorted(full), some)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compareReads reads many ranges of an index and compares them with full, the tuples that
// it should hold.
func compareReads(t *testing.T, x Index, full []Tuple, some func() Tuple) {
	t.Helper()
	scan, find, back := x.Scan(), x.Finder(), x.Backwards()
	if scan.Next() != nil || find.Next() != nil || back.Next() != nil {
		t.Error("there are tuples before the first Seek")
	}
	ranges := [][2]Tuple{{least, greatest}, {greatest, greatest}, {least, least}}
	for i := range 300 {
		lo, hi := some(), some()
		if i%3 == 0 {
			lo, hi = Prefix(lo[:i%4]...)
		}
		ranges = append(ranges, [2]Tuple{lo, hi})
	}
	for a := range uint64(13) { // in order, as finders are used
		for b := range uint64(13) {
			lo, hi := Prefix(a, b)
			ranges = append(ranges, [2]Tuple{lo, hi})
		}
	}
	for _, r := range ranges {
		lo, hi := r[0], r[1]
		from, _ := slices.BinarySearchFunc(full, lo, Compare)
		to, found := slices.BinarySearchFunc(full, hi, Compare)
		if found {
			to++
		}
		want := full[from:max(from, to)]
		scan.Seek(lo, hi)
		find.Seek(lo, hi)
		back.Seek(lo, hi)
		backwards := drain(back.Next)
		slices.Reverse(backwards)
		for name, got := range map[string][]Tuple{"a scan": drain(scan.Next), "a finder": drain(find.Next), "a walk backwards": backwards} {
			if !slices.Equal(got, want) {
				t.Fatalf("%s from %v to %v returns %v, want %v", name, lo, hi, got, want)
			}
		}
		if scan.Err() != nil || find.Err() != nil || back.Err() != nil {
			t.Fatal(scan.Err(), find.Err(), back.Err())
		}
		if n, err := scan.Count(lo, hi); n != int64(len(want)) || err != nil {
			t.Fatalf("Count(%v, %v) = %d, %v, want %d", lo, hi, n, err, len(want))
		}
		_, there := slices.BinarySearchFunc(full, lo, Compare)
		if ok, err := scan.Contains(lo); ok != there || err != nil {
			t.Fatalf("Contains(%v) = %v, %v, want %v", lo, ok, err, there)
		}
		if n, err := scan.Estimate(lo, hi); lo[0] == hi[0] && (n != int64(len(want)) || err != nil) { // few blocks, so it is exact
			t.Fatalf("Estimate(%v, %v) = %d, %v, want %d", lo, hi, n, err, len(want))
		}
	}
}

// grid makes an index of n tuples with 1000 first ids.
func grid(t testing.TB, db *bolt.DB, n int) []Tuple {
	ts := make([]Tuple, n)
	for i := range ts {
		ts[i] = Tuple{2<<60 | uint64(i/(n/1000)), 2<<60 | uint64(i%7), 2<<60 | uint64(i)*2}
	}
	ts = sorted(ts)
	update(t, db, func(b *bolt.Bucket) error { return new(Editor).Insert(b, ts, nil) })
	return ts
}

// A batch is not copied if no level has an entry in its range.
func TestBatchesWithoutEntriesPassThroughWhole(t *testing.T) {
	db := open(t)
	ts := grid(t, db, 20_000)
	level := sliceLevel{{Tuple: ts[10_000], Under: true}}
	view(t, db, func(b *bolt.Bucket) {
		scan := Index{Parts: []*bolt.Bucket{b}, Levels: []Level{level}}.Scan()
		scan.Seek(least, greatest)
		whole, batches := 0, 0
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			batches++
			if &batch[0] == &scan.parts[0].buf[0] {
				whole++
			}
		}
		if batches < 50 || whole < batches-3 {
			t.Errorf("%d of %d batches are those of the bucket", whole, batches)
		}
	})
}

// Damage in the buckets below levels is an error. Entries of a level after it are not
// returned.
func TestDamageUnderLevelsIsAnError(t *testing.T) {
	db := open(t)
	ts := grid(t, db, 2000)
	update(t, db, func(b *bolt.Bucket) error {
		k, v := b.Cursor().First()
		v = slices.Clone(v)
		v[0] ^= 1
		return b.Put(slices.Clone(k), v)
	})
	last := ts[len(ts)-1]
	last[2]++
	view(t, db, func(b *bolt.Bucket) {
		scan := Index{Parts: []*bolt.Bucket{b}, Levels: []Level{sliceLevel{{Tuple: last, Present: true}}}}.Scan()
		scan.Seek(least, greatest)
		if got := drain(scan.Next); len(got) > 0 || scan.Err() == nil {
			t.Errorf("%d tuples, error %v", len(got), scan.Err())
		}
		if _, err := scan.Count(least, greatest); err == nil {
			t.Error("no error when counting")
		}
	})
}

// BenchmarkReads reads 100,000 tuples, without levels and with levels on top.
func BenchmarkReads(b *testing.B) {
	db := open(b)
	const n = 100_000
	ts := grid(b, db, n)
	var few, many sliceLevel
	for i := 0; i < n; i += 10 {
		t := ts[i]
		t[2]++
		many = append(many, Entry{Tuple: t, Present: true})
		if i%10_000 == 0 {
			few = append(few, Entry{Tuple: t, Present: true})
		}
	}
	for _, c := range []struct {
		name   string
		levels []Level
	}{{"plain", nil}, {"10 entries", []Level{few}}, {"10000 entries", []Level{many}}} {
		view(b, db, func(bucket *bolt.Bucket) {
			x := Index{Parts: []*bolt.Bucket{bucket}, Levels: c.levels}
			read := func(name string, walk interface {
				Seek(lo, hi Tuple)
				Next() []Tuple
			}, ranges int) {
				b.Run(c.name+"/"+name, func(b *testing.B) {
					b.ReportAllocs()
					random := rand.New(rand.NewPCG(1, 2))
					for i := 0; b.Loop(); i++ {
						switch ranges {
						case 1:
							walk.Seek(least, greatest)
						case 1000:
							walk.Seek(Prefix(2<<60 | uint64(i%1000)))
						default:
							t := ts[random.IntN(n)]
							walk.Seek(t, t)
						}
						for walk.Next() != nil {
						}
					}
				})
			}
			read("scan all", x.Scan(), 1)
			read("backwards all", x.Backwards(), 1)
			read("find in order", x.Finder(), 1000)
			read("scan one at random", x.Scan(), n)
			scan := x.Scan()
			b.Run(c.name+"/count", func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if _, err := scan.Count(Prefix(2<<60 | uint64(i%1000))); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(c.name+"/new scan", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s := x.Scan()
					s.Seek(ts[n/2], ts[n/2])
				}
			})
		})
	}
}
