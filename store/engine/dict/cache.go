package dict

import (
	"sync/atomic"

	"github.com/segraph/segraph/store/rdf"
)

// Cache caches terms by id for all readers of a file. An id never changes its term, so
// entries never expire. The cache holds at most cacheSlots terms: the latest of each
// slot.
type Cache struct {
	fewer uint // only cacheSlots>>fewer slots are used
	slots [cacheSlots]atomic.Pointer[cached]
}

const (
	slotBits   = 15
	cacheSlots = 1 << slotBits
	slotSize   = 512     // bytes of a long term with its slot, roughly
	maxCached  = 1 << 10 // bytes; longer terms are not cached
)

// NewCache returns a cache of about the given number of bytes. 0 means the largest useful
// size.
func NewCache(bytes int64) *Cache {
	c := &Cache{}
	for bytes > 0 && c.fewer < slotBits && cacheSlots>>c.fewer*slotSize > bytes {
		c.fewer++
	}
	return c
}

// small reports whether a term may be cached. Texts that a client sends, datatypes among
// them, may be as long as a request.
func small(t rdf.Term) bool { return length(t) <= maxCached }

// length returns the number of bytes of a term's texts.
func length(t rdf.Term) int { return len(t.Value()) + len(t.Datatype()) + len(t.Tag()) }

type cached struct {
	id   ID
	term rdf.Term
}

// slot returns the slot of an id. It hashes the id, so that equal or close numbers with
// different tags do not collide.
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

// Known caches the ids of terms from one Assigner to the next, for one writer at a time.
// Ids that are rolled back will be assigned again: call Undo after one Assigner was
// rolled back, and Reset after several. A nil Known caches nothing.
type Known struct {
	young, old map[rdf.Term]ID // by the terms' Fold
	bytes      int             // bytes of the texts in young
	added      []rdf.Term      // terms with new ids, since begin
	many       bool            // given is incomplete
}

// Limits of each of the two generations of Known.
const (
	maxKnown      = 1 << 15
	maxKnownBytes = 2 << 20
)

// Reset removes everything.
func (k *Known) Reset() {
	if k != nil {
		*k = Known{}
	}
}

func (k *Known) begin() {
	if k != nil {
		clear(k.added)
		k.added, k.many = k.added[:0], false
	}
}

// Undo removes the ids that the last Assigner assigned.
func (k *Known) Undo() {
	switch {
	case k == nil:
	case k.many:
		k.Reset()
	default:
		for _, t := range k.added {
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

// put adds an id. fresh reports that the id is new.
func (k *Known) put(t rdf.Term, id ID, fresh bool) {
	if k == nil || !small(t) {
		return
	}
	t = t.Fold()
	if k.many = k.many || fresh && len(k.added) == maxKnown; fresh && !k.many {
		k.added = append(k.added, t)
	}
	if len(k.young) >= maxKnown || k.bytes >= maxKnownBytes || k.young == nil {
		k.old, k.young, k.bytes = k.young, k.old, 0
		if clear(k.young); k.young == nil {
			k.young = map[rdf.Term]ID{}
		}
	}
	k.young[t] = id
	k.bytes += length(t)
}
