package suite

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Size returns how large or how often a test does something: n, or fewer with the race
// detector. What a limit, the memory or the time of something large is, the usual run
// proves; a race shows as well in few.
func Size(n, fewer int) int {
	if Race {
		return fewer
	}
	return n
}

// OneGoroutine ends a test with the race detector that does much work in one goroutine,
// where there is nothing to find for it: the usual run proves what it says.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("the race detector has nothing to find where one goroutine works, and makes it ten times slower")
	}
}

// LetProcessesEnd returns the environment in which processes with the race detector end
// at once. They would else sleep for a second first, each of them.
func LetProcessesEnd() string {
	return "GORACE=atexit_sleep_ms=10 " + os.Getenv("GORACE")
}

// Long reports whether tests run in their long form, which SEGRAPH_LONG=1 asks for.
func Long() bool { return os.Getenv("SEGRAPH_LONG") == "1" }

// Times returns how often a test repeats something: usual, or long in the long form. The
// usual number is enough to find a mistake that isn't rare, and keeps `go test ./...`
// quick on two cores.
func Times(long, usual int) int {
	if Long() {
		return long
	}
	return usual
}

// Checks sets how many cases package rapid tries: usual, or 100 in the long form. Call it
// from an init function, so that -rapid.checks on the command line still counts.
func Checks(usual int) {
	if f := flag.Lookup("rapid.checks"); f != nil {
		_ = f.Value.Set(strconv.Itoa(Times(100, usual))) // a number is always accepted
	}
}
