//go:build unix

// Command ci runs the steps that .ci/run lists. It also runs the two steps that take more
// than one command: all tests, and all fuzz targets.
//
//	ci steps -limit 19m <STEPS
//	ci test [flags of go test]
//	ci concurrent
//	ci fuzz [-compile] [-until TIME] FOLDER
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("name a command: steps, test, concurrent or fuzz")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("ci "+args[0], flag.ExitOnError)
	switch args[0] {
	case "steps":
		limit := flags.Duration("limit", time.Hour, "end all steps after this time")
		flags.Parse(args[1:])
		return runSteps(ctx, os.Stdin, os.Stdout, *limit)
	case "test":
		return testAll(os.Stdout, args[1:])
	case "concurrent":
		names, err := concurrent(".")
		fmt.Println(strings.Join(names, "\n"))
		return err
	case "fuzz":
		compile := flags.Bool("compile", false, "only compile the targets into FOLDER")
		until := flags.Int64("until", 0, "end before this time, in seconds since 1970")
		flags.Parse(args[1:])
		if *compile {
			return compileFuzz(ctx, flags.Arg(0))
		}
		return fuzzAll(ctx, os.Stdout, flags.Arg(0), *until)
	}
	return fmt.Errorf("there is no command %q; name one of steps, test, concurrent and fuzz", args[0])
}
