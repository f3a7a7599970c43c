//go:build race

package suite

// Race tells that the tests run with the race detector, about ten times slower.
const Race = true
