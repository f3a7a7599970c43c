package value

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A sort key has the class of a value, in the order of Order, in its highest four bits.
// The other 60 depend on the class.
const (
	keyBits = 60
	keyMask = 1<<keyBits - 1
)

// keyClasses are the classes by orderClass.
var keyClasses = [KindOther + 1]uint64{
	KindUnbound: 0, KindBlank: 1, KindIRI: 2, KindBoolean: 3, KindInteger: 4, KindDateTime: 5, KindDate: 6, KindTime: 7,
	KindGYear: 8, KindGYearMonth: 9, KindGMonth: 10, KindGMonthDay: 11, KindGDay: 12, KindDuration: 13, KindString: 14, KindOther: 15,
}

// SortKey returns a number for comparing values quickly: where the numbers of two values
// differ, the values are in that order by Order. Where they are equal and both are exact,
// neither value comes first; otherwise Order decides.
func (v Value) SortKey() (key uint64, exact bool) {
	class := v.orderClass()
	switch {
	case class == KindUnbound:
		exact = true
	case class == KindBoolean:
		key, exact = uint64(v.num), true
	case class == KindInteger:
		key, exact = v.numberKey()
	case v.isTemporal():
		key, exact = v.instantKey()
	case class != KindDuration:
		key = prefixKey(v.sortText(), 0)
	}
	return keyClasses[class]<<keyBits | key, exact
}

// SortKeys returns the numbers of many values, for comparing these with each other: what
// all texts of a class begin with is left out of them, so that more of the rest has room.
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

// sortText returns the text that Order looks at first; "" for what is not compared by a
// text.
func (v Value) sortText() string {
	switch v.kind {
	case KindBlank, KindIRI, KindString, KindLangString:
		return v.text()
	case KindOther:
		return v.term.Datatype()
	}
	return ""
}

func sharedPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// prefixKey returns the seven bytes of a text that come after the first skip.
func prefixKey(text string, skip int) uint64 {
	var b [8]byte
	copy(b[:7], text[skip:])
	return binary.BigEndian.Uint64(b[:]) >> 8
}

const (
	// zeroKey is the sort key of 0, without its class. Only NaN has 0.
	zeroKey = 1 << (keyBits - 1)
	// Numbers up to mostMillionths are rounded to millionths, of which a float64 of that
	// size has several.
	mostMillionths = 1 << 49
	// mostWhole is up to where whole numbers differ in what largeKey keeps of them.
	mostWhole = 1 << 48
)

// numberKey depends on the nearest float64 alone, which keeps the order: that in
// millionths, or its own bits where it is large.
func (v Value) numberKey() (key uint64, exact bool) {
	if m, ok := v.millionths(); ok {
		return uint64(zeroKey + m), true
	}
	f := v.double()
	if math.IsNaN(f) {
		return 0, true
	}
	isFloat := v.kind >= KindFloat
	if m := math.Floor(f*1e6 + 0.5); math.Abs(m) <= mostMillionths {
		return uint64(zeroKey + int64(m)), isFloat && f*64 == math.Trunc(f*64)
	}
	key = zeroKey + mostMillionths + 1 + largeKey(math.Abs(f))
	if f < 0 {
		key = 2*zeroKey - key
	}
	isWhole := isFloat && f == math.Trunc(f) || !isFloat && v.large == nil && v.minor == 0
	return key, isWhole && math.Abs(f) <= mostWhole
}

// millionths returns an integer or decimal in millionths, if it is a whole number of
// those and has room.
func (v Value) millionths() (int64, bool) {
	if !v.isExact() || v.large != nil || v.minor > 6 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(max(v.num, -v.num)), uint64(powers[6-v.minor]))
	return v.num * powers[6-v.minor], high == 0 && low <= mostMillionths
}

// largeKey orders numbers above mostMillionths, in 58 bits.
func largeKey(f float64) uint64 {
	least := math.Float64bits(mostMillionths / 2e6)
	return (math.Float64bits(f) - least) >> 4
}

// mostSeconds bounds the moments whose microseconds have room.
const mostSeconds = 1 << 38

// instantKey is microseconds since 1970, then whether there is a time zone.
func (v Value) instantKey() (key uint64, exact bool) {
	switch {
	case v.num < -mostSeconds:
		return 0, false
	case v.num >= mostSeconds:
		return keyMask, false
	}
	key = uint64(v.num*1e6+int64(v.nanos/1000)+1<<(keyBits-2)) << 1
	exact = v.nanos%1000 == 0 && v.flags&flagFine == 0
	if !exact || v.zoned() {
		key++ // a moment between two microseconds is after the first, with a time zone and without
	}
	return key, exact
}
