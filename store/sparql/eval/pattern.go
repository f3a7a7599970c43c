package eval

import "github.com/segraph/segraph/store/orders"

// Order names an index by what its tuples hold.
type Order = orders.Order

// The indexes of a Dataset.
const (
	SPO = orders.SPO
	POS = orders.POS
	OSP = orders.OSP
)

// Range returns the index that begins with the ids of a pattern, of which 0 matches any,
// and the first and the last tuple that match.
func Range(s, p, o ID) (in Order, lo, hi [3]uint64) {
	ids, known := [3]uint64{uint64(s), uint64(p), uint64(o)}, 0
	for i, id := range ids {
		if id != 0 {
			known |= 1 << i
		}
	}
	a := orders.For(known)
	lo, hi = prefixRange(a.Order.Sorted(ids), a.Known)
	return a.Order, lo, hi
}

// prefixRange returns the first and the last tuple that begin with the first n ids of key.
func prefixRange(key [3]uint64, n int) (lo, hi [3]uint64) {
	lo, hi = key, key
	for k := n; k < 3; k++ {
		lo[k], hi[k] = 0, ^uint64(0)
	}
	return lo, hi
}
