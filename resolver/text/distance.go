package text

import "math/bits"

// distance returns the optimal string alignment distance: the number of letters inserted,
// deleted, replaced or swapped with a neighbour, without editing any position twice. Both
// texts have at most MaxRunes.
func distance(a, b []rune) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	switch {
	case len(b) == 0:
		return len(a)
	case len(b) <= 64:
		return distanceInBits(a, b)
	}
	return distanceInWords(a, b)
}

// distanceInBits computes each column of the distance table at once, as the bits of a
// word: Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit
// distances", 2003. b has 1 to 64 letters.
func distanceInBits(a, b []rune) int {
	var ascii [128]uint64 // positions of a letter in b, as bits
	var other []place
	for i, r := range b {
		if r < 128 {
			ascii[r] |= 1 << i
		} else {
			other = mark(other, r, 1<<i)
		}
	}
	last := uint64(1) << (len(b) - 1)
	vp, vn, d0, before := ^uint64(0), uint64(0), uint64(0), uint64(0)
	d := len(b)
	for _, r := range a {
		here := uint64(0)
		if r < 128 {
			here = ascii[r]
		} else {
			here = find(other, r)
		}
		swapped := (^d0 & here) << 1 & before
		d0 = (((here & vp) + vp) ^ vp) | here | vn | swapped
		hp, hn := vn|^(d0|vp), d0&vp
		if hp&last != 0 {
			d++
		}
		if hn&last != 0 {
			d--
		}
		hp, hn = hp<<1|1, hn<<1
		vp, vn = hn|^(d0|hp), hp&d0
		before = here
	}
	return d
}

// place holds the positions of a letter.
type place struct {
	letter rune
	bits   uint64
}

// mark sets a bit of the places of a letter.
func mark(list []place, r rune, bit uint64) []place {
	for i := range list {
		if list[i].letter == r {
			list[i].bits |= bit
			return list
		}
	}
	return append(list, place{r, bit})
}

// find returns the places of a letter, one bit each.
func find(list []place, r rune) uint64 {
	for _, p := range list {
		if p.letter == r {
			return p.bits
		}
	}
	return 0
}

// wide are the bits of a column of MaxRunes letters, lowest first.
type wide [MaxRunes / 64]uint64

// distanceInWords is distanceInBits for more letters: sums and shifts carry from word to word.
func distanceInWords(a, b []rune) int {
	var ascii [128]wide
	other := map[rune]*wide{}
	place := func(r rune) *wide {
		if r < 128 {
			return &ascii[r]
		}
		return other[r]
	}
	for i, r := range b {
		if r >= 128 && other[r] == nil {
			other[r] = &wide{}
		}
		place(r)[i/64] |= 1 << (i % 64)
	}
	end := (len(b) - 1) / 64
	last := uint64(1) << ((len(b) - 1) % 64)
	var vp, vn, d0, before, none wide
	for w := range vp {
		vp[w] = ^uint64(0)
	}
	d := len(b)
	for _, r := range a {
		here := place(r)
		if here == nil {
			here = &none
		}
		var sum, carry, swap, less uint64
		more := uint64(1)
		for w := range end + 1 {
			h := here[w]
			s := ^d0[w] & h
			swapped := (s<<1 | swap) & before[w]
			swap = s >> 63
			sum, carry = bits.Add64(h&vp[w], vp[w], carry)
			d0[w] = sum ^ vp[w] | h | vn[w] | swapped
			hp, hn := vn[w]|^(d0[w]|vp[w]), d0[w]&vp[w]
			if w == end && hp&last != 0 {
				d++
			}
			if w == end && hn&last != 0 {
				d--
			}
			hp, more, hn, less = hp<<1|more, hp>>63, hn<<1|less, hn>>63
			vp[w], vn[w] = hn|^(d0[w]|hp), hp&d0[w]
			before[w] = h
		}
	}
	return d
}
