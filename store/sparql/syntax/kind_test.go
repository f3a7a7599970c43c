package syntax_test

import (
	"testing"

	"github.com/segraph/segraph/store/sparql/syntax"
)

func TestKind(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"SELECT * {}", "select"}, {"construct where {}", "construct"}, {"Ask{}", "ask"}, {"DESCRIBE <x>", "describe"},
		{"PREFIX select: <x:ask> # describe\nBASE <y> VERSION \"select\" ASK {}", "ask"},
		{"INSERT DATA {}", "update"}, {"with <g> delete {} where {}", "update"}, {"BASE <x> LOAD <y>", "update"},
		{"", "unknown"}, {"PREFIX a: <x:>", "unknown"}, {"SELCT * {}", "unknown"}, {"{ SELECT", "unknown"}, {"\x01 SELECT", "unknown"},
		{"\uFEFFSELECT", "select"},
		{"SELECT ?x WHRE { this goes \"wrong", "select"},
		{"PREFIX a <x:> SELECT * {}", "select"},
		{"PREFIX a: <x: y> DELETE WHERE {}", "update"},
	} {
		if got := syntax.Kind(tt.text); got != tt.want {
			t.Errorf("Kind(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}
