package dict

import (
	"sync/atomic"

	"github.com/segraph/segraph/store/rdf"
)

// Cache keeps terms by id for all readers of a file. An id stands for its term for ever, so
// nothing is ever out of date. It holds cacheSlots terms at most, the latest of each slot.
type Cache struct {
	fewer uint // slots are used, by this power of 2
	slots [cacheSlots]atomic.Pointer[cached]
}

const (
	slotBits   = 15
	cacheSlots = 1 << slotBits
	slotSize   = 512     // about the bytes of a term that is long, with its slot
	maxCached  = 1 << 10 // bytes; longer terms are read anew
)

// NewCache returns a cache that keeps to about so many bytes; 0 is as many as it can use.
func NewCache(bytes int64) *Cache {
	c := &Cache{}
	for bytes > 0 && c.fewer < slotBits && cacheSlots>>c.fewer*slotSize > bytes {
		c.fewer++
	}
	return c
}

// small reports whether a term may be kept in memory. What a client sends may be as long
// as a request, in its datatype too.
func small(t rdf.Term) bool { return length(t) <= maxCached }

// length returns how many bytes the texts of a term have.
func length(t rdf.Term) int { return len(t.Value()) + len(t.Datatype()) + len(t.Language()) }

type cached struct {
	id   ID
	term rdf.Term
}

// slot spreads neighbouring numbers of different tags.
func (c *Cache) slot(id ID) *atomic.Pointer[cached] {
	return &c.slots[(uint64(id)*0x9E3779B97F4A7C15)>>(64-slotBits+c.fewer)]
}

func (c *Cache) get(id ID) (rdf.Term, bool) {
	if c == nil {
		return rdf.Term{}, false
	}
	if e := c.slot(id).Load(); e != nil && e.id == id {
		return e.term, true
	}
	return rdf.Term{}, false
}

func (c *Cache) put(id ID, t rdf.Term) {
	if c != nil && small(t) {
		c.slot(id).Store(&cached{id, t})
	}
}

// Known remembers the ids of terms from one Giver to the next. One writer at a time may
// use it. Ids that are given up will be given again: after a Giver whose ids are, it must
// be told so by Undo, after more than one by Reset. A nil Known remembers nothing.
type Known struct {
	young, old map[rdf.Term]ID // by the terms' Fold
	bytes      int             // of the texts of young
	given      []rdf.Term      // that have new ids since begin
	many       bool            // given is not all of them
}

// Bounds of each of the two generations of Known.
const (
	maxKnown      = 1 << 15
	maxKnownBytes = 2 << 20
)

// Reset forgets everything.
func (k *Known) Reset() {
	if k != nil {
		*k = Known{}
	}
}

func (k *Known) begin() {
	if k != nil {
		clear(k.given)
		k.given, k.many = k.given[:0], false
	}
}

// Undo forgets the ids that the last Giver gave.
func (k *Known) Undo() {
	switch {
	case k == nil:
	case k.many:
		k.Reset()
	default:
		for _, t := range k.given {
			delete(k.young, t)
			delete(k.old, t)
		}
		k.begin()
	}
}

func (k *Known) get(t rdf.Term) (ID, bool) {
	if k == nil {
		return 0, false
	}
	t = t.Fold()
	if id, ok := k.young[t]; ok {
		return id, true
	}
	id, ok := k.old[t]
	if ok {
		k.put(t, id, false)
	}
	return id, ok
}

// put remembers an id, which is new if fresh.
func (k *Known) put(t rdf.Term, id ID, fresh bool) {
	if k == nil || !small(t) {
		return
	}
	t = t.Fold()
	if k.many = k.many || fresh && len(k.given) == maxKnown; fresh && !k.many {
		k.given = append(k.given, t)
	}
	if len(k.young) >= maxKnown || k.bytes >= maxKnownBytes || k.young == nil {
		k.old, k.young, k.bytes = k.young, map[rdf.Term]ID{}, 0
	}
	k.young[t] = id
	k.bytes += length(t)
}
