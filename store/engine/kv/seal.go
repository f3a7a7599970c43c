package kv

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/segraph/segraph/store/engine/checksum"
)

// Seal returns a copy of value, followed by the checksum of key and value.
func Seal(key, value []byte) []byte {
	return checksum.Append(key, append(make([]byte, 0, len(value)+4), value...))
}

// SealInPlace is like Seal, but writes the checksum behind value if its slice has room.
func SealInPlace(key, value []byte) []byte { return checksum.Append(key, value) }

// Unseal verifies a sealed value and returns it without its checksum. The result shares
// the memory of sealed. If the checksum is wrong, the error is a *DamagedError.
func Unseal(key, sealed []byte) ([]byte, error) {
	value, ok := checksum.Cut(key, sealed)
	if !ok {
		return nil, &DamagedError{bytes.Clone(key)}
	}
	return value, nil
}

// GetSealed returns the value of a key that was stored with Seal, or nil if there is none. The error may be a *DamagedError.
func GetSealed(b Bucket, key []byte) ([]byte, error) {
	sealed := b.Get(key)
	if sealed == nil {
		return nil, nil
	}
	return Unseal(key, sealed)
}

// GetJSON returns the value of a key that was stored with PutJSON, or the zero T if there is none. The error may be a *DamagedError.
func GetJSON[T any](b Bucket, key []byte) (v T, err error) {
	text, err := GetSealed(b, key)
	if text != nil && err == nil {
		err = json.Unmarshal(text, &v)
	}
	return v, err
}

// PutJSON stores v as JSON with a checksum.
func PutJSON(b Writable, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.Put(key, Seal(key, text))
}

// DamagedError means that a sealed value is damaged.
type DamagedError struct{ Key []byte }

func (e *DamagedError) Error() string { return e.Damaged() }

// Damaged describes the damage; see file.DamagedError.
func (e *DamagedError) Damaged() string {
	return fmt.Sprintf("the checksum of record %x is wrong", e.Key)
}
