package eval

import (
	"github.com/segraph/segraph/store/sparql/budget"
	"math/bits"
)

// table is a hash table of keys, each of width ids. Keys are numbered from 0 in the
// order of insertion.
type table struct {
	width int
	keys  []ID    // width ids per key
	slots []int32 // by hash: number + 1, 0 for none
	n     int
	b     *budget.Budget
}

func newTable(b *budget.Budget, width int) *table { return &table{width: width, b: b} }

func hash(key []ID) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, id := range key {
		hi, lo := bits.Mul64(h^uint64(id), 0xD6E8FEB86659FD93)
		h = hi ^ lo
	}
	return h ^ h>>32
}

func (t *table) key(i int) []ID { return t.keys[i*t.width : (i+1)*t.width] }

// find returns the number of a key, or -1.
func (t *table) find(key []ID) int {
	if len(t.slots) == 0 {
		return -1
	}
	at := t.place(key)
	return int(t.slots[at]) - 1
}

// find1 is find for a table of single ids.
func (t *table) find1(id ID) int {
	key := [1]ID{id}
	return t.find(key[:])
}

// place returns the slot that holds the key or is free for it.
func (t *table) place(key []ID) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := hash(key) & mask
search:
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		i := int(t.slots[at]-1) * t.width
		for j, id := range key {
			if t.keys[i+j] != id {
				continue search
			}
		}
		break
	}
	return at
}

// insert adds a key unless the table has it. It returns its number, and whether it was
// added.
func (t *table) insert(key []ID) (i int, added bool, err error) {
	if t.n >= len(t.slots)*3/4 {
		if err := t.rehash(); err != nil {
			return 0, false, err
		}
	}
	at := t.place(key)
	if t.slots[at] != 0 {
		return int(t.slots[at]) - 1, false, nil
	}
	t.keys = append(t.keys, key...)
	t.n++
	t.slots[at] = int32(t.n)
	return t.n - 1, true, nil
}

func (t *table) rehash() error {
	size := max(64, 2*len(t.slots))
	// The old keys and slots exist until the new ones are made.
	if err := t.b.Grow(t.sizeOf(size)); err != nil {
		return err
	}
	old := t.size()
	t.slots = make([]int32, size)
	if t.n > 0 {
		t.keys = append(make([]ID, 0, size*3/4*t.width), t.keys...)
	}
	for i := range t.n {
		if err := tickSome(t.b, i); err != nil {
			return err // the query ends with it
		}
		t.slots[t.place(t.key(i))] = int32(i + 1)
	}
	return t.b.Grow(-old)
}

// sizeOf returns the bytes that a number of slots take, with the keys that they have
// room for.
func (t *table) sizeOf(slots int) int64 {
	return int64(slots)*4 + int64(slots*3/4*t.width)*idSize
}

// size returns the bytes accounted for the table.
func (t *table) size() int64 { return t.sizeOf(len(t.slots)) }

// free releases the memory.
func (t *table) free() {
	_ = t.b.Grow(-t.size())
	t.slots, t.keys, t.n = nil, nil, 0
}
