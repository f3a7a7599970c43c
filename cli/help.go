package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/segraph/segraph/config"
)

// help describes segraph, or the verb in args.
func (p *program) help(args []string) error {
	if len(args) > 1 {
		return &config.Error{Msg: fmt.Sprintf("unexpected argument %q", args[1]), Hint: "Write `segraph help COMMAND`."}
	}
	if len(args) == 1 && args[0] != "help" {
		v, err := find(args[0])
		if err != nil {
			return err
		}
		return v.describe(p.stdout)
	}
	var b strings.Builder
	b.WriteString("segraph stores robots' observations as an RDF graph and serves it over HTTP.\n\nUsage: segraph COMMAND [FLAGS] [ARGUMENTS]\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-12s %s\n", v.name, v.summary)
	}
	b.WriteString("\n`segraph COMMAND -h` describes a command with its flags and environment variables.\n")
	b.WriteString("Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 the file is in use, 4 the file is damaged.\n")
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

// describe writes the text of -h for a verb.
func (v verb) describe(w io.Writer) error {
	settings, err := v.described()
	if err != nil {
		return err
	}
	var b strings.Builder
	usage := "segraph " + v.name
	if len(settings) > 0 {
		usage += " [FLAGS]"
	}
	fmt.Fprintf(&b, "%s\n\nUsage: %s\n", v.summary, strings.TrimSpace(usage+" "+v.args))
	if v.detail != "" {
		fmt.Fprintf(&b, "\n%s\n", v.detail)
	}
	describeSettings(&b, "Flags", settings, false)
	describeSettings(&b, "Environment only", settings, true)
	if slices.ContainsFunc(settings, func(s config.Setting) bool { return s.Env != "" }) {
		b.WriteString("\nFlags override the environment. Each variable can be set as NAME_FILE instead, to the path of\na file that holds its value.\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// described returns the settings of a verb, with what each means there.
func (v verb) described() ([]config.Setting, error) {
	settings, err := config.Select(v.settings)
	for i, s := range settings {
		settings[i].Help = cmp.Or(s.In[v.name], s.Help)
	}
	return settings, err
}

// describeSettings appends the secret settings, or else the others, with their flags, variables and defaults.
func describeSettings(b *strings.Builder, title string, settings []config.Setting, secret bool) {
	for _, s := range settings {
		if s.Secret != secret {
			continue
		}
		if title != "" {
			fmt.Fprintf(b, "\n%s:\n", title)
			title = ""
		}
		head := s.Env
		if !secret {
			head = strings.TrimSpace("--" + s.Name + " " + s.Arg)
			var notes []string
			if s.Env != "" {
				notes = append(notes, s.Env)
			}
			if s.Default != "" {
				notes = append(notes, "default "+s.Default)
			}
			head = strings.TrimSpace(fmt.Sprintf("%-26s %s", head, strings.Join(notes, ", ")))
		}
		fmt.Fprintf(b, "  %s\n", head)
		for _, line := range wrap(s.Help, 88) {
			fmt.Fprintf(b, "      %s\n", line)
		}
	}
}

// wrap breaks a text at spaces into lines of at most width bytes.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
