// Package checksum seals what the file stores: a CRC-32C over a key and its value, which
// stands behind the value in four bytes, the lowest first. Since it covers the key, a value
// that got under another key is found as well as one with wrong bits.
package checksum

import (
	"encoding/binary"
	"hash/crc32"
)

const size = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Of returns the checksum of a value under its key.
func Of(key, value []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, key), castagnoli, value)
}

// Append appends to a value its checksum under key.
func Append(key, value []byte) []byte {
	return binary.LittleEndian.AppendUint32(value, Of(key, value))
}

// Cut returns a value without its checksum, and reports whether that is right. The value
// cannot grow into the checksum.
func Cut(key, sealed []byte) (value []byte, ok bool) {
	at := len(sealed) - size
	if at < 0 || binary.LittleEndian.Uint32(sealed[at:]) != Of(key, sealed[:at]) {
		return nil, false
	}
	return sealed[:at:at], true
}
