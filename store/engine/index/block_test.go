package index

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBlockGivesBackWhatWasPut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := sorted(rapid.SliceOfN(tupleGen(), 1, 200).Draw(t, "tuples"))
		key := appendKey(nil, ts[0])
		var b []byte
		for i := 1; i < len(ts); i++ {
			before := len(b)
			b = appendEntry(b, &ts[i-1], &ts[i])
			if got, want := entrySize(&ts[i-1], &ts[i]), len(b)-before; got != want {
				t.Fatalf("entrySize(%v, %v) = %d, the entry has %d bytes", ts[i-1], ts[i], got, want)
			}
		}
		b = appendTrailer(b, key, len(ts))
		got, _, err := decode(nil, key, b, &least, &greatest)
		if err != nil || !slices.Equal(got, ts) {
			t.Fatalf("decoded %v, %v; want %v", got, err, ts)
		}
	})
}

func TestPackIsABijectionThatKeepsUsualIdsSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := idGen().Draw(t, "id")
		if got := unpack(pack(id)); got != id {
			t.Fatalf("unpack(pack(%x)) = %x", id, got)
		}
	})
	for id, most := range map[uint64]int{2<<60 | 1000: 2, 9<<60 | 1<<59 + 42: 2, 4<<60 | 1<<19: 3} {
		if n := byteLen(pack(id)); n > most {
			t.Errorf("id %x takes %d bytes, want %d at most", id, n, most)
		}
	}
}

// TestDamagedBlockIsAnErrorNeverAnAnswer flips every bit of a block and cuts it at every
// length.
func TestDamagedBlockIsAnErrorNeverAnAnswer(t *testing.T) {
	ts := []Tuple{{1, 2, 3}, {1, 2, 200}, {1, 2, 100000}, {1, 9, 2 << 60}, {4 << 60, 13 << 60, 1}}
	key := appendKey(nil, ts[0])
	var b []byte
	for i := 1; i < len(ts); i++ {
		b = appendEntry(b, &ts[i-1], &ts[i])
	}
	b = appendTrailer(b, key, len(ts))
	for i := range len(b) * 8 {
		bad := slices.Clone(b)
		bad[i/8] ^= 1 << (i % 8)
		if _, _, err := decode(nil, key, bad, &least, &greatest); err == nil {
			t.Errorf("bit %d flipped: no error", i)
		}
	}
	for n := range len(b) {
		if _, _, err := decode(nil, key, b[:n], &least, &greatest); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

// FuzzDecode decodes any bytes with a valid checksum. Decoding must not panic, and must
// return the same tuples with and without bounds.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 1, 2}, uint16(4))
	f.Add([]byte{0x81, 1, 2, 0xBF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, uint16(3))
	f.Add([]byte{0xFF, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}, uint16(2))
	f.Fuzz(func(t *testing.T, entries []byte, n uint16) {
		key := appendKey(nil, Tuple{1, 2, 3})
		b := appendTrailer(slices.Clone(entries), key, int(n))
		ts, _, err := decode(nil, key, b, &least, &greatest)
		if err == nil && len(ts) > int(n) {
			t.Errorf("%d tuples are decoded from a block of %d", len(ts), n)
		}
		low := Tuple{0, 0, 1}
		some, beyond, failed := decode(nil, key, b, &low, &greatest)
		if err == nil && failed == nil && !beyond && !slices.Equal(ts, some) {
			t.Errorf("%v with bounds, %v without", some, ts)
		}
		all := &sieve{bits: []uint64{^uint64(0)}}
		if _, _, siftErr := all.decode(nil, key, b, &least, &greatest); (siftErr == nil) != (err == nil) {
			t.Errorf("the error is %v, with a sieve %v", err, siftErr)
		}
	})
}

func TestARunRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for n := 1; n <= MaxRun; n += 1 + n/7 {
		ts := make([]Tuple, n)
		for i := range ts {
			for j := range ts[i] {
				ts[i][j] = r.Uint64() >> (r.IntN(8) * 8)
			}
		}
		slices.SortFunc(ts, Compare)
		ts = slices.Compact(ts)
		b := Pack(ts)
		got, err := Unpack(nil, b)
		if err != nil || !slices.Equal(got, ts) {
			t.Fatalf("%d tuples: %d came back, %v", len(ts), len(got), err)
		}
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		var damaged *DamagedError
		if _, err := Unpack(nil, b); !errors.As(err, &damaged) {
			t.Fatalf("a changed byte in %d: %v", len(b), err)
		}
		if _, err := Unpack(nil, b[:r.IntN(len(b))]); !errors.As(err, &damaged) {
			t.Fatalf("cut short: %v", err)
		}
	}
}
