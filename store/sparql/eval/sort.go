package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// sorter sorts rows by one key after another, each time in a number of steps that is
// proportional to the number of rows. Of a page, only rows that earlier keys leave tied
// with a wanted one are sorted by later keys, so their values need not be read.
type sorter struct {
	b     *budget.Budget
	rows  *table.Pieces[source.ID]
	items []item
	err   error // of the budget, while values are compared
}

// item is the number by which a row is sorted, and the row. Above the row is the index of
// its value, if equal numbers need not have equal values.
type item [2]uint64

func (x item) row() uint32   { return uint32(x[1]) }
func (x item) value() uint32 { return uint32(x[1] >> 32) }

// sortSize is the number of bytes that sorting takes for each row.
const sortSize = 2*16 + 4

// sort sorts numbers of rows, which are in ascending order, so that the positions from lo
// up to hi hold the same rows as if all were sorted. Rows that sort earlier are before lo,
// and later ones from hi on, in any order. Tied rows keep their order.
func (s *sorter) sort(rows []uint32, keys []*orderKey, lo, hi int) error {
	if len(rows) < 2 || len(keys) == 0 {
		return nil
	}
	if err := s.b.Tick(len(rows)); err != nil {
		return err
	}
	values, size, err := s.fill(keys[0], rows)
	if err != nil {
		return err
	}
	if err := s.sortItems(s.items[:len(rows)]); err != nil {
		return err
	}
	items := s.items[:len(rows)]
	var ties [][2]int
	for begin, end := range runs(items, func(a, b item) bool { return a[0] == b[0] }) {
		switch {
		case end <= lo || begin >= hi: // these need no order
		case values == nil:
			ties = append(ties, [2]int{begin, end})
		default:
			ties = append(ties, s.sortValues(items[begin:end], begin, values, keys[0].descending)...)
		}
	}
	for i := range rows {
		rows[i] = items[i].row()
	}
	if err := cmp.Or(s.err, s.b.Grow(int64(len(ties))*2*table.IdSize-size)); err != nil {
		return err
	}
	for _, tie := range ties {
		if begin, end := tie[0], tie[1]; end > lo && begin < hi {
			if err := s.sort(rows[begin:end], keys[1:], lo-begin, hi-begin); err != nil {
				return err
			}
		}
	}
	return s.b.Grow(-int64(len(ties)) * 2 * table.IdSize)
}

// runs returns the begin and end of each run of two or more equal items.
func runs(items []item, equal func(a, b item) bool) func(yield func(begin, end int) bool) {
	return func(yield func(begin, end int) bool) {
		for begin, end := 0, 0; begin < len(items); begin = end {
			for end = begin + 1; end < len(items) && equal(items[begin], items[end]); {
				end++
			}
			if end-begin > 1 && !yield(begin, end) {
				return
			}
		}
	}
}

// fill sets items to the keys of rows. If equal keys need not have equal values, it
// returns the values, and the number of bytes that they take.
func (s *sorter) fill(k *orderKey, rows []uint32) (values []value.Value, size int64, err error) {
	items, flip := s.items[:len(rows)], uint64(0)
	if k.descending {
		flip = ^flip
	}
	for i, row := range rows {
		items[i] = item{uint64(i), uint64(row)}
		switch {
		case !k.inexact:
			items[i][0] = k.keys[row] ^ flip
		case k.isVar():
			items[i][0] = uint64(s.rows.Row(int(row))[k.slot])
		}
	}
	if !k.inexact {
		return nil, 0, nil
	}
	if k.isVar() { // each term is read once, in the order of the ids
		if err := s.sortItems(s.items[:len(rows)]); err != nil {
			return nil, 0, err
		}
	}
	last := uint64(0)
	for i := range items {
		if n := len(values); n > 0 && items[i][0] == last {
			items[i][1] |= uint64(n-1) << 32
			continue
		}
		last = items[i][0]
		v, grown := k.kept(s.rows, items[i].row())
		size += grown
		if err := cmp.Or(s.b.Tick(1), s.b.Grow(grown)); err != nil {
			return nil, 0, err
		}
		items[i][1] |= uint64(len(values)) << 32
		values = append(values, v)
	}
	sortKeys := value.SortKeys(values)
	if len(values) < len(items)/4 { // replace keys by their ranks: small numbers are sorted by fewer bytes
		all := slices.Clone(sortKeys)
		slices.Sort(all)
		for i, key := range sortKeys {
			at, _ := slices.BinarySearch(all, key)
			sortKeys[i] = uint64(at)
		}
	}
	for i := range items {
		items[i][0] = sortKeys[items[i].value()] ^ flip
	}
	return values, size, s.b.Failed()
}

// sortItems sorts items by their numbers. Those with equal numbers keep their order.
func (s *sorter) sortItems(items []item) error {
	var err error
	orders.SortUnless(items, 1, func() bool {
		err = s.b.Check()
		return err != nil
	})
	return err
}

// sortValues sorts items with equal keys by their values, in ascending or descending order.
// It returns the first and the last place, exclusively, of each run of equal values, where
// items[0] has the place first.
func (s *sorter) sortValues(items []item, first int, values []value.Value, descending bool) (ties [][2]int) {
	if items[0].value() == items[len(items)-1].value() {
		return [][2]int{{first, first + len(items)}}
	}
	order := func(a, b item) int {
		if a.value() == b.value() {
			return 0
		}
		if s.err == nil {
			s.err = s.b.Tick(1)
		}
		if s.err != nil { // the query ends, so do not take long
			return 0
		}
		if descending {
			a, b = b, a
		}
		return value.Order(values[a.value()], values[b.value()])
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Or(order(a, b), cmp.Compare(a.row(), b.row())) })
	for begin, end := range runs(items, func(a, b item) bool { return order(a, b) == 0 }) {
		ties = append(ties, [2]int{first + begin, first + end})
	}
	return ties
}
