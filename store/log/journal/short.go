package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"

	"github.com/google/uuid"

	"github.com/segraph/segraph/internal/varint"
)

// Values beside an entry are stored as two bits for the kind of each, four to a byte,
// and then their bytes.

// kinds of values.
const (
	absent   byte = iota // ""
	inBytes              // a SHA-256 of 32 bytes, an IPv4 address of 4, or a UUID of 16
	inBytes6             // an address of 16 bytes
	inWhole              // anything else, after its length
)

// form is the usual form of a value.
type form uint8

const (
	asText    form = iota
	asHash         // a SHA-256 in hexadecimal
	asAddress      // an address of IPv4 or IPv6
	asUUID
)

// sizes are the bytes of a value that is not whole, by form and kind.
var sizes = [...][inWhole]int{asHash: {inBytes: sha256.Size}, asAddress: {inBytes: 4, inBytes6: 16}, asUUID: {inBytes: 16}}

// text is a value and its usual form.
type text struct {
	value *string
	form  form
}

// appendTexts appends values; readTexts reads them.
func appendTexts(b []byte, all []text) []byte {
	at := len(b)
	b = append(b, make([]byte, (len(all)+3)/4)...)
	for i, t := range all {
		kind, short := shorten(t.form, *t.value)
		b[at+i/4] |= kind << (2 * (i % 4))
		if kind == inWhole {
			b = varint.AppendString(b, *t.value)
		}
		b = append(b, short...)
	}
	return b
}

// shorten returns the kind of a value, and its bytes unless it is stored whole.
func shorten(f form, value string) (kind byte, short []byte) {
	if value == "" {
		return absent, nil
	}
	switch f {
	case asHash:
		if b, err := hex.DecodeString(value); err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == value {
			return inBytes, b
		}
	case asAddress:
		if a, err := netip.ParseAddr(value); err == nil && a.Zone() == "" && a.String() == value {
			if a.Is4() {
				return inBytes, a.AsSlice()
			}
			return inBytes6, a.AsSlice()
		}
	case asUUID:
		if id, err := uuid.Parse(value); err == nil && id.String() == value {
			return inBytes, id[:]
		}
	}
	return inWhole, nil
}

// readTexts reads values that appendTexts appended.
func readTexts(r *varint.Reader, all []text) {
	kinds := r.Bytes((len(all) + 3) / 4)
	if kinds == nil {
		return
	}
	for i, t := range all {
		switch kind := kinds[i/4] >> (2 * (i % 4)) & inWhole; {
		case kind == inWhole:
			*t.value = r.Text()
		case kind != absent && sizes[t.form][kind] == 0:
			r.Fail()
		case kind != absent:
			*t.value = lengthen(t.form, r.Bytes(sizes[t.form][kind]))
		}
	}
}

// lengthen returns the value that shorten turned into short.
func lengthen(f form, short []byte) string {
	switch f {
	case asAddress:
		a, _ := netip.AddrFromSlice(short)
		return a.String()
	case asUUID:
		id, _ := uuid.FromBytes(short)
		return id.String()
	}
	return hex.EncodeToString(short)
}
