//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// final matches failures that a second run must not hide.
var final = regexp.MustCompile(`(?m)DATA RACE|^panic:|^fatal error:|(build|setup) failed`)

// testAll runs all tests with the given flags of go test, and runs failed tests again: on
// a busy machine, tests that measure time sometimes fail. With -race it omits packages
// without goroutines.
func testAll(out io.Writer, flags []string) error {
	packages := []string{"./..."}
	if slices.Contains(flags, "-race") {
		var err error
		if packages, err = concurrent("."); err != nil {
			return err
		}
	}
	output, err := goTest(out, slices.Concat(flags, packages))
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

// goTest runs go test, copies its output to out, and returns it.
func goTest(out io.Writer, args []string) (string, error) {
	var output bytes.Buffer
	command := exec.Command("go", append([]string{"test", "-vet=off"}, args...)...)
	command.Stdout = io.MultiWriter(out, &output)
	command.Stderr = command.Stdout
	err := command.Run()
	return output.String(), err
}

// failure is a package that failed, with a pattern that matches its failed tests.
type failure struct{ folder, tests string }

// failures returns the packages that failed according to the output of go test. If a
// package names no failed test, its pattern matches all tests.
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
