package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// Hash is a short identifier of something long.
type Hash [16]byte

// Secret is what the hashes of a store depend on. It is in the store's Totals, and is
// drawn once.
type Secret [32]byte

// Hasher computes hashes of names and texts: the beginning of an HMAC-SHA-256 with the
// store's secret. So without the secret nobody can test whether a record was about
// something that they guess. Several goroutines may use a Hasher.
type Hasher struct{ macs sync.Pool }

// mac is a hash, and memory for what it hashes.
type mac struct {
	hash hash.Hash
	text []byte
}

// NewHasher returns the Hasher of a secret.
func NewHasher(secret Secret) *Hasher {
	return &Hasher{sync.Pool{New: func() any { return &mac{hash: hmac.New(sha256.New, secret[:])} }}}
}

// Of returns the hash of parts, which their lengths separate. Hashes for different uses
// begin with different parts.
func (h *Hasher) Of(parts ...string) (sum Hash) {
	m := h.macs.Get().(*mac)
	m.text = m.text[:0]
	for _, p := range parts {
		m.text = append(binary.BigEndian.AppendUint64(m.text, uint64(len(p))), p...)
	}
	m.hash.Reset()
	_, _ = m.hash.Write(m.text)
	m.text = m.hash.Sum(m.text[:0])
	copy(sum[:], m.text)
	h.macs.Put(m)
	return sum
}

// Number returns the first 64 bits of a hash.
func (h Hash) Number() uint64 { return binary.BigEndian.Uint64(h[:]) }

// ofNumbers returns the hash of numbers for the records with a letter.
func (h *Hasher) ofNumbers(letter byte, numbers ...uint64) Hash {
	b := append(make([]byte, 0, 32), letter)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return h.Of(string(b))
}

// named returns the key of a record with a name.
func (h *Hasher) named(letter byte, name ...string) []byte {
	sum := h.Of(append([]string{string(letter)}, name...)...)
	return append([]byte{letter}, sum[:]...)
}

// TimeKey returns the key of an empty record that lists a context in a bucket of a kind.
func (h *Hasher) TimeKey(kind uint64, bucket int64, number uint64) []byte {
	return key(times, h.ofNumbers(times, kind).Number(), uint64(bucket)^1<<63, number)
}

// TimeRange returns the range of keys of a bucket.
func (h *Hasher) TimeRange(kind uint64, bucket int64) (from, to []byte) {
	return h.TimeKey(kind, bucket, 0), h.TimeKey(kind, bucket+1, 0)
}

// ReuseKey returns the key of the count of ids that a robot reused.
func (h *Hasher) ReuseKey(robot string) []byte { return h.named(reuses, robot) }

// ClockKey returns the key of a robot's clock.
func (h *Hasher) ClockKey(robot string) []byte { return h.named(clocks, robot) }

// KindKey returns the key of the counts of a kind.
func (h *Hasher) KindKey(kind uint64) []byte { return key(kinds, h.ofNumbers(kinds, kind).Number()) }

// TextKey returns the key of the frequency of a text within a kind.
func (h *Hasher) TextKey(kind, text uint64) []byte { return h.frequencyKey(texts, kind, text) }

// SubjectKey returns the key of the frequency of a subject within a kind.
func (h *Hasher) SubjectKey(kind, subject uint64) []byte {
	return h.frequencyKey(subjects, kind, subject)
}

// PlaceKey returns the key of the frequency of a place within a kind.
func (h *Hasher) PlaceKey(kind, place uint64) []byte { return h.frequencyKey(places, kind, place) }

func (h *Hasher) frequencyKey(letter byte, kind, of uint64) []byte {
	sum := h.ofNumbers(letter, kind, of)
	return append([]byte{letter}, sum[:]...)
}

// WatchedKey returns the key of a subject that may be a placeholder.
func (h *Hasher) WatchedKey(subject string) []byte { return h.named(watched, subject) }

// PairKey returns the key of a pair of robots. first sorts before second.
func (h *Hasher) PairKey(first, second string) []byte { return h.named(pairs, first, second) }

// PersonKey returns the key of two subjects that may be one person. first sorts before second.
func (h *Hasher) PersonKey(first, second string) []byte { return h.named(people, first, second) }

// RelayKey returns the key of a robot that may be a relay.
func (h *Hasher) RelayKey(robot string) []byte { return h.named(relays, robot) }
