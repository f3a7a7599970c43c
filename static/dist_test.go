package static

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/suite"
)

// TestDistIsWhatTheSourcesGive builds the sources again and expects the same bytes.
func TestDistIsWhatTheSourcesGive(t *testing.T) {
	suite.NotShort(t)
	root := suite.Root(t)
	if _, err := exec.LookPath("node"); err != nil {
		suite.Missing(t, "no node: install Node.js 20 or newer")
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules", "esbuild")); err != nil {
		suite.Missing(t, "no esbuild: npm ci --ignore-scripts")
	}
	dir := filepath.Join(t.TempDir(), "dist")
	build := exec.Command("node", filepath.Join("static", "build.mjs"), dir)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	want, got := contents(t, dir), contents(t, filepath.Join(root, "static", "dist"))
	for name, content := range want {
		if !bytes.Equal(got[name], content) {
			t.Errorf("static/dist/%s is not what the sources give: npm run build", name)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("static/dist/%s belongs to no source: npm run build", name)
		}
	}
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = data
	}
	return out
}

func TestABuiltFileIsTheSameInEachCoding(t *testing.T) {
	name := strings.TrimPrefix(URL("app.css"), "/static/")
	plain, kind, ok := File(name, "")
	if !ok || kind != "text/css; charset=utf-8" || !bytes.Contains(plain, []byte("--page")) {
		t.Errorf("%v, %q, %d bytes", ok, kind, len(plain))
	}
	for _, coded := range []string{coding.Gzip, coding.Zstd} {
		small, _, _ := File(name, coded)
		r := coding.NewReader(coded, bytes.NewReader(small))
		got, err := io.ReadAll(r)
		if r.Close(); err != nil || !bytes.Equal(got, plain) || len(small) > len(plain)/3 {
			t.Errorf("%s: %d bytes of %d, %v", coded, len(small), len(plain), err)
		}
	}
}

func TestOnlyBuiltFilesAreServed(t *testing.T) {
	for _, name := range []string{"", "manifest.json", "app.css", "../docs.html", "app-XXXXXXXX.js", "."} {
		for _, coded := range []string{"", coding.Gzip} {
			if data, _, ok := File(name, coded); ok || data != nil {
				t.Errorf("%q is served", name)
			}
		}
	}
}

// The test of package views measures the other pages.
func TestTheDocumentationIsAsSmallAsPromised(t *testing.T) {
	size := 0
	for _, name := range []string{"docs.css", "docs.js"} {
		file, _, ok := File(strings.TrimPrefix(URL(name), "/static/"), "gzip")
		if !ok {
			t.Fatalf("%s is not built", name)
		}
		size += len(file)
	}
	t.Logf("%d bytes", size)
	if size > 500<<10 {
		t.Errorf("/docs loads %d bytes", size)
	}
}

// docs.js and docs.css are Swagger UI, which contains URLs of many hosts in texts and
// schemas. TestTheDocumentationShowsAndTriesEveryGroup checks in a browser that the page
// requests none of them.
func TestNoBuiltFileNamesAnotherHost(t *testing.T) {
	for name, content := range contents(t, "dist") {
		if strings.HasPrefix(name, "docs-") {
			continue
		}
		for _, part := range []string{"https://", "http://", "sourceMappingURL"} {
			allowed := []string{"http://www.w3.org/"} // namespaces
			at := bytes.Index(content, []byte(part))
			if at >= 0 && !slices.ContainsFunc(allowed, func(a string) bool { return bytes.HasPrefix(content[at:], []byte(a)) }) {
				t.Errorf("%s has %.60q", name, content[at:])
			}
		}
	}
}
