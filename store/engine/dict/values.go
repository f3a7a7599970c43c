package dict

import (
	"encoding/binary"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
)

// Values calls f with the number and value of each term of a tag in bucket b, in the
// order of their numbers, beginning at from, until f returns false. b may be nil. value
// is valid until f returns.
func Values(b *bolt.Bucket, tag int, from uint64, f func(number uint64, value []byte) bool) error {
	if b == nil || b.Bucket(termsName) == nil || from > ids.MaxNumber {
		return nil
	}
	first := ids.New(tag, from)
	c := b.Bucket(termsName).Cursor()
	k, v, next := floor(c, binary.BigEndian.AppendUint64(nil, uint64(first)))
	if k == nil && next != nil {
		k, v = c.First()
	}
	for ; len(k) == 8; k, v = c.Next() {
		id := ID(binary.BigEndian.Uint64(k))
		if id.Tag() > tag {
			break
		}
		if id.Tag() < tag {
			continue
		}
		if more, err := eachValue(id, first, k, v, f); err != nil || !more {
			return err
		}
	}
	return nil
}

// eachValue calls f with the number and value of each entry of the block with key k and content v, beginning at
// the id first. The block begins with id. more reports whether f wants the entries of the next block.
func eachValue(id, first ID, k, v []byte, f func(number uint64, value []byte) bool) (more bool, err error) {
	entries, n, err := openBlock(k, v)
	if err != nil || id+ID(n) <= first {
		return true, err
	}
	var content []byte
	for range n {
		shared, suffix, rest, err := cutEntry(entries)
		if err != nil || shared > len(content) {
			return false, errEntry
		}
		content, entries = append(content[:shared], suffix...), rest
		if id >= first {
			value := content
			if id.IsLiteral() {
				if _, value, err = cutTag(content); err != nil {
					return false, err
				}
			}
			if !f(uint64(id&ids.PayloadMask), value) {
				return false, nil
			}
		}
		id++
	}
	return true, nil
}

// Stored returns the least and the greatest number of a tag in bucket b. It reports false
// if there is none.
func Stored(b *bolt.Bucket, tag int) (least, greatest uint64, ok bool, err error) {
	if b == nil || b.Bucket(termsName) == nil {
		return 0, 0, false, nil
	}
	c := b.Bucket(termsName).Cursor()
	lo, hi := ids.Range(tag)
	k, _ := c.Seek(binary.BigEndian.AppendUint64(nil, uint64(lo)))
	if len(k) != 8 || ID(binary.BigEndian.Uint64(k)) > hi {
		return 0, 0, false, nil
	}
	least = binary.BigEndian.Uint64(k) & ids.PayloadMask
	k, v, _ := floor(c, binary.BigEndian.AppendUint64(nil, uint64(hi)))
	_, n, err := openBlock(k, v)
	return least, binary.BigEndian.Uint64(k)&ids.PayloadMask + uint64(n) - 1, err == nil, err
}

// NumberRange returns the range of ids of a tag with numbers from first to last.
func NumberRange(tag int, first, last uint64) (lo, hi ID) {
	return ids.New(tag, min(first, ids.PayloadMask)), ids.New(tag, min(last, ids.PayloadMask))
}
