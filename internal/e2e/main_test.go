// Package e2e runs the built binary as users run it and holds it to what the service
// promises as a whole: over real sockets, a real file, real signals and real kills. It has
// tests alone. What one package can promise by itself is tested there.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// binary is the path of the program under test, which TestMain builds once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// sameWithRace ends a test with the race detector in which clients ask one after the other, or that waits for
// other programs most of the time. Other tests do the same with many clients at once.
func sameWithRace(t *testing.T) {
	t.Helper()
	if suite.Race {
		t.Skip("one client at a time: the race detector finds more in tests with many")
	}
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "segraph-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a folder for the binary:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "segraph")
	args := []string{"build", "-o", binary}
	if suite.Race {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "../..")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the binary:", err)
		return 1
	}
	return m.Run()
}
