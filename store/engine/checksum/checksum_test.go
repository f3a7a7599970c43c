package checksum

import (
	"bytes"
	"testing"
)

func TestCutReturnsWhatWasSealed(t *testing.T) {
	for _, value := range []string{"", "v", "a longer value"} {
		sealed := Append([]byte("key"), []byte(value))
		got, ok := Cut([]byte("key"), sealed)
		if !ok || string(got) != value {
			t.Errorf("Cut returns %q, %t for %q", got, ok, value)
		}
		if _ = append(got, 'x'); !bytes.Equal(sealed, Append([]byte("key"), []byte(value))) {
			t.Error("appending to a value changes its checksum")
		}
	}
}

// TestChecksumIsThatOfTheFile pins the format, because files use it.
func TestChecksumIsThatOfTheFile(t *testing.T) {
	// The check value of CRC-32C, for the digits 1 to 9.
	if got := Of([]byte("1234"), []byte("56789")); got != 0xe3069283 {
		t.Errorf("the checksum is %#x", got)
	}
	if got := Append([]byte("1234"), []byte("56789")); string(got) != "56789\x83\x92\x06\xe3" {
		t.Errorf("the sealed value is %q", got)
	}
}

func TestCutFindsDamage(t *testing.T) {
	sealed := Append([]byte("key"), []byte("value"))
	for i := range 8 * len(sealed) {
		damaged := bytes.Clone(sealed)
		damaged[i/8] ^= 1 << (i % 8)
		if _, ok := Cut([]byte("key"), damaged); ok {
			t.Errorf("Cut does not notice bit %d", i)
		}
	}
	for n := range sealed {
		if _, ok := Cut([]byte("key"), sealed[:n]); ok {
			t.Errorf("Cut does not notice that only %d bytes are left", n)
		}
	}
	if _, ok := Cut([]byte("kex"), sealed); ok {
		t.Error("Cut does not notice another key")
	}
}
