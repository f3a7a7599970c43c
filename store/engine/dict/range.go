package dict

import "math"

// The functions below return ranges of inline ids by value. A range contains all ids of
// the tag whose values are in [lo, hi], in any written form, and no other id that Inline
// makes. If there are none, the range is empty: first is greater than last.

// IntegerRange returns the range of xsd:integer values.
func IntegerRange(lo, hi int64) (first, last ID) {
	return between(TagInteger, max(lo, -bias+1), min(hi, bias-1), 0)
}

// MillionthsRange returns the range of a TagDecimal, TagDouble or TagFloat, in
// millionths.
func MillionthsRange(tag int, lo, hi int64) (first, last ID) {
	return between(tag, max(lo, -maxScaled), min(hi, maxScaled), 3)
}

// MicrosRange returns the range of xsd:dateTime values, in microseconds since 1970. A
// time without a zone counts as UTC.
func MicrosRange(lo, hi int64) (first, last ID) {
	return between(TagDateTime, max(lo, -maxMicros), min(hi, maxMicros), formBits)
}

// DaysRange returns the range of xsd:date values, in days since 1970.
func DaysRange(lo, hi int64) (first, last ID) {
	return between(TagDate, max(lo, -maxDays), min(hi, maxDays), dateBits)
}

// between returns the range of ids whose payloads begin with lo to hi, with any form.
func between(tag int, lo, hi int64, form int) (first, last ID) {
	if lo > hi {
		return math.MaxUint64, 0
	}
	return newID(tag, uint64(lo<<form)+bias), newID(tag, uint64(hi<<form|(1<<form-1))+bias)
}
