package memtable

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// state is the content of a level, for comparing levels.
type state struct {
	triples   [orders.Count][]triple
	counts    []count
	terms     []dict.Entry
	texts     []dict.Entry
	pairs     []pair
	sequences []sequence
	numbers   dict.Numbers
	numbered  bool
}

// hasher makes the texts of terms.
var hasher = dict.NewHasher(nil)

func stateOf(l *Level) string {
	s := state{counts: treesOf(l).counts.Items(), terms: values(treesOf(l).byID.Items()),
		texts: values(treesOf(l).byText.Items()), pairs: values(treesOf(l).pairs.Items()),
		sequences: treesOf(l).sequences.Items(), numbers: l.numbers, numbered: l.numbered}
	for i := range s.triples {
		s.triples[i] = values(triplesOf(l, orders.Order(i)).Items())
	}
	return fmt.Sprintf("%#v", s)
}

func values[T any](items []*T) (out []T) {
	for _, x := range items {
		out = append(out, *x)
	}
	return out
}

// world is what a store should hold: the content of levels on an empty base.
type world struct {
	random  *rand.Rand
	triples map[dict.ID]map[index.Tuple]bool
	values  map[string]map[string]string // by bucket and key
	counter map[string]uint64
	numbers dict.Numbers
	next    uint64 // term
}

func newWorld(seed uint64) *world {
	return &world{random: rand.New(rand.NewPCG(seed, 7)), triples: map[dict.ID]map[index.Tuple]bool{},
		values: map[string]map[string]string{}, counter: map[string]uint64{}, next: 1}
}

var buckets = [][]string{{"a"}, {"a", "b"}, {"graphs", "\x00\x00\x00\x00\x00\x00\x00\x01", "logs"}, {"ab"}}

// write does at random what one unit of work does, in a level on top of others and in the
// world.
func (w *world) write(t testing.TB, base kv.Reader, below ...*Level) *Level {
	t.Helper()
	own := New()
	for range w.random.IntN(30) {
		g := dict.ID(w.random.IntN(3))
		if w.triples[g] == nil {
			w.triples[g] = map[index.Tuple]bool{}
		}
		spo := index.Tuple{uint64(1 + w.random.IntN(4)), uint64(1 + w.random.IntN(3)), uint64(1+w.random.IntN(3)) << 60}
		if w.triples[g][spo] {
			delete(w.triples[g], spo)
		} else {
			w.triples[g][spo] = true
		}
		own.Set(g, []index.Tuple{spo}, w.triples[g][spo])
	}
	to := new(Buckets).Write(base, append(slices.Clone(below), own)...)
	for range w.random.IntN(20) {
		path := buckets[w.random.IntN(len(buckets))]
		b, err := to.Writable(path...)
		if err != nil {
			t.Fatal(err)
		}
		name := join(path)
		if w.values[name] == nil {
			w.values[name] = map[string]string{}
		}
		key := fmt.Sprint(w.random.IntN(20))
		switch w.random.IntN(4) {
		case 0:
			err = b.Delete([]byte(key))
			delete(w.values[name], key)
		case 1:
			w.counter[name]++
			var n uint64
			if n, err = b.NextSequence(); n != w.counter[name] {
				t.Fatalf("bucket %q counts to %d, want %d", path, n, w.counter[name])
			}
		default:
			value := fmt.Sprintf("%*d", w.random.IntN(4), w.random.Uint32())[w.random.IntN(2):]
			err = b.Put([]byte(key), []byte(value))
			w.values[name][key] = value
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for range w.random.IntN(3) {
		term := rdf.NewIRI(fmt.Sprintf("http://e/%d", w.random.IntN(1000)*1000+int(w.next)))
		own.AddTerms([]dict.Entry{{ID: dict.ID(uint64(ids.TagIRI)<<60 | w.next), Term: term, Text: hasher.AppendText(nil, term)}})
		w.next++
		w.numbers[ids.TagIRI] = w.next
		own.SetNumbers(w.numbers)
	}
	return own
}

// check compares the content of levels on an empty base with the world.
func (w *world) check(t *testing.T, base kv.Reader, levels ...*Level) {
	t.Helper()
	for g := range dict.ID(3) {
		for _, order := range orders.All {
			var on []index.Level
			for _, l := range levels {
				if x, ok := l.Indexes(g); ok {
					on = append(on, x[order])
				}
			}
			var want []index.Tuple
			for spo := range w.triples[g] {
				want = append(want, order.Sorted(spo))
			}
			slices.SortFunc(want, index.Compare)
			scan := index.Index{Levels: on}.Scan()
			scan.Seek(index.Tuple{}, index.Tuple{^uint64(0), ^uint64(0), ^uint64(0)})
			var got []index.Tuple
			for ts := scan.Next(); len(ts) > 0; ts = scan.Next() {
				got = append(got, ts...)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("graph %d, index %d: %v, want %v", g, order, got, want)
			}
		}
		n := map[dict.ID]int64{}
		for spo := range w.triples[g] {
			n[0]++
			n[dict.ID(spo[1])]++
		}
		for p := range dict.ID(5) {
			sum := int64(0)
			for _, l := range levels {
				sum += l.Count(g, p)
			}
			if sum != n[p] {
				t.Fatalf("graph %d has %d triples of predicate %d, want %d", g, sum, p, n[p])
			}
		}
	}
	read := Read(base, levels...)
	for _, path := range buckets {
		w.checkBucket(t, read.Bucket(path...), join(path))
	}
}

// checkBucket compares a bucket with the world: by key, by cursor, and by random moves of
// a cursor.
func (w *world) checkBucket(t *testing.T, b kv.Bucket, name string) {
	t.Helper()
	values := w.values[name]
	keys := slices.Sorted(maps.Keys(values))
	if n := b.Sequence(); n != w.counter[name] {
		t.Fatalf("bucket %q counts to %d, want %d", name, n, w.counter[name])
	}
	for i := range 20 {
		key := fmt.Sprint(i)
		if v, ok := values[key]; string(b.Get([]byte(key))) != v || (b.Get([]byte(key)) != nil) != ok {
			t.Fatalf("bucket %q: the value of %s is %q, want %q", name, key, b.Get([]byte(key)), v)
		}
	}
	c := b.Cursor()
	at := -1 // index in keys; len(keys) after the end
	for range 60 {
		var k, v []byte
		var what string
		switch w.random.IntN(5) {
		case 0:
			what, at = "First", 0
			k, v = c.First()
		case 1:
			what, at = "Last", len(keys)-1
			k, v = c.Last()
		case 2:
			to := fmt.Sprint(w.random.IntN(22))
			what = "Seek " + to
			at, _ = slices.BinarySearch(keys, to)
			k, v = c.Seek([]byte(to))
		case 3:
			if at < 0 || at >= len(keys) {
				continue
			}
			what, at = "Next", at+1
			if k, v = c.Next(); at == len(keys) {
				at = -1 // the result of Prev is undefined now
			}
		default:
			if at < 0 || len(keys) == 0 {
				continue
			}
			what, at = "Prev", at-1
			k, v = c.Prev()
		}
		want, value := "", ""
		if at >= 0 && at < len(keys) {
			want, value = keys[at], values[keys[at]]
		}
		if string(k) != want || string(v) != value || (k == nil) != (want == "") {
			t.Fatalf("bucket %q: %s returns %q, %q, want %q, %q of %q", name, what, k, v, want, value, keys)
		}
	}
}

// onBolt calls do with the buckets of a new file, which already hold data.
func onBolt(t *testing.T, w *world, do func(tx *bolt.Tx)) {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "x.db"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // before Close, which waits for it
	for range 3 {
		l := w.write(t, kv.OnBolt(tx))
		if err := l.Store(kv.OnBolt(tx)); err != nil {
			t.Fatal(err)
		}
	}
	w.triples = map[dict.ID]map[index.Tuple]bool{} // the base has no triples
	do(tx)
}

// Levels hold everything written, whether they are read one by one, merged, or encoded
// and decoded.
func TestLevelsSayWhatWasWritten(t *testing.T) {
	suite.NotShort(t)
	for seed := range uint64(suite.Times(400, 40)) {
		w := newWorld(seed)
		onBolt(t, w, func(tx *bolt.Tx) {
			base := kv.OnBolt(tx)
			frozen, active := New(), New()
			for i := range 20 {
				own := w.write(t, base, frozen, active)
				w.check(t, base, frozen, active, own)
				before := stateOf(active)
				copied := active.Copy()
				copied.Merge(own)
				if stateOf(active) != before {
					t.Fatal("merging into a copy changed the original")
				}
				again, err := Decode(own.Append(nil), hasher)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := stateOf(again), stateOf(own); got != want {
					t.Fatalf("decoded:\n%s\nwritten:\n%s", got, want)
				}
				active = copied
				w.check(t, base, frozen, active)
				if i == 10 {
					frozen, active = active, New()
				}
			}
			// Storing both levels has the same result as storing them merged.
			if err := errors.Join(frozen.Store(base), active.Store(base)); err != nil {
				t.Fatal(err)
			}
			frozen.Merge(active)
			w.check(t, base, frozen)
			for _, path := range buckets {
				w.checkBucket(t, base.Bucket(path...), join(path))
			}
		})
	}
}

func TestATripleAddedAndRemovedLeavesNothing(t *testing.T) {
	l := New()
	l.Set(1, []index.Tuple{{1, 2, 3}}, true)
	l.Set(1, []index.Tuple{{1, 2, 3}}, false)
	if _, some := l.Indexes(1); some || !l.Empty() || l.Count(1, 0) != 0 {
		t.Errorf("the level says %s", stateOf(l))
	}
}

func TestALevelNumbersItsGraphs(t *testing.T) {
	l := New()
	for _, g := range []dict.ID{0, 5, ^dict.ID(0), 5} {
		l.Set(g, []index.Tuple{{1, 2, uint64(l.Len())}}, true)
	}
	if got, want := slices.Collect(l.Graphs()), []dict.ID{0, 5, ^dict.ID(0)}; !slices.Equal(got, want) {
		t.Errorf("the graphs are %v", got)
	}
}

func TestABucketThatIsRemovedCannotBeDeferred(t *testing.T) {
	if err := new(Buckets).Write(nothing{}, New()).Remove("a"); !errors.Is(err, ErrDirect) {
		t.Errorf("removing a bucket: %v", err)
	}
}

// nothing is a file without buckets.
type nothing struct{}

func (nothing) Bucket(...string) kv.Bucket { return kv.Empty }

func FuzzDelta(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(newWorld(seed).write(f, nothing{}).Append(nil))
	}
	f.Add([]byte{version, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Decode(b, hasher)
		if err != nil {
			return
		}
		encoded := l.Append(nil)
		again, err := Decode(encoded, hasher)
		if err != nil || !bytes.Equal(again.Append(nil), encoded) {
			t.Errorf("%x is decoded to something else the second time: %v", b, err)
		}
	})
}

func TestADeltaThatIsCutShortIsAnError(t *testing.T) {
	b := newWorld(3).write(t, nothing{}).Append(nil)
	for n := range b {
		if _, err := Decode(b[:n], hasher); err == nil {
			t.Errorf("%d bytes of %d are decoded", n, len(b))
		}
	}
	if _, err := Decode(append(bytes.Clone(b), 0), hasher); err == nil {
		t.Error("a byte after the end is ignored")
	}
}

// TestALengthThatNoValueHasIsAnError checks that such a value is not decoded as a deletion.
func TestALengthThatNoValueHasIsAnError(t *testing.T) {
	for _, length := range []uint64{2, math.MaxInt64, 1 << 63, math.MaxUint64} {
		b := varint.AppendString([]byte{version, 0, 0, 0, 1}, join([]string{"bucket"}))
		b = varint.AppendString(append(b, 0, 1), "key")
		if _, err := Decode(varint.Append(b, length), hasher); err == nil {
			t.Errorf("a value without bytes is decoded, although its length is %d", length-1)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	active := New()
	for i := range b.N {
		own := New()
		var spo []index.Tuple
		for j := range uint64(12) {
			spo = append(spo, index.Tuple{uint64(i)<<8 + j/4, j, uint64(i) + j})
		}
		own.Set(0, spo, true)
		active = active.Copy()
		active.Merge(own)
		_ = own.Append(nil)
		if i%1000 == 0 {
			active = New()
		}
	}
}
