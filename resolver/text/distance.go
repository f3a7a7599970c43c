package text

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
	return distanceInRows(a, b)
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

// distanceInRows computes the table row by row.
func distanceInRows(a, b []rune) int {
	var rows [3][MaxRunes + 1]uint16
	before, last, row := rows[0][:len(b)+1], rows[1][:len(b)+1], rows[2][:len(b)+1]
	for j := range last {
		last[j] = uint16(j)
	}
	for i := range a {
		row[0] = uint16(i + 1)
		for j := range b {
			cost := uint16(1)
			if a[i] == b[j] {
				cost = 0
			}
			d := min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
}
