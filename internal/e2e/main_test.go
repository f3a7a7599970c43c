// Package e2e tests the built binary as users run it: with real sockets, a real file,
// real signals and kills. It tests what the service as a whole promises; each package
// tests its own promises. It contains only tests.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// binary is the path of the program under test. TestMain builds it once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// sameWithRace skips a test with the race detector. Use it for tests with one client at a
// time, or that mostly wait for other programs. Other tests do the same with concurrent
// clients.
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
