package engine

import (
	"math"
	"math/bits"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Ordered returns the ranges of ids that sort like their values.
func (d snapshotDataset) Ordered() []source.OrderedRange { return orderedRanges }

// orderedRanges are the tags of inline values.
var orderedRanges = func() (ranges []source.OrderedRange) {
	for tag := ids.TagBoolean; tag <= ids.TagDate; tag++ {
		first, last := ids.Range(tag)
		ranges = append(ranges, source.OrderedRange{First: first, Last: last, Apart: ids.Apart(tag)})
	}
	return ranges
}()

// Ranges returns the ranges of ids that v compares with under op, for numbers, dates and
// times. Ranges of inline ids are computed; other tags are returned whole. It reports
// false for other values.
func (d snapshotDataset) Ranges(op syntax.Op, v value.Value) (ranges []source.IDRange, ok bool) {
	switch {
	case v.IsNumeric():
		return numberRanges(op, v), true
	case v.IsTemporal():
		return temporalRanges(op, v), true
	}
	return nil, false
}

func (d snapshotDataset) Estimate(g ids.ID, o source.Order, lo, hi ids.Tuple) (int64, error) {
	return d.view(g).indexes[o].Scan().Estimate(lo, hi)
}

func (d snapshotDataset) Backwards(g ids.ID, o source.Order) source.Scan {
	return d.view(g).indexes[o].Backwards()
}

// Values of source.IDRange.Exact: the condition holds for every id in a range, or evaluators
// test each.
const exact, tested = true, false

func fullRange(tag int, isExact bool) source.IDRange {
	first, last := ids.Range(tag)
	return source.IDRange{First: first, Last: last, Exact: isExact}
}

// ranges collects ranges of inline ids of one tag. make converts a range of values to
// ids.
type ranges struct {
	list []source.IDRange
	make func(lo, hi int64) (first, last dict.ID)
}

// add adds the values from lo to hi. Unless isExact, each must be tested.
func (r *ranges) add(lo, hi int64, isExact bool) {
	if lo > hi {
		return
	}
	if first, last := r.make(lo, hi); first <= last {
		r.list = append(r.list, source.IDRange{First: first, Last: last, Exact: isExact})
	}
}

// compared adds the values x for which x op c holds. c is floor or, unless isWhole,
// between floor and floor+1.
func (r *ranges) compared(op syntax.Op, floor int64, isWhole bool) {
	lo, hi := span(op, floor, isWhole)
	r.add(lo, hi, exact)
}

// about adds the values x for which x op c may hold, where c is between lo and hi. Values
// from lo to hi must be tested.
func (r *ranges) about(op syntax.Op, lo, hi int64) {
	if op == syntax.OpLess || op == syntax.OpLessEqual {
		r.add(math.MinInt64, lo-1, exact)
	}
	r.add(lo, hi, tested)
	if op == syntax.OpGreater || op == syntax.OpGreaterEqual {
		r.add(hi+1, math.MaxInt64, exact)
	}
}

// span returns the range of integers x for which x op c holds. c is floor or, unless
// isWhole, between floor and floor+1.
func span(op syntax.Op, floor int64, isWhole bool) (first, last int64) {
	first, last = math.MinInt64, math.MaxInt64
	switch op {
	case syntax.OpLess:
		last = floor
		if isWhole {
			last--
		}
	case syntax.OpLessEqual:
		last = floor
	case syntax.OpGreater:
		first = floor + 1
	case syntax.OpGreaterEqual:
		first = floor
		if !isWhole {
			first++
		}
	case syntax.OpEqual:
		first, last = floor, floor
		if !isWhole { // no integer equals c
			last--
		}
	}
	return first, last
}

// numberRanges returns the ranges for a number. Integers and decimals compare exactly
// with each other. Otherwise type promotion rounds values first, so values near the
// number must be tested.
func numberRanges(op syntax.Op, v value.Value) []source.IDRange {
	f, _ := v.Float64()
	if math.IsNaN(f) {
		return nil // nothing compares with it
	}
	coefficient, scale, fixed := v.Fixed()
	r := &ranges{list: []source.IDRange{fullRange(ids.TagOtherNumber, tested)}}
	for tag := ids.TagInteger; tag <= ids.TagFloat; tag++ {
		unit := 6
		r.make = func(lo, hi int64) (first, last dict.ID) { return ids.MillionthsRange(tag, lo, hi) }
		if tag == ids.TagInteger {
			unit, r.make = 0, ids.IntegerRange
		}
		if fixed && tag <= ids.TagDecimal {
			if floor, isWhole, ok := rescale(coefficient, unit-scale); ok {
				r.compared(op, floor, isWhole)
				continue
			}
		}
		scaled := f * math.Pow10(unit)
		margin := math.Abs(scaled)*0x1p-20 + 2 // much more than the error of a float
		if math.Abs(scaled)+margin >= limit {
			r.add(math.MinInt64, math.MaxInt64, tested)
			continue
		}
		r.about(op, int64(scaled-margin), int64(scaled+margin))
	}
	return r.list
}

// limit bounds the numbers used, to leave room for arithmetic.
const limit = 1 << 62

// rescale returns c × 10^digits, rounded down, and whether that is exact. ok is false if
// the result is too large.
func rescale(c int64, digits int) (floor int64, isWhole, ok bool) {
	p := int64(math.Pow10(max(digits, -digits))) // at most 10^18, which a float64 represents exactly
	if digits < 0 {
		floor, isWhole = divide(c, p)
		return floor, isWhole, max(floor, -floor) < limit
	}
	high, low := bits.Mul64(uint64(max(c, -c)), uint64(p))
	return c * p, true, high == 0 && low < limit
}

// zones is by how many hours a time without a zone may differ from one with a zone.
const zones = 14

// temporalRanges returns the ranges for a time. Times with and without a zone compare
// only if they are more than 14 hours apart, and their ids mix.
func temporalRanges(op syntax.Op, v value.Value) []source.IDRange {
	r := &ranges{list: []source.IDRange{fullRange(ids.TagOtherTime, tested)}}
	seconds, nanoseconds, ok := v.Instant()
	ok = ok && max(seconds, -seconds) < 1<<40 // leave room for microseconds
	var tag int
	var floor, margin int64
	var isWhole bool
	switch v.Kind() {
	case value.KindDateTime:
		tag, r.make = ids.TagDateTime, ids.MicrosRange
		floor, margin, isWhole = seconds*1e6+int64(nanoseconds/1e3), (zones*3600+1)*1e6, nanoseconds%1e3 == 0
	case value.KindDate:
		tag, r.make = ids.TagDate, ids.DaysRange
		floor, isWhole = divide(seconds, 86400)
		margin = 2
	default:
		return r.list
	}
	if !ok {
		return append(r.list, fullRange(tag, tested))
	}
	lo, hi := span(op, floor, isWhole)
	switch op {
	case syntax.OpLess, syntax.OpLessEqual:
		r.add(lo, floor-margin-1, exact)
		r.add(floor-margin, hi, tested)
	case syntax.OpGreater, syntax.OpGreaterEqual:
		r.add(lo, floor+margin, tested)
		r.add(floor+margin+1, hi, exact)
	default:
		r.add(lo, hi, tested)
	}
	return r.list
}

// divide returns a/b rounded down, and reports whether that is exact.
func divide(a, b int64) (floor int64, isWhole bool) {
	floor, isWhole = a/b, a%b == 0
	if !isWhole && a < 0 { // the quotient was rounded up, to zero
		floor--
	}
	return floor, isWhole
}
