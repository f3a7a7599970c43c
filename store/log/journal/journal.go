package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/engine/kv"
)

const bucketName = "journal" // number -> the hash of the previous entry, and the entry

// DamagedError reports that something other than Append changed the journal.
type DamagedError struct {
	Seq    uint64 // number of the entry, from 1
	Detail string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("journal entry %d: %s", e.Seq, e.Detail)
}

// Damaged describes the damage; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }

// A file without a journal has this bucket with this key.
const noneName = "nojournal"

var noneKey = []byte("none")

// Disable records that a file has no journal. It returns an error if the journal has an
// entry.
func Disable(tx kv.Writer) error {
	if HeadOf(tx).Seq > 0 {
		return errors.New("the file already has a journal")
	}
	b, err := tx.Writable(noneName)
	if err == nil {
		err = b.Put(noneKey, []byte{1})
	}
	if err != nil {
		return fmt.Errorf("creating a file without a journal: %w", err)
	}
	return nil
}

// Enabled reports whether the file has a journal.
func Enabled(tx kv.Reader) bool { return tx.Bucket(noneName).Get(noneKey) == nil }

// Append appends e, after Entry.Complete, and returns its number, from 1. In a file
// without a journal it does nothing and returns 0. It stores the SHA-256 of the previous
// stored entry (zeros for the first) and e as JSON, with salted hashes of its groups. The
// values of the groups are beside the entry.
func Append(tx kv.Writer, e Entry) (uint64, error) {
	if !Enabled(tx) {
		return 0, nil
	}
	e = e.Complete()
	if e.Signature != nil {
		e.Signer, e.SignatureHash = e.Signature.KeyID.String(), e.Signature.Hash()
	}
	if e.Retry != nil && e.Action == Insert {
		e.Retried = e.Retry.Content()
	}
	b, err := tx.Writable(bucketName)
	if err != nil {
		return 0, fmt.Errorf("opening the journal: %w", err)
	}
	var seq uint64
	var link [sha256.Size]byte
	if k, v := b.Cursor().Last(); k != nil {
		seq = binary.BigEndian.Uint64(k)
		link = sha256.Sum256(v)
	}
	seq++
	stored, given, err := e.encode(link[:])
	if err != nil {
		return 0, err
	}
	if err := b.Put(seqKey(seq), stored); err != nil {
		return 0, fmt.Errorf("writing the journal: %w", err)
	}
	if err := putBeside(tx, &e, seq, given, e.Secret); err != nil {
		return 0, err
	}
	if e.Signature != nil {
		if err := putSignature(tx, &e, seq); err != nil {
			return 0, err
		}
	}
	if e.Number != nil {
		*e.Number = seq
	}
	return seq, nil
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// seqOf returns the number of a key, or 0 if it is not one.
func seqOf(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// Head is the end of a journal at some time. The chain alone does not protect the
// journal's end. A saved Head shows later whether the journal still has all entries up to
// it (Holds).
type Head struct {
	Seq  uint64            // number of the last entry, 0 if there is none
	Hash [sha256.Size]byte // hash of that entry as stored
}

// String returns the number and the hash, as in "12:9f86…".
func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Seq, h.Hash) }

// ParseHead parses the result of Head.String.
func ParseHead(s string) (h Head, err error) {
	number, hash, _ := strings.Cut(s, ":")
	seq, wrong := strconv.ParseUint(number, 10, 63)
	sum, err := hex.DecodeString(hash)
	if err = errors.Join(wrong, err); err != nil || len(sum) != len(h.Hash) {
		return Head{}, fmt.Errorf("%.100q is not a head of a journal", s)
	}
	return Head{Seq: seq, Hash: [sha256.Size]byte(sum)}, nil
}

// HeadOf returns the end of the journal, with one look-up.
func HeadOf(tx kv.Reader) Head {
	k, v := tx.Bucket(bucketName).Cursor().Last()
	if len(k) != 8 {
		return Head{}
	}
	return Head{binary.BigEndian.Uint64(k), sha256.Sum256(v)}
}

// Count returns the number of entries.
func Count(tx kv.Reader) uint64 {
	k, _ := tx.Bucket(bucketName).Cursor().Last()
	return seqOf(k)
}

// Logs returns how many logs were published, and when the newest of them was. It reads all entries, but decodes only
// the last one and those of logs that were stored in parts.
func Logs(tx kv.Reader) (n int, last time.Time, err error) {
	is, parts := []byte(`","action":"`+Insert+`","time":"`), []byte(`,"part":`) // JSON has no such text within a value
	var newest []byte
	for _, v := range kv.All(tx.Bucket(bucketName)) {
		if !bytes.Contains(v, is) {
			continue
		}
		if bytes.Contains(v, parts) {
			e, err := decode(0, v)
			if err != nil {
				return n, last, err
			}
			if e.Part > 1 {
				continue
			}
		}
		n, newest = n+1, v
	}
	if n > 0 {
		e, err := decode(0, newest)
		return n, e.Time, err
	}
	return n, last, nil
}

// Holds reports whether the journal still has the entry of a head.
func Holds(tx kv.Reader, h Head) bool {
	if h.Seq == 0 {
		return true
	}
	return sha256.Sum256(tx.Bucket(bucketName).Get(seqKey(h.Seq))) == h.Hash
}

// Stored calls f with n stored entries from a number on, in order. stored is valid until
// f returns. If an entry is missing, the error is a *DamagedError; otherwise it is f's.
func Stored(tx kv.Reader, from, n uint64, f func(stored []byte) error) error {
	if n == 0 {
		return nil
	}
	next := from
	for k, v := range kv.From(tx.Bucket(bucketName), seqKey(from)) {
		if len(k) != 8 || binary.BigEndian.Uint64(k) != next {
			break
		}
		if err := f(v); err != nil {
			return err
		}
		if next++; next == from+n {
			return nil
		}
	}
	return &DamagedError{Seq: next, Detail: "is missing"}
}

// Verify calls f with every stored entry in order, and with the head at that entry. It
// verifies that each entry has the hash of the previous one, and returns the first error
// of f. It does not detect entries cut off the end: see Head. stored is valid until f
// returns; Parse decodes it.
func Verify(tx kv.Reader, f func(h Head, stored []byte) error) error {
	var head Head
	for k, v := range kv.All(tx.Bucket(bucketName)) {
		want := head.Seq + 1
		switch {
		case len(k) != 8 || binary.BigEndian.Uint64(k) != want:
			return &DamagedError{Seq: want, Detail: "is missing"}
		case len(v) < sha256.Size || [sha256.Size]byte(v) != head.Hash:
			return &DamagedError{Seq: want, Detail: "does not follow from the previous entry"}
		case !json.Valid(v[sha256.Size:]):
			return &DamagedError{Seq: want, Detail: "can't be read"}
		}
		head = Head{want, sha256.Sum256(v)}
		if err := f(head, v); err != nil {
			return err
		}
	}
	return nil
}
