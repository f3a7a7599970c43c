// Package e2e tests the built binary as users run it: with real sockets, a real file,
// real signals and kills. It tests the promises of the service as a whole; each package
// tests its own. It contains only tests.
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

// raced has prefixes of the names of tests that run with the race detector: those with
// concurrent requests. The others have one client at a time, or mostly wait for other
// programs. -run selects other tests.
var raced = []string{
	"TestADayInTheLife", "TestAFullDisk", "TestAFullPipe", "TestALongExportBesideWriting",
	"TestASoakOfMixedTraffic", "TestBothListenersSpeakHTTP2", "TestChangingTheKeyCutsNobodyOff", "TestEvery201SurvivesAKill",
	"TestEveryDecisionSurvivesAKill", "TestLivenessAnswers", "TestMetricsCountEveryByte", "TestOneConnectionOfHTTP2",
	"TestTheDemoHasData", "TestTLSWithACertificateThatIsRenewed",
}

func TestMain(m *testing.M) {
	suite.ParseFlags(raced)
	if testing.Short() && !suite.Race { // CI has no other run with the race detector than a short one
		fmt.Println("these tests run the whole program, and none of them with -short")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "segraph-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a folder for the binary:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "segraph")
	args := []string{"build", "-ldflags=-s -w", "-o", binary} // without tables for debuggers, as in a release
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
