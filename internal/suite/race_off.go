//go:build !race

package suite

// Race reports whether the tests run with the race detector, which makes them about ten
// times slower.
const Race = false
