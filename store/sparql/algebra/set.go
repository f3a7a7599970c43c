package algebra

import "math/bits"

// Set is a set of slots. The zero Set is empty; sets are values, which are not changed.
type Set struct{ words []uint64 }

// SetOf gives the set of some slots; NoSlot is left out.
func SetOf(slots ...Slot) Set {
	var s Set
	for _, slot := range slots {
		if slot < 0 {
			continue
		}
		for int(slot)/64 >= len(s.words) {
			s.words = append(s.words, 0)
		}
		s.words[slot/64] |= 1 << (slot % 64)
	}
	return s
}

// Has tells whether a slot is in s.
func (s Set) Has(slot Slot) bool {
	return slot >= 0 && int(slot)/64 < len(s.words) && s.words[slot/64]>>(slot%64)&1 == 1
}

// Or gives what is in s or t.
func (s Set) Or(t Set) Set {
	if len(s.words) < len(t.words) {
		s, t = t, s
	}
	out := append([]uint64(nil), s.words...)
	for i, w := range t.words {
		out[i] |= w
	}
	return Set{out}
}

// And gives what is in s and t.
func (s Set) And(t Set) Set {
	n := min(len(s.words), len(t.words))
	out := make([]uint64, n)
	for i := range out {
		out[i] = s.words[i] & t.words[i]
	}
	return Set{out}
}

// Without gives what is in s and not in t.
func (s Set) Without(t Set) Set {
	out := append([]uint64(nil), s.words...)
	for i := range min(len(s.words), len(t.words)) {
		out[i] &^= t.words[i]
	}
	return Set{out}
}

// In tells whether all of s is in t.
func (s Set) In(t Set) bool { return s.Without(t).Empty() }

// Meets tells whether s and t have a slot in common.
func (s Set) Meets(t Set) bool { return !s.And(t).Empty() }

// Empty tells whether there is nothing in s.
func (s Set) Empty() bool {
	for _, w := range s.words {
		if w != 0 {
			return false
		}
	}
	return true
}

// Slots lists the set in order.
func (s Set) Slots() []Slot {
	var out []Slot
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			out = append(out, Slot(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}
