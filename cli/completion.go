package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/segraph/segraph/config"
)

func completion() verb {
	return verb{
		name:    "completion",
		args:    "bash|zsh|fish",
		summary: "Print a script that completes commands and flags in a shell.",
		detail: `For bash:  source <(segraph completion bash)
For zsh:   source <(segraph completion zsh), after compinit
For fish:  segraph completion fish | source`,
		run: runCompletion,
	}
}

func runCompletion(_ context.Context, p *program, c *config.Config) error {
	if len(c.Args) != 1 {
		return &config.Error{Msg: "the shell is missing", Hint: "Write `segraph completion bash`, zsh or fish."}
	}
	var script func() (string, error)
	switch c.Args[0] {
	case "bash":
		script = func() (string, error) { return forBash("") }
	case "zsh": // zsh can use bash's completions
		script = func() (string, error) { return forBash("autoload -Uz bashcompinit && bashcompinit\n") }
	case "fish":
		script = forFish
	default:
		return &config.Error{Msg: fmt.Sprintf("there is no completion for %q", c.Args[0]), Hint: "Use bash, zsh or fish."}
	}
	text, err := script()
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// flagsOf returns the settings of a command that are flags. A secret is not a flag, because other
// users could see it.
func flagsOf(v verb) ([]config.Setting, error) {
	settings, err := v.described()
	if err != nil {
		return nil, err
	}
	var out []config.Setting
	for _, s := range settings {
		if !s.Secret {
			out = append(out, s)
		}
	}
	return out, nil
}

// forBash returns the completion for bash. before is what zsh needs in addition.
func forBash(before string) (string, error) {
	var b, names strings.Builder
	for _, v := range verbs() {
		flags, err := flagsOf(v)
		if err != nil {
			return "", err
		}
		words := []string{"--help"}
		for _, s := range flags {
			words = append(words, "--"+s.Name)
		}
		names.WriteString(v.name + " ")
		fmt.Fprintf(&b, "        %s) words=%q ;;\n", v.name, strings.Join(words, " "))
	}
	return before + fmt.Sprintf(`_segraph() {
    local current=${COMP_WORDS[COMP_CWORD]} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W %q -- "$current"))
        return
    fi
    case $current in
    -*)
        case ${COMP_WORDS[1]} in
%s        esac
        COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
}
complete -o filenames -F _segraph segraph
`, names.String()+"help", b.String()), nil
}

// forFish returns the completion for fish.
func forFish() (string, error) {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	var b strings.Builder
	b.WriteString("complete -c segraph -n __fish_use_subcommand -f -a help -d 'Describe a command'\n")
	for _, v := range verbs() {
		flags, err := flagsOf(v)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "complete -c segraph -n __fish_use_subcommand -f -a %s -d %s\n", v.name, quote(v.summary))
		for _, s := range flags {
			value := " -r"
			if s.Arg == "" {
				value = ""
			}
			fmt.Fprintf(&b, "complete -c segraph -n '__fish_seen_subcommand_from %s' -l %s%s -d %s\n", v.name, s.Name, value, quote(s.Help))
		}
	}
	return b.String(), nil
}
