package dict

import "math"

// What follows gives ranges of inline ids by value. A range holds all ids of the tag
// whose values lie between lo and hi, both included, however they are written, and no
// others of those that Inline makes. It is empty, first being greater than last, where
// there can be none.

// IntegerRange is a range of xsd:integer.
func IntegerRange(lo, hi int64) (first, last ID) {
	return between(TagInteger, max(lo, -bias+1), min(hi, bias-1), 0)
}

// MillionthsRange is a range of TagDecimal, TagDouble or TagFloat, in millionths.
func MillionthsRange(tag int, lo, hi int64) (first, last ID) {
	return between(tag, max(lo, -maxScaled), min(hi, maxScaled), 3)
}

// MicrosRange is a range of xsd:dateTime, in microseconds since 1970; without a time zone
// as if it were UTC.
func MicrosRange(lo, hi int64) (first, last ID) {
	return between(TagDateTime, max(lo, -maxMicros), min(hi, maxMicros), formBits)
}

// DaysRange is a range of xsd:date, in days since 1970.
func DaysRange(lo, hi int64) (first, last ID) {
	return between(TagDate, max(lo, -maxDays), min(hi, maxDays), dateBits)
}

// between returns the ids whose payloads begin with lo to hi and end in any form.
func between(tag int, lo, hi int64, form int) (first, last ID) {
	if lo > hi {
		return math.MaxUint64, 0
	}
	return newID(tag, uint64(lo<<form)+bias), newID(tag, uint64(hi<<form|(1<<form-1))+bias)
}
