// Package memory divides the memory that the process may use. Its rules:
//
//   - The limit is the lowest of the control group's, the machine's and GOMEMLIMIT, unless
//     the operator sets one.
//   - Most of it becomes the limit of Go's runtime. The rest is for memory that the runtime
//     does not see, such as mapped pages and socket buffers.
//   - An idle service, the caches of terms and of contexts, deferred writes and withdrawals take a part of the runtime's
//     limit. Half of what remains is one Pool for all requests. The other half is room for
//     garbage; without it the collector would run all the time.
package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Available returns how many bytes of memory the process may use, and what sets that
// limit.
func Available() (bytes int64, from string) {
	bytes, from = math.MaxInt64, "nothing limits it"
	consider := func(n uint64, err error, what string) {
		if err == nil && n > 0 && n < uint64(bytes) {
			bytes, from = int64(n), what
		}
	}
	machine, err := memlimit.FromSystem()
	consider(machine, err, "the machine's memory")
	group, err := memlimit.FromCgroup()
	consider(group, err, "the limit of the control group")
	if limit := debug.SetMemoryLimit(-1); os.Getenv("GOMEMLIMIT") != "" && limit < runtimeShare(bytes) {
		bytes, from = limit+outside(limit), "GOMEMLIMIT"
	}
	return bytes, from
}

// Plan is a division of the memory. All sizes are in bytes.
type Plan struct {
	Available int64 `json:"available_bytes"`
	// From names what sets that limit.
	From string `json:"from"`
	// Runtime is the limit of Go's runtime.
	Runtime int64 `json:"runtime_bytes"`
	// Requests is the size of the pool that queries, documents and exports share. A
	// request may hold up to three times the free part: a single one gets three quarters,
	// and eight get nearly an eighth each.
	Requests int64 `json:"requests_bytes"`
	// Query is the maximum for one query.
	Query int64 `json:"query_bytes"`
	// Document is the maximum for reading and storing one document.
	Document int64 `json:"document_bytes"`
	// Terms is the maximum for the cache of terms.
	Terms int64 `json:"terms_bytes"`
	// Deferred is the maximum for deferred writes.
	Deferred int64 `json:"deferred_bytes"`
	// Lookup is the maximum of each: a pass of withdrawals, what is kept for the next one, and a window of contexts that expire,
	// which takes up to 4 MiB if Lookup is less.
	Lookup int64 `json:"lookup_bytes"`
	// Contexts is the maximum for the caches of shared contexts.
	Contexts int64 `json:"contexts_bytes"`
	// Connections is the maximum number of connections.
	Connections int `json:"connections"`
}

const (
	mib = 1 << 20
	// idle is roughly the memory of the service before its first request.
	idle = 10 * mib
	// perConnection is roughly the memory of a connection, including socket buffers.
	perConnection = 32 << 10
	// minOutside is the memory for the program's code and for the pages of the database
	// file that are always in use. With less, the system reads them again and again.
	minOutside = 32 * mib
	// Least is the least memory that the service supports.
	Least = 60 * mib
)

// Garbage returns by how much the heap may exceed its live data, in bytes: usually, and
// while small writes make most of the garbage. A collection slows small writes for some
// milliseconds, so a machine with much memory allows more garbage, and so fewer
// collections.
func (p Plan) Garbage() (usual, writing int64) {
	return usualGarbage, max(usualGarbage, min(p.Available/64, 160*mib))
}

// Header returns how many bytes a request's header may have: those of all connections, whose clients may be slow, have an eighth of
// the memory. It is at most 128 KiB, and at least 16 KiB, which clients may need.
func (p Plan) Header(connections int) int {
	return int(min(max(p.Available/8/int64(connections), 16<<10), 128<<10))
}

// usualGarbage, together with the memory that queries account for, keeps the process
// within their budgets plus 64 MiB.
const usualGarbage = 40 * mib

// outside returns the memory to leave for what the runtime does not see, given the
// runtime's limit.
func outside(runtime int64) int64 { return min(max(runtime/3, minOutside), 1024*mib) }

// runtimeShare returns the runtime's limit if available bytes may be used.
func runtimeShare(available int64) int64 {
	return available - min(max(available/4, minOutside), 1024*mib)
}

// Divide divides available bytes of memory; from names what sets that limit. If available
// is less than Least, Divide plans for Least.
func Divide(available int64, from string) Plan {
	p := Plan{Available: available, From: from}
	available = max(available, Least)
	p.Runtime = runtimeShare(available)
	p.Terms = min(p.Runtime/12, 16*mib)
	p.Deferred = min(p.Runtime/10, 24*mib)
	p.Lookup = min(p.Runtime/32, 512*mib)
	p.Contexts = min(p.Runtime/16, 256*mib)
	p.Requests = (p.Runtime - idle - p.Terms - p.Deferred - p.Lookup - p.Contexts) / 2
	p.Query = min(maxRequest(p.Requests), 1024*mib)
	p.Document = maxRequest(p.Requests)
	p.Connections = int(min(available/8/perConnection, 4096)) // an eighth of the memory, and 128 MiB at most
	return p
}
