//go:build unix

package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

func TestParseReadsStepsWithWhatTheyWaitFor(t *testing.T) {
	t.Parallel()
	got, err := parse(strings.NewReader("# why\n\nbehind the tools: install\nbuild: go build: all\ntest after the tools:\n\tone\n\ttwo\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{name: "the tools", behind: true, command: "install"},
		{name: "build", command: "go build: all"},
		{name: "test", after: "the tools", command: "\n\tone\n\ttwo"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("parse = %+v, want %+v", got, want)
	}
}

func TestParseRefusesWhatIsNoStep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"build\n":                 "is not a step",
		"\tgo build\n":            "continues no step",
		"test after build: go\n":  `is after "build", which is not above it`,
		"a after a: go test\n":    `is after "a", which is not above it`,
		"a: go\na: go\n":          `there are two steps "a"`,
		"a: b\nb after c: true\n": `is after "c", which is not above it`,
	} {
		if _, err := parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q): %v, want an error with %q", text, err, want)
		}
	}
}

// steps runs steps and returns their output.
func steps(t *testing.T, limit time.Duration, list string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := runSteps(t.Context(), strings.NewReader(list), &out, limit)
	return out.String(), err
}

func TestStepsRunInOrderBesideOthersAndAfterOthers(t *testing.T) {
	t.Parallel()
	out, err := steps(t, time.Minute, `
behind slow: until [ -e "$WORK/first" ]; do sleep 0.01; done; nice; touch "$WORK/slow"
first: touch "$WORK/first"
behind last after slow: echo found $(ls "$WORK") 2>&1
second after slow: ls "$WORK/slow"; [ "$END" -gt "$(date +%s)" ]
`)
	if err != nil {
		t.Errorf("steps that pass: %v\n%s", err, out)
	}
	for _, want := range []string{"\n== slow\n19\n(slow: passed after ", "found first slow", "passed: slow\npassed: first\npassed: last\npassed: second\nPASSED after"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestStepsContinueAfterAFailureAndShowItLast(t *testing.T) {
	t.Parallel()
	out, err := steps(t, time.Minute, `
bad: echo "ok  	a package"; echo "--- FAIL: TestOne (0.01s)"; seq 50; false; echo not reached
piped: false | cat
good after bad: echo "once more: a package"
`)
	if err == nil || !strings.Contains(err.Error(), "FAILED after") {
		t.Errorf("a step that fails: %v", err)
	}
	_, end, _ := strings.Cut(out, "(good: passed after 0 s)\n")
	want := "\nonce more: a package\npassed: good\n\n== failed: bad\n" + strings.Join(numbers(12, 50), "") + "(bad: failed after 0 s)\n--- FAIL: TestOne (0.01s)\n" +
		"\n== failed: piped\n\n== piped\n(piped: failed after 0 s)\n"
	if end != want {
		t.Errorf("the summary is %q, want %q", end, want)
	}
}

// numbers returns the output of seq.
func numbers(from, to int) []string {
	var lines []string
	for i := from; i <= to; i++ {
		lines = append(lines, string([]byte{byte('0' + i/10), byte('0' + i%10), '\n'}))
	}
	return lines
}

func TestTheLimitEndsAStepAndAllThatItStarted(t *testing.T) {
	t.Parallel()
	began := time.Now()
	out, err := steps(t, 200*time.Millisecond, `
passes: true
behind hangs: sleep 60 | sleep 60
hangs too: sleep 60 & sleep 60
not begun: echo shown
`)
	if err == nil || time.Since(began) > 10*time.Second {
		t.Errorf("at the limit: %v after %v", err, time.Since(began))
	}
	for _, want := range []string{"passed: passes", "== unfinished: hangs\n", "== unfinished: hangs too", "== unfinished: not begun"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "shown") {
		t.Errorf("a step began after the limit:\n%s", out)
	}
}

func TestFailuresNameTheTestsToRunOnceMore(t *testing.T) {
	t.Parallel()
	got := failures("ok  \tp/a\t0.1s\n--- FAIL: TestX (0.0s)\n    --- FAIL: TestX/sub\n--- FAIL: TestY (0.0s)\nFAIL\nFAIL\tp/b\t2s\nFAIL\tp/c\t2s\n?   \tp/d\t[no test files]\nFAIL\n")
	want := []failure{{"p/b", "TestX|TestY"}, {"p/c", ".*"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("failures = %v, want %v", got, want)
	}
	for text, want := range map[string]bool{"WARNING: DATA RACE": true, "panic: oh": true, "FAIL\tp [build failed]": true, "--- FAIL: TestX": false} {
		if final.MatchString("ok\n"+text+"\n") != want {
			t.Errorf("%q is final: %v, want %v", text, !want, want)
		}
	}
}

func TestOnlyTheEndOfItsTimeExcusesAFuzzer(t *testing.T) {
	t.Parallel()
	if !endOfTime("--- FAIL: FuzzX\n    context deadline exceeded\n") || endOfTime("context deadline exceeded\nFailing input written to") || endOfTime("panic: oh") {
		t.Error("endOfTime confuses a finding with the end of the time")
	}
}

// TestPackagesWithGoroutinesAreFound lists a module in which the package a starts a
// goroutine, the tests of b import a, and the tests of d start one themselves.
func TestPackagesWithGoroutinesAreFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for path, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"a/a.go":      "package a\n\nfunc A() {\n\tgo func() {}()\n}\n",
		"a/a_test.go": "package a\n",
		"b/b.go":      "package b\n",
		"b/b_test.go": "package b_test\n\nimport _ \"m/a\"\n",
		"c/c.go":      "package c // where to go\n",
		"c/c_test.go": "package c\n",
		"d/d.go":      "package d\n",
		"d/d_test.go": "package d\n\nimport \"sync\"\n\nvar g sync.WaitGroup\n\nfunc f() { g.Go(f) }\n",
	} {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := concurrent(folder)
	slices.Sort(got)
	if want := []string{"m/a", "m/b", "m/d"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("concurrent = %v, %v, want %v", got, err, want)
	}
}

// TestTheListOfStepsIsComplete parses .ci/run and checks that it contains the required
// steps.
func TestTheListOfStepsIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "<<'STEPS'\n")
	list, _, found := strings.Cut(list, "\nSTEPS\n")
	all, err := parse(strings.NewReader(list))
	if err != nil || !found {
		t.Fatalf("the list of .ci/run: %v, ended by STEPS: %v", err, found)
	}
	var commands strings.Builder
	for _, s := range all {
		commands.WriteString(s.command + "\n")
	}
	for _, want := range []string{"go build ./...", "go vet ./...", "gofmt", "go mod tidy", "ci test\n", "ci test -race", "ci fuzz -until", "staticcheck@v", "govulncheck@v", ".ci/licences", "GOOS=$system go vet"} {
		if !strings.Contains(commands.String(), want) {
			t.Errorf("no step runs %q", want)
		}
	}
}

func TestTargetsAreFoundInTheirFolders(t *testing.T) {
	t.Chdir("../..")
	all, err := targets()
	if err != nil {
		suite.Missing(t, "git finds fuzz targets in a checkout only: "+err.Error())
	}
	if len(all) < 10 {
		t.Errorf("%d fuzz targets found, want all", len(all))
	}
	for _, target := range all {
		if files, err := filepath.Glob(filepath.Join(target.folder, "*_test.go")); err != nil || files == nil {
			t.Errorf("%v: no tests in the folder", target)
		}
	}
}
