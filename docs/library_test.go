package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestLibraryProgramsRun builds and runs each program of library.md unchanged, and
// compares its output with the block that follows.
func TestLibraryProgramsRun(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	page, err := os.ReadFile("library.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n## ([^\n]*)\n.*?```go\n(.*?)```\n+```text\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 4 {
		t.Fatalf("%d programs with what they print, want 4", len(blocks))
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range blocks {
		t.Run(block[1], func(t *testing.T) {
			// An overlay adds the program to a folder of the module that exists only for
			// the compiler.
			folder := "library" + strconv.Itoa(i)
			source, overlay := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "overlay.json")
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(here, folder, "main.go"): source}})
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string][]byte{source: []byte(block[2]), overlay: replace} {
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			program := exec.CommandContext(t.Context(), "go", "run", "-overlay", overlay, "./"+folder)
			program.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			printed, err := program.CombinedOutput()
			if err != nil || string(printed) != block[3] {
				t.Errorf("%v; it prints\n%s\nand not\n%s", err, printed, block[3])
			}
		})
	}
}
