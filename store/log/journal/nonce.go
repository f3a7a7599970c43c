package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store/engine/kv"
)

// Nonces of signed requests are kept for NonceTime, to recognize a request that is sent
// again. Each signed entry removes a few that are older.
//
//	nonces      id of the key, hash of the nonce -> number of the entry, hash of the signature, answer, checksum
//	noncetimes  time and number of the entry -> key in nonces, time at which the request was signed; its sequence counts them
//	nonceslost  id of the key -> latest signing time among the requests whose nonces were removed
const (
	noncesName     = "nonces"
	nonceTimesName = "noncetimes"
	noncesLostName = "nonceslost"
)

const (
	// SignatureWindow is how far the time of a signature may be from the server's clock.
	SignatureWindow = 5 * time.Minute
	// NonceTime is how long a nonce is kept.
	NonceTime = 2 * SignatureWindow
	// MaxNonces limits the nonces in a file. It allows about 400 signed requests a second
	// for ten minutes.
	MaxNonces = 250_000

	prunedAtOnce = 4 // nonces that an entry removes at most
)

// Errors of signed requests.
var (
	ErrNonces     = errors.New("too many signed requests were stored in the last ten minutes")
	ErrNonceUsed  = errors.New("the nonce was used for another request")
	ErrNonceStale = errors.New("the request was signed too early: it may have been stored before, and its nonce is no longer known")
)

const nonceHashSize = 16

func (s *Signature) nonceKey() []byte {
	sum := sha256.Sum256([]byte(s.Nonce))
	return append(append([]byte{}, s.KeyID[:]...), sum[:nonceHashSize]...)
}

// Repeated is an earlier request with the same signature.
type Repeated struct {
	Entry  Numbered
	Answer []byte // Signature.Answer
}

// RepeatedBy returns the earlier request with this signature, or nil. The error is
// ErrNonceUsed if another request used the nonce, and ErrNonceStale if the request is so
// old that its nonce may have been removed.
func RepeatedBy(tx kv.Reader, s *Signature) (*Repeated, error) {
	key := s.nonceKey()
	v, err := kv.GetSealed(tx.Bucket(noncesName), key)
	if err != nil {
		return nil, fmt.Errorf("reading a nonce: %w", err)
	}
	if v == nil {
		if lost := tx.Bucket(noncesLostName).Get(s.KeyID[:]); len(lost) == 8 && s.Created.Unix() <= int64(binary.BigEndian.Uint64(lost)) {
			return nil, ErrNonceStale
		}
		return nil, nil
	}
	hash := s.Hash()
	if len(v) < 8+len(hash) {
		return nil, &DamagedError{Detail: "a nonce can't be read"}
	}
	seq, v := binary.BigEndian.Uint64(v), v[8:]
	if string(v[:len(hash)]) != hash {
		return nil, ErrNonceUsed
	}
	e, err := Get(tx, seq)
	if err != nil {
		return nil, err
	}
	return &Repeated{Numbered{seq, e}, append([]byte{}, v[len(hash):]...)}, nil
}

// putNonce keeps the nonce of a signed request, and removes a few old ones.
func putNonce(tx kv.Writer, s *Signature, seq uint64, now time.Time) error {
	times, err := tx.Writable(nonceTimesName)
	if err != nil {
		return fmt.Errorf("keeping a nonce: %w", err)
	}
	if err := prune(tx, times, now); err != nil {
		return err
	}
	if times.Sequence() >= MaxNonces {
		return ErrNonces
	}
	key := s.nonceKey()
	v := append(append(seqKey(seq), s.Hash()...), s.Answer...)
	if err := putSealed(tx, noncesName, key, v); err != nil {
		return err
	}
	at := append(timeKey(now), seqKey(seq)...)
	if err := times.Put(at, append(key, timeKey(s.Created)...)); err != nil {
		return fmt.Errorf("keeping a nonce: %w", err)
	}
	return times.SetSequence(times.Sequence() + 1)
}

// timeKey returns a time in seconds since 1970, and 0 for an earlier time.
func timeKey(t time.Time) []byte { return seqKey(uint64(max(0, t.Unix()))) }

// prune removes a few nonces that are older than NonceTime.
func prune(tx kv.Writer, times kv.Writable, now time.Time) error {
	before := string(timeKey(now.Add(-NonceTime)))
	var old, of [][]byte
	for k, v := range kv.All(times) {
		if len(k) != 16 || len(v) < 8 || string(k[:8]) >= before || len(old) == prunedAtOnce {
			break
		}
		old, of = append(old, append([]byte{}, k...)), append(of, append([]byte{}, v...))
	}
	for i, k := range old {
		if err := dropNonce(tx, of[i]); err != nil {
			return err
		}
		if err := times.Delete(k); err != nil {
			return fmt.Errorf("removing a nonce: %w", err)
		}
	}
	if len(old) == 0 {
		return nil
	}
	return times.SetSequence(times.Sequence() - uint64(len(old)))
}

// dropNonce removes a nonce. v is its key and the time at which its request was signed.
// dropNonce keeps the latest of these times, so that the request is still refused if the
// clock is set back.
func dropNonce(tx kv.Writer, v []byte) error {
	key, created := v[:len(v)-8], v[len(v)-8:]
	b, err := tx.Writable(noncesName)
	if err == nil {
		err = b.Delete(key)
	}
	if err != nil {
		return fmt.Errorf("removing a nonce: %w", err)
	}
	lost, err := tx.Writable(noncesLostName)
	if err != nil {
		return fmt.Errorf("removing a nonce: %w", err)
	}
	id := key[:len(key)-nonceHashSize]
	if string(lost.Get(id)) >= string(created) {
		return nil
	}
	return lost.Put(id, created)
}
