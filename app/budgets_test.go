package app

import "testing"

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
