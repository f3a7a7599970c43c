// Package orders has the orders in which triples are sorted: the one table of them, which
// indexes and evaluators loop over.
//
// To add an order, add a line to the table. New files then have the index; those that
// there are need a migration, which builds it.
package orders

// Order is one way to sort triples.
type Order uint8

// The orders, named by what a tuple holds, first to last.
const (
	SPO Order = iota // the first one: it says which triples there are, and the others follow it
	POS
	OSP

	Count = iota // how many there are
)

// table has the name of each order, which is that of its bucket, and the places of its
// tuples: 0 is the subject, 1 the predicate, 2 the object.
var table = [Count]struct {
	name   string
	places [3]int
}{
	SPO: {"spo", [3]int{0, 1, 2}},
	POS: {"pos", [3]int{1, 2, 0}},
	OSP: {"osp", [3]int{2, 0, 1}},
}

// All has every order, SPO first.
var All = func() (all [Count]Order) {
	for o := range all {
		all[o] = Order(o)
	}
	return all
}()

// Others has all orders but SPO.
var Others = All[1:]

// String returns the name of the order, such as "spo".
func (o Order) String() string { return table[o].name }

// Places returns which of subject (0), predicate (1) and object (2) a tuple holds, first
// to last.
func (o Order) Places() [3]int { return table[o].places }

// Sorted returns a tuple of the order, of a triple given as subject, predicate and object.
func (o Order) Sorted(spo [3]uint64) [3]uint64 {
	places := &table[o].places
	return [3]uint64{spo[places[0]], spo[places[1]], spo[places[2]]}
}

// Triple returns subject, predicate and object of a tuple of the order.
func (o Order) Triple(tuple [3]uint64) (spo [3]uint64) {
	for i, place := range &table[o].places {
		spo[place] = tuple[i]
	}
	return spo
}

// Access is how triples are found of which some places are known.
type Access struct {
	Order Order
	Known int // how many places at the front of its tuples are known
}

// For returns an order whose tuples begin with the known places. Bit 0 of known is the
// subject, bit 1 the predicate, bit 2 the object. If there is none it returns the one
// that begins with most of them.
func For(known int) Access { return accesses[known] }

var accesses = func() (out [8]Access) {
	for known := range out {
		for _, o := range All {
			n := 0
			for n < 3 && known&(1<<o.Places()[n]) != 0 {
				n++
			}
			if n > out[known].Known {
				out[known] = Access{o, n}
			}
		}
	}
	return out
}()
