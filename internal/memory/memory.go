// Package memory divides the memory that the process may use. Its rules:
//
//   - What may be used is what the control group, the machine and GOMEMLIMIT allow, or what the operator says.
//   - Go's runtime gets most of it as its limit; the rest is for what the runtime does not see, such as mapped pages and
//     the system's buffers for connections.
//   - Half of what the runtime has besides what an idle service takes, the cache of terms and writes that are deferred is one
//     Pool for all requests; the other half is room for garbage, without which the collector would run all the time.
package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Available returns how many bytes of memory the process may use, and says what allows
// that.
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

// Plan says how memory is divided, in bytes.
type Plan struct {
	Available int64 `json:"available_bytes"`
	// From says what allows that.
	From string `json:"from"`
	// Runtime is the limit of Go's runtime.
	Runtime int64 `json:"runtime_bytes"`
	// Requests is what queries, documents and exports share. Each of them may hold three
	// times what is free: one alone three quarters, eight of them an eighth of nearly
	// all.
	Requests int64 `json:"requests_bytes"`
	// Query is the most that one query may keep.
	Query int64 `json:"query_bytes"`
	// Document is the most that reading and storing one document may take.
	Document int64 `json:"document_bytes"`
	// Terms is what the cache of terms may keep.
	Terms int64 `json:"terms_bytes"`
	// Deferred is what writes may take that are in the log and not in the indexes yet.
	Deferred int64 `json:"deferred_bytes"`
	// Connections is how many connections there may be.
	Connections int `json:"connections"`
}

const (
	mib = 1 << 20
	// idle is about what the service takes before the first request.
	idle = 10 * mib
	// perConnection is about what a connection takes, with the system's buffers for it.
	perConnection = 32 << 10
	// leastOutside is what the program's own code and the pages of its file that are used
	// all the time take. With less, the system reads them again and again.
	leastOutside = 32 * mib
	// Least is the least memory that the service is made for.
	Least = 60 * mib
)

// outside returns how much memory is left to what the runtime does not see, beside a
// limit of the runtime.
func outside(runtime int64) int64 { return min(max(runtime/3, leastOutside), 1024*mib) }

// runtimeShare returns the limit of the runtime where so much is available.
func runtimeShare(available int64) int64 {
	return available - min(max(available/4, leastOutside), 1024*mib)
}

// Divide divides what is available. from says what allows it.
// Less than Least is divided as that.
func Divide(available int64, from string) Plan {
	p := Plan{Available: available, From: from}
	available = max(available, Least)
	p.Runtime = runtimeShare(available)
	p.Terms = min(p.Runtime/12, 16*mib)
	p.Deferred = min(p.Runtime/10, 24*mib)
	p.Requests = (p.Runtime - idle - p.Terms - p.Deferred) / 2
	p.Query = min(alone(p.Requests), 1024*mib)
	p.Document = alone(p.Requests)
	p.Connections = int(min(available/8/perConnection, 4096))
	return p
}
