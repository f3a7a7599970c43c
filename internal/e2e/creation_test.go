package e2e

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// If the first creation is killed at any point, it leaves no file or a valid one. The
// next start succeeds and leaves no other file.
func TestAFirstCreationThatIsKilledLeavesNoFileOrAGoodOne(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	if r := command(t, t.TempDir(), nil, "", "load", "/dev/null", "--format", "turtle"); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.stderr)
	}
	took := time.Since(begin)
	none, good := 0, 0
	for round := range suite.Times(500, suite.Size(20, 4)) {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.Int64N(int64(took)+1)))
		cmd := exec.CommandContext(ctx, binary, "load", "/dev/null", "--format", "turtle")
		cmd.Dir, cmd.Env = dir, environ()
		_ = cmd.Run() // killed or not
		cancel()
		switch info, err := os.Stat(filepath.Join(dir, "segraph.db")); {
		case os.IsNotExist(err):
			none++
		case err != nil:
			t.Fatal(err)
		case info.Size() == 0:
			t.Fatalf("round %d: the file is empty", round)
		default:
			good++
			if r := command(t, dir, nil, "", "check"); r.code != 0 {
				t.Fatalf("round %d: exit %d\n%s", round, r.code, r.stderr)
			}
		}
		if r := command(t, dir, nil, document("next"), "load", "-", "--format", "turtle"); r.code != 0 {
			t.Fatalf("round %d: the next start: exit %d\n%s", round, r.code, r.stderr)
		}
		if there, err := os.ReadDir(dir); err != nil || len(there) != 1 {
			t.Errorf("round %d: there are %v, %v", round, there, err)
		}
	}
	t.Logf("killed within %v: no file %d times, a good one %d", took, none, good)
}
