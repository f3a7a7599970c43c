package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// pythons returns a Python of each of the versions, such as "3.8", that is in PATH or was
// installed by pyenv or uv, by version; and one that is python3, as "3".
func pythons(t testing.TB, versions ...string) map[string]string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, v := range versions {
		places := []string{"python" + v}
		for _, pattern := range []string{".pyenv/versions/" + v + ".*", ".local/share/uv/python/cpython-" + v + ".*"} {
			more, err := filepath.Glob(filepath.Join(home, pattern, "bin", "python3"))
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, more...)
		}
		for _, python := range places {
			out, err := exec.Command(python, "-c", "import sys; print('%d.%d.' % sys.version_info[:2])").Output()
			if err == nil && strings.HasPrefix(string(out), v+".") {
				found[v] = python
				break
			}
		}
	}
	return found
}

// TestThePythonClient runs the tests of clients/python on each Python that is here.
func TestThePythonClient(t *testing.T) {
	suite.Slow(t, "it takes 20 s for each Python")
	versions := []string{"3.8", "3.10", "3.13", "3"}
	found := pythons(t, versions...)
	if len(found) == 0 {
		suite.Missing(t, "no Python: apt-get install python3")
	}
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			if found[v] == "" {
				t.Skipf("no Python %s: pyenv install %s", v, v)
			}
			if v == "3" && len(found) > 1 {
				t.Skip("other versions run")
			}
			cmd := exec.Command(found[v], "-W", "error::ResourceWarning", "-m", "unittest", "discover", "--start-directory", "tests")
			cmd.Dir, cmd.Env = filepath.Join(suite.Root(t), "clients", "python"), append(environ(), "PYTHONDONTWRITEBYTECODE=1")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "\nOK") {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// TestTheStandInForSEGBsPackage runs the tests of the stand-in with rdflib, and publishes everything that the package can
// log: the service then holds the logger's graph.
func TestTheStandInForSEGBsPackage(t *testing.T) {
	t.Parallel()
	python := client(t, "venv", "bin", "python")
	s := serve(t, t.TempDir(), nil)
	for _, args := range [][]string{{"-m", "unittest", "test_segb"}, {"published.py", s.api, t.TempDir()}} {
		cmd := exec.Command(python, args...)
		cmd.Dir, cmd.Env = filepath.Join(suite.Root(t), "clients", "python", "tests"), append(environ(), "PYTHONDONTWRITEBYTECODE=1")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "skipped") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
