package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// imports finds the packages that were checked, by the path in a package's source.
type imports struct {
	checked map[string]*types.Package
	paths   map[string]string // of the standard library's copies of other modules
}

func (i imports) Import(path string) (*types.Package, error) {
	if p := i.paths[path]; p != "" {
		path = p
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return i.checked[path], nil
}

// The program compiles where no other test runs it: with an int of 32 bits, and with the
// system calls of others. Checking types finds that without compiling anything. It takes two
// seconds of processor time a platform.
func TestTheProgramCompilesOnOtherPlatforms(t *testing.T) {
	suite.Slow(t, "it checks the types of 1,000 packages")
	for _, platform := range []string{"linux/arm", "windows/amd64", "darwin/arm64"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			system, processor, _ := strings.Cut(platform, "/")
			list := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,GoFiles,ImportMap,Module", ".")
			list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
			out, err := list.Output()
			if err != nil {
				t.Fatal(err)
			}
			checked := map[string]*types.Package{}
			for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
				var p listed
				if err := d.Decode(&p); err != nil {
					t.Fatal(err)
				}
				checked[p.ImportPath] = p.check(t, processor, checked)
			}
			if len(checked) < 300 {
				t.Errorf("only %d packages were checked", len(checked))
			}
		})
	}
}

// listed is a package as go list describes it.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// check checks the types of a package whose imports were checked; of another module's
// packages only those of declarations.
func (p listed) check(t *testing.T, processor string, checked map[string]*types.Package) *types.Package {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	own := p.Module != nil && p.Module.Main
	config := types.Config{
		Importer: imports{checked, p.ImportMap}, Sizes: types.SizesFor("gc", processor), IgnoreFuncBodies: !own,
		Error: func(err error) {
			if own {
				t.Error(err)
			}
		},
	}
	out, _ := config.Check(p.ImportPath, set, files, nil) // Error has the errors
	return out
}
