package app

import (
	"context"
	"io"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
)

// Only one service of a process may set the memory limit of Go's runtime.
func TestAGuestLeavesTheMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for _, guest := range []bool{true, false} {
		a := &app{Options: Options{Guest: guest, Stderr: io.Discard}, c: &config.Config{Data: filepath.Join(t.TempDir(), "segraph.db"), Contexts: resolver.Defaults()}}
		for _, step := range []func(context.Context) error{a.check, a.limit} {
			if err := step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if set := debug.SetMemoryLimit(-1) != before; set == guest {
			t.Errorf("guest %v: the limit was set: %v", guest, set)
		}
		if err := a.close(); err != nil || debug.SetMemoryLimit(-1) != before {
			t.Errorf("guest %v: the limit is not as before, %v", guest, err)
		}
	}
}

func TestConnectionsLeaveFilesForAllElse(t *testing.T) {
	for _, c := range []struct {
		limit              uint64
		wanted             int
		connections, files int
		low                bool
	}{
		{0, 4096, 4096, 0, false}, // unknown
		{1 << 63, 4096, 4096, 0, false},
		{1024, 4096, 408, 204, true},
		{256, 4096, 24, 12, true},
		{10, 4096, 4, 2, true},
		{65536, 4096, 4096, 16332, false},
		{1024, 100, 100, 204, false},
	} {
		connections, files, low := divideFiles(c.limit, c.wanted)
		if connections != c.connections || files != c.files || low != c.low {
			t.Errorf("%d files for %d connections: %d, %d, %v, want %+v", c.limit, c.wanted, connections, files, low, c)
		}
		if used := connections + 2*files + reservedFiles; c.limit > 216 && c.limit < 1<<31 && used > int(c.limit) {
			t.Errorf("%d files are divided into %d", c.limit, used)
		}
	}
}
