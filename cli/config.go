package cli

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/memory"
)

// unit is a hardened unit for systemd.
//
//go:embed segraph.service
var unit string

func configVerb() verb {
	return verb{
		name:    "config",
		args:    "[systemd]",
		summary: "Print the settings of the service, their sources and meanings.",
		detail: `Takes the same flags and variables as ` + "`segraph serve`" + `, and prints each setting with its value, its
source and its meaning. For secrets it prints only whether they are set. At the end it prints how the
memory is divided. With --format json it prints one JSON object.

` + "`segraph config systemd`" + ` prints a systemd unit that gives the service access to its own folder only.`,
		settings: append(config.ServiceSettings(), "format"),
		run:      runConfig,
	}
}

// runConfig prints the settings of a service and where each is from, or the unit for systemd.
func runConfig(_ context.Context, p *program, c *config.Config) error {
	switch {
	case len(c.Args) == 1 && c.Args[0] == "systemd":
		_, err := io.WriteString(p.stdout, unit)
		return err
	case len(c.Args) > 0:
		return &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[0]), Hint: "Write `segraph config` or `segraph config systemd`."}
	}
	values, err := config.Explain(append(config.ServiceSettings(), "format"), p.args, p.environ)
	if err != nil {
		return err
	}
	values = slices.DeleteFunc(values, func(g config.Sourced) bool { return g.Setting.Name == "format" })
	switch c.Format {
	case "json":
		return printConfigJSON(p.stdout, values, app.Budgets(c))
	case "", "text":
	default:
		return &config.Error{Msg: fmt.Sprintf("settings can't be printed as %s", c.Format), Hint: "Give --format text or json."}
	}
	var b strings.Builder
	for _, g := range values {
		value := g.Value
		switch {
		case g.Setting.Secret && g.Set:
			value = "(set, not shown)"
		case !g.Set:
			value = "(not set)"
		}
		fmt.Fprintf(&b, "%s = %s\n    from %s\n", g.Setting.Env, printable(value), g.Origin)
		for _, line := range wrap(g.Setting.Help, 96) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	printBudgets(&b, app.Budgets(c))
	_, err = io.WriteString(p.stdout, b.String())
	return err
}

// printConfigJSON prints settings and budgets as a JSON object.
func printConfigJSON(w io.Writer, values []config.Sourced, budgets memory.Plan) error {
	type setting struct {
		Name  string  `json:"name"`
		Flag  string  `json:"flag,omitempty"`
		Set   bool    `json:"set"`
		Value *string `json:"value"` // null for secrets and unset values
		From  string  `json:"from"`
		Help  string  `json:"help"`
	}
	out := struct {
		Settings []setting   `json:"settings"`
		Memory   memory.Plan `json:"memory"`
	}{Memory: budgets}
	for _, g := range values {
		s := setting{Name: g.Setting.Env, Set: g.Set, From: g.Origin, Help: g.Setting.Help}
		if !g.Setting.Secret {
			s.Flag = "--" + g.Setting.Name
		}
		if g.Set && !g.Setting.Secret {
			s.Value = &g.Value
		}
		out.Settings = append(out.Settings, s)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func printBudgets(w io.Writer, p memory.Plan) {
	fmt.Fprintf(w, "\nMemory: %s (%s), divided:\n", mebibytes(p.Available), p.From)
	for _, b := range []struct{ what, much string }{
		{"Go's runtime", mebibytes(p.Runtime)},
		{"all queries, documents and exports together", mebibytes(p.Requests)},
		{"of that, one query", mebibytes(p.Query)},
		{"of that, one document", mebibytes(p.Document)},
		{"the cache of terms", mebibytes(p.Terms)},
		{"writes not yet in the indexes", mebibytes(p.Deferred)},
		{"withdrawals", mebibytes(p.Lookup)},
		{"the caches of shared contexts", mebibytes(p.Contexts)},
		{"connections", fmt.Sprint(p.Connections)},
	} {
		fmt.Fprintf(w, "    %-46s%s\n", b.what, b.much)
	}
}

// mebibytes formats a number of bytes in MiB, with one decimal if it is small.
func mebibytes(n int64) string {
	if n < 10<<20 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
