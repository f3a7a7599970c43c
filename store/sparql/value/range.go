package value

import "cmp"

// Fixed returns an integer or decimal as coefficient / 10^scale, with a scale from 0 to
// 18. ok is false if that does not fit, and for any other value.
func (v Value) Fixed() (coefficient int64, scale int, ok bool) {
	return v.num, int(v.minor), v.isExact() && v.large == nil
}

// Instant returns a date or time as seconds and nanoseconds since 1970-01-01T00:00:00Z.
// A value without a time zone counts as UTC. ok is false for fractions of nanoseconds
// and for any other value.
func (v Value) Instant() (seconds int64, nanoseconds int, ok bool) {
	return v.num, int(v.nanos), v.IsTemporal() && v.flags&flagFine == 0
}

// Precedes reports whether a comes before b in Order. At the same instant, a date or time
// without a time zone does not precede one with a time zone.
func Precedes(a, b Value) bool {
	if x, y := a.orderClass(), b.orderClass(); x != y {
		return cmp.Less(x, y)
	}
	if a.IsTemporal() {
		return compareInstants(a, b) < 0
	}
	return Order(a, b) < 0
}
