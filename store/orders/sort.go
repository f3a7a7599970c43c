package orders

import (
	"cmp"
	"math/bits"
	"slices"
)

// fewRows is the number of rows below which comparing them is faster than counting digits.
const fewRows = 512

// Sort sorts rows by their numbers, the first ones first. Rows with the same first n
// numbers must be in order already; n is at most the length of a row. The time of a long
// sort grows with the number of rows and the number of bits in which these numbers differ.
func Sort[R ~[2]uint64 | ~[3]uint64](rows []R, n int) {
	SortUnless(rows, n, func() bool { return false })
}

// SortUnless sorts rows as Sort does, unless stop returns true before one of the passes
// over many rows. Then their order does not matter.
func SortUnless[R ~[2]uint64 | ~[3]uint64](rows []R, n int, stop func() bool) {
	switch {
	case len(rows) <= 24: // those of a small document, faster than by calls of a function
		for i := range rows {
			for k := i; k > 0 && compare(rows[k], rows[k-1]) < 0; k-- {
				rows[k], rows[k-1] = rows[k-1], rows[k]
			}
		}
		return
	case len(rows) < fewRows:
		slices.SortFunc(rows, compare[R])
		return
	}
	from, to := rows, make([]R, len(rows))
	for i := n - 1; i >= 0; i-- {
		first, differ := rows[0][i], uint64(0)
		for r := range from {
			differ |= from[r][i] ^ first
		}
		for differ != 0 {
			if stop() {
				return
			}
			shift := bits.TrailingZeros64(differ)
			differ &^= 0xff << shift
			byDigit(to, from, i, shift)
			from, to = to, from
		}
	}
	if &from[0] != &rows[0] {
		copy(rows, from)
	}
}

// byDigit copies rows in the order of eight bits of number i, and keeps the order of those
// that are equal there.
func byDigit[R ~[2]uint64 | ~[3]uint64](to, from []R, i, shift int) {
	var next [256]int // first the rows of each digit, then where the next one goes
	for r := range from {
		next[byte(from[r][i]>>shift)]++
	}
	at := 0
	for digit, count := range next {
		next[digit] = at
		at += count
	}
	for r := range from {
		digit := byte(from[r][i] >> shift)
		to[next[digit]] = from[r]
		next[digit]++
	}
}

// compare compares two or three ids.
func compare[R ~[2]uint64 | ~[3]uint64](a, b R) int {
	if a[0] != b[0] {
		return cmp.Compare(a[0], b[0])
	}
	if a[1] != b[1] {
		return cmp.Compare(a[1], b[1])
	}
	last := len(a) - 1
	return cmp.Compare(a[last], b[last])
}
