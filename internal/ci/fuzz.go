//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// target is a fuzz test: the folder of its package and its name.
type target struct{ folder, name string }

// targets returns the fuzz targets in all files that git tracks.
func targets() ([]target, error) {
	out, err := exec.Command("git", "grep", "-Eo", `^func Fuzz[A-Za-z0-9_]+`, "--", "*_test.go").Output()
	if err != nil {
		return nil, fmt.Errorf("find fuzz targets with git: %w", err)
	}
	var all []target
	for _, found := range regexp.MustCompile(`(?m)^(.*):func (.*)$`).FindAllStringSubmatch(string(out), -1) {
		all = append(all, target{"./" + path.Dir(found[1]), found[2]})
	}
	return all, nil
}

// binary returns the path of the test binary that compileFuzz builds for the target's
// package.
func (t target) binary(folder string) string { return filepath.Join(folder, t.folder, "fuzz.test") }

// instrument has the compiler count what the fuzzer reaches in this module. go test -fuzz
// would do so in the standard library too, which takes minutes to compile.
const instrument = "-gcflags=github.com/segraph/segraph/...=-d=libfuzzer"

// compileFuzz compiles the packages of all fuzz targets into folder.
func compileFuzz(ctx context.Context, folder string) error {
	all, err := targets()
	for _, t := range all {
		if _, missing := os.Stat(t.binary(folder)); missing == nil {
			continue
		}
		command := exec.CommandContext(ctx, "go", "test", "-vet=off", "-p=1", "-c", instrument, "-o", t.binary(folder), t.folder)
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("compile fuzz targets of %s: %w", t.folder, err)
		}
	}
	return err
}

// fuzzAll runs every fuzz target that compileFuzz compiled into folder, two per processor
// at once, for 30 s each. If until is not 0, it is a Unix time, and each target runs for
// as long as that allows. fuzzAll returns an error if less than a minute is left.
func fuzzAll(ctx context.Context, out io.Writer, folder string, until int64) error {
	all, err := targets()
	if err != nil {
		return err
	}
	processes := 2 * runtime.NumCPU()
	rounds := (len(all) + processes - 1) / processes
	each := 30 * time.Second
	if until != 0 {
		// Leave 20 s for the steps still running in parallel, and 5 s of each round to
		// start and minimize.
		each = min(each, (time.Until(time.Unix(until, 0))-20*time.Second)/time.Duration(rounds)-5*time.Second)
	}
	if each*time.Duration(rounds) < time.Minute {
		return fmt.Errorf("no time is left to fuzz: look above for the step that took too long")
	}
	fmt.Fprintf(out, "%.0f s each\n", each.Seconds())
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	corpora := filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "github.com/segraph/segraph")
	var screen sync.Mutex
	var group errgroup.Group
	group.SetLimit(processes)
	for _, t := range all {
		group.Go(func() error {
			output, err := t.fuzz(ctx, folder, corpora, each)
			screen.Lock()
			defer screen.Unlock()
			if err != nil {
				fmt.Fprintf(out, "--- FAIL: %s of %s\n", t.name, t.folder)
			}
			lines := strings.SplitAfter(output, "\n")
			fmt.Fprintf(out, "%s %s:\n%s\n", t.folder, t.name, strings.Join(lines[max(0, len(lines)-15):], ""))
			return err
		})
	}
	return group.Wait()
}

// fuzz runs a target for the time each, and adds interesting inputs to the corpora that
// go test -fuzz uses too. Go's fuzzer sometimes reports the end of its time as a failure;
// fuzz then runs the target again.
func (t target) fuzz(ctx context.Context, folder, corpora string, each time.Duration) (string, error) {
	binary, err := filepath.Abs(t.binary(folder))
	if err != nil {
		return "", err
	}
	for again := false; ; again = true {
		var output bytes.Buffer
		command := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+each.String(),
			"-test.fuzzminimizetime=10s", "-test.parallel=1", "-test.fuzzcachedir="+filepath.Join(corpora, t.folder))
		command.Dir, command.Stdout, command.Stderr = t.folder, &output, &output
		err := command.Run()
		if err == nil || again || !endOfTime(output.String()) {
			return output.String(), err
		}
	}
}

// endOfTime reports whether a fuzzer failed only because its time was up.
func endOfTime(output string) bool {
	return strings.Contains(output, "context deadline exceeded") && !strings.Contains(output, "Failing input")
}
