package retries

import (
	"encoding/binary"
	"errors"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
)

// record is a kept answer. Its value in the file is id, body, user, and then the rest as
// varints and the answer.
type record struct {
	id, body  [16]byte
	user      [8]byte
	time      int64  // when it was stored, in seconds since 1970
	last      uint64 // number of the last journal entry then
	entered   bool   // last is the entry of the request's write
	erased    bool   // the body's hash was removed
	byRequest bool   // the key is a request id
	status    int
	answer    []byte // packed, if the record was read
}

// fixedSize is the size of id, body and user.
const fixedSize = 16 + 16 + 8

// Flags of a record.
const (
	isEntered = 1 << iota
	isErased
	isByRequest
)

var errRecord = errors.New("a kept answer can't be read")

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// numberOf returns the number of a key, or 0 if it is not one.
func numberOf(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// hashOf returns the part of an id by which the index finds its record.
func hashOf(id [16]byte) uint64 { return binary.BigEndian.Uint64(id[:]) }

func (x *record) hash() uint64 { return hashOf(x.id) }

func (x *record) kept(tx kv.Reader) (*Kept, error) {
	answer, err := unpack(x.answer)
	k := &Kept{Status: x.status, Answer: answer}
	if err != nil || !x.entered {
		return k, err
	}
	e, err := journal.Get(tx, x.last)
	k.Entry = &journal.Numbered{Seq: x.last, Entry: e}
	return k, err
}

// encode returns the sealed value of a record.
func (x *record) encode(key []byte) []byte {
	flags := uint64(0)
	for _, f := range []struct {
		set  bool
		flag uint64
	}{{x.entered, isEntered}, {x.erased, isErased}, {x.byRequest, isByRequest}} {
		if f.set {
			flags |= f.flag
		}
	}
	v := make([]byte, 0, fixedSize+20+len(x.answer))
	v = append(append(append(v, x.id[:]...), x.body[:]...), x.user[:]...)
	for _, n := range []uint64{flags, uint64(x.status), uint64(x.time), x.last} {
		v = binary.AppendUvarint(v, n)
	}
	return kv.SealInPlace(key, pack(v, x.answer))
}

// decode returns the record with a key. Its answer shares the memory of sealed.
func decode(key, sealed []byte) (*record, error) {
	v, err := kv.Unseal(key, sealed)
	if err != nil {
		return nil, err
	}
	x := &record{}
	if len(key) != 8 || len(v) < fixedSize {
		return nil, errRecord
	}
	v = v[copy(x.id[:], v):]
	v = v[copy(x.body[:], v):]
	v = v[copy(x.user[:], v):]
	r := varint.NewReader(v)
	flags, status := r.Uint(), r.Uint()
	x.time, x.last = int64(r.Uint()), r.Uint()
	if r.Failed() {
		return nil, errRecord
	}
	x.entered, x.erased, x.byRequest = flags&isEntered != 0, flags&isErased != 0, flags&isByRequest != 0
	x.status, x.answer = int(status), r.Rest()
	return x, nil
}

// owner is what the bucket retryusers has of a user.
type owner struct {
	count uint64
	from  uint64 // no record of the user has a lower number
}

func readOwner(b kv.Bucket, user [8]byte) (owner, error) {
	sealed := b.Get(user[:])
	if sealed == nil {
		return owner{}, nil
	}
	v, err := kv.Unseal(user[:], sealed)
	if err != nil {
		return owner{}, err
	}
	r := varint.NewReader(v)
	o := owner{r.Uint(), r.Uint()}
	if r.Failed() {
		return owner{}, errRecord
	}
	return o, nil
}

func putOwner(b kv.Writable, user [8]byte, o owner) error {
	if o.count == 0 {
		return b.Delete(user[:])
	}
	v := binary.AppendUvarint(binary.AppendUvarint(make([]byte, 0, 24), o.count), o.from)
	return b.Put(user[:], kv.SealInPlace(user[:], v))
}
