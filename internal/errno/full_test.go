//go:build unix

package errno_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/errno"
)

// TestAFileThatMayNotGrowIsAFullDisk writes in a process whose files may have 512 bytes,
// which is how a limit of the process or of the file system shows.
func TestAFileThatMayNotGrowIsAFullDisk(t *testing.T) {
	if path := os.Getenv("TEST_FILE"); path != "" {
		if err := os.WriteFile(path, make([]byte, 4096), 0o600); !errno.DiskFull(err) || errno.DiskFailed(err) {
			t.Errorf("%v", err)
		}
		return
	}
	test := exec.Command("sh", "-c", `ulimit -f 1 && exec "$0" -test.run '^TestAFileThatMayNotGrowIsAFullDisk$'`, os.Args[0])
	test.Env = append(os.Environ(), "TEST_FILE="+filepath.Join(t.TempDir(), "file"))
	out, err := test.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Errorf("%v: %s", exit, out)
	} else if err != nil {
		t.Fatal(err)
	}
}
