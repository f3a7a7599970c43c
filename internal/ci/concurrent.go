//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// startsGoroutine matches code that starts a goroutine: a go statement, the method Go of
// a group, a server, timer or finalizer of the standard library, or a parallel test.
var startsGoroutine = regexp.MustCompile(`(?m)^\s*go |\.Go\(|\.Parallel\(\)|\.AfterFunc\(|httptest\.New\w*Server|synctest\.Test|runtime\.(AddCleanup|SetFinalizer)`)

// browserTests are the tests in a browser. They call the handlers that the tests of webui
// call with the race detector, and compiling their library with it takes a minute.
const browserTests = "/internal/e2e/ui"

// listed is a package as go list describes it. With -test, go list adds packages with the
// files of tests, such as "p [p.test]", and test binaries, such as "p.test".
type listed struct {
	ImportPath, Dir string
	GoFiles, Deps   []string
	Module          *struct{ Main bool }
}

// concurrent returns the packages below the folder whose test binaries start goroutines,
// in the code of their module or in the tests, except browserTests. In the others the race
// detector can find nothing.
func concurrent(folder string) ([]string, error) {
	command := exec.Command("go", "list", "-test", "-deps", "-json=ImportPath,Dir,GoFiles,Deps,Module", "./...")
	command.Dir, command.Stderr = folder, os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var all []listed
	starts := map[string]bool{} // by import path
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		all = append(all, p)
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil && !filepath.IsAbs(name) { // go list generates the file of a test binary
				return nil, err
			}
			starts[p.ImportPath] = starts[p.ImportPath] || startsGoroutine.Match(text)
		}
	}
	var names []string
	for _, p := range all {
		tested, isTest := strings.CutSuffix(p.ImportPath, ".test")
		if isTest && !strings.HasSuffix(tested, browserTests) && slices.ContainsFunc(p.Deps, func(d string) bool { return starts[d] }) {
			names = append(names, tested)
		}
	}
	return names, nil
}
