package app

import (
	"sync/atomic"

	"github.com/segraph/segraph/internal/memory"
)

// room is how far the service's heap may exceed its live data.
type room struct {
	usual, writing int64
	// units returns the number of small writes so far; nil until the store is open.
	units atomic.Pointer[func() uint64]
	last  uint64 // result of units at the last collection
}

func newRoom(p memory.Plan) *room {
	r := &room{}
	r.usual, r.writing = p.Garbage()
	return r
}

// perUnit is roughly the garbage of a small write, in bytes.
const perUnit = 32 << 10

// bytes returns the room until the next collection. Small writes get more, if at least a
// quarter of the room before the last collection was for their garbage.
func (r *room) bytes() int64 {
	units := r.units.Load()
	if units == nil {
		return r.usual
	}
	n := (*units)()
	made := int64(n-r.last) * perUnit
	if r.last = n; made < r.usual/4 {
		return r.usual
	}
	return r.writing
}
