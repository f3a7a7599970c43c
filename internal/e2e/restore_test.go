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

// If a restore is killed at any point, it leaves the old file or the new one. The next
// restore succeeds.
func TestARestoreThatIsKilledLeavesTheOldFileOrTheNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(stdin string, args ...string) result {
		t.Helper()
		r := command(t, dir, nil, stdin, args...)
		if r.code != 0 {
			t.Fatalf("segraph %q: exit %d\n%s", args, r.code, r.stderr)
		}
		return r
	}
	var many []byte
	for i := range 2000 {
		many = append(many, document("d"+string(rune('a'+i%26))+time.Duration(i).String())...)
	}
	run(string(many), "load", "-", "--format", "turtle")
	backup := run("", "dump", "--format", "nquads").stdout
	run("", "backup", "copy.db")
	begin := time.Now()
	run("", "restore", "copy.db")
	took := time.Since(begin)
	old, fresh := 0, 0
	for round := range suite.Times(200, suite.Size(10, 2)) {
		run(document("later"), "load", "-", "--format", "turtle")
		later := run("", "dump", "--format", "nquads").stdout
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.Int64N(int64(took*5/4)+1)))
		cmd := exec.CommandContext(ctx, binary, "restore", "copy.db")
		cmd.Dir, cmd.Env = dir, environ()
		_ = cmd.Run() // killed or not
		cancel()
		run("", "check")
		switch run("", "dump", "--format", "nquads").stdout {
		case later:
			old++
		case backup:
			fresh++
		default:
			t.Fatalf("round %d: neither the old file nor the new one is there", round)
		}
		kept, err := filepath.Glob(filepath.Join(dir, "segraph.db.before-restore-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range kept {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		run("", "restore", "copy.db")
	}
	t.Logf("killed within %v of a restore that takes %v: the old file %d times, the new one %d times", took*5/4, took, old, fresh)
	left, err := filepath.Glob(filepath.Join(dir, "*.restoring-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// Deleted data is restored from the snapshot that was made before the deletion, and the
// journal records everything.
func TestADeletedGraphIsRestoredFromTheSnapshotBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	if a := s.publish(document("precious"), "ari"); a.status != 201 {
		t.Fatalf("%d\n%s", a.status, a.body)
	}
	want := s.events()
	if a := request(t, "POST", s.api+"/ttl/delete_all", []byte(`{"user":"eve"}`), "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("%d\n%s", a.status, a.body)
	}
	found, err := filepath.Glob(filepath.Join(dir, "segraph.db.snapshots", "*-delete_all.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("snapshots: %v, %v", found, err)
	}
	if n := request(t, "GET", s.api+"/admin/backups", nil).number(t, "count"); n != 1 {
		t.Errorf("%d snapshots are listed", n)
	}
	if r := command(t, dir, nil, "", "restore", found[0]); r.code != 3 {
		t.Errorf("a restore under the running service: exit %d\n%s", r.code, r.stderr)
	}
	s.stop()
	if r := command(t, dir, nil, "", "restore", found[0]); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.stderr)
	}
	s = serve(t, dir, nil)
	sameGraph(t, parse(t, s.events(), 0), parse(t, want, 0))
	a := request(t, "GET", s.api+"/logs", nil)
	if n := a.number(t, "count"); n != 2 {
		t.Errorf("the journal has %d entries: %s", n, a.body)
	}
}
