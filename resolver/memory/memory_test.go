package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/resolver"
)

// TestStoreIsASortedMap compares random changes, reads and scans with a map.
func TestStoreIsASortedMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Store
		model := map[string]string{}
		key := rapid.Custom(func(t *rapid.T) string {
			return string([]byte{rapid.ByteRange(0, 20).Draw(t, "high"), rapid.Byte().Draw(t, "low")})
		})
		for range rapid.IntRange(1, 40).Draw(t, "rounds") {
			var c resolver.Change
			if c.Clear = rapid.IntRange(0, 30).Draw(t, "clear") == 0; c.Clear {
				clear(model)
			}
			grow := rapid.Bool().Draw(t, "grow")
			for i := range rapid.IntRange(0, 60).Draw(t, "records") {
				k, v := key.Draw(t, "key"), []byte{byte(i)}
				if model[k] = string(v); !grow && i%3 != 0 {
					v = nil
					delete(model, k)
				}
				c.Records = append(c.Records, resolver.Record{Key: []byte(k), Value: v})
			}
			if err := s.Apply(context.Background(), []resolver.Change{c}); err != nil {
				t.Fatal(err)
			}
			from, to := key.Draw(t, "from"), key.Draw(t, "to")
			if rapid.Bool().Draw(t, "open") {
				to = ""
			}
			var want []string
			for _, k := range slices.Sorted(maps.Keys(model)) {
				if k >= from && (to == "" || k < to) {
					want = append(want, k+model[k])
				}
			}
			var got []string
			_ = s.Scan([]byte(from), []byte(to), func(k, v []byte) bool {
				got = append(got, string(k)+string(v))
				return true
			})
			if !slices.Equal(got, want) {
				t.Fatalf("Scan(%x, %x) = %x, want %x", from, to, got, want)
			}
			k := key.Draw(t, "get")
			if v, _ := s.Get([]byte(k)); !bytes.Equal(v, []byte(model[k])) {
				t.Fatalf("Get(%x) = %x, want %x", k, v, model[k])
			}
		}
	})
}
