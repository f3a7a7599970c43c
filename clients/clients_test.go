package clients

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// pip installs the wheel without a network, checks its hashes, and both packages import.
func TestPipInstallsTheWheel(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		suite.Missing(t, "no python3 to install the wheel with")
	}
	name, wheel := Python()
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, wheel, 0o600); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "site")
	pip := exec.Command(python, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--disable-pip-version-check", "--target", target, file)
	if out, err := pip.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("No module named pip")) {
			suite.Missing(t, "python3 has no pip")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	program := exec.Command(python, "-c", "import segraph, segraph.semantic_log_generator; print(segraph.__version__)")
	program.Env = append(os.Environ(), "PYTHONPATH="+target)
	if out, err := program.CombinedOutput(); err != nil || !strings.Contains(name, "-"+strings.TrimSpace(string(out))+"-") {
		t.Errorf("%v: %s imports as %s", err, name, out)
	}
	pyproject, err := os.ReadFile("python/pyproject.toml")
	if err != nil || !bytes.Contains(pyproject, []byte(`version = "`+strings.Split(name, "-")[1]+`"`)) {
		t.Errorf("pyproject.toml has another version than %s", name)
	}
}

// The wheel has every module of the sources.
func TestTheWheelIsComplete(t *testing.T) {
	_, wheel := Python()
	z, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, f := range z.File {
		has[f.Name] = true
	}
	for _, pattern := range []string{"segraph/*.py", "segraph/*/*.py", "segraph/py.typed"} {
		files, err := filepath.Glob(filepath.Join("python/src", pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %v", pattern, err)
		}
		for _, f := range files {
			if rel := strings.TrimPrefix(filepath.ToSlash(f), "python/src/"); !has[rel] {
				t.Errorf("the wheel lacks %s", rel)
			}
		}
	}
}
