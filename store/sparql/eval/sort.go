package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
)

// sorter sorts rows by one key after another, each time in a number of steps that is
// proportional to the number of rows. Of a page, only rows that earlier keys leave tied
// with a wanted one are sorted by later keys, so their values need not be read.
type sorter struct {
	b              *budget.Budget
	rows           *pieces[ID]
	items, scratch []item
	err            error // of the budget, while values are compared
}

// item is a row with the number by which it is sorted.
type item struct {
	key   uint64
	row   uint32
	value uint32 // index of its value, if equal keys need not have equal values
}

// sortSize is the number of bytes that sorting takes for each row.
const sortSize = 2*16 + 4

// sort sorts numbers of rows, which are in ascending order. The positions from lo up to
// hi then hold the same rows as if all were sorted. Rows that sort earlier are before
// lo, and rows that sort later are from hi on, in any order. Tied rows keep their order.
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
	if err := s.sortItems(len(rows)); err != nil {
		return err
	}
	items := s.items[:len(rows)]
	var ties [][2]int
	for begin, end := range runs(items, func(a, b item) bool { return a.key == b.key }) {
		switch {
		case end <= lo || begin >= hi:
		case values == nil:
			ties = append(ties, [2]int{begin, end})
		default:
			ties = append(ties, s.sortValues(items[begin:end], begin, values, keys[0].descending)...)
		}
	}
	for i := range rows {
		rows[i] = items[i].row
	}
	if err := cmp.Or(s.err, s.b.Grow(int64(len(ties))*2*idSize-size)); err != nil {
		return err
	}
	for _, tie := range ties {
		if begin, end := tie[0], tie[1]; end > lo && begin < hi {
			if err := s.sort(rows[begin:end], keys[1:], lo-begin, hi-begin); err != nil {
				return err
			}
		}
	}
	return s.b.Grow(-int64(len(ties)) * 2 * idSize)
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
		items[i] = item{row: row}
		switch {
		case !k.inexact:
			items[i].key = k.keys[row] ^ flip
		case k.isVar():
			items[i].key = uint64(s.rows.row(int(row))[k.slot])
		default:
			items[i].key = uint64(i)
		}
	}
	if !k.inexact {
		return nil, 0, nil
	}
	if k.isVar() { // each term is read once, in the order of the ids
		if err := s.sortItems(len(rows)); err != nil {
			return nil, 0, err
		}
		items = s.items[:len(rows)]
	}
	last := uint64(0)
	for i := range items {
		if n := len(values); n > 0 && items[i].key == last {
			items[i].value = uint32(n - 1)
			continue
		}
		last = items[i].key
		v, grown := k.kept(s.rows, items[i].row)
		size += grown
		if err := cmp.Or(s.b.Tick(1), s.b.Grow(grown)); err != nil {
			return nil, 0, err
		}
		items[i].value = uint32(len(values))
		values = append(values, v)
	}
	sortKeys := value.SortKeys(values)
	if len(values) < len(items)/4 { // small numbers are sorted by fewer bytes
		all := slices.Clone(sortKeys)
		slices.Sort(all)
		for i, key := range sortKeys {
			at, _ := slices.BinarySearch(all, key)
			sortKeys[i] = uint64(at)
		}
	}
	for i := range items {
		items[i].key = sortKeys[items[i].value] ^ flip
	}
	return values, size, s.b.Failed()
}

// fewItems is the number of items up to which they are compared with each other.
const fewItems = 64

// sortItems sorts the first n items by their keys, byte after byte from the lowest on.
// Those with equal keys keep their order.
func (s *sorter) sortItems(n int) error {
	items := s.items[:n]
	if n <= fewItems {
		slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.key, b.key) })
		return nil
	}
	differ := uint64(0)
	for i := range items {
		differ |= items[i].key ^ items[0].key
	}
	for shift := 0; shift < 64; shift += 8 {
		if differ>>shift&0xFF == 0 {
			continue
		}
		if err := s.b.Check(); err != nil {
			return err
		}
		var at [257]int
		for i := range items {
			at[items[i].key>>shift&0xFF+1]++
		}
		for i := range 256 {
			at[i+1] += at[i]
		}
		to := s.scratch[:n]
		for i := range items {
			digit := items[i].key >> shift & 0xFF
			to[at[digit]] = items[i]
			at[digit]++
		}
		s.items, s.scratch, items = s.scratch, s.items, to
	}
	return nil
}

// sortValues sorts items with equal keys by their values. Items with the same value are
// together. It returns the runs of equal values, at their places if the items begin at
// first.
func (s *sorter) sortValues(items []item, first int, values []value.Value, descending bool) (ties [][2]int) {
	if items[0].value == items[len(items)-1].value {
		return [][2]int{{first, first + len(items)}}
	}
	order := func(a, b item) int {
		if a.value == b.value {
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
		return value.Order(values[a.value], values[b.value])
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Or(order(a, b), cmp.Compare(a.row, b.row)) })
	for begin, end := range runs(items, func(a, b item) bool { return order(a, b) == 0 }) {
		ties = append(ties, [2]int{first + begin, first + end})
	}
	return ties
}
