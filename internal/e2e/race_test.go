//go:build race

package e2e

// race: the tests run with the race detector, so the binary is built with it too.
const race = true
