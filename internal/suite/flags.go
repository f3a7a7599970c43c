package suite

import (
	"flag"
	"runtime"
	"strconv"
	"strings"
)

// ParseFlags parses the flags of a test binary. Its tests wait half of their time, so it
// runs twice as many in parallel. With the race detector it runs only the tests whose
// names begin with one of raced, unless -run selects others. Call it in TestMain.
func ParseFlags(raced []string) {
	flag.Parse()
	if run := flag.Lookup("test.run"); Race && run.Value.String() == "" {
		_ = run.Value.Set("^(" + strings.Join(raced, "|") + ")") // a string is always valid
	}
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))) // a number is always valid
	}
}
