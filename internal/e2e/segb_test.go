package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// compatFiles are recordings of clients that rely on more than the specification.
var compatFiles = map[string]bool{"notebook-preflight.jsonl": true, "old-ui.jsonl": true, "eval.jsonl": true}

var allMet = regexp.MustCompile(`(?m)^[1-9]\d* requests, 0 fall short$`)

// SEGB's clients get the answers that they need, with a new service for each file.
func TestSEGBsClientsGetWhatTheyNeed(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		suite.Missing(t, "no python3, which replays the recordings: install it")
	}
	replay := suite.Shared(t, "segb", "replay.py")
	files, err := filepath.Glob(filepath.Join(filepath.Dir(replay), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings beside %s, %v", len(files), replay, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			var env []string
			if compatFiles[filepath.Base(file)] {
				env = []string{"SEGRAPH_COMPAT=segb"}
			}
			dir := t.TempDir()
			s := serve(t, dir, env)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			out, err := exec.CommandContext(ctx, python, replay, s.api, file).CombinedOutput()
			if err != nil || !allMet.Match(out) {
				t.Errorf("%v\n%s", err, out)
			}
			s.stop()
			checkFile(t, filepath.Join(dir, "segraph.db"))
		})
	}
}
