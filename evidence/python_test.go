package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/suite"
)

// python verifies bundles with the program of the documentation; see pythonFiles.
func (k *kit) python(bundles []members) [][]string {
	k.Helper()
	var files [][]byte
	for _, m := range bundles {
		files = append(files, k.fileOf(m))
	}
	return k.pythonFiles(files)
}

// runPython runs lines of Python that use the program of the documentation as the module v.
func (k *kit) runPython(code, input string, args ...string) []byte {
	k.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		suite.Missing(k.TB, "no python3, which runs the program of the documentation")
	}
	program, err := filepath.Abs("../docs/evidence/verify_bundle.py")
	k.check(err)
	text, err := os.ReadFile(program)
	k.check(err)
	if n := bytes.Count(text, []byte("\n")); n > 350 {
		k.Errorf("the program has %d lines, and may have 350", n)
	}
	for line := range strings.Lines(string(text)) {
		if n := utf8.RuneCountInString(line) - 1; n > 120 {
			k.Errorf("the program has a line of %d columns, and may have 120: %s", n, line)
		}
	}
	run := exec.Command(python, append([]string{"-B", "-I", "-c", "import json, sys; sys.path.insert(0, '.'); import verify_bundle as v\n" + code}, args...)...)
	run.Dir, run.Stdin = filepath.Dir(program), strings.NewReader(input)
	out, err := run.CombinedOutput()
	if err != nil {
		k.Fatalf("%v: %s", err, out)
	}
	return out
}

// pythonFiles verifies files with the program of the documentation, all in one process. It
// returns the lines that the program prints for each.
func (k *kit) pythonFiles(files [][]byte) (lines [][]string) {
	k.Helper()
	folder := k.TempDir()
	var paths []string
	for i, b := range files {
		path := filepath.Join(folder, strconv.Itoa(i)+".zip")
		k.check(os.WriteFile(path, b, 0o600))
		paths = append(paths, path)
	}
	input, err := json.Marshal(paths)
	k.check(err)
	out := k.runPython(`print(json.dumps([v.run(path, sys.argv[1]) for path in json.load(sys.stdin)]))`, string(input), k.key)
	k.check(json.Unmarshal(out, &lines))
	return lines
}

// TestPythonVerifiesABundle needs nothing but Python's standard library.
func TestPythonVerifiesABundle(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	k := newKit(t)
	id := k.publish("ari", greeting)
	k.publish("tiago", reply)
	_, err := k.store.Withdraw(t.Context(), id, k.entry(withdrawal))
	k.check(err)
	good := k.bundle(About{Logs: []string{id}})
	query := k.bundle(About{IRI: "http://example.org/ari"})
	interval := k.bundle(About{From: new(begin), To: new(begin.Add(90e9))})
	bundles := []members{good, query, interval}
	var names []string
	for name := range good {
		changed := members{}
		for other, b := range good {
			changed[other] = bytes.Clone(b)
		}
		changed[name][len(changed[name])/2] ^= 1
		bundles, names = append(bundles, changed), append(names, name)
	}
	got := k.python(bundles)
	k.has(got[0][0], "It holds: example.org/log has all 3 entries of the bundle, 0 with what was said")
	k.has(got[1][0], "It holds: ", "1 of 1 triples are proved")
	k.has(got[2][0], "It holds: ", "all 2 entries from 2100-03-01T12:00:00Z to 2100-03-01T12:01:30Z are here")
	for i, name := range names {
		if lines := got[3+i]; len(lines) != 1 || !strings.HasPrefix(lines[0], name+": ") {
			t.Errorf("with a changed byte in %s: %q", name, lines)
		}
	}
}

// BenchmarkThousandLogs makes and verifies a bundle of 1,000 logs of 40 triples.
func BenchmarkThousandLogs(b *testing.B) {
	k := newKit(b)
	text := "@prefix ex: <http://example.org/> .\n"
	for i := range 39 {
		text += fmt.Sprintf("ex:m ex:p%d \"value %d\" .\n", i, i)
	}
	var ids []string
	for i := range 1000 {
		ids = append(ids, k.publish("ari", text+fmt.Sprintf("ex:m ex:number %d .\n", i)))
	}
	var z *bytes.Reader
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			z = k.zipOf(k.bundle(About{Logs: ids}))
		}
		b.ReportMetric(float64(z.Size()), "bytes")
	})
	if z == nil {
		z = k.zipOf(k.bundle(About{Logs: ids}))
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if r, err := Verify(z, z.Size(), k.key); err != nil || len(r.Failures) > 0 {
				b.Fatal(err, r)
			}
		}
	})
}
