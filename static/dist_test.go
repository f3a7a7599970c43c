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
			t.Errorf("static/dist/%s is not what static/src gives: npm run build", name)
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

// Limits of the first load of a page, in bytes as transferred.
const (
	plainPage = 40 << 10
	queryPage = 160 << 10
	graphPage = 95 << 10
	docsPage  = 500 << 10
)

// sent returns the size of built files as transferred, in bytes, in the larger coding of
// each.
func sent(t *testing.T, names ...string) (size int) {
	t.Helper()
	for _, name := range names {
		file := strings.TrimPrefix(URL(name), "/static/")
		zipped, _, _ := File(file, coding.Gzip)
		zstd, _, ok := File(file, coding.Zstd)
		if !ok {
			t.Fatalf("%s is not served", file)
		}
		size += max(len(zipped), len(zstd))
	}
	return size
}

func TestThePagesWithMuchScriptAreAsSmallAsPromised(t *testing.T) {
	const page = 8 << 10 // the page itself
	for name, limit := range map[string]int{"query": queryPage, "graph": graphPage, "docs": docsPage} {
		size := sent(t, name+".css", name+".js") + page
		if name != "docs" {
			size += sent(t, "app.css", "app.js", "icons.svg")
		}
		t.Logf("%s: %d bytes", name, size)
		if size > limit {
			t.Errorf("the page of %s.js loads %d bytes, and may load %d", name, size, limit)
		}
	}
}

func TestAPlainPageIsSmall(t *testing.T) {
	size := sent(t, "app.css", "app.js", "icons.svg")
	own := 0 // largest script of a single page
	built, err := names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"health.js", "insert.js", "logs.js"} {
		if built[name] == "" {
			continue
		}
		own = max(own, sent(t, name))
	}
	t.Logf("%d bytes for every page, and at most %d of a plain page's own", size, own)
	const page = 8 << 10 // a page itself, sent uncompressed
	if size+own+page > plainPage {
		t.Errorf("a plain page loads %d bytes, and may load %d", size+own+page, plainPage)
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
