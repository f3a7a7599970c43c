package cli

import (
	"strings"
	"testing"
)

// TestHoldsAreAddedListedAndLifted manages the legal holds of a file.
func TestHoldsAreAddedListedAndLifted(t *testing.T) {
	t.Chdir(t.TempDir())
	loaded := segraph("<urn:a> <urn:b> 1 .", nil, "load", "--format", "turtle", "-")
	if loaded.code != 0 {
		t.Fatalf("%+v", loaded)
	}
	id := ""
	for _, c := range []struct {
		args string
		code int
		want string // part of stdout or stderr
	}{
		{"hold list", 0, "there are no legal holds"},
		{"hold add --iri urn:a", 1, "needs a reason"},
		{"hold add --iri urn:a --log x --reason court", 1, "Say what must be kept"},
		{"hold add --log none --reason court", 1, "no log with this id"},
		{"hold add --from 2026-01-02T00:00:00Z --to 2026-01-01T00:00:00Z --reason court", 1, "of which from is earlier"},
		{"hold add --iri urn:a --until 2026-01-01T00:00:00Z --reason court", 1, "end in the future"},
		{"hold add --iri urn:a --until 2999-01-01T00:00:00Z --reason court", 0, "-"},
		{"hold list", 0, "  urn:a  until 2999-01-01T00:00:00Z  by "},
		{"hold lift ID", 0, "on urn:a has ended"},
		{"hold lift ID", 1, "No legal hold has this id"},
		{"hold", 2, "three subcommands"},
		{"check", 0, ""},
	} {
		got := segraph("", nil, strings.Fields(strings.ReplaceAll(c.args, "ID", id))...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, got)
		}
		if strings.HasPrefix(c.args, "hold add") && got.code == 0 {
			id = strings.TrimSpace(got.stdout)
		}
	}
}
