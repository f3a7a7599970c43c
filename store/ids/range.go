package ids

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
	return between(tag, max(lo, -maxScaled), min(hi, maxScaled), scaleBits)
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

// Apart returns how much ids of a tag from TagBoolean to TagDate must differ for their
// values to differ. Ids that differ less may be written forms of one value, or numbers
// that an xsd:double or xsd:float rounds to one. Near the greatest inline number,
// maxScaled millionths, two neighbouring xsd:doubles are 15.3 millionths apart, and two
// xsd:floats 8,192,000,000.
func Apart(tag int) ID {
	switch tag {
	case TagDecimal:
		return 1 << scaleBits
	case TagDouble:
		return 1 << (scaleBits + 4)
	case TagFloat:
		return 1 << (scaleBits + 33)
	case TagDateTime:
		return 1 << formBits
	case TagDate:
		return 1 << dateBits
	}
	return 1
}

// between returns the range of ids whose payloads begin with lo to hi, with any form.
func between(tag int, lo, hi int64, form int) (first, last ID) {
	if lo > hi {
		return math.MaxUint64, 0
	}
	return New(tag, uint64(lo<<form)+bias), New(tag, uint64(hi<<form|(1<<form-1))+bias)
}
