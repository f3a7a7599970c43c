// Package table keeps the ids of rows: batches, hash tables, sets, and columns of an index.
// What grows is accounted for in a budget.
package table

import (
	"math/bits"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Keys is a hash table of keys, each of width ids. Keys are numbered from 0 in the
// order of insertion.
type Keys struct {
	Width int         // ids of a key
	All   []source.ID // the keys, one after another
	slots []int32     // by hash: number + 1, 0 for none
	N     int         // keys
	b     *budget.Budget
}

// NewKeys returns a table without keys, accounted for in b.
func NewKeys(b *budget.Budget, width int) *Keys { return &Keys{Width: width, b: b} }

// hash mixes the ids of a key by multiplication, as wyhash does.
func hash(key []source.ID) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, id := range key {
		hi, lo := bits.Mul64(h^uint64(id), 0xD6E8FEB86659FD93)
		h = hi ^ lo
	}
	return h ^ h>>32
}

// Key returns the key with number i.
func (t *Keys) Key(i int) []source.ID { return t.All[i*t.Width : (i+1)*t.Width] }

// Find returns the number of a key, or -1.
func (t *Keys) Find(key []source.ID) int {
	if len(t.slots) == 0 {
		return -1
	}
	at := t.place(key)
	return int(t.slots[at]) - 1
}

// find1 returns the number of a single id, or -1.
func (t *Keys) find1(id source.ID) int {
	key := [1]source.ID{id}
	return t.Find(key[:])
}

// place returns the slot that holds the key or is free for it.
func (t *Keys) place(key []source.ID) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := hash(key) & mask
search:
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		i := int(t.slots[at]-1) * t.Width
		for j, id := range key {
			if t.All[i+j] != id {
				continue search
			}
		}
		break
	}
	return at
}

// Insert adds a key unless the table has it. It returns its number, and whether it was
// added.
func (t *Keys) Insert(key []source.ID) (i int, added bool, err error) {
	if t.N >= len(t.slots)*3/4 {
		if err := t.rehash(); err != nil {
			return 0, false, err
		}
	}
	at := t.place(key)
	if t.slots[at] != 0 {
		return int(t.slots[at]) - 1, false, nil
	}
	t.All = append(t.All, key...)
	t.N++
	t.slots[at] = int32(t.N)
	return t.N - 1, true, nil
}

// rehash doubles the slots.
func (t *Keys) rehash() error {
	size := max(64, 2*len(t.slots))
	// The old keys and slots exist until the new ones are made.
	if err := t.b.Grow(t.sizeOf(size)); err != nil {
		return err
	}
	old := t.size()
	t.slots = make([]int32, size)
	if t.N > 0 {
		t.All = append(make([]source.ID, 0, size*3/4*t.Width), t.All...)
	}
	for i := range t.N {
		if err := TickSome(t.b, i); err != nil {
			return err // the query ends with it
		}
		t.slots[t.place(t.Key(i))] = int32(i + 1)
	}
	return t.b.Grow(-old)
}

// sizeOf returns the bytes that a number of slots take, with the keys that they have
// room for.
func (t *Keys) sizeOf(slots int) int64 {
	return int64(slots)*4 + int64(slots*3/4*t.Width)*IdSize
}

// size returns the bytes accounted for the table.
func (t *Keys) size() int64 { return t.sizeOf(len(t.slots)) }

// Free releases the memory.
func (t *Keys) Free() {
	_ = t.b.Grow(-t.size())
	t.slots, t.All, t.N = nil, nil, 0
}

const (
	// IdSize is the number of bytes of an id.
	IdSize = 8
	// checkEvery is the number of rows, or tuples of an index, between two checks of the
	// context.
	checkEvery = 4096
)

// TickSome accounts for the work of a loop over many ids, once in checkEvery ids. i
// counts the ids from 0.
func TickSome(b *budget.Budget, i int) error {
	if i%checkEvery != 0 {
		return nil
	}
	return b.Tick(checkEvery)
}
