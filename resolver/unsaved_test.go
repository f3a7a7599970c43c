package resolver

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sorted is a store of a few records.
type sorted []Record

func (s sorted) Get(key []byte) ([]byte, error) {
	for _, r := range s {
		if bytes.Equal(r.Key, key) {
			return r.Value, nil
		}
	}
	return nil, nil
}

func (s sorted) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	for _, r := range s {
		if bytes.Compare(r.Key, from) >= 0 && (len(to) == 0 || bytes.Compare(r.Key, to) < 0) && !yield(r.Key, r.Value) {
			return nil
		}
	}
	return nil
}

func (s sorted) Apply(context.Context, []Change) error { return errors.New("it is only read") }

// TestWhatIsUnsavedIsReadAsIfItWereSaved holds reading through what is not saved against reading a store that has it.
func TestWhatIsUnsavedIsReadAsIfItWereSaved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.ByteRange('a', 'e'), 1, 2)
		stored, all := map[string][]byte{}, map[string][]byte{}
		for range rapid.IntRange(0, 12).Draw(t, "stored") {
			k := key.Draw(t, "key")
			stored[string(k)], all[string(k)] = []byte{1}, []byte{1}
		}
		c := &committed{store: fromMap(stored), unsaved: unsaved{}}
		for i := range rapid.IntRange(0, 12).Draw(t, "changes") {
			rec := Record{key.Draw(t, "changed"), []byte{byte(i + 2)}}
			if all[string(rec.Key)] = rec.Value; rapid.Bool().Draw(t, "removed") {
				rec.Value = nil
				delete(all, string(rec.Key))
			}
			c.unsaved.add([]Record{rec}, uint64(i))
		}
		from, to := key.Draw(t, "from"), key.Draw(t, "to")
		if rapid.Bool().Draw(t, "open") {
			to = nil
		}
		stop := rapid.IntRange(1, 10).Draw(t, "stop")
		read := func(scan func(from, to []byte, yield func(k, v []byte) bool) error) (out []string) {
			if err := scan(from, to, func(k, v []byte) bool {
				out = append(out, string(k)+string(v))
				return len(out) < stop
			}); err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := read(fromMap(all).Scan)
		if got := read(c.scan); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		k := key.Draw(t, "get")
		if got, err := c.get(k); err != nil || !bytes.Equal(got, all[string(k)]) {
			t.Fatalf("%q is %q, want %q (%v)", k, got, all[string(k)], err)
		}
	})
}

func fromMap(m map[string][]byte) sorted {
	var s sorted
	for k, v := range m {
		s = append(s, Record{[]byte(k), v})
	}
	slices.SortFunc(s, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	return s
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c := newCache[int, int](4)
	for i := range 100 {
		c.put(i, i)
		if v, ok := c.get(0); !ok || v != 0 {
			t.Fatalf("after %d others the one that is used all the time is gone", i)
		}
	}
	if n := len(c.young) + len(c.old); n > 8 {
		t.Errorf("%d are kept of 4 in a generation", n)
	}
	if _, ok := c.get(50); ok {
		t.Error("what was not used for long is still there")
	}
}
