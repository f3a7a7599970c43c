//go:build unix

package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

var (
	worthSaying = regexp.MustCompile(`^(once more|not checked): `)
	thatPassed  = regexp.MustCompile(`^(ok|\?|PASS) `)
	thatFailed  = regexp.MustCompile(`^(--- FAIL|FAIL\s)`)
)

// summarize writes the names of the steps that passed and, last, the end of the others'
// output. It returns an error unless all passed.
func summarize(out io.Writer, all []*running, took time.Duration) error {
	fmt.Fprintln(out)
	for _, r := range all {
		for line := range strings.Lines(r.output.String()) {
			if worthSaying.MatchString(line) {
				fmt.Fprint(out, line)
			}
		}
	}
	var bad []*running
	for _, r := range all {
		if r.outcome == "passed" {
			fmt.Fprintln(out, "passed:", r.name)
		} else {
			bad = append(bad, r)
		}
	}
	for _, r := range bad {
		fmt.Fprintf(out, "\n== %s: %s\n", r.outcome, r.name)
		var lines, failures []string
		for line := range strings.Lines(r.output.String()) {
			if !thatPassed.MatchString(line) {
				lines = append(lines, line[:min(len(line), 300)])
			}
			if thatFailed.MatchString(line) {
				failures = append(failures, line)
			}
		}
		lines = lines[max(0, len(lines)-40):]
		fmt.Fprintln(out, strings.TrimRight(strings.Join(append(lines, failures...), ""), "\n"))
	}
	if bad != nil {
		return fmt.Errorf("FAILED after %.0f s", took.Seconds())
	}
	fmt.Fprintf(out, "PASSED after %.0f s\n", took.Seconds())
	return nil
}
