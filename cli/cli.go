// Package cli is the command line of segraph: one file a verb. A verb parses, checks,
// calls the package that does the work and returns an error; exit.go alone turns errors
// into words and exit codes. Results go to stdout; words for people, log lines and
// progress to stderr.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/segraph/segraph/internal/config"
)

// verb is one command of segraph.
type verb struct {
	name     string
	args     string   // what it takes besides flags, as usage shows it; empty is nothing
	summary  string   // one line, for the list of verbs
	detail   string   // what -h says before the flags
	settings []string // the settings that it uses, by name
	run      func(context.Context, *program, *config.Config) error
}

// program is what a run has of the world around it.
type program struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	args, environ []string        // what the verb's settings were read from
	ready         func(ui string) // called once the service listens; nil is nothing
	json          bool            // the log is JSON: so is all that goes to stderr
}

func verbs() []verb {
	return []verb{
		serve(), token(), load(), dump(), query(), resolve(),
		configVerb(), completion(), demo(),
		check(), audit(), backupVerb(), restore(), compact(),
		healthcheck(), version(),
	}
}

// Run runs the command line args (without the program's name) and returns the exit code.
// environ is the environment as os.Environ has it. While it runs, SIGINT and SIGTERM ask
// the verb to end in good order; the second of them makes Run return at once.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	name, err := p.dispatch(args, environ, signals)
	return p.report(name, err)
}

// dispatch finds the verb and runs it; name is the verb's, for the words about err.
func (p *program) dispatch(args, environ []string, signals <-chan os.Signal) (name string, err error) {
	if len(args) == 0 {
		return "", &config.Error{Msg: "which command?", Hint: "`segraph serve` starts the service; `segraph help` lists all commands."}
	}
	name, args = args[0], args[1:]
	switch name {
	case "help", "-h", "--help", "-help":
		return "help", p.help(args)
	case "--version", "-version":
		name = "version"
	}
	v, err := find(name)
	if err != nil {
		return "", err
	}
	p.args, p.environ = args, environ
	c, err := config.Load(v.settings, args, environ)
	p.json = slices.Contains(v.settings, "log-format") && config.LogsJSON(args, environ)
	if errors.Is(err, config.ErrHelp) {
		return name, v.describe(p.stdout)
	}
	if err != nil {
		return name, err
	}
	if v.args == "" && len(c.Args) > 0 {
		return name, &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[0]), Hint: "See `segraph " + name + " -h`."}
	}
	return name, p.interruptible(signals, func(ctx context.Context) error { return v.run(ctx, p, c) })
}

// find returns the verb of that name, or an error that says which may have been meant.
func find(name string) (verb, error) {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	if i := slices.Index(names, name); i >= 0 {
		return verbs()[i], nil
	}
	e := &config.Error{Msg: fmt.Sprintf("unknown command %q", name), Hint: "`segraph help` lists all commands."}
	if near := config.Nearest(name, names); config.Similar(name, near) {
		e.Hint = fmt.Sprintf("Did you mean `segraph %s`? %s", near, e.Hint)
	}
	return verb{}, e
}
