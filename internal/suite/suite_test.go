package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		elem []string
		path string
		hint string
	}{
		{"beside the repository", nil, []string{"data", "a.nt"}, "/src/shared/data/a.nt", "SEGRAPH_SHARED"},
		{"where SEGRAPH_SHARED points", map[string]string{"SEGRAPH_SHARED": "/m"}, []string{"data", "a.nt"}, "/m/data/a.nt", "SEGRAPH_SHARED"},
		{"suite beside the repository", nil, []string{"w3c", "rdf", "rdf11"}, "/src/shared/w3c/rdf/rdf11", "RDF_TESTS"},
		{"suite in a clone", map[string]string{"RDF_TESTS": "/clone"}, []string{"w3c", "rdf", "rdf11"}, "/clone/rdf/rdf11", "RDF_TESTS"},
		{"the clone wins for suites", map[string]string{"RDF_TESTS": "/clone", "SEGRAPH_SHARED": "/m"}, []string{"w3c", "rdf"}, "/clone/rdf", "RDF_TESTS"},
		{"the clone is only for suites", map[string]string{"RDF_TESTS": "/clone"}, []string{"bench"}, "/src/shared/bench", "SEGRAPH_SHARED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, hint := locate("/src/repository", func(k string) string { return tt.env[k] }, tt.elem)
			if path != tt.path || !strings.Contains(hint, tt.hint) {
				t.Errorf("locate = %q, %q; want %q and a hint at %s", path, hint, tt.path, tt.hint)
			}
		})
	}
}

// ended records how a test would have ended. Skip and Fatal must not return, so they
// panic.
type ended struct {
	testing.TB
	how, why string
}

func (e *ended) Helper()        {}
func (e *ended) Skip(a ...any)  { e.how, e.why = "skip", a[0].(string); panic(e) }
func (e *ended) Fatal(a ...any) { e.how, e.why = "fail", a[0].(string); panic(e) }

func TestMissingMaterialSkipsOrFailsWithWords(t *testing.T) {
	for _, tt := range []struct{ require, how string }{{"", "skip"}, {"0", "skip"}, {"1", "fail"}} {
		t.Setenv("SEGRAPH_REQUIRE_ALL", tt.require)
		t.Setenv("SEGRAPH_SHARED", t.TempDir())
		e := &ended{TB: t}
		func() {
			defer func() { _ = recover() }()
			Shared(e, "data", "none.nt")
		}()
		if e.how != tt.how || !strings.Contains(e.why, "none.nt") {
			t.Errorf("SEGRAPH_REQUIRE_ALL=%q: the test ended with %q %q, want %q", tt.require, e.how, e.why, tt.how)
		}
	}
}

func TestSharedFindsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SEGRAPH_SHARED", dir)
	if err := os.WriteFile(filepath.Join(dir, "a.nt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Shared(t, "a.nt"); got != filepath.Join(dir, "a.nt") {
		t.Errorf("Shared = %q", got)
	}
}

func TestRootHoldsGoMod(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Root(t), "go.mod")); err != nil {
		t.Error(err)
	}
}
