package value

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The highest four bits of a sort key are the class of the value, in the order of Order.
// The other 60 depend on the class.
const (
	keyBits = 60
	keyMask = 1<<keyBits - 1
)

// keyClasses maps an orderClass to its number in sort keys. For triple terms, see
// sortText.
var keyClasses = [KindTriple + 1]uint64{
	KindUnbound: 0, KindBlank: 1, KindIRI: 2, KindBoolean: 3, KindInteger: 4, KindDateTime: 5, KindDate: 6, KindTime: 7,
	KindGYear: 8, KindGYearMonth: 9, KindGMonth: 10, KindGMonthDay: 11, KindGDay: 12, KindDuration: 13, KindString: 14, KindOther: 15, KindTriple: 15,
}

// SortKey returns a number by which values can be compared quickly. If the keys of two
// values differ, Order agrees with them. If the keys are equal and both exact, Order
// returns 0. Otherwise call Order.
func (v Value) SortKey() (key uint64, exact bool) {
	class := v.orderClass()
	switch {
	case class == KindUnbound:
		exact = true
	case class == KindBoolean:
		key, exact = uint64(v.num), true
	case class == KindInteger:
		key, exact = v.numberKey()
	case v.IsTemporal():
		key, exact = v.instantKey()
	case class != KindDuration:
		key = prefixKey(v.sortText(), 0)
	}
	return keyClasses[class]<<keyBits | key, exact
}

// SortKeys returns keys that compare the given values with each other, as SortKey does.
// They omit the prefix that all texts of a class share, which leaves room for more of
// the rest.
func SortKeys(values []Value) []uint64 {
	keys := make([]uint64, len(values))
	var first [len(keyClasses)]string
	var shared [len(keyClasses)]int
	for i, v := range values {
		keys[i], _ = v.SortKey()
		class := keys[i] >> keyBits
		if text := v.sortText(); first[class] == "" {
			first[class], shared[class] = text, len(text)
		} else {
			shared[class] = sharedPrefix(first[class][:shared[class]], text)
		}
	}
	for i, v := range values {
		if class := keys[i] >> keyBits; v.sortText() != "" && shared[class] > 0 {
			keys[i] = class<<keyBits | prefixKey(v.sortText(), shared[class])
		}
	}
	return keys
}

// sortText returns the text that Order compares first, or "" if it compares no text.
func (v Value) sortText() string {
	switch v.kind {
	case KindBlank, KindIRI, KindString, KindLangString:
		return v.text()
	case KindOther:
		return v.term.Datatype()
	case KindTriple:
		return "\xff" // sorts after all datatypes
	}
	return ""
}

func sharedPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// prefixKey returns seven bytes of a text, after the first skip.
func prefixKey(text string, skip int) uint64 {
	var b [8]byte
	copy(b[:7], text[skip:])
	return binary.BigEndian.Uint64(b[:]) >> 8
}

const (
	// zeroKey is the sort key of 0, without the class. Only NaN has the key 0.
	zeroKey = 1 << (keyBits - 1)
	// Numbers of up to maxMillionths millionths are rounded to millionths. Neighbouring
	// float64s of that size are less than a millionth apart.
	maxMillionths = 1 << 49
	// Whole numbers up to maxInteger have different largeKeys.
	maxInteger = 1 << 48
)

// numberKey returns a key that depends only on the nearest float64, so that it keeps the
// order: its millionths, or its bits if it is large.
func (v Value) numberKey() (key uint64, exact bool) {
	if m, ok := v.millionths(); ok {
		return uint64(zeroKey + m), true
	}
	f := v.double()
	if math.IsNaN(f) {
		return 0, true
	}
	isFloat := v.kind >= KindFloat
	if m := math.Floor(f*1e6 + 0.5); math.Abs(m) <= maxMillionths {
		// Of floats, only multiples of 1/64 are whole millionths: 10^6 is 2^6 times an odd number.
		return uint64(zeroKey + int64(m)), isFloat && f*64 == math.Trunc(f*64)
	}
	key = zeroKey + maxMillionths + 1 + largeKey(math.Abs(f))
	if f < 0 {
		key = 2*zeroKey - key
	}
	isWhole := isFloat && f == math.Trunc(f) || !isFloat && v.large == nil && v.minor == 0
	return key, isWhole && math.Abs(f) <= maxInteger
}

// millionths returns an integer or decimal in millionths, and whether that is a whole
// number that fits.
func (v Value) millionths() (n int64, exact bool) {
	if !v.isExact() || v.large != nil || v.minor > 6 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(max(v.num, -v.num)), uint64(powers[6-v.minor]))
	return v.num * powers[6-v.minor], high == 0 && low <= maxMillionths
}

// largeKey returns a sort key of 58 bits for a number above maxMillionths millionths.
func largeKey(f float64) uint64 {
	least := math.Float64bits(maxMillionths / 2e6) // safely below that of any f
	return (math.Float64bits(f) - least) >> 4      // the difference has at most 62 bits
}

// maxSeconds limits the times, in seconds since 1970, whose microseconds fit in a key.
const maxSeconds = 1 << 38

// instantKey returns twice the microseconds since 1970, plus a constant. It adds 1 if
// there is a time zone or if the microseconds are rounded down. Times beyond maxSeconds
// have the least or the greatest key.
func (v Value) instantKey() (key uint64, exact bool) {
	switch {
	case v.num < -maxSeconds:
		return 0, false
	case v.num >= maxSeconds:
		return keyMask, false
	}
	key = uint64(v.num*1e6+int64(v.nanos/1000)+1<<(keyBits-2)) << 1
	exact = v.nanos%1000 == 0 && v.flags&flagFine == 0
	if !exact || v.zoned() {
		key++ // a time between two microseconds comes after the earlier one, with and without a time zone
	}
	return key, exact
}
