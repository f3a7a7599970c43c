//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// running is a step and its result.
type running struct {
	step
	done    chan struct{} // closed when the step has ended
	output  bytes.Buffer  // complete when done is closed
	outcome string        // passed, failed or unfinished
}

// runSteps runs the steps that in lists. It writes their output to out, then the names of
// the steps that passed and, last, the failures. It returns an error unless all steps
// pass within limit. The variable WORK tells steps a folder for their files, and END the
// end of the limit as a Unix time.
func runSteps(ctx context.Context, in io.Reader, out io.Writer, limit time.Duration) error {
	steps, err := parse(in)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ci")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	began := time.Now()
	environment := append(os.Environ(), "WORK="+work, fmt.Sprint("END=", began.Add(limit).Unix()))
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()

	var all []*running
	named := map[string]*running{}
	for _, s := range steps {
		r := &running{step: s, done: make(chan struct{}), outcome: "unfinished"}
		all, named[s.name] = append(all, r), r
	}
	var screen sync.Mutex // held while the output of a step is shown
	var behind sync.WaitGroup
	for _, r := range all {
		show := func() {
			if before := named[r.after]; before != nil {
				<-before.done
			}
			if r.behind {
				r.run(ctx, environment, &r.output)
				screen.Lock()
				out.Write(r.output.Bytes())
			} else {
				screen.Lock()
				r.run(ctx, environment, io.MultiWriter(out, &r.output))
			}
			screen.Unlock()
		}
		if r.behind {
			behind.Go(show)
		} else {
			show()
		}
	}
	behind.Wait()
	return summarize(out, all, time.Since(began))
}

// run runs the command of a step and writes its output to out.
func (r *running) run(ctx context.Context, environment []string, out io.Writer) {
	defer close(r.done)
	if ctx.Err() != nil {
		return
	}
	began := time.Now()
	fmt.Fprintf(out, "\n== %s\n", r.name)
	args := []string{"bash", "-e", "-o", "pipefail", "-c", r.command}
	if r.behind {
		args = append([]string{"nice", "-n", "19"}, args...)
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env, command.Stdout, command.Stderr = environment, out, out
	// The step and its children form a process group, so that the limit ends all of them.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	err := command.Run()
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.outcome = "failed"
	default:
		r.outcome = "passed"
	}
	fmt.Fprintf(out, "(%s: %s after %.0f s)\n", r.name, r.outcome, time.Since(began).Seconds())
}
