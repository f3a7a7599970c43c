package cli

import (
	"fmt"
	"os"
	"regexp"
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

// TestACanonicalDumpNamesNodesThatAreTooSimilar has eight nodes that all point to each other
// and a ring of 1,000 beside ordinary data.
func TestACanonicalDumpNamesNodesThatAreTooSimilar(t *testing.T) {
	suite.NotShort(t)
	var clique, ring strings.Builder
	for i := range 64 {
		if i/8 != i%8 {
			fmt.Fprintf(&clique, "_:c%d <http://e/p> _:c%d .\n", i/8, i%8)
		}
	}
	for i := range 1000 {
		fmt.Fprintf(&ring, "_:r%d <http://e/q> _:r%d .\n", i, (i+1)%1000)
	}
	const ordinary = "<http://e/s> <http://e/p> _:x .\n_:x <http://e/q> \"x\" .\n_:y <http://e/p> _:z .\n_:z <http://e/p> _:y .\n"
	folder(t, map[string]string{"1.ttl": ordinary, "clique.ttl": clique.String(), "ring.ttl": ring.String()})
	t.Setenv("TMPDIR", t.TempDir())
	dumped := func(data string, files ...string) (got outcome, plain string, logs map[string]string) {
		loaded := segraph("", nil, append([]string{"load", "--data", data}, files...)...)
		if loaded.code != 0 {
			t.Fatalf("load: %+v", loaded)
		}
		logs = map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^(.+\.ttl): .*\(log (.+)\)$`).FindAllStringSubmatch(loaded.stdout+loaded.stderr, -1) {
			logs[m[1]] = m[2]
		}
		got = segraph("", nil, "dump", "--canonical", "--data", data)
		for line := range strings.Lines(got.stdout) {
			if !strings.Contains(line, "_:alike") {
				plain += line
			}
		}
		return got, plain, logs
	}
	_, want, _ := dumped("1.db", "1.ttl")
	for data, files := range map[string][]string{"2.db": {"1.ttl", "clique.ttl", "ring.ttl"}, "3.db": {"ring.ttl", "1.ttl", "clique.ttl"}} {
		got, plain, logs := dumped(data, files...)
		if got.code != 0 || plain != want || strings.Count(got.stdout, "\n") != 4+56+1000 {
			t.Errorf("%s: code %d, %d lines, of which the ordinary ones are\n%s\nwant\n%s", data, got.code, strings.Count(got.stdout, "\n"), plain, want)
		}
		for _, part := range []string{"1,008 blank nodes are too similar to have canonical labels, such as _:", "(_:alike2 here)", "log " + logs["clique.ttl"] + " of ", "log " + logs["ring.ttl"] + " of "} {
			if len(logs) != 3 || !strings.Contains(got.stderr, part) {
				t.Errorf("%s: the warning has no %q: %s", data, part, got.stderr)
			}
		}
		if strings.Contains(got.stderr, logs["1.ttl"]) {
			t.Errorf("%s: the warning names a log without such nodes: %s", data, got.stderr)
		}
		if again := segraph("", nil, "dump", "--canonical", "--data", data); again != got {
			t.Errorf("%s: a second dump differs", data)
		}
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
