package text_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/text"
	"github.com/segraph/segraph/store/trigram"
)

// someTexts returns blocks of texts made of a few syllables. Some texts have rare words.
func someTexts(random *rand.Rand, blocks int) [][]string {
	syllables := []string{"ka", "lo", "mi", "ne", "tu", "ſa", "Ki", "İ", "中", " "}
	out := make([][]string, blocks)
	for i := range out {
		for range random.IntN(4) {
			s := ""
			for range random.IntN(6) {
				s += syllables[random.IntN(len(syllables))]
			}
			if random.IntN(blocks) == 0 {
				s += "window"
			}
			out[i] = append(out[i], s)
		}
		if i%2 == 0 {
			out[i] = append(out[i], "always")
		}
	}
	return out
}

// inBucket calls f with a new bucket.
func inBucket(t *testing.T, f func(b *bolt.Bucket)) {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "x.db"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("x"))
		f(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// put makes a bucket from pairs.
func put(t *testing.T, b *bolt.Bucket, name []byte, pairs []text.Pair) *bolt.Bucket {
	t.Helper()
	in, err := b.CreateBucketIfNotExists(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if err := in.Put(p.Key, p.Value); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func build(blocks [][]string) *text.Builder {
	b := text.NewBuilder()
	for _, texts := range blocks {
		for _, s := range texts {
			b.Add(s)
		}
		b.EndBlock()
	}
	return b
}

// matching returns the blocks with a text that a query matches.
func matching(blocks [][]string, q *trigram.Query) (out []int) {
	for i, texts := range blocks {
		has := map[trigram.Trigram]bool{}
		for _, s := range texts {
			trigram.Each(trigram.Fold(nil, s), func(t trigram.Trigram) { has[t] = true })
		}
		if q.Matches(func(t trigram.Trigram) bool { return has[t] }) {
			out = append(out, i)
		}
	}
	return out
}

func found(t *testing.T, s text.Segment, b *bolt.Bucket, q *trigram.Query) (out []int) {
	t.Helper()
	set, err := s.Search(b, q)
	if err != nil {
		t.Fatal(err)
	}
	set.Each(func(i int) { out = append(out, i) })
	return out
}

// queries are run on every segment.
var queries = map[string]*trigram.Query{
	"a rare word":       trigram.Contains("window"),
	"a frequent word":   trigram.Contains("alWAYS"),
	"syllables":         trigram.Contains("kalo"),
	"what is not there": trigram.Contains("nowhere"),
	"the one or other":  trigram.Or(trigram.Contains("window"), trigram.Contains("tune")),
	"the one and other": trigram.And(trigram.Contains("window"), trigram.Contains("always")),
	"nested":            trigram.And(trigram.Contains("mi"), trigram.Or(trigram.Contains("wind"), trigram.And(trigram.Contains("kal"), trigram.Contains("lomi"))), trigram.Contains("alw")),
	"of one trigram":    trigram.Contains("ſak"),
}

func TestSearchFindsTheBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 7, 64, 65, 300} {
		blocks := someTexts(random, n)
		inBucket(t, func(b *bolt.Bucket) {
			made := build(blocks)
			s := text.Segment{To: uint64(n)}
			in := put(t, b, s.Bucket(), made.Pairs())
			for name, q := range queries {
				if got, want := found(t, s, in, q), matching(blocks, q); !slices.Equal(got, want) {
					t.Errorf("%d blocks, %s: found %v, want %v", n, name, got, want)
				}
			}
			if sum, err := s.Sum(in); err != nil || sum != made.Sum(0) {
				t.Errorf("%d blocks: the sum is %x and %x: %v", n, sum, made.Sum(0), err)
			}
			fewer := build(append([][]string{{}}, blocks[1:]...))
			if err := errors.Join(s.Covers(in, made, 0), s.Covers(in, fewer, 0)); err != nil {
				t.Errorf("%d blocks: %v", n, err)
			}
			if in := put(t, b, []byte("fewer"), fewer.Pairs()); s.Covers(in, made, 0) == nil {
				t.Errorf("%d blocks: that the first block lacks its trigrams was not noticed", n)
			}
		})
	}
}

// TestMergingStopsAndResumes merges segments a few bytes at a time, as after many crashes.
func TestMergingStopsAndResumes(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	inBucket(t, func(b *bolt.Bucket) {
		var list []text.Segment
		var all [][]string
		var sum uint64
		for i := range 8 {
			n := 200 + random.IntN(100)
			blocks := someTexts(random, n)
			s := text.Segment{Number: uint64(i), Tag: 4, From: uint64(len(all)), To: uint64(len(all) + n)}
			made := build(blocks)
			put(t, b, s.Bucket(), made.Pairs())
			sum += made.Sum(s.From)
			all, list = append(all, blocks...), append(list, s)
		}
		merged := text.Segment{Number: 8, Tag: 4, To: uint64(len(all)), Unfinished: true}
		var parts []text.Part
		for _, s := range text.Merging(list, merged) {
			parts = append(parts, text.Part{Segment: s, Bucket: b.Bucket(s.Bucket())})
		}
		steps := 0
		for done := false; !done; steps++ {
			var pairs []text.Pair
			var err error
			if pairs, done, err = text.Merge(parts, b.Bucket(merged.Bucket()), 100); err != nil {
				t.Fatal(err)
			}
			put(t, b, merged.Bucket(), pairs)
		}
		if steps < 3 {
			t.Errorf("merging took %d steps: too few for a test", steps)
		}
		for name, q := range queries {
			if got, want := found(t, merged, b.Bucket(merged.Bucket()), q), matching(all, q); !slices.Equal(got, want) {
				t.Errorf("%s: found %v, want %v", name, got, want)
			}
		}
		if got, err := merged.Sum(b.Bucket(merged.Bucket())); err != nil || got != sum {
			t.Errorf("the sum is %x, want %x: %v", got, sum, err)
		}
	})
}

func TestABlockOfHugeTextsIsAlwaysFound(t *testing.T) {
	var huge strings.Builder
	for i := range 20_000 {
		huge.WriteString(strconv.FormatInt(int64(i)*7919*7919*7919, 36))
	}
	inBucket(t, func(b *bolt.Bucket) {
		s := text.Segment{To: 2}
		pairs := build([][]string{{"small"}, {"abc", huge.String()}}).Pairs()
		in := put(t, b, s.Bucket(), pairs)
		if got := found(t, s, in, trigram.Contains("whatever")); !slices.Equal(got, []int{1}) {
			t.Errorf("found %v", got)
		}
		size := 0
		for _, p := range pairs {
			size += len(p.Value)
		}
		if size > 100 {
			t.Errorf("it takes %d bytes", size)
		}
	})
}

// TestSegmentsStayFew adds segments and merges whenever ToMerge says so.
func TestSegmentsStayFew(t *testing.T) {
	var list []text.Segment
	random := rand.New(rand.NewPCG(3, 3))
	most, moved := 0, uint64(0)
	at := uint64(100)
	for i := range 2000 {
		n := 50 + random.Uint64N(50)
		list = append(list, text.Segment{Number: uint64(i), Tag: 4, From: at, To: at + n}, text.Segment{Tag: 3, From: uint64(i), To: uint64(i) + 1, Unfinished: true})
		at += n
		for s, ok := text.ToMerge(list, 4); ok; s, ok = text.ToMerge(list, 4) {
			parts := text.Merging(list, s)
			if parts[0].From != s.From || parts[len(parts)-1].To != s.To || s.Blocks() > 1<<30 {
				t.Fatalf("%+v is merged from %+v", s, parts)
			}
			for i := 1; i < len(parts); i++ {
				if parts[i].From != parts[i-1].To {
					t.Fatalf("%+v leaves a gap", parts)
				}
			}
			list = slices.DeleteFunc(list, func(p text.Segment) bool { return slices.Contains(parts, p) })
			s.Unfinished = false
			list, moved = append(list, s), moved+s.To-s.From
		}
		n2 := len(text.Merging(list, text.Segment{Tag: 4, To: at}))
		most = max(most, n2)
	}
	if most > 24 || moved > 12*at {
		t.Errorf("there were %d segments, and %d blocks were moved for %d", most, moved, at)
	}
}

func TestDamageIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	pairs := build(someTexts(random, 100)).Pairs()
	inBucket(t, func(b *bolt.Bucket) {
		for i := range 50 {
			p := pairs[random.IntN(len(pairs))]
			bad := slices.Clone(p.Value)
			bad[random.IntN(len(bad))] ^= 1 << random.IntN(8)
			s := text.Segment{Number: uint64(i), To: 100}
			in := put(t, b, s.Bucket(), pairs)
			if err := in.Put(p.Key, bad); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Sum(in); err == nil {
				t.Error("a wrong bit was not found")
			}
			if err := text.Check(in, func() error { return nil }); err == nil {
				t.Error("Check did not find a wrong bit")
			}
		}
	})
	list := text.AppendList([]text.Segment{{Number: 3, Tag: 4, From: 5, To: 9, Unfinished: true}, {Tag: 3, To: 1}}, 7)
	if got, next, known, err := text.ParseList(list); err != nil || !known || next != 7 || len(got) != 2 || got[0] != (text.Segment{Number: 3, Tag: 4, From: 5, To: 9, Unfinished: true}) {
		t.Errorf("read %+v, %d, %t, %v", got, next, known, err)
	}
	list[1] ^= 1
	if _, _, _, err := text.ParseList(list); err == nil {
		t.Error("a wrong list was not found")
	}
}
