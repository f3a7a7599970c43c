//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
)

// final finds failures that no second run may hide.
var final = regexp.MustCompile(`(?m)DATA RACE|^panic:|^fatal error:|(build|setup) failed`)

// testAll runs all tests, with these flags of go test, and once more those that failed: on a busy machine a
// test of time fails now and then.
func testAll(out io.Writer, flags []string) error {
	output, err := goTest(out, append(flags, "./..."))
	if err == nil {
		return nil
	}
	failed := failures(output)
	if final.MatchString(output) || len(failed) == 0 {
		return err
	}
	for _, f := range failed {
		fmt.Fprintf(out, "once more: %s %s\n", f.folder, f.tests)
		if _, err := goTest(out, append(flags, "-count=1", "-run", "^("+f.tests+")$", f.folder)); err != nil {
			return err
		}
	}
	return nil
}

// goTest runs go test, shows its output on out, and returns it.
func goTest(out io.Writer, args []string) (string, error) {
	var output bytes.Buffer
	command := exec.Command("go", append([]string{"test", "-vet=off"}, args...)...)
	command.Stdout = io.MultiWriter(out, &output)
	command.Stderr = command.Stdout
	err := command.Run()
	return output.String(), err
}

// failure is a package that failed, and a pattern of the tests of it that did.
type failure struct{ folder, tests string }

// failures returns the packages that failed in an output of go test. Where none of a package's tests failed
// by name, the pattern is that of all.
func failures(output string) []failure {
	var all []failure
	var tests []string
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "--- FAIL: "):
			tests = append(tests, fields[2])
		case strings.HasPrefix(line, "ok "):
			tests = nil
		case strings.HasPrefix(line, "FAIL\t") && len(fields) == 3:
			if tests == nil {
				tests = []string{".*"}
			}
			all = append(all, failure{fields[1], strings.Join(tests, "|")})
			tests = nil
		}
	}
	return all
}
