package algebra

import (
	"math/bits"
	"unsafe"
)

// Set is an immutable set of slots. The zero Set is empty. A set of slots below 64
// allocates no memory, and a set of slots close to each other takes little.
type Set struct {
	low  uint64   // slots below 64
	base int      // high[0] holds the slots from 64*(base+1)
	high []uint64 // neither the first nor the last is 0
}

// SetOf returns the set of the given slots, without NoSlot.
func SetOf(slots ...Slot) Set {
	var s Set
	first, last := -1, -1 // words of high
	for _, slot := range slots {
		switch {
		case slot < 0: // NoSlot
		case slot < 64:
			s.low |= 1 << slot
		default:
			word := int(slot)/64 - 1
			if first < 0 || word < first {
				first = word
			}
			last = max(last, word)
		}
	}
	if last < 0 {
		return s
	}
	s.base, s.high = first, make([]uint64, last-first+1)
	for _, slot := range slots {
		if slot >= 64 {
			s.high[int(slot)/64-1-first] |= 1 << (slot % 64)
		}
	}
	return s
}

// word returns the word that holds the 64 slots from 64*(n+1) on.
func (s Set) word(n int) uint64 {
	if n -= s.base; n >= 0 && n < len(s.high) {
		return s.high[n]
	}
	return 0
}

// end returns the number of the first word after high.
func (s Set) end() int { return s.base + len(s.high) }

// Has reports whether slot is in s.
func (s Set) Has(slot Slot) bool {
	switch {
	case slot < 0:
		return false
	case slot < 64:
		return s.low>>slot&1 == 1
	}
	return s.word(int(slot)/64-1)>>(slot%64)&1 == 1
}

// Or returns the union of s and t.
func (s Set) Or(t Set) Set {
	low := s.low | t.low
	switch {
	case t.highIn(s):
		s.low = low
		return s
	case s.highIn(t):
		t.low = low
		return t
	}
	out := Set{low: low, base: min(s.base, t.base)}
	out.high = make([]uint64, max(s.end(), t.end())-out.base)
	copy(out.high[s.base-out.base:], s.high)
	for i, w := range t.high {
		out.high[t.base-out.base+i] |= w
	}
	return out
}

// And returns the intersection of s and t.
func (s Set) And(t Set) Set {
	return setOf(s.low&t.low, max(s.base, t.base), min(s.end(), t.end()), func(n int) uint64 { return s.word(n) & t.word(n) })
}

// Without returns the slots of s that are not in t.
func (s Set) Without(t Set) Set {
	low := s.low &^ t.low
	if max(s.base, t.base) >= min(s.end(), t.end()) { // no words of high in common
		s.low = low
		return s
	}
	return setOf(low, s.base, s.end(), func(n int) uint64 { return s.word(n) &^ t.word(n) })
}

// setOf returns the set of the slots in low and in the words from first up to end, which
// may be before first.
func setOf(low uint64, first, end int, word func(n int) uint64) Set {
	for first < end && word(first) == 0 {
		first++
	}
	for first < end && word(end-1) == 0 {
		end--
	}
	out := Set{low: low}
	if first >= end {
		return out
	}
	out.base, out.high = first, make([]uint64, end-first)
	for n := range out.high {
		out.high[n] = word(first + n)
	}
	return out
}

// In reports whether s is a subset of t.
func (s Set) In(t Set) bool { return s.low&^t.low == 0 && s.highIn(t) }

// highIn reports whether the slots of s from 64 on are in t.
func (s Set) highIn(t Set) bool {
	if len(s.high) == 0 {
		return true
	}
	if s.base < t.base || s.end() > t.end() {
		return false
	}
	other := t.high[s.base-t.base:]
	for i, w := range s.high {
		if w&^other[i] != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether s and t have a slot in common.
func (s Set) Meets(t Set) bool {
	if s.low&t.low != 0 {
		return true
	}
	for n, end := max(s.base, t.base), min(s.end(), t.end()); n < end; n++ {
		if s.word(n)&t.word(n) != 0 {
			return true
		}
	}
	return false
}

// Empty reports whether s is empty.
func (s Set) Empty() bool { return s.low == 0 && len(s.high) == 0 }

// Size returns the approximate size of s in bytes.
func (s Set) Size() int64 { return int64(unsafe.Sizeof(s)) + int64(len(s.high))*8 }

// Key returns a comparable value that is equal for equal sets.
func (s Set) Key() SetKey {
	k := SetKey{low: s.low, base: s.base}
	if len(s.high) > 0 { // sets are immutable, so the string is too
		k.high = unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(s.high))), len(s.high)*8)
	}
	return k
}

// SetKey represents a Set as a map key.
type SetKey struct {
	low  uint64
	base int
	high string
}

// Slots returns the slots of s in ascending order.
func (s Set) Slots() []Slot {
	var out []Slot
	for w := s.low; w != 0; w &= w - 1 {
		out = append(out, Slot(bits.TrailingZeros64(w)))
	}
	for i, w := range s.high {
		for ; w != 0; w &= w - 1 {
			out = append(out, Slot((s.base+i+1)*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}
