package algebra

import (
	"fmt"
	"math/bits"
)

// Set is a set of slots. The zero Set is empty; sets are values, which are not changed. With the
// slots of most queries, below 64, they allocate nothing.
type Set struct {
	low  uint64
	high []uint64 // from 64 on
}

// SetOf gives the set of some slots; NoSlot is left out.
func SetOf(slots ...Slot) Set {
	var s Set
	for _, slot := range slots {
		switch {
		case slot < 0:
		case slot < 64:
			s.low |= 1 << slot
		default:
			word := int(slot)/64 - 1
			for word >= len(s.high) {
				s.high = append(s.high, 0)
			}
			s.high[word] |= 1 << (slot % 64)
		}
	}
	return s
}

// Has tells whether a slot is in s.
func (s Set) Has(slot Slot) bool {
	switch {
	case slot < 0:
		return false
	case slot < 64:
		return s.low>>slot&1 == 1
	}
	word := int(slot)/64 - 1
	return word < len(s.high) && s.high[word]>>(slot%64)&1 == 1
}

// Or gives what is in s or t.
func (s Set) Or(t Set) Set {
	if len(s.high) < len(t.high) {
		s, t = t, s
	}
	out := Set{low: s.low | t.low, high: s.high}
	if len(t.high) > 0 {
		out.high = append([]uint64(nil), s.high...)
		for i, w := range t.high {
			out.high[i] |= w
		}
	}
	return out
}

// And gives what is in s and t.
func (s Set) And(t Set) Set {
	out := Set{low: s.low & t.low}
	for i := range min(len(s.high), len(t.high)) {
		out.high = append(out.high, s.high[i]&t.high[i])
	}
	return out
}

// Without gives what is in s and not in t.
func (s Set) Without(t Set) Set {
	out := Set{low: s.low &^ t.low, high: s.high}
	if n := min(len(s.high), len(t.high)); n > 0 {
		out.high = append([]uint64(nil), s.high...)
		for i := range n {
			out.high[i] &^= t.high[i]
		}
	}
	return out
}

// In tells whether all of s is in t.
func (s Set) In(t Set) bool { return s.Without(t).Empty() }

// Meets tells whether s and t have a slot in common.
func (s Set) Meets(t Set) bool { return !s.And(t).Empty() }

// Empty tells whether there is nothing in s.
func (s Set) Empty() bool {
	for _, w := range s.high {
		if w != 0 {
			return false
		}
	}
	return s.low == 0
}

// Key gives what is equal for equal sets, and can be compared.
func (s Set) Key() SetKey {
	k := SetKey{low: s.low}
	if len(s.high) > 0 {
		k.high = fmt.Sprint(Set{high: s.high}.Slots())
	}
	return k
}

// SetKey stands for a Set in a map.
type SetKey struct {
	low  uint64
	high string
}

// Slots lists the set in order.
func (s Set) Slots() []Slot {
	var out []Slot
	for w := s.low; w != 0; w &= w - 1 {
		out = append(out, Slot(bits.TrailingZeros64(w)))
	}
	for i, w := range s.high {
		for ; w != 0; w &= w - 1 {
			out = append(out, Slot((i+1)*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}
