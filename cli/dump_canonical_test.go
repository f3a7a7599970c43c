package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

func TestCanonicalDumpsOfEqualStoresAreEqual(t *testing.T) {
	const (
		one = "<http://e/s> <http://e/p> _:x .\n_:x <http://e/q> \"tab\\tbed\"@en .\n"
		two = "_:y <http://e/p> _:x .\n_:x <http://e/p> _:y .\n<http://e/s> <http://e/p> 1 .\n"
	)
	folder(t, map[string]string{"1.ttl": one + strings.ReplaceAll(two, "_:x", "_:other"), "2a.ttl": two, "2b.ttl": one})
	t.Setenv("TMPDIR", t.TempDir())
	for _, args := range [][]string{{"--data=1.db", "1.ttl"}, {"--data=2.db", "2a.ttl", "2b.ttl"}} {
		if got := segraph("", nil, append([]string{"load"}, args...)...); got.code != 0 {
			t.Fatalf("load: %+v", got)
		}
	}
	first, second := segraph("", nil, "dump", "--canonical", "--data=1.db"), segraph("", nil, "dump", "--canonical", "--data=2.db")
	if first.code != 0 || first.stdout != second.stdout {
		t.Errorf("the dumps differ:\n%+v\n%+v", first, second)
	}
	want := "<http://e/s> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
	if !strings.HasPrefix(first.stdout, want) || !strings.Contains(first.stdout, `"tab\tbed"@en`) || strings.Count(first.stdout, "\n") != 5 {
		t.Errorf("the dump is\n%s", first.stdout)
	}
	if got := segraph("", nil, "dump", "--canonical", "--data=1.db", "--format=trig"); got.code != 2 || !strings.Contains(got.stderr, "--canonical writes N-Quads, not trig") {
		t.Errorf("with --format trig: %+v", got)
	}
}

// TestACanonicalDumpEndsWithNodesThatAreTooSimilar has a ring of 1,000 nodes.
func TestACanonicalDumpEndsWithNodesThatAreTooSimilar(t *testing.T) {
	suite.NotShort(t)
	var ring strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&ring, "_:r%d <http://e/q> _:r%d .\n", i, (i+1)%1000)
	}
	folder(t, map[string]string{"ring.ttl": ring.String(), "all.nq": "before"})
	if got := segraph("", nil, "load", "ring.ttl"); got.code != 0 {
		t.Fatalf("load: %+v", got)
	}
	got := segraph("", nil, "dump", "--canonical", "--out=all.nq")
	if got.code != 1 || !strings.Contains(got.stderr, "they are too similar, or terms too long; dump without --canonical") {
		t.Errorf("%+v", got)
	}
	if b, err := os.ReadFile("all.nq"); err != nil || string(b) != "before" {
		t.Errorf("the file is %q, %v", b, err)
	}
}

// More lines than fit in memory pass through temporary files, which are gone afterwards.
func TestACanonicalDumpIsSortedBeyondMemory(t *testing.T) {
	suite.NotShort(t)
	lines := make([]string, linesInMemory+10)
	for i := range lines {
		lines[i] = fmt.Sprintf("<http://e/%d> <http://e/p> \"%d\" .\n", i*7919%len(lines), i)
	}
	folder(t, map[string]string{"a.nt": strings.Join(lines, "")})
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if got := segraph("", nil, "load", "a.nt"); got.code != 0 {
		t.Fatalf("load: %+v", got)
	}
	got := segraph("", nil, "dump", "--canonical")
	slices.Sort(lines)
	if got.code != 0 || got.stdout != strings.Join(lines, "") {
		t.Errorf("code %d, %s: %d bytes that are not the sorted lines", got.code, got.stderr, len(got.stdout))
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v, %v", left, err)
	}
}
