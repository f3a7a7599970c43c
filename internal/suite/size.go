package suite

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Size returns n, or fewer with the race detector. Use it for the size or the number of
// repetitions of a test. The normal run checks limits of memory and time; a race shows
// with small numbers too.
func Size(n, fewer int) int {
	if Race {
		return fewer
	}
	return n
}

// OneGoroutine skips a test with the race detector. Use it for tests that do much work in
// a single goroutine, where there is no race to find.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("the test has only one goroutine, so the race detector can find nothing and makes it ten times slower")
	}
}

// LetProcessesEnd returns an environment variable that lets processes with the race
// detector exit at once. Otherwise each of them sleeps for a second first.
func LetProcessesEnd() string {
	return "GORACE=atexit_sleep_ms=10 " + os.Getenv("GORACE")
}

// Long reports whether SEGRAPH_LONG=1 requests the long form of tests.
func Long() bool { return os.Getenv("SEGRAPH_LONG") == "1" }

// Everything reports whether tests run in full: in the long form, and with
// SEGRAPH_REQUIRE_ALL=1 as in CI. A plain `go test ./...` should end within three minutes
// on two cores, so it leaves out what takes long and rarely finds anything on its own.
func Everything() bool { return required() || Long() }

// Full returns n if Everything reports true, otherwise fewer. Use it for the size or the
// number of repetitions of a test whose small form finds most mistakes.
func Full(n, fewer int) int {
	if Everything() {
		return n
	}
	return fewer
}

// Slow skips a test that takes long for the one thing that it checks, unless Everything
// reports true or -run selects tests. cost says what takes the time.
func Slow(t testing.TB, cost string) {
	t.Helper()
	NotShort(t)
	if !Everything() && flag.Lookup("test.run").Value.String() == "" {
		t.Skip(cost + ": it runs in CI, with SEGRAPH_REQUIRE_ALL=1, and if -run selects it")
	}
}

// NotShort skips a test with -short. Use it for tests that take more than a third of a second
// of processor time: `go test -short ./...` is for the loop of change and test, and should
// end within 30 seconds on two cores.
func NotShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long, and -short is set")
	}
}

// Times returns how often a test repeats something: long in the long form, otherwise
// usual. The usual number finds mistakes that are not rare, and keeps `go test ./...`
// fast on two cores.
func Times(long, usual int) int {
	if Long() {
		return long
	}
	return usual
}

// Checks sets the number of cases that package rapid tries: 100 in the long form,
// otherwise usual, and a fifth of that with the race detector. Call it from an init
// function, so that -rapid.checks on the command line takes precedence.
func Checks(usual int) {
	if f := flag.Lookup("rapid.checks"); f != nil {
		n := Times(100, usual)
		_ = f.Value.Set(strconv.Itoa(Size(n, max(1, n/5)))) // a number is always valid
	}
}
