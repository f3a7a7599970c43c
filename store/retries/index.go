package retries

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/segraph/segraph/store/engine"
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

func markOf(hash, number, block uint64) uint64 { return hash&^placeMask | number%block }

// recent finds the records that are not in the index yet.
type recent struct {
	newest map[uint64]uint64   // hash -> number of the newest record
	older  map[uint64][]uint64 // the numbers of other records with the hash, oldest first
}

func newRecent() recent {
	return recent{newest: map[uint64]uint64{}, older: map[uint64][]uint64{}}
}

func (x *recent) add(hash, number uint64) {
	if n, ok := x.newest[hash]; ok {
		x.older[hash] = append(x.older[hash], n)
	}
	x.newest[hash] = number
}

// find returns the numbers of records with a hash, oldest first.
func (x *recent) find(hash uint64) []uint64 {
	n, ok := x.newest[hash]
	if !ok {
		return nil
	}
	return append(slices.Clone(x.older[hash]), n)
}

// marks returns the sorted marks of the records in a block.
func (x *recent) marks(number, block uint64) (marks []uint64) {
	for hash, n := range x.newest {
		for _, n := range append([]uint64{n}, x.older[hash]...) {
			if n/block == number {
				marks = append(marks, markOf(hash, n, block))
			}
		}
	}
	slices.Sort(marks)
	return marks
}

// remove removes the records of a block and earlier ones.
func (x *recent) remove(number, block uint64) {
	for hash, n := range x.newest {
		older := slices.DeleteFunc(x.older[hash], func(n uint64) bool { return n/block <= number })
		switch {
		case n/block <= number: // so are all older ones
			delete(x.newest, hash)
			delete(x.older, hash)
		case len(older) == 0:
			delete(x.older, hash)
		default:
			x.older[hash] = older
		}
	}
}

// forget removes one record.
func (x *recent) forget(hash, number uint64) {
	all := slices.DeleteFunc(x.find(hash), func(n uint64) bool { return n == number })
	delete(x.newest, hash)
	delete(x.older, hash)
	if last := len(all) - 1; last >= 0 {
		x.newest[hash] = all[last]
		if last > 0 {
			x.older[hash] = all[:last]
		}
	}
}

// seal moves the oldest full block from memory to the file. One block is left to grow old
// first, so that all of its records are stored. If it fails, the next request tries again.
func (r *Retries) seal(ctx context.Context) {
	r.mu.Lock()
	due, number := r.next/r.limits.block > r.sealed+1, r.sealed
	r.mu.Unlock()
	if !due || !r.sealing.TryLock() {
		return
	}
	defer r.sealing.Unlock()
	r.mu.Lock()
	marks := r.recent.marks(number, r.limits.block)
	due = number == r.sealed
	r.mu.Unlock()
	if !due {
		return
	}
	err := r.store.Update(ctx, func(tx *engine.Tx) error { return putMarks(tx.KV(), numberKey(number), marks) })
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent.remove(number, r.limits.block)
	r.sealed = number + 1
}

func putMarks(tx kv.Writer, key []byte, marks []uint64) error {
	b, err := tx.Writable(indexName)
	if err != nil {
		return err
	}
	v := make([]byte, 0, len(marks)*markSize+4)
	for _, m := range marks {
		v = binary.BigEndian.AppendUint64(v, m)
	}
	return b.Put(key, kv.SealInPlace(key, v))
}

// find calls look with the numbers of records that may have a hash, newest block first,
// until look returns false. It does not verify the checksums of the blocks: a damaged one
// leads to no record, or to one with another id.
func find(index kv.Bucket, hash, block uint64, look func(number uint64) (more bool, err error)) error {
	c := index.Cursor()
	for k, v := c.Last(); k != nil; k, v = c.Prev() {
		n := (len(v) - 4) / markSize
		for i := search(v, n, hash&^placeMask); i < n; i++ {
			m := markAt(v, i)
			if m&^placeMask != hash&^placeMask {
				break
			}
			if more, err := look(numberOf(k)*block + m&placeMask); !more || err != nil {
				return err
			}
		}
	}
	return nil
}

func markAt(v []byte, i int) uint64 { return binary.BigEndian.Uint64(v[i*markSize:]) }

// search returns the place of the first of n marks that is not less than a mark. Marks are
// evenly distributed, so that it is near its share of all.
func search(v []byte, n int, mark uint64) int {
	const near = 256
	guess := int(float64(mark) / (1 << 64) * float64(n))
	from, to := max(0, guess-near), min(n, guess+near)
	if from > 0 && markAt(v, from-1) >= mark {
		from = 0
	}
	if to < n && markAt(v, to) < mark {
		to = n
	}
	return from + sort.Search(to-from, func(i int) bool { return markAt(v, from+i) >= mark })
}
