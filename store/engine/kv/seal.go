package kv

import (
	"bytes"
	"fmt"

	"github.com/segraph/segraph/store/engine/checksum"
)

// Seal returns a copy of a value with the checksum of key and value behind it.
func Seal(key, value []byte) []byte {
	return checksum.Append(key, append(make([]byte, 0, len(value)+4), value...))
}

// Unseal returns the value that was sealed. It is part of sealed. The error is a
// *DamagedError.
func Unseal(key, sealed []byte) ([]byte, error) {
	value, ok := checksum.Cut(key, sealed)
	if !ok {
		return nil, &DamagedError{bytes.Clone(key)}
	}
	return value, nil
}

// DamagedError reports a sealed value that is not what was written.
type DamagedError struct{ Key []byte }

func (e *DamagedError) Error() string { return e.Damaged() }

// Damaged says what is wrong; see file.DamagedError.
func (e *DamagedError) Damaged() string {
	return fmt.Sprintf("the checksum of record %x does not fit", e.Key)
}
