package resolver

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/segraph/segraph/resolver/record"
)

func TestACacheTakesNoMoreThanItsRoom(t *testing.T) {
	c := newCache(1000, func(_ int, v *int) int { return *v })
	ten := 10
	for range 3 { // a replaced entry counts once
		for i := range 40 {
			c.put(i, &ten)
		}
	}
	if len(c.young) != 40 || len(c.old) != 0 {
		t.Errorf("%d and %d of 40 entries", len(c.young), len(c.old))
	}
	for i := range 1000 {
		if c.put(i, &ten); len(c.young)+len(c.old) > 100 {
			t.Fatalf("%d and %d entries", len(c.young), len(c.old))
		}
	}
	if _, stays := c.get(999); !stays {
		t.Error("the last entry is gone")
	}
	c = newCache(1000, func(_ int, v *int) int { return *v })
	for i := range 10 {
		c.put(i, &ten)
	}
	grown := 10
	c.put(0, &grown)
	grown = 500
	if c.put(0, &grown); len(c.young) != 0 {
		t.Errorf("an entry that grew leaves %d others young", len(c.young))
	}
	c = newCache(1000, func(_ int, v *int) int { return *v })
	for i := range 7 { // what was just read stays, however large it is
		c.put(i, &grown)
	}
	if len(c.young) != 7 {
		t.Errorf("%d of 7 large entries are young", len(c.young))
	}
}

// TestSizesOfCachedEntries compares what entries are said to take with what they take.
func TestSizesOfCachedEntries(t *testing.T) {
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	copied := func(format string, n int) string { return fmt.Sprintf(format, n) }
	contexts := func(n int, words string) (out []*shared) {
		for i := range n {
			x := record.Context{Number: uint64(i) + 1, URI: copied("https://ex/contexts/human_utterance_%032d", i), Kind: copied("human_utterance%d", i), At: int64(i), Origins: []uint64{uint64(i)}}
			for m := range 2 {
				x.Members = append(x.Members, record.Member{Subject: copied("https://ex/human/%d", i), Modality: copied("speech%d", i), Robot: copied("https://ex/robot/%d", i), Location: copied("https://ex/room/%d", i),
					Text: copied(words+" %d", 10*i+m)})
			}
			out = append(out, newShared(x, nil))
		}
		return out
	}
	const n = 2000
	for _, words := range []string{"yes", "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"} {
		before := live()
		all := contexts(n, words)
		took, said := live()-before, 0
		for _, s := range all {
			said += s.size()
		}
		if said < took/2 || said > 2*took {
			t.Errorf("contexts with %q take %d bytes each, and are said to take %d", words, took/n, said/n)
		}
		c := &committed{policy: newPolicy(Defaults()), room: 1 << 30}
		c.reset()
		before = live()
		b := newBucket(bucketName{})
		for _, s := range all {
			c.contexts.put(s.Number, s)
			b.add(s)
		}
		plain := b.size
		if err := b.crowd(c); err != nil {
			t.Fatal(err)
		}
		if took = live() - before; b.size < took/2 || b.size > 2*took {
			t.Errorf("a bucket of contexts with %q takes %d bytes, and is said to take %d, %d before it was crowded", words, took, b.size, plain)
		}
		runtime.KeepAlive(all)
	}
}
