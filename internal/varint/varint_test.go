package varint

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestReaderReadsWhatWasAppended(t *testing.T) {
	numbers := []uint64{0, 1, 127, 128, 300, 1 << 32, math.MaxUint64}
	var b []byte
	for _, n := range numbers {
		b = AppendString(Append(b, n), "né")
	}
	b = append(b, 7, 8, 9)
	r := NewReader(b)
	for _, want := range numbers {
		if n, s := r.Uint(), r.Text(); n != want || s != "né" {
			t.Errorf("read %d and %q, want %d and %q", n, s, want, "né")
		}
	}
	if one, two := r.Byte(), r.Bytes(2); one != 7 || !bytes.Equal(two, []byte{8, 9}) {
		t.Errorf("read the bytes %d and %v", one, two)
	}
	if r.Failed() || r.Len() != 0 || len(r.Rest()) != 0 {
		t.Errorf("at the end: failed %t, %d bytes left", r.Failed(), r.Len())
	}
}

func TestEncodingIsThatOfEncodingBinary(t *testing.T) {
	for _, n := range []uint64{0, 127, 128, 1<<63 - 1, math.MaxUint64} {
		b := binary.AppendUvarint(nil, n)
		if !bytes.Equal(Append(nil, n), b) {
			t.Errorf("%d is written as %x, not %x", n, Append(nil, n), b)
		}
		if got, rest, ok := Cut(append(b, 'x')); got != n || string(rest) != "x" || !ok {
			t.Errorf("Cut gives %d, %q, %t for %d", got, rest, ok, n)
		}
	}
}

// TestReaderFails reads missing values: all values are zero after that, and nothing
// panics.
func TestReaderFails(t *testing.T) {
	long := bytes.Repeat([]byte{0xff}, 11) // more than 64 bits
	for name, read := range map[string]func(*Reader) bool{
		"a number of nothing":      func(r *Reader) bool { *r = NewReader(nil); return r.Uint() == 0 },
		"a number without its end": func(r *Reader) bool { *r = NewReader([]byte{0x80}); return r.Uint() == 0 },
		"a number of 70 bits":      func(r *Reader) bool { *r = NewReader(long); return r.Uint() == 0 },
		"a count that is too high": func(r *Reader) bool { return r.Count(4) == 0 },
		"a count of less than 0":   func(r *Reader) bool { return r.Count(-1) == 0 },
		"a byte of nothing":        func(r *Reader) bool { *r = NewReader(nil); return r.Byte() == 0 },
		"too many bytes":           func(r *Reader) bool { return r.Bytes(4) == nil },
		"fewer bytes than none":    func(r *Reader) bool { return r.Bytes(-1) == nil },
		"a text that is cut off":   func(r *Reader) bool { return r.Text() == "" },
		"a value without sense":    func(r *Reader) bool { r.Fail(); return true },
	} {
		r := NewReader([]byte{5, 'a', 'b'})
		if !read(&r) {
			t.Errorf("%s: the value is not zero", name)
		}
		if !r.Failed() || r.Uint() != 0 || r.Count(9) != 0 || r.Byte() != 0 || r.Text() != "" || r.Len() != 0 {
			t.Errorf("%s: failed %t, %d bytes left", name, r.Failed(), r.Len())
		}
	}
}

func TestAll(t *testing.T) {
	want := []uint64{1, 300, 0, math.MaxUint64}
	var b []byte
	for _, n := range want {
		b = Append(b, n)
	}
	if got, ok := All(b); !ok || !slices.Equal(got, want) {
		t.Errorf("All gives %v, %t", got, ok)
	}
	if got, ok := All(b[:len(b)-1]); ok || got != nil {
		t.Errorf("All gives %v, %t for a list that is cut off", got, ok)
	}
	if got, ok := All(nil); !ok || got != nil {
		t.Errorf("All gives %v, %t for no list", got, ok)
	}
}
