// Package publickey refuses Ed25519 keys under which signatures prove nothing.
//
// Under a key of small order, one constant signature fits any text with a probability of
// up to 1, so nobody signed anything. Of a key that is not canonical, programs differ in
// whether they accept it.
package publickey

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"strings"

	"filippo.io/edwards25519"
	"golang.org/x/mod/sumdb/note"
)

// ErrUnfit is the error of a key that proves nothing.
var ErrUnfit = errors.New("signatures by this Ed25519 key prove nothing: it is not a canonical point of the curve, or its order is small")

// Check returns ErrUnfit unless a key is the canonical encoding of a point (RFC 8032,
// section 5.1.3) whose order is large.
func Check(key ed25519.PublicKey) error {
	p, err := new(edwards25519.Point).SetBytes(key)
	if err != nil || !bytes.Equal(p.Bytes(), key) ||
		new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return ErrUnfit
	}
	return nil
}

// NewVerifier reads the verifier key of a log: its name, an identifier in hexadecimal, and
// the type and the key in base64, separated by plus signs.
func NewVerifier(key string) (note.Verifier, error) {
	v, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	return v, CheckVerifier(key)
}

// CheckVerifier checks the key in a verifier key, which a library has parsed. Keys of other
// algorithms than Ed25519 pass.
func CheckVerifier(key string) error {
	const ed25519Note, ed25519Cosignature = 1, 4 // types of keys
	parts := strings.SplitN(key, "+", 3)
	public, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	switch {
	case err != nil || len(public) == 0:
		return ErrUnfit
	case public[0] == ed25519Note || public[0] == ed25519Cosignature:
		return Check(public[1:])
	}
	return nil
}
