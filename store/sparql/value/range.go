package value

import "cmp"

// Fixed returns an integer or decimal as coefficient / 10^scale, if it has room in that;
// scale is from 0 to 18.
func (v Value) Fixed() (coefficient int64, scale int, ok bool) {
	return v.num, int(v.minor), v.isExact() && v.large == nil
}

// Instant returns a date or time as seconds and nanoseconds since 1970-01-01T00:00:00Z,
// without a time zone as if it were in UTC, and whether it has one. It is not ok for what
// has a finer fraction.
func (v Value) Instant() (seconds int64, nanoseconds int, ok bool) {
	return v.num, int(v.nanos), v.isTemporal() && v.flags&flagFine == 0
}

// IsTemporal reports whether v is a date, a time or a part of a date.
func (v Value) IsTemporal() bool { return v.isTemporal() }

// Precedes reports whether a comes before b in Order, and so does whatever is at a's
// place on the time line before whatever is at b's, with a time zone or without.
func Precedes(a, b Value) bool {
	if x, y := a.orderClass(), b.orderClass(); x != y {
		return cmp.Less(x, y)
	}
	if a.isTemporal() {
		return compareInstants(a, b) < 0
	}
	return Order(a, b) < 0
}
