package retries

import (
	"encoding/binary"
	"errors"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// record is a kept answer. Its value in the file is id and user, the rest as varints, most as
// differences that are small, and content. The content of a published log is not there, but beside
// the log's entry.
type record struct {
	id      [12]byte
	user    [5]byte
	kind    kind
	status  int    // of the answer
	ordinal uint64 // number of the user's records until then, with this one
	time    int64  // when it was stored, in seconds since 1970
	last    uint64 // number of the last journal entry then
	content []byte // hash of the body, and the answer, packed
}

// A record's status and time are stored as differences from these.
const (
	usualStatus = 200
	firstTime   = 1_767_225_600 // 1 January 2026, in seconds since 1970
)

// kind is how an answer was stored.
type kind uint64

const (
	alone     kind = iota
	withEntry      // with the entry of the request's write, which has the number last
	withLog        // the same, and the write published a log
)

var errRecord = errors.New("a kept answer can't be read")

// keySize is the length of a number in the file, in bytes.
const keySize = 5

func numberKey(n uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 8), n<<(64-8*keySize))[:keySize]
}

// numberOf returns the number of a key, or 0 if it is not one.
func numberOf(key []byte) uint64 {
	if len(key) != keySize {
		return 0
	}
	return uint64(key[0])<<32 | uint64(binary.BigEndian.Uint32(key[1:]))
}

// hashOf returns the part of an id by which the index finds its record.
func hashOf(id [12]byte) uint64 { return binary.BigEndian.Uint64(id[:]) }

// content returns what a record keeps of a body and an answer.
func content(t *journal.Retry) []byte {
	if t.Observed {
		return append(t.Hash[:bodySize:bodySize], observed)
	}
	return pack(t.Hash[:bodySize:bodySize], t.Answer)
}

// observed stands for an answer that Retry.Observed describes. No packed answer begins with it.
const observed = 0

// kept returns the answer of a record, and the hash of its body unless that was removed.
func (x *record) kept(tx kv.Reader) (k *Kept, hash []byte, err error) {
	k = &Kept{Status: x.status}
	if x.kind != alone {
		e, err := journal.Get(tx, x.last)
		if err != nil {
			return nil, nil, err
		}
		k.Entry = &journal.Numbered{Seq: x.last, Entry: e}
		if x.kind == withLog {
			x.content = []byte(e.Retried)
		}
	}
	if len(x.content) < bodySize {
		return k, nil, nil
	}
	if hash, packed := x.content[:bodySize], x.content[bodySize:]; len(packed) == 1 && packed[0] == observed {
		k.Observed = &journal.Entry{}
		*k.Observed, err = journal.Get(tx, x.last-1)
		return k, hash, err
	}
	k.Answer, err = unpack(x.content[bodySize:])
	return k, x.content[:bodySize], err
}

// encode returns the sealed value of a record.
func (x *record) encode(key []byte) []byte {
	v := make([]byte, 0, 64+len(x.content))
	v = append(append(v, x.id[:]...), x.user[:]...)
	v = binary.AppendUvarint(v, uint64(x.status-usualStatus)<<2|uint64(x.kind))
	v = binary.AppendUvarint(v, uint64(x.time-firstTime))
	number := numberOf(key)
	v = binary.AppendUvarint(v, number-x.ordinal)
	v = binary.AppendVarint(v, int64(x.last-number)) // of the same size in a file whose writes have keys
	return kv.SealInPlace(key, append(v, x.content...))
}

// decode returns the record with a key. Its content shares the memory of sealed.
func decode(key, sealed []byte) (*record, error) {
	v, err := kv.Unseal(key, sealed)
	if err != nil {
		return nil, err
	}
	x, r := &record{}, varint.NewReader(v)
	copy(x.id[:], r.Bytes(len(x.id)))
	copy(x.user[:], r.Bytes(len(x.user)))
	n := r.Uint()
	x.status, x.kind = int(n>>2)+usualStatus, kind(n&3)
	x.time = int64(r.Uint()) + firstTime
	x.ordinal = numberOf(key) - r.Uint()
	last := r.Uint() // a signed difference, as AppendVarint encodes it
	x.last = numberOf(key) + (last>>1 ^ -(last & 1))
	if r.Failed() || len(key) != keySize {
		return nil, errRecord
	}
	x.content = r.Rest()
	return x, nil
}
