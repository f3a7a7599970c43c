package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/turtle"
)

// The service serves loaded files, and dumps published logs.
func TestLoadServeAndDumpAgree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.ttl"), []byte(hello), 0o600); err != nil {
		t.Fatal(err)
	}
	r := command(t, dir, nil, "<urn:s> <urn:p> \"from stdin\" .\n", "load", "hello.ttl", "-", "--format", "turtle")
	if r.code != 0 || strings.Count(r.stdout, "\n") != 2 || r.stderr != "" {
		t.Fatalf("load: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	s := serve(t, dir, nil)
	if a := s.publish(`<urn:s> <urn:p> "posted" .`, "ari"); a.number(t, "added") != 1 {
		t.Fatalf("POST /ttl: %d\n%s", a.status, a.body)
	}
	events := s.events()
	want := parse(t, []byte(hello+`<urn:s> <urn:p> "from stdin", "posted" .`), turtle.Turtle)
	sameGraph(t, parse(t, events, turtle.Turtle), want)
	s.stop()

	for name, f := range map[string]turtle.Format{"d.ttl": turtle.Turtle, "d.nt": turtle.NTriples, "d.trig": turtle.TriG, "d.nq": turtle.NQuads} {
		if r := command(t, dir, nil, "", "dump", "--out", name); r.code != 0 || r.stdout+r.stderr != "" {
			t.Fatalf("dump --out %s: exit %d\n%s%s", name, r.code, r.stdout, r.stderr)
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, parse(t, text, f), want)
	}
	if r := command(t, dir, nil, "", "dump"); !bytes.Equal([]byte(r.stdout), events) {
		t.Errorf("dump on stdout differs from GET /events:\n%s", r.stdout)
	}
	temporary, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(temporary) > 0 {
		t.Errorf("left behind: %v %v", temporary, err)
	}
}
