package source

import "github.com/segraph/segraph/store/orders"

// Order is an index, named after the order of its tuples.
type Order = orders.Order

// The indexes of a Reader.
const (
	SPO = orders.SPO
	POS = orders.POS
	OSP = orders.OSP
)

// Range returns the index for a pattern of ids, and the first and last tuple in it that
// match. An id of 0 matches any term.
func Range(s, p, o ID) (in Order, lo, hi Tuple) {
	ids, known := Tuple{uint64(s), uint64(p), uint64(o)}, 0
	for i, id := range ids {
		if id != 0 {
			known |= 1 << i
		}
	}
	a := orders.For(known)
	lo, hi = Prefix(a.Order.Sorted(ids), a.Known)
	return a.Order, lo, hi
}

// Prefix returns the first and last tuple that begin with the first n ids of key.
func Prefix(key Tuple, n int) (lo, hi Tuple) {
	lo, hi = key, key
	for k := n; k < 3; k++ {
		lo[k], hi[k] = 0, ^uint64(0)
	}
	return lo, hi
}
