package journal

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/publickey"
)

// signKeysName is the bucket of the public keys with which users sign requests: id ->
// SigningKey as JSON, and a checksum. A removed key stays, to verify what it signed.
const signKeysName = "signkeys"

// Limits of keys.
const (
	MaxKeys     = 10_000 // in a file, including removed ones
	MaxUserKeys = 20     // of a user, not counting removed ones
)

// KeyID identifies a public key. It is the key's JWK thumbprint (RFC 7638, RFC 8037), so
// two keys never have the same id.
type KeyID [sha256.Size]byte

// IDOf returns the id of a key.
func IDOf(key ed25519.PublicKey) KeyID {
	return sha256.Sum256(fmt.Appendf(nil, `{"crv":"Ed25519","kty":"OKP","x":"%s"}`, base64.RawURLEncoding.EncodeToString(key)))
}

// String returns the id in base64url, in 43 characters.
func (id KeyID) String() string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// ParseKeyID parses the result of String.
func ParseKeyID(s string) (id KeyID, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return KeyID(b), true
}

// SigningKey is a public key with which a user signs requests.
type SigningKey struct {
	ID      KeyID             `json:"-"`
	User    string            `json:"user"`
	Public  ed25519.PublicKey `json:"public"`
	Added   time.Time         `json:"added"`
	AddedBy string            `json:"added_by"`
	Removed time.Time         `json:"removed,omitzero"` // zero while it is valid
}

// Errors of AddKey and RemoveKey.
var (
	ErrKeyKnown   = errors.New("the key is in use already")
	ErrKeyRemoved = errors.New("the key was removed, and is not accepted again; make a new one")
	ErrKeyTaken   = errors.New("the key belongs to another user; each user needs their own")
	ErrKeyUnknown = errors.New("there is no such key")
	ErrKeys       = fmt.Errorf("there are too many keys: at most %d in all, and %d for each user", MaxKeys, MaxUserKeys)
)

// AddKey adds a key, unless signatures by it prove nothing. The caller appends the entry of KeyEntry.
func AddKey(tx kv.Writer, k SigningKey) error {
	if err := publickey.Check(k.Public); err != nil {
		return err
	}
	k.ID = IDOf(k.Public)
	known, found, err := KeyWith(tx, k.ID)
	switch {
	case err != nil:
		return err
	case found && known.User != k.User:
		return ErrKeyTaken
	case found && !known.Removed.IsZero():
		return ErrKeyRemoved
	case found:
		return ErrKeyKnown
	}
	all, err := Keys(tx)
	if err != nil {
		return err
	}
	own := 0
	for _, other := range all {
		if other.User == k.User && other.Removed.IsZero() {
			own++
		}
	}
	if own >= MaxUserKeys || len(all) >= MaxKeys {
		return ErrKeys
	}
	return putKey(tx, k)
}

// RemoveKey makes a key invalid from the time at on, and returns it. The error is ErrKeyUnknown if there is no such key, or
// if it was removed already.
func RemoveKey(tx kv.Writer, id KeyID, at time.Time) (SigningKey, error) {
	k, found, err := KeyWith(tx, id)
	if err != nil {
		return k, err
	}
	if !found || !k.Removed.IsZero() {
		return k, ErrKeyUnknown
	}
	k.Removed = at
	return k, putKey(tx, k)
}

// ForgetKeys takes people out of all keys, by names of users for which mentions returns true. Keys of theirs become invalid from
// the time at on.
func ForgetKeys(tx kv.Writer, at time.Time, mentions func(user string) bool) error {
	all, err := Keys(tx)
	for _, k := range all {
		before := k
		if mentions(k.User) {
			k.User = ErasedText
			if k.Removed.IsZero() {
				k.Removed = at
			}
		}
		if mentions(k.AddedBy) {
			k.AddedBy = ErasedText
		}
		if k.User != before.User || k.AddedBy != before.AddedBy {
			err = errors.Join(err, putKey(tx, k))
		}
	}
	return err
}

func putKey(tx kv.Writer, k SigningKey) error {
	v, err := json.Marshal(k)
	if err == nil {
		err = putSealed(tx, signKeysName, k.ID[:], v)
	}
	if err != nil {
		return fmt.Errorf("keeping a key: %w", err)
	}
	return nil
}

// KeyWith returns the key with an id, and reports whether there is one. It may have been
// removed.
func KeyWith(tx kv.Reader, id KeyID) (k SigningKey, found bool, err error) {
	sealed := tx.Bucket(signKeysName).Get(id[:])
	if sealed == nil {
		return k, false, nil
	}
	k, err = parseKey(id[:], sealed)
	return k, err == nil, err
}

// Keys returns all keys, in order of their ids.
func Keys(tx kv.Reader) (all []SigningKey, err error) {
	for id, sealed := range kv.All(tx.Bucket(signKeysName)) {
		k, err := parseKey(id, sealed)
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// parseKey decodes a stored key, whose id is a hash of it.
func parseKey(id, sealed []byte) (k SigningKey, err error) {
	v, err := kv.Unseal(id, sealed)
	if err == nil {
		err = json.Unmarshal(v, &k)
	}
	if err == nil && (len(k.Public) != ed25519.PublicKeySize || string(id) != string(idBytes(k.Public))) {
		err = errors.New("it has another id")
	}
	if err != nil {
		return k, fmt.Errorf("the signing key %x can't be read: %w", id, err)
	}
	k.ID = KeyID(id)
	return k, nil
}

func idBytes(key ed25519.PublicKey) []byte { id := IDOf(key); return id[:] }

// KeyEntry returns e, of the action UseKey or DropKey, with the id, user and bytes of a key.
func KeyEntry(e Entry, k SigningKey) Entry {
	e.Signer, e.Owner, e.Key = k.ID.String(), k.User, base64.StdEncoding.EncodeToString(k.Public)
	return e
}

// PublicPEM returns a public key in PEM.
func PublicPEM(key ed25519.PublicKey) string {
	der, _ := x509.MarshalPKIXPublicKey(key) // never fails for an Ed25519 key
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// ParsePublicKey parses an Ed25519 public key in PEM. It refuses keys that AddKey refuses.
func ParsePublicKey(text []byte) (ed25519.PublicKey, error) {
	const make = "make one with openssl genpkey -algorithm ed25519 -out robot.key, and get its public key with openssl pkey -in robot.key -pubout"
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return nil, errors.New("the key is not in PEM; " + make)
	case strings.Contains(block.Type, "PRIVATE"):
		return nil, errors.New("this is a private key, which only its robot should have; " + make)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the key can't be read as a public key in PEM: %w", err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("the key is not an Ed25519 key; " + make)
	}
	return key, publickey.Check(key)
}
