package retries

import (
	"encoding/binary"
	"iter"
	"slices"
	"sort"

	"github.com/segraph/segraph/store/engine/kv"
)

// The index leads from the hash of an id to the numbers of records that may have it. It has
// a value for each full block of numbers: the sorted marks of the block's records. A mark is
// the hash, whose last bits are replaced by the record's place in the block. The newest
// numbers are in memory instead (recent), and are read again when a file is opened. So a
// write adds to the end of the file's buckets only, and neither memory nor the time of a
// start grows with the number of records.

// blockSize is how many numbers a block of the index has.
const blockSize = 1 << placeBits

const (
	placeBits = 14
	placeMask = blockSize - 1
	markSize  = 8
)

// recent has the records that are not in the index yet, by hash, oldest first.
type recent map[uint64][]recentRecord

type recentRecord struct {
	number uint64
	body   [bodySize]byte // zero if the record was read from the file
}

func (x recent) add(of *record, r recentRecord) { x[hashOf(of.id)] = append(x[hashOf(of.id)], r) }

// remove removes the records with numbers below one.
func (x recent) remove(below uint64) {
	for hash, records := range x {
		x[hash] = slices.DeleteFunc(records, func(n recentRecord) bool { return n.number < below })
		if len(x[hash]) == 0 {
			delete(x, hash)
		}
	}
}

// candidates returns the records that may have a hash, newest first: the recent ones, and
// those in the index. It does not verify the checksums of the index: a damaged block leads
// to no record, or to one with another id.
func (r *Retries) candidates(tx kv.Reader, recent []recentRecord, hash uint64) iter.Seq[recentRecord] {
	return func(yield func(recentRecord) bool) {
		for _, n := range slices.Backward(recent) {
			if !yield(n) {
				return
			}
		}
		c := tx.Bucket(indexName).Cursor()
		for k, v := c.Last(); k != nil; k, v = c.Prev() {
			n := (len(v) - 4) / markSize // without the checksum
			end := sort.Search(n, func(i int) bool { return markAt(v, i) > hash|placeMask })
			for i := end - 1; i >= 0 && markAt(v, i)&^placeMask == hash&^placeMask; i-- {
				if !yield(recentRecord{number: numberOf(k)*r.limits.block + markAt(v, i)&placeMask}) {
					return
				}
			}
		}
	}
}

// index writes the marks of the records in a block, which is full.
func (r *Retries) index(tx kv.Writer, block uint64) error {
	var marks []uint64
	for k, v := range kv.From(tx.Bucket(recordsName), numberKey(block*r.limits.block)) {
		n := numberOf(k)
		if n/r.limits.block != block {
			break
		}
		x, err := decode(k, v)
		if err != nil {
			return err
		}
		marks = append(marks, hashOf(x.id)&^placeMask|n%r.limits.block)
	}
	b, err := tx.Writable(indexName)
	if err != nil {
		return err
	}
	key := numberKey(block)
	if len(marks) == 0 {
		return b.Delete(key)
	}
	slices.Sort(marks)
	v := make([]byte, 0, len(marks)*markSize+4)
	for _, m := range marks {
		v = binary.BigEndian.AppendUint64(v, m)
	}
	return b.Put(key, kv.SealInPlace(key, v))
}

func markAt(v []byte, i int) uint64 { return binary.BigEndian.Uint64(v[i*markSize:]) }
