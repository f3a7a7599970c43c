package suite

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// Tests collect garbage less often than the program, which takes a quarter off their
// processor time. A test that limits memory becomes stricter by it. Benchmarks measure
// what users get, and GOGC in the environment takes precedence.
func init() {
	benchmark := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if os.Getenv("GOGC") == "" && !benchmark {
		debug.SetGCPercent(400)
	}
}
