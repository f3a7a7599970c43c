package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/suite"
)

// The table of variables in docs/configuration.md is that of the code, and each flag has the name
// that the page derives from its variable. go test -update rewrites the table.
func TestDocsHaveEverySetting(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Variable | Default | |\n|---|---|---|\n")
	for _, s := range config.Settings() {
		if s.Env == "" {
			continue
		}
		standard := ""
		if flag := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(s.Env, "_", "-")), "segraph-"); s.Secret {
			standard = " no flag"
		} else if s.Name != flag {
			t.Errorf("the flag of %s is --%s, but by the page's rule it is --%s", s.Env, s.Name, flag)
		}
		if s.Default != "" {
			standard = " `" + strings.ReplaceAll(s.Default, "|", `\|`) + "`"
		}
		fmt.Fprintf(&table, "| `%s` |%s | %s |\n", s.Env, standard, s.Help)
	}
	path := filepath.Join(suite.Root(t), "docs", "configuration.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- settings -->\n", "<!-- end of settings -->"
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks %q or %q", path, begin, end)
	}
	if old == table.String() {
		return
	}
	if !*update {
		t.Fatalf("the settings in docs are not these:\n%s", &table)
	}
	if err := os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
