package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/service"
)

// Logs are withdrawn by their ids, and by user and time after a preview that changes nothing.
func TestLogsAreWithdrawnByCommand(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "segraph.db")
	load := func(name, text string) (id string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := segraph("", nil, "load", "--data", data, path)
		found := regexp.MustCompile(`\(log (\S+)\)`).FindStringSubmatch(got.stdout)
		if got.code != 0 || found == nil {
			t.Fatalf("%+v", got)
		}
		return found[1]
	}
	left := func() int {
		t.Helper()
		got := segraph("", nil, "dump", "--data", data, "--format", "nquads")
		if got.code != 0 {
			t.Fatalf("%+v", got)
		}
		return strings.Count(got.stdout, "\n")
	}
	first := load("a.ttl", "<urn:s> <urn:p> 1, 2 .")
	second := load("b.trig", "<urn:s> <urn:p> 2, 3 . <urn:g> { <urn:s> <urn:p> 4 }")
	third := load("c.ttl", "<urn:s> <urn:p> 5 .")
	if got := segraph("", nil, "withdraw", "--data", data, second); got.code != 0 || !strings.Contains(got.stdout, "2 triples removed, 1 triple kept") || left() != 3 {
		t.Errorf("%+v, %d triples left", got, left())
	}
	if got := segraph("", nil, "withdraw", "--data", data, second); got.code != exitFailed || !strings.Contains(got.stderr, "was withdrawn") {
		t.Errorf("again: %+v", got)
	}
	if got := segraph("", nil, "withdraw", "--data", data, "none"); got.code != exitFailed || !strings.Contains(got.stderr, "There is no log with this id") {
		t.Errorf("an unknown log: %+v", got)
	}
	preview := segraph("", nil, "withdraw", "--data", data, "--from", "2020-01-01T00:00:00Z")
	if preview.code != 0 || !strings.Contains(preview.stdout, first) || !strings.Contains(preview.stdout, third) || strings.Contains(preview.stdout, second) ||
		!strings.Contains(preview.stdout, "logs: 2; 3 triples would be removed, 0 stay; nothing was changed") || left() != 3 {
		t.Errorf("%+v, %d triples left", preview, left())
	}
	for _, none := range [][]string{{"--user", "nobody"}, {"--to", "2020-01-01T00:00:00Z"}} {
		if got := segraph("", nil, append([]string{"withdraw", "--data", data, "--yes"}, none...)...); got.code != 0 || got.stdout != "logs: 0; 0 triples removed, 0 stay\n" || left() != 3 {
			t.Errorf("%v: %+v", none, got)
		}
	}
	if got := segraph("", nil, "withdraw", "--data", data, "--user", operator(), "--yes"); got.code != 0 || left() != 0 {
		t.Errorf("%+v, %d triples left", got, left())
	}
	for _, wrong := range [][]string{{}, {first, "--user", "ari"}} {
		if got := segraph("", nil, append([]string{"withdraw", "--data", data}, wrong...)...); got.code != exitUsage || !strings.Contains(got.stderr, "which logs?") {
			t.Errorf("%v: %+v", wrong, got)
		}
	}
	if got := segraph("", nil, "check", "--data", data); got.code != 0 {
		t.Errorf("the file is damaged: %+v", got)
	}
}

// A query may need what the logs said that are withdrawn first. It chooses all of them before.
func TestAQueryChoosesLogsBeforeTheFirstIsWithdrawn(t *testing.T) {
	const all = 2*service.MaxWithdrawn + 1
	gone := map[string]bool{}
	withdraw := func(_ context.Context, c service.Choice, preview bool) (*service.Withdrawal, error) {
		out := &service.Withdrawal{Preview: preview}
		if c.Query != "" && len(gone) == 0 {
			for i := int(c.After); i < all && len(c.Logs) < service.MaxWithdrawn; i++ {
				c.Logs = append(c.Logs, fmt.Sprint(i))
			}
			if next := c.After + service.MaxWithdrawn; next < all {
				out.Next = &next
			}
		}
		for _, id := range c.Logs {
			out.Logs = append(out.Logs, service.WithdrawnLog{LogID: id})
			if !preview {
				gone[id] = true
			}
		}
		return out, nil
	}
	var stdout bytes.Buffer
	p := &program{stdout: &stdout}
	if err := p.withdrawChosen(t.Context(), service.Choice{Query: "SELECT"}, withdraw, false); err != nil || len(gone) != all || !strings.Contains(stdout.String(), "\nlogs: 2001;") {
		t.Errorf("%d are withdrawn, %v, %s", len(gone), err, stdout.String()[max(0, stdout.Len()-100):])
	}
}
