package publickey

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// small has the points of small order, as RFC 8032 encodes them.
var small = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

func bytesOf(t *testing.T, text string) ed25519.PublicKey {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKeysThatProveNothingAreRefused(t *testing.T) {
	var keys []ed25519.PublicKey
	for _, s := range small {
		keys = append(keys, bytesOf(t, s))
	}
	// Each y below 19 has a second encoding, and each x = 0 one with a sign.
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	for y := range int64(19) {
		b := new(big.Int).Add(p, big.NewInt(y)).FillBytes(make([]byte, 32))
		slices.Reverse(b)
		signed := slices.Clone(b)
		signed[31] |= 0x80
		keys = append(keys, b, signed)
	}
	keys = append(keys, bytesOf(t, "0100000000000000000000000000000000000000000000000000000000000080"),
		bytesOf(t, "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
		bytesOf(t, "0200000000000000000000000000000000000000000000000000000000000000"), // no point
		make([]byte, 31), nil)
	for _, k := range keys {
		if err := Check(k); !errors.Is(err, ErrUnfit) {
			t.Errorf("%x: %v", []byte(k), err)
		}
		if len(k) == ed25519.PublicKeySize {
			key, err := note.NewEd25519VerifierKey("example.org/log", k)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := NewVerifier(key); !errors.Is(err, ErrUnfit) {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
}

// TestAConstantSignatureFitsAnyText shows why: Go verifies it.
func TestAConstantSignatureFitsAnyText(t *testing.T) {
	base := bytesOf(t, "5866666666666666666666666666666666666666666666666666666666666666")
	signature := append(slices.Clone(base), append([]byte{1}, make([]byte, 31)...)...)
	for _, text := range []string{"the door is open", "the door is closed"} {
		if !ed25519.Verify(bytesOf(t, small[2]), []byte(text), signature) {
			t.Errorf("%q does not verify", text)
		}
	}
}

func TestKeysAreAccepted(t *testing.T) {
	for i := range byte(100) {
		public := ed25519.NewKeyFromSeed(slices.Repeat([]byte{i}, ed25519.SeedSize)).Public().(ed25519.PublicKey)
		if err := Check(public); err != nil {
			t.Errorf("%x: %v", []byte(public), err)
		}
		key, err := note.NewEd25519VerifierKey("example.org/log", public)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := NewVerifier(key); err != nil || v.Name() != "example.org/log" {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, key := range []string{"", "x", "a+b", "a+b+c", "example.org/log+00000000+" + base64.StdEncoding.EncodeToString(make([]byte, 33))} {
		if _, err := NewVerifier(key); err == nil {
			t.Errorf("%q is read as a key", key)
		}
	}
}
