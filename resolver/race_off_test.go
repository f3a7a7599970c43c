//go:build !race

package resolver_test

// raceDetector says that the tests run under it, about ten times slower.
const raceDetector = false
