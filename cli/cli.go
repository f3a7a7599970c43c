// Package cli is the command line of segraph, with one file per verb. A verb parses its
// arguments, calls the package that does the work and returns an error; exit.go alone
// turns errors into messages and exit codes. Results go to stdout. Messages for people,
// log lines and progress go to stderr.
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

	"github.com/segraph/segraph/config"
)

// verb is one command of segraph.
type verb struct {
	name     string
	args     string   // its arguments besides flags, for the usage line, or ""
	summary  string   // one line, for the list of verbs
	detail   string   // the text of -h before the flags
	settings []string // names of the settings that it uses
	run      func(context.Context, *program, *config.Config) error
}

// program holds the environment of a run.
type program struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	args, environ []string        // the sources of the verb's settings
	settings      []string        // the names of these
	ready         func(ui string) // called once the service listens; may be nil
	json          bool            // the log is JSON, and so is everything written to stderr
}

func verbs() []verb {
	return []verb{
		serve(), token(), keyVerb(), load(), importVerb(), bridge(), withdraw(), hold(), personVerb(), erase(), dump(), query(), resolve(),
		configVerb(), completion(), demo(),
		check(), audit(), evidenceVerb(), backupVerb(), restore(), compact(),
		healthcheck(), version(),
	}
}

// Run runs the command line args (without the program's name) and returns the exit code.
// environ is in the form of os.Environ. The first SIGINT or SIGTERM asks the verb to stop
// cleanly. The second makes Run return at once.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	name, err := p.dispatch(args, environ, signals)
	return p.report(name, err)
}

// dispatch runs the verb of a command line. name is the verb's name, for the message
// about err.
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
	p.args, p.environ, p.settings = args, environ, v.settings
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

// find returns the verb with the given name, or an error that suggests one.
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
