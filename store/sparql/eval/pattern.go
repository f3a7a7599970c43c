package eval

// Order names an index by what its tuples hold, in order.
type Order uint8

const (
	SPO Order = iota
	POS
	OSP
)

// triplePlaces says which of subject, predicate and object a tuple of an index holds, in order.
var triplePlaces = [3][3]int{SPO: {0, 1, 2}, POS: {1, 2, 0}, OSP: {2, 0, 1}}

// Places says which of subject (0), predicate (1) and object (2) a tuple of the index holds, in order.
func (o Order) Places() [3]int { return triplePlaces[o] }

// access says for every set of bound places which index begins with them, and how many they are. Bit 0 is the
// subject, 1 the predicate, 2 the object.
var access = [8]struct {
	order Order
	n     int
}{
	0b000: {SPO, 0}, 0b001: {SPO, 1}, 0b010: {POS, 1}, 0b011: {SPO, 2},
	0b100: {OSP, 1}, 0b101: {OSP, 2}, 0b110: {POS, 2}, 0b111: {SPO, 3},
}

// Range returns the index that begins with the ids of a pattern, of which 0 matches any, and the first and the last
// tuple that match.
func Range(s, p, o ID) (order Order, lo, hi [3]uint64) {
	ids, bound := [3]ID{s, p, o}, 0
	for i, id := range ids {
		if id != 0 {
			bound |= 1 << i
		}
	}
	a := access[bound]
	var key [3]uint64
	for k, place := range triplePlaces[a.order] {
		key[k] = uint64(ids[place])
	}
	lo, hi = prefixRange(key, a.n)
	return a.order, lo, hi
}

// prefixRange returns the first and the last tuple that begin with the first n ids of key.
func prefixRange(key [3]uint64, n int) (lo, hi [3]uint64) {
	lo, hi = key, key
	for k := n; k < 3; k++ {
		lo[k], hi[k] = 0, ^uint64(0)
	}
	return lo, hi
}
