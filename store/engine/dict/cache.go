package dict

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/segraph/segraph/store/rdf"
)

// Cache caches terms by id for all readers of a file. An id never changes its term, so
// entries never expire. The cache holds at most cacheSlots terms: the latest of each
// slot.
type Cache struct {
	fewer  uint // only cacheSlots>>fewer slots are used
	slots  [cacheSlots]atomic.Pointer[cached]
	missed [cacheSlots]atomic.Uint32 // a part of the hash of the last id that ask missed
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

// small reports whether a term may be cached. Texts that a client sends, including
// datatypes, may be as long as a request.
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
	return &c.slots[hashOfID(id)>>(64-slotBits+c.fewer)]
}

func hashOfID(id ID) uint64 { return uint64(id) * 0x9E3779B97F4A7C15 }

// get returns the term of an id, if it is cached. A nil Cache has none.
func (c *Cache) get(id ID) (t rdf.Term, ok bool) {
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

// ask returns the term of an id if it is cached. pays reports whether the term is worth
// caching: not if it was read only once. To tell, ask remembers the last id that it missed
// in each slot, and rarely confuses two.
func (c *Cache) ask(id ID) (t rdf.Term, cached, pays bool) {
	if c == nil {
		return t, false, false
	}
	h := hashOfID(id)
	at := h >> (64 - slotBits + c.fewer)
	if e := c.slots[at].Load(); e != nil && e.id == id {
		return e.term, true, true
	}
	part := uint32(h>>16) | 1 // not the bits that choose the slot
	if c.missed[at].Load() == part {
		return t, false, true
	}
	c.missed[at].Store(part)
	return t, false, false
}

// Known caches the ids of terms from one Assigner to the next, for one writer at a time.
// Ids that are rolled back will be assigned again: call Undo after one Assigner was
// rolled back, and Reset after several. A nil Known caches nothing.
//
// It has no pointers, so the garbage collector does not scan it: its keys are hashes of
// terms. They have 128 bits and secret seeds, so collisions are practically impossible.
type Known struct {
	young, old map[termHash]ID
	added      []termHash // of terms with new ids, since begin
	many       bool       // added is incomplete
}

// termHash is a hash of a term's Fold.
type termHash [2]uint64

var termSeeds = [len(termHash{})]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// hash returns the hash of a term: two of 64 bits, so that no two terms share it in practice.
func (k *Known) hash(t rdf.Term) (h termHash) {
	if k == nil {
		return h
	}
	t = t.Fold()
	for i, seed := range termSeeds {
		h[i] = maphash.Comparable(seed, t)
	}
	return h
}

// maxKnown limits each of the two generations of Known.
const maxKnown = 1 << 15

// Reset removes everything.
func (k *Known) Reset() {
	if k != nil {
		*k = Known{}
	}
}

func (k *Known) begin() {
	if k != nil {
		k.added, k.many = k.added[:0], false
	}
}

// Undo removes the ids that the last Assigner assigned.
func (k *Known) Undo() {
	switch {
	case k == nil: // nothing is remembered
	case k.many:
		k.Reset()
	default:
		for _, h := range k.added {
			delete(k.young, h)
			delete(k.old, h)
		}
		k.begin()
	}
}

func (k *Known) get(t rdf.Term) (id ID, ok bool) { return k.find(k.hash(t)) }

// find returns the id of a term whose hash is h, from this transaction or an earlier one, or false if it is not cached.
func (k *Known) find(h termHash) (id ID, ok bool) {
	if k == nil {
		return 0, false
	}
	if id, ok := k.young[h]; ok {
		return id, true
	}
	if id, ok = k.old[h]; ok {
		k.set(h, id)
	}
	return id, ok
}

// put adds an id. fresh reports that the id is new.
func (k *Known) put(t rdf.Term, id ID, fresh bool) { k.add(k.hash(t), id, fresh) }

// add remembers the id of a hash. fresh ids are forgotten by Undo.
func (k *Known) add(h termHash, id ID, fresh bool) {
	if k == nil {
		return
	}
	k.many = k.many || fresh && len(k.added) == maxKnown
	if fresh && !k.many {
		k.added = append(k.added, h)
	}
	k.set(h, id)
}

// set remembers an id. Once there are maxKnown, it forgets those that were not used since the last
// time.
func (k *Known) set(h termHash, id ID) {
	if len(k.young) >= maxKnown || k.young == nil {
		k.old, k.young = k.young, k.old
		clear(k.young)
		if k.young == nil {
			k.young = map[termHash]ID{}
		}
	}
	k.young[h] = id
}
