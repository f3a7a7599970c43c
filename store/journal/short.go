package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"strings"

	"github.com/google/uuid"

	"github.com/segraph/segraph/internal/varint"
)

// The erasable part of an entry is the secret, a byte, and three texts: the document's
// SHA-256, the client's address, and the request's id. The byte is packed, with two bits
// for the kind of each text.
const packed = 1 << 7

// Kinds of texts.
const (
	absent   byte = iota // ""
	inBytes              // a SHA-256 of 32 bytes, an IPv4 address of 4, or a UUID of 16
	inBytes6             // an address of 16 bytes
	asText               // anything else, after its length
)

// sizes of the three texts, by kind.
var sizes = [3][asText]int{{inBytes: sha256.Size}, {inBytes: 4, inBytes6: 16}, {inBytes: 16}}

// appendTexts appends the texts of an erasable part to b.
func appendTexts(b []byte, sum, address, id string) []byte {
	at := len(b)
	b = append(b, packed)
	for i, text := range [...]string{sum, address, id} {
		kind, short := shorten(i, text)
		if b[at] |= kind << (2 * i); kind == asText {
			short = varint.AppendString(nil, text)
		}
		b = append(b, short...)
	}
	return b
}

// shorten returns the kind of a text, and its bytes unless it is stored as it is.
func shorten(i int, text string) (kind byte, short []byte) {
	if text == "" {
		return absent, nil
	}
	switch i {
	case 0:
		if b, err := hex.DecodeString(text); err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == text {
			return inBytes, b
		}
	case 1:
		if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" && a.String() == text {
			if a.Is4() {
				return inBytes, a.AsSlice()
			}
			return inBytes6, a.AsSlice()
		}
	case 2:
		if id, err := uuid.Parse(text); err == nil && id.String() == text {
			return inBytes, id[:]
		}
	}
	return asText, nil
}

// texts returns the texts of an erasable part. ok is false if they can't be read.
func texts(v []byte) (sum, address, id string, ok bool) {
	r := varint.NewReader(v)
	if len(v) == 0 || v[0]&packed == 0 { // of an older program
		if sum = r.Text(); len(sum) == sha256.Size {
			sum = hex.EncodeToString([]byte(sum))
		}
		address, id = longAddress(r.Text()), longID(r.Text())
		return sum, address, id, !r.Failed()
	}
	kinds := r.Byte()
	var out [3]string
	for i := range out {
		switch kind := kinds >> (2 * i) & asText; {
		case kind == asText:
			out[i] = r.Text()
		case kind != absent:
			out[i] = lengthen(i, r.Bytes(sizes[i][kind]))
		}
	}
	return out[0], out[1], out[2], !r.Failed()
}

// lengthen returns the text that shorten turned into short.
func lengthen(i int, short []byte) string {
	switch i {
	case 1:
		a, _ := netip.AddrFromSlice(short)
		return a.String()
	case 2:
		id, _ := uuid.FromBytes(short)
		return id.String()
	}
	return hex.EncodeToString(short)
}

// Older programs stored each text after its length: an address or a UUID as the byte
// short and its bytes, and any other text unchanged. No other text begins with that byte.
const short = "\x01"

func longAddress(stored string) string {
	raw, found := strings.CutPrefix(stored, short)
	if a, ok := netip.AddrFromSlice([]byte(raw)); found && ok {
		return a.String()
	}
	return stored
}

func longID(stored string) string {
	raw, found := strings.CutPrefix(stored, short)
	if id, err := uuid.FromBytes([]byte(raw)); found && err == nil {
		return id.String()
	}
	return stored
}
