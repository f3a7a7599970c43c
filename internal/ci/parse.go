//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// step is a command that must succeed.
type step struct {
	name    string
	behind  bool   // runs in parallel with the following steps, at low priority
	after   string // the step to wait for, or ""
	command string // run by bash
}

// parse reads a list of steps. A step is a line of the form
//
//	[behind] NAME [after NAME]: COMMAND
//
// followed by indented lines that continue the command. Lines that begin with # are
// comments.
func parse(r io.Reader) ([]step, error) {
	var steps []step
	names := map[string]bool{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if line[0] == '\t' || line[0] == ' ' {
			if len(steps) == 0 {
				return nil, fmt.Errorf("%q continues no step: put it below one", line)
			}
			steps[len(steps)-1].command += "\n" + line
			continue
		}
		head, command, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("%q is not a step: write NAME: COMMAND", line)
		}
		s := step{command: strings.TrimSpace(command)}
		head, s.behind = strings.CutPrefix(head, "behind ")
		s.name, s.after, _ = strings.Cut(head, " after ")
		if s.after != "" && !names[s.after] {
			return nil, fmt.Errorf("step %q is after %q, which is not above it: add it there", s.name, s.after)
		}
		if names[s.name] {
			return nil, fmt.Errorf("there are two steps %q: rename one", s.name)
		}
		names[s.name] = true
		steps = append(steps, s)
	}
	return steps, lines.Err()
}
