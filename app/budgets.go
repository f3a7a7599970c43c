package app

import (
	"math"
	"runtime/debug"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/memory"
)

// Budgets returns the division of a service's memory. Settings override values derived
// from the machine's memory.
func Budgets(c *config.Config) memory.Plan {
	bytes, from := memory.Available()
	if c.Memory > 0 {
		bytes, from = int64(c.Memory)<<20, "SEGRAPH_MEMORY"
	}
	plan := memory.Divide(bytes, from)
	if c.QueryMemory > 0 {
		plan.Query = int64(c.QueryMemory) << 20
	}
	if c.Connections > 0 {
		plan.Connections = c.Connections
	}
	return plan
}

// reservedFiles is how many open files are for all but clients' connections and the files in
// which bodies and exports wait: the store and its snapshots, listeners, connections to a graph
// store and to witnesses, and connections past the limits, which health checks get.
const reservedFiles = 64 + front.MaxYielded + front.MaxProbes

// divideFiles divides the number of files that the process may have open among connections and the
// files in which bodies and exports wait. The number is 0 if it is unknown. low reports whether
// they are too few for all connections of the plan. Go's runtime has raised the soft limit to the
// hard one.
func divideFiles(limit uint64, connections int) (allowed, files int, low bool) {
	if limit == 0 || limit > math.MaxInt32 {
		return connections, 0, false
	}
	free := max(int(limit)-reservedFiles, 8)
	allowed, files = min(connections, free/2), max(free/4, 1)
	return allowed, files, allowed < connections
}

// limitRuntime sets the memory limit of Go's runtime to its share, or to GOMEMLIMIT if
// that is less. back undoes it.
func limitRuntime(plan memory.Plan) (back func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, plan.Runtime))
	return func() { debug.SetMemoryLimit(before) }
}
