package value

import (
	"cmp"
	"math"
	"strings"
)

// Key is a key for hash joins. If Equal is True of two values, or they have the same term, and KeyOf
// returns a key for both, the keys are the same.
type Key struct {
	kind  Kind // KindInteger for all numbers
	zoned bool
	nanos uint32
	num   uint64
	text  string
}

// Clone returns k with its own copy of the text.
func (k Key) Clone() Key {
	k.text = strings.Clone(k.text)
	return k
}

// Size returns roughly how many bytes k holds beyond its fixed size.
func (k Key) Size() int { return len(k.text) }

// KeyOf returns the key of v. decides says that v equals every value that has the same
// key, and decides set too. ok is false for a value that may equal values with other keys,
// and for an error, which equals nothing.
//
// An xsd:float equals every number that rounds to it, so it has a key only if coarse is
// set: then all numbers that round to the same xsd:float have the same key. Use the same
// coarse for all values that are to be compared.
func KeyOf(v Value, coarse bool) (k Key, decides, ok bool) {
	k.kind = v.kind
	switch {
	case v.IsError(), v.kind == KindTriple: // equal triple terms may have different parts
		return k, false, false
	case v.IsNumeric():
		return numberKey(v, coarse)
	case v.kind == KindBoolean:
		k.num = uint64(v.num)
		return k, true, true
	case v.IsTemporal():
		k.zoned, k.nanos, k.num = v.zoned(), v.nanos, uint64(v.num)
		return k, v.flags&flagFine == 0, true
	case v.kind == KindDuration:
		k.text = v.duration().String()
		return k, false, true
	}
	k.text = v.text()
	return k, v.kind != KindLangString && v.kind != KindOther, true
}

// numberKey implements KeyOf for numbers.
func numberKey(v Value, coarse bool) (k Key, decides, ok bool) {
	k.kind = KindInteger
	f := v.double()
	ok = coarse || v.kind != KindFloat
	if coarse {
		rounded := float32(f)
		// Rounding twice may give a different xsd:float than rounding once. Then values
		// equal to v may have either key, so v has none.
		ok = v.kind >= KindFloat || v.float() == rounded
		f = float64(rounded)
	}
	switch {
	case f == 0:
		f = 0 // replaces -0
	case f != f:
		f = math.NaN() // replaces any NaN by the same one
	}
	k.num = math.Float64bits(f)
	return k, !coarse && v.double15(), ok
}

// maxDouble15 is greater than all integers and decimals of 15 digits. Different numbers
// of 15 digits are different xsd:doubles.
const maxDouble15 = 1e15

// double15 reports whether v is an xsd:double other than NaN, or an integer or decimal of
// at most 15 digits.
func (v Value) double15() bool {
	if v.isExact() {
		return v.large == nil && -maxDouble15 < v.num && v.num < maxDouble15
	}
	return v.kind == KindDouble && !math.IsNaN(v.double())
}

// Place is a sort key for joins on < and <=. The relation < of two values of
// different scales is a type error.
type Place struct {
	High  int64
	Low   uint32
	Scale Kind // KindInteger for all numbers
	Lane  Lane
}

// Lane says how the values of a scale compare. A join keeps the values of each lane
// apart.
type Lane uint8

// The lanes. Two values in LaneExact, or two in LaneZoned, compare as their places do.
// For all others see Bounds.
const (
	LaneExact Lane = iota // numbers of few digits, booleans, dates and times without a time zone
	LaneZoned             // dates and times with a time zone
	LaneFine              // numbers of more digits and fractions of nanoseconds; their places are rounded
	LaneFloat             // xsd:float
	LaneText              // strings and durations; their places are all the same
	Lanes                 // the number of lanes
)

// PlaceOf returns the place of v. ok is false if < and <= are never True of
// v, as for NaN, IRIs and strings with a language.
func PlaceOf(v Value) (p Place, ok bool) {
	p.Scale = v.kind
	switch {
	case v.IsNumeric():
		f := v.double()
		p.Scale, p.High = KindInteger, orderBits(f)
		switch {
		case v.kind == KindFloat:
			p.Lane = LaneFloat
		case !v.double15():
			p.Lane = LaneFine
		}
		return p, !math.IsNaN(f)
	case v.kind == KindBoolean:
		p.High = v.num
		return p, true
	case v.IsTemporal():
		p.High, p.Low = v.num, v.nanos
		switch {
		case v.flags&flagFine != 0:
			p.Lane = LaneFine
		case v.zoned():
			p.Lane = LaneZoned
		}
		return p, true
	case v.kind == KindString || v.kind == KindDuration:
		p.Lane = LaneText
		return p, true
	}
	return p, false
}

// orderBits maps f to an integer. Integers are in the same order as the numbers.
func orderBits(f float64) int64 {
	if f == 0 {
		return 0 // also for -0
	}
	bits := int64(math.Float64bits(f))
	if bits < 0 { // of negative numbers, the bits are in reverse order
		bits = math.MinInt64 - bits
	}
	return bits
}

func fromOrderBits(bits int64) float64 {
	if bits < 0 {
		bits = math.MinInt64 - bits
	}
	return math.Float64frombits(uint64(bits))
}

// Compare orders places by scale, then by lane, and then as their values compare.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Scale, q.Scale), cmp.Compare(p.Lane, q.Lane), cmp.Compare(p.High, q.High), cmp.Compare(p.Low, q.Low))
}

// Exact reports whether values of lanes a and b compare as their places do.
func Exact(a, b Lane) bool { return a == b && a <= LaneZoned }

// Bounds returns the range of places in lane whose values must be compared one by one with
// a value at p. A value below least is less than that value, and one above greatest is
// greater, unless the two have no order.
func (p Place) Bounds(lane Lane) (least, greatest Place) {
	least, greatest = p, p
	least.Lane, greatest.Lane = lane, lane
	switch {
	case p.Lane == LaneText:
		least, greatest = LaneEnds(p.Scale, lane)
	case p.Scale == KindInteger && (lane == LaneFloat || p.Lane == LaneFloat):
		f := fromOrderBits(p.High)
		least.High, greatest.High = orderBits(belowFloat(f)), orderBits(-belowFloat(-f))
	}
	return least, greatest
}

// LaneEnds returns the least and the greatest place of a lane.
func LaneEnds(scale Kind, lane Lane) (least, greatest Place) {
	return Place{Scale: scale, Lane: lane, High: math.MinInt64}, Place{Scale: scale, Lane: lane, High: math.MaxInt64, Low: math.MaxUint32}
}

// belowFloat returns a number that is not above any number that rounds to the same
// xsd:float as f.
func belowFloat(f float64) float64 {
	if f < -math.MaxFloat32 {
		return math.Inf(-1)
	}
	f = min(f, math.MaxFloat32)         // larger numbers round to this or to infinity
	return f - math.Abs(f)*1e-6 - 1e-44 // further away than the next xsd:float
}
