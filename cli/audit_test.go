package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/translog"
)

// sign asks for a checkpoint of segraph.db, as a client of the service does.
func sign(t *testing.T) string {
	t.Helper()
	s, err := persist.Open("segraph.db", persist.Options{Options: engine.Options{TextIndex: engine.TextIndexAsIs}})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := translog.New(s.Store, translog.Options{KeyFile: "segraph.db.key"}).Checkpoint(t.Context())
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return string(signed)
}

func TestAuditRotatesTheKeyOfTheLog(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(environ []string, want string, args ...string) outcome {
		t.Helper()
		got := segraph("", environ, append([]string{"audit"}, args...)...)
		if !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%v: %+v, want %s", args, got, want)
		}
		return got
	}
	run(nil, "no such file", "rotate")
	if got := segraph(greetings, nil, "load", "-", "--format", "turtle"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	run(nil, "no transparency log yet", "rotate")
	before := sign(t)
	name, _, _ := strings.Cut(before, "\n")
	old := run(nil, name, "key").stdout
	got := run(nil, "entry 3, signed by the old key, names the new key of "+name, "rotate")
	key := run(nil, name, "key").stdout
	if got.code != 0 || key == old || !strings.HasSuffix(got.stdout, "\nold "+old+"new "+key) {
		t.Errorf("%q, then %q: %+v", old, key, got)
	}
	if after := sign(t); !strings.HasPrefix(after, name+"\n3\n") {
		t.Errorf("after the rotation %q, before it %q", after, before)
	}
	if got := run(nil, "the chain is intact", "verify"); got.code != 0 {
		t.Errorf("%+v", got)
	}

	kept, err := os.ReadFile("segraph.db.key")
	if err != nil {
		t.Fatal(err)
	}
	configured := []string{"SEGRAPH_SIGNING_KEY=" + string(kept)}
	if got := run(configured, "can't replace it", "rotate"); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
	run(configured, "is the one that the log has", "rotate", "segraph.db.key")
	run(nil, "reading the new key none.pem", "rotate", "none.pem")
	const next = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----\n"
	if err := os.WriteFile("next.pem", []byte(next), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(configured, "set SEGRAPH_SIGNING_KEY_FILE to next.pem", "rotate", "next.pem"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	if got := run(nil, "no subcommand \"rotate a b\"", "rotate", "a", "b"); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
}
