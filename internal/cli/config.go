package cli

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/segraph/segraph/internal/config"
)

// unit is a hardened unit for systemd.
//
//go:embed segraph.service
var unit string

func configVerb() verb {
	return verb{
		name:    "config",
		args:    "[systemd]",
		summary: "Print the settings of the service, where each comes from, and what it means.",
		detail: `Takes the same flags and variables as ` + "`segraph serve`" + `, and prints what it would run with: each setting, its
value, where that comes from, and what it means. Of secrets it tells only whether they are set.

` + "`segraph config systemd`" + ` prints a unit for systemd that gives the service its own folder and nothing else.`,
		settings: serveSettings(),
		run:      runConfig,
	}
}

func runConfig(_ context.Context, p *program, c *config.Config) error {
	switch {
	case len(c.Args) == 1 && c.Args[0] == "systemd":
		_, err := io.WriteString(p.stdout, unit)
		return err
	case len(c.Args) > 0:
		return &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[0]), Hint: "Write `segraph config` or `segraph config systemd`."}
	}
	given, err := config.Explain(serveSettings(), p.args, p.environ)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, g := range given {
		value := g.Value
		switch {
		case g.Setting.Secret && g.Set:
			value = "(set, and not shown)"
		case !g.Set:
			value = "(not set)"
		}
		fmt.Fprintf(&b, "%s = %s\n    from %s\n", g.Setting.Env, printable(value), g.Origin)
		for _, line := range wrap(g.Setting.Help, 96) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	_, err = io.WriteString(p.stdout, b.String())
	return err
}
