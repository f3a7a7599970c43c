package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

var bucketName = []byte("journal")

// DamagedError says that the journal was changed by something else than Append.
type DamagedError struct {
	Seq    uint64 // the entry's number, from 1
	Detail string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("journal entry %d: %s", e.Seq, e.Detail)
}

// Damaged says what is wrong; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }

// Append adds e as the last entry, in a write transaction, and gives its number, from 1.
// What is stored is the SHA-256 of the stored entry before (zeros for the first) and e as JSON.
func Append(tx *bolt.Tx, e Entry) (uint64, error) {
	b, err := tx.CreateBucketIfNotExists(bucketName)
	if err != nil {
		return 0, fmt.Errorf("opening the journal: %w", err)
	}
	b.FillPercent = 1 // entries are only ever appended
	var seq uint64
	var link [sha256.Size]byte
	if k, v := b.Cursor().Last(); k != nil {
		seq = binary.BigEndian.Uint64(k)
		link = sha256.Sum256(v)
	}
	seq++
	text, err := json.Marshal(e)
	if err != nil {
		return 0, fmt.Errorf("writing the journal: %w", err)
	}
	if err := b.Put(binary.BigEndian.AppendUint64(nil, seq), append(link[:], text...)); err != nil {
		return 0, fmt.Errorf("writing the journal: %w", err)
	}
	return seq, nil
}

// Each calls f with every entry in order, verifying that each holds the hash of the one
// before, until f gives an error, which Each returns. Entries that were cut off the end are not
// noticed.
func Each(tx *bolt.Tx, f func(seq uint64, e Entry) error) error {
	b := tx.Bucket(bucketName)
	if b == nil {
		return nil
	}
	var link [sha256.Size]byte
	want := uint64(1)
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) != 8 || binary.BigEndian.Uint64(k) != want {
			return &DamagedError{Seq: want, Detail: "is missing"}
		}
		if len(v) < len(link) || [sha256.Size]byte(v[:len(link)]) != link {
			return &DamagedError{Seq: want, Detail: "does not follow from the one before"}
		}
		var e Entry
		if err := json.Unmarshal(v[len(link):], &e); err != nil {
			return &DamagedError{Seq: want, Detail: "can't be read: " + err.Error()}
		}
		if err := f(want, e); err != nil {
			return err
		}
		link = sha256.Sum256(v)
		want++
	}
	return nil
}
