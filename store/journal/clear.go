package journal

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/engine/kv"
)

// Entries stay forever, so an entry holds only salted hashes of the values that must be
// erasable: the content, the address and the request id. The values, and the secret from
// which the salts are derived, are the erasable part of the entry. It is stored in
// another bucket and erased with the content. Without the salts, nobody can check a guess
// at the content of a small log.
//
//	clearlogs    number -> the erasable part of a log's entry, and a checksum: see short.go
//	clearothers  the same for other entries, which are not erased
const (
	clearLogsName   = "clearlogs"
	clearOthersName = "clearothers"
)

// MaxStored is the largest size of a stored entry in bytes.
const MaxStored = 60_000

// A Secret is random. The salts of an entry are derived from it, so that showing one of
// them does not reveal the others. The zero Secret means that there is none.
type Secret [16]byte

// NewSecret returns a new Secret.
func NewSecret() (s Secret) {
	rand.Read(s[:])
	return s
}

// Salt is hashed before a value.
type Salt [16]byte

// Content returns the salt of the content's hashes.
func (s Secret) Content() Salt { return s.salt("content") }

func (s Secret) salt(of string) Salt {
	sum := sha256.Sum256(append(s[:], of...))
	return Salt(sum[:len(Salt{})])
}

func (s Secret) hash(of, value string) string {
	if value == "" {
		return ""
	}
	return s.salt(of).Commit([]byte(value))
}

// Commit returns the base64 of the SHA-256 of the salt and some data, without padding.
func (s Salt) Commit(data []byte) string {
	h := s.Hash()
	_, _ = h.Write(data)
	return Committed(h)
}

// Hash returns a SHA-256 that has hashed the salt, for data that comes in pieces.
func (s Salt) Hash() hash.Hash {
	h := sha256.New()
	_, _ = h.Write(s[:])
	return h
}

// Committed returns the base64 of what a hash of Salt.Hash has hashed, without padding.
func Committed(h hash.Hash) string { return base64.RawStdEncoding.EncodeToString(h.Sum(nil)) }

// record is the stored form of an entry, without its erasable part.
type record struct {
	Entry
	// Client is the hash of the address, a line break, and the request's id.
	Client string `json:"client,omitempty"`
	// Entries of older programs have that hash, or one of each, with padding.
	OldClient   string `json:"client_sha256,omitempty"`
	AddressHash string `json:"address_sha256,omitempty"`
	RequestHash string `json:"request_sha256,omitempty"`
}

// client returns the hash of the entry's address and request id, or "" if it has neither.
func (e *Entry) client() string {
	if e.Address == "" && e.RequestID == "" {
		return ""
	}
	return e.Secret.hash("client", e.Address+"\n"+e.RequestID)
}

// fits reports whether the hashes in a stored entry match the values in e.
func (r *record) fits(e *Entry) bool {
	if r.AddressHash == "" && r.RequestHash == "" {
		return cmp.Or(r.Client, unpadded(r.OldClient)) == e.client()
	}
	return unpadded(r.AddressHash) == e.Secret.hash("address", e.Address) && unpadded(r.RequestHash) == e.Secret.hash("request", e.RequestID)
}

// encode returns the stored form of an entry, which begins with link, and its erasable
// part, or nil.
func (e *Entry) encode(link []byte) (stored, erasable []byte, err error) {
	r := record{Entry: *e}
	if e.Address != "" || e.RequestID != "" || e.Commitment != "" {
		if e.Secret == (Secret{}) {
			e.Secret = NewSecret()
		}
		r.Address, r.RequestID = "", ""
		r.Client = e.client()
		sum := ""
		if e.Commitment != "" {
			r.SHA256, sum = e.Commitment, e.SHA256
		}
		erasable = appendTexts(append(make([]byte, 0, 96), e.Secret[:]...), sum, e.Address, e.RequestID)
	}
	text, err := json.Marshal(&r)
	if err != nil {
		return nil, nil, fmt.Errorf("writing the journal: %w", err)
	}
	if stored = append(link[:len(link):len(link)], text...); len(stored) > MaxStored {
		return nil, nil, fmt.Errorf("the journal's entry has %d bytes, and at most %d are allowed", len(stored), MaxStored)
	}
	return stored, erasable, nil
}

// clearName returns the bucket for the erasable part of an entry.
func (e *Entry) clearName() string {
	if e.Action == Insert {
		return clearLogsName
	}
	return clearOthersName
}

// putErasable stores the erasable part of an entry.
func putErasable(tx kv.Writer, e *Entry, seq uint64, erasable []byte) error {
	key := seqKey(seq)
	if err := putClear(tx, e.clearName(), key, kv.SealInPlace(key, erasable)); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// addErasable adds the erasable part to a decoded entry, unless it was erased.
func (e *Entry) addErasable(tx kv.Reader, seq uint64) error {
	if IsCommitment(e.SHA256) {
		e.Commitment, e.SHA256 = e.SHA256, ""
	}
	key := seqKey(seq)
	sealed := tx.Bucket(e.clearName()).Get(key)
	if sealed == nil {
		return nil
	}
	v, err := kv.Unseal(key, sealed)
	if err != nil || len(v) < len(e.Secret) {
		return &DamagedError{Seq: seq, Detail: errors.Join(errors.New("its erasable part can't be read"), err).Error()}
	}
	e.Secret = Secret(v)
	sum, address, id, ok := texts(v[len(e.Secret):])
	if e.Address, e.RequestID = address, id; e.Commitment != "" {
		e.SHA256 = sum
	}
	if !ok {
		return &DamagedError{Seq: seq, Detail: "its erasable part can't be read"}
	}
	return nil
}

// IsCommitment reports whether a member sha256 has the length of a result of Commit. A
// plain SHA-256, in hexadecimal, is longer.
func IsCommitment(sum string) bool { return len(sum) == base64.RawStdEncoding.EncodedLen(sha256.Size) }

// unpadded returns a hash as Commit does. Older programs wrote hashes with padding.
func unpadded(hash string) string { return strings.TrimSuffix(hash, "=") }

// Erase erases the erasable part of a log's entry: the salts, the address and the request
// id. It also erases the body of a signed request.
func Erase(tx kv.Writer, seq uint64) error {
	for _, bucket := range []string{clearLogsName, signedLogsName} {
		b, err := tx.Writable(bucket)
		if err == nil {
			err = b.Delete(seqKey(seq))
		}
		if err != nil {
			return fmt.Errorf("erasing a log from the journal: %w", err)
		}
	}
	return nil
}

// EraseLogs is like Erase for the entries of all logs, except those in stay.
func EraseLogs(tx kv.Writer, stay []uint64) error {
	for _, bucket := range []string{clearLogsName, signedLogsName} {
		if err := eraseLogs(tx, bucket, stay); err != nil {
			return fmt.Errorf("erasing the logs from the journal: %w", err)
		}
	}
	return nil
}

func eraseLogs(tx kv.Writer, bucket string, stay []uint64) error {
	kept := map[uint64][]byte{}
	for _, seq := range stay {
		if v := tx.Bucket(bucket).Get(seqKey(seq)); v != nil {
			kept[seq] = bytes.Clone(v)
		}
	}
	if err := tx.Remove(bucket); err != nil {
		return err
	}
	for _, seq := range slices.Sorted(maps.Keys(kept)) {
		if err := putClear(tx, bucket, seqKey(seq), kept[seq]); err != nil {
			return err
		}
	}
	return nil
}

// putClear stores a sealed value.
func putClear(tx kv.Writer, name string, key, sealed []byte) error {
	b, err := tx.Writable(name)
	if err != nil {
		return err
	}
	return b.Put(key, sealed)
}

// RestoreErased copies the erasable part of a log's entry from a backup.
func RestoreErased(tx kv.Writer, old kv.Reader, seq uint64) error {
	key := seqKey(seq)
	return cmp.Or(regain(tx, old, clearLogsName, key), regain(tx, old, signedLogsName, key))
}

// CheckClear verifies that the erasable part of each entry has the hashes in the entry.
func CheckClear(tx kv.Reader) error {
	for _, name := range []string{clearLogsName, clearOthersName} {
		for k := range kv.All(tx.Bucket(name)) {
			seq := seqOf(k)
			v := tx.Bucket(bucketName).Get(k)
			var r record
			if len(v) < sha256.Size || json.Unmarshal(v[sha256.Size:], &r) != nil || r.clearName() != name {
				return &DamagedError{Seq: seq, Detail: "is missing, but its erasable part exists"}
			}
			e := r.Entry
			if err := e.addErasable(tx, seq); err != nil {
				return err
			}
			if !r.fits(&e) {
				return &DamagedError{Seq: seq, Detail: "its erasable part does not match its hashes"}
			}
		}
	}
	return nil
}
