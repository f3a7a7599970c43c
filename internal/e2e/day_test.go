package e2e

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// The script docs/day-in-the-life.sh succeeds.
func TestADayInTheLifeIsAsTheScriptSays(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "curl", "mktemp", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			suite.Missing(t, "the script needs "+tool+": "+err.Error())
		}
	}
	_, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	day := exec.CommandContext(ctx, "sh", filepath.Join(suite.Root(t), "docs", "day-in-the-life.sh"))
	day.Env = environ("SEGRAPH="+binary, "PORT="+port, "TMPDIR="+t.TempDir())
	day.Stderr = os.Stderr
	out, err := day.Output()
	if err != nil || !strings.HasSuffix(string(out), "The day is over.\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
