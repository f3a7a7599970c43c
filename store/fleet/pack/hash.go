package pack

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// decodeHash reads the base64 of a SHA-256.
func decodeHash(s string) (out [sha256.Size]byte, err error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != len(out) {
		return out, errors.New("it has no root")
	}
	return [sha256.Size]byte(b), nil
}
