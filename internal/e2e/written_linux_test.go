//go:build amd64 || arm64

package e2e

import (
	"fmt"
	"testing"
)

// The metrics of writes to the file match a tracer's counts exactly: for the start,
// posts, decisions, queries, a deletion and a backup.
func TestMetricsCountEveryByteWrittenToTheFile(t *testing.T) {
	if storeSettings(t) != nil {
		t.Skip("with a graph store, the file is written the same way, except for the outbox")
	}
	t.Parallel()
	o := newOutage(t)
	o.start("--metrics", "127.0.0.1:0")
	o.s.stop() // the file was created before it was opened
	since := o.rec.Len()
	o.start("--metrics", "127.0.0.1:0")
	same := func(after string) {
		t.Helper()
		var seen, counted string
		defer func() { t.Logf("after %s the metrics count %s, and the tracer %s", after, counted, seen) }()
		poll(t, "both count the same after "+after, func() bool {
			bytes, syncs := o.rec.Written("segraph.db", since)
			counted = fmt.Sprintf("%d bytes and %d syncs", o.s.metric("segraph_file_written_bytes_total"), o.s.metric("segraph_file_syncs_total"))
			seen = fmt.Sprintf("%d bytes and %d syncs", bytes, syncs)
			return seen == counted
		})
	}
	same("the start")
	o.inQuiet(3)
	same("posts")
	o.inParallel(20, true, false)
	same("requests of all kinds")
	o.clear(true)
	same("a deletion")
}
