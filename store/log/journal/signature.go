package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/store/engine/kv"
)

// A signed request (RFC 9421) is kept with its entry, so that anyone can verify later who
// sent it. The entry commits to the id of the key, and holds a hash of the signature base
// and the signature. The body is erased with the content. The signature base and the
// signature stay, with the digest of the body, until EraseSignature.
//
//	signed        number -> id of the key, signature, signature base, and a checksum;
//	              only the checksum after EraseSignature
//	signedlogs    number -> body of a log, and a checksum
//	signedothers  the same for other entries, erased with the contexts
const (
	signedName       = "signed"
	signedLogsName   = "signedlogs"
	signedOthersName = "signedothers"
)

const signatureSize = 64 // bytes of an Ed25519 signature

// Signature is the signature of a request.
type Signature struct {
	KeyID   KeyID
	Base    string // signature base (RFC 9421, section 2.5)
	Value   [signatureSize]byte
	Nonce   string // "" if it is kept with an earlier line of the request
	Created time.Time
	// Body is the body as received, after PackBody. It is nil after it was erased.
	Body []byte
	// Answer is the answer to the request, if it can't be made from the entry again.
	Answer []byte
}

// Hash returns the base64 of the SHA-256 of the signature base followed by the signature.
// Without the signature, nobody can use the hash to check a guess at the content.
func (s *Signature) Hash() string {
	h := sha256.New()
	_, _ = h.Write([]byte(s.Base))
	_, _ = h.Write(s.Value[:])
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// signedBodies returns the bucket with the body of an entry's request.
func (e *Entry) signedBodies() string {
	if e.Action == Insert {
		return signedLogsName
	}
	return signedOthersName
}

// putSignature keeps the signature of an entry's request, and its nonce.
func putSignature(tx kv.Writer, e *Entry, seq uint64) error {
	if k, found, err := KeyWith(tx, e.Signature.KeyID); err != nil || found && !k.Removed.IsZero() {
		return cmp.Or(err, ErrKeyRemoved) // removed since the request began
	}
	s, key := e.Signature, seqKey(seq)
	v := append(append(append([]byte{}, s.KeyID[:]...), s.Value[:]...), s.Base...)
	if err := putSealed(tx, signedName, key, v); err != nil {
		return err
	}
	if err := putSealed(tx, e.signedBodies(), key, s.Body); err != nil {
		return err
	}
	if s.Nonce == "" {
		return nil
	}
	return putNonce(tx, s, seq, e.Time)
}

// putSealed stores a value with a checksum.
func putSealed(tx kv.Writer, bucket string, key, value []byte) error {
	b, err := tx.Writable(bucket)
	if err == nil {
		err = b.Put(key, kv.Seal(key, value))
	}
	if err != nil {
		return fmt.Errorf("keeping a signature: %w", err)
	}
	return nil
}

// SignedRequest holds the kept data of a signed request, enough to verify who sent it.
type SignedRequest struct {
	Key   SigningKey
	Base  string // signature base
	Value []byte // Ed25519 signature of Base by Key.Public
	Body  []byte // as received, with its Content-Encoding
	// Erased reports that the body was erased with the content, or with the contexts.
	Erased bool
}

// ErrSignatureErased reports that a request was signed, and that its signature was erased.
var ErrSignatureErased = errors.New("the signature was erased")

// SignatureOf returns the kept data of an entry's request, or nil if it was not signed.
// It does not verify the signature. The error may be ErrSignatureErased.
func SignatureOf(tx kv.Reader, seq uint64) (*SignedRequest, error) {
	e, err := Get(tx, seq)
	if err != nil || e.SignatureHash == "" {
		return nil, err
	}
	s, err := kept(tx, seq, &e)
	if err != nil {
		return nil, err
	}
	k, found, err := KeyWith(tx, s.KeyID)
	if err != nil || !found {
		return nil, &DamagedError{Seq: seq, Detail: "the key of its signature is missing or can't be read"}
	}
	out := &SignedRequest{Key: k, Base: s.Base, Value: s.Value[:]}
	if out.Body, err = SignedBody(tx, seq, &e); err != nil {
		return nil, &DamagedError{Seq: seq, Detail: "the body of its request can't be read: " + err.Error()}
	}
	out.Erased = out.Body == nil
	return out, nil
}

// SignedBody returns the kept body of an entry's request as it was received, or nil if there is none.
func SignedBody(tx kv.Reader, seq uint64, e *Entry) ([]byte, error) {
	if e.SignatureHash == "" {
		return nil, nil
	}
	packed, err := kv.GetSealed(tx.Bucket(e.signedBodies()), seqKey(seq))
	if err != nil || packed == nil {
		return nil, err
	}
	return unpackBody(packed)
}

// kept returns the signature of an entry. The error is a *DamagedError if the signature
// does not have the hash and the key that the entry names.
func kept(tx kv.Reader, seq uint64, e *Entry) (*Signature, error) {
	v, err := kv.GetSealed(tx.Bucket(signedName), seqKey(seq))
	var s Signature
	if err == nil && v != nil && len(v) == 0 {
		return nil, ErrSignatureErased
	}
	if err != nil || len(v) < len(s.KeyID)+signatureSize {
		return nil, &DamagedError{Seq: seq, Detail: "its signature is missing or can't be read"}
	}
	s.KeyID, v = KeyID(v), v[len(s.KeyID):]
	s.Value, v = [signatureSize]byte(v), v[signatureSize:]
	s.Base = string(v)
	rightKey := e.Erased.Has(Who) || s.KeyID.String() == e.Signer // erased, the entry no longer names it
	if s.Hash() != e.SignatureHash || !rightKey {
		return nil, &DamagedError{Seq: seq, Detail: "its signature has another hash"}
	}
	return &s, nil
}

// IsSigned reports whether a stored entry has a signature.
func IsSigned(stored []byte) bool { return bytes.Contains(stored, []byte(`"signature_sha256":"`)) }

// CheckSigned verifies each stored signature: it has the hash and the key that its entry
// names, and the key is in the file. It also verifies that each signed entry has a
// signature, and that all keys and nonces can be read. signed is the number of signed entries.
func CheckSigned(tx kv.Reader, signed int) error {
	if _, err := Keys(tx); err != nil {
		return &DamagedError{Detail: err.Error()}
	}
	for k, v := range kv.All(tx.Bucket(noncesName)) {
		if _, err := kv.Unseal(k, v); err != nil {
			return &DamagedError{Detail: "a nonce can't be read"}
		}
	}
	n := 0
	for k := range kv.All(tx.Bucket(signedName)) {
		seq := seqOf(k)
		n++
		e, err := Get(tx, seq)
		if err != nil {
			return err
		}
		s, err := kept(tx, seq, &e)
		if errors.Is(err, ErrSignatureErased) && e.SignatureHash != "" {
			continue
		}
		if err != nil {
			return err
		}
		if _, found, err := KeyWith(tx, s.KeyID); err != nil || !found {
			return &DamagedError{Seq: seq, Detail: "the key of its signature is missing or can't be read"}
		}
	}
	if n != signed {
		return &DamagedError{Detail: fmt.Sprintf("%d entries are signed, and %d signatures are kept", signed, n)}
	}
	for _, bucket := range []string{signedLogsName, signedOthersName} {
		for k, v := range kv.All(tx.Bucket(bucket)) {
			if tx.Bucket(signedName).Get(k) == nil {
				return &DamagedError{Seq: seqOf(k), Detail: "has a body and no signature"}
			}
			if _, err := kv.Unseal(k, v); err != nil {
				return &DamagedError{Seq: seqOf(k), Detail: "the body of its request can't be read"}
			}
		}
	}
	return nil
}

// EraseSignature erases the signature of an entry's request, with its base and its body.
// Use it with Erase when the signer, the claimed user or a person in the body is erased:
// the base names the user and the key, and has a digest of the body without a salt.
func EraseSignature(tx kv.Writer, seq uint64) error {
	e, err := get(tx, seq)
	if err != nil || e.SignatureHash == "" {
		return err
	}
	if err := putSealed(tx, signedName, seqKey(seq), nil); err != nil {
		return err
	}
	return remove(tx, e.signedBodies(), seqKey(seq))
}

// EraseOthers erases the bodies of signed requests other than logs.
func EraseOthers(tx kv.Writer) error {
	if err := tx.Remove(signedOthersName); err != nil {
		return fmt.Errorf("erasing the bodies of signed requests: %w", err)
	}
	return nil
}

// The coders are safe for concurrent use.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		return must(e, err)
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxBody))
		return must(d, err)
	})
)

// MaxBody is more bytes than any request's body has, as sent or decompressed.
const MaxBody = 64 << 20

func must[T any](v T, err error) T {
	if err != nil { // the options above are wrong
		panic(fmt.Errorf("make a compressor: %w", err))
	}
	return v
}

// PackBody compresses the body of a request.
func PackBody(body []byte) []byte { return packer().EncodeAll(body, make([]byte, 0, len(body)/2)) }

func unpackBody(packed []byte) ([]byte, error) { return unpacker().DecodeAll(packed, []byte{}) }
