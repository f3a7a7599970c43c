// Package orders defines the orders in which triples are sorted, in one table that
// indexes and evaluators use.
//
// To add an order, add a line to the table. New files then have the index. Existing files
// need a migration that builds it.
package orders

import "github.com/segraph/segraph/store/ids"

import "slices"

// Order is one way to sort triples.
type Order uint8

// The orders, named by the parts of a tuple, first to last.
const (
	SPO Order = iota // defines which triples exist; the others follow it
	POS
	OSP

	Count = iota // number of orders
)

// table has the name of each order, which is also that of its bucket, and the parts of
// its tuples: 0 is the subject, 1 the predicate, 2 the object.
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

// Places returns the part at each position of a tuple: subject (0), predicate (1) or
// object (2).
func (o Order) Places() [3]int { return table[o].places }

// Unsorted returns the n to pass to Sort, for tuples of the order that were made from triples
// in the order SPO.
func (o Order) Unsorted() int {
	places := o.Places()
	for n := range places { // the rest begins with the subject and goes on as in SPO
		if slices.Equal(places[n:], table[SPO].places[:len(places)-n]) {
			return n
		}
	}
	return len(places)
}

// Sorted converts a triple, given as subject, predicate and object, to a tuple of the
// order.
func (o Order) Sorted(spo ids.Tuple) ids.Tuple {
	places := &table[o].places
	return ids.Tuple{spo[places[0]], spo[places[1]], spo[places[2]]}
}

// Tuple converts a triple of ids to a tuple of the order.
func (o Order) Tuple(s, p, obj ids.ID) ids.Tuple {
	return o.Sorted(ids.Tuple{uint64(s), uint64(p), uint64(obj)})
}

// Parts converts a tuple of the order to subject, predicate and object.
func (o Order) Parts(tuple ids.Tuple) (spo ids.Tuple) {
	for i, place := range &table[o].places {
		spo[place] = tuple[i]
	}
	return spo
}

// Triple converts a tuple of the order to the ids of subject, predicate and object.
func (o Order) Triple(tuple ids.Tuple) (s, p, obj ids.ID) {
	spo := o.Parts(tuple)
	return ids.ID(spo[0]), ids.ID(spo[1]), ids.ID(spo[2])
}

// Access is a way to find triples with some known parts.
type Access struct {
	Order Order
	Known int // number of known parts at the front of its tuples
}

// For returns an order whose tuples begin with the known parts. Bit 0 of known is the
// subject, bit 1 the predicate, bit 2 the object. If there is none, For returns the order
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
