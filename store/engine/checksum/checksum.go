// Package checksum protects values in the file. A CRC-32C over a key and its value
// follows the value in four bytes, little-endian. It covers the key, so it also detects a
// value under a wrong key.
package checksum

import (
	"encoding/binary"
	"hash/crc32"
)

const size = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Of returns the checksum of a value and its key.
func Of(key, value []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, key), castagnoli, value)
}

// Append appends the checksum of key and value to value.
func Append(key, value []byte) []byte {
	return binary.LittleEndian.AppendUint32(value, Of(key, value))
}

// Cut returns a value without its checksum, and reports whether the checksum is right.
// The result's capacity ends with the value, so appending to it copies it.
func Cut(key, sealed []byte) (value []byte, ok bool) {
	at := len(sealed) - size
	if at < 0 || binary.LittleEndian.Uint32(sealed[at:]) != Of(key, sealed[:at]) {
		return nil, false
	}
	return sealed[:at:at], true
}
