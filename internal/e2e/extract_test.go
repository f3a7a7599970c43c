package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestABundleIsExtractedAlikeEverywhere: the files that programs extract from a bundle are
// those that were verified.
func TestABundleIsExtractedAlikeEverywhere(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	if a := s.publish(clientsData, "ari"); a.status != 201 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	folder := t.TempDir()
	bundle, verified := filepath.Join(folder, "bundle.zip"), filepath.Join(folder, "verified")
	if r := command(t, folder, nil, "", "evidence", "--url", s.api, "--iri", "http://e/m1", "--out", bundle); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	s.stop()
	key := strings.TrimSpace(command(t, s.cmd.Dir, nil, "", "audit", "key").stdout)
	if r := command(t, folder, nil, "", "evidence", "verify", bundle, "--key", key, "--out", verified); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	want := filesIn(t, verified)
	for _, name := range []string{"index.html", "claim.json", "checkpoint", "keys", "manifest", "entries/1", "proofs/1", "graphs/0.nq"} {
		if want[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for name, args := range map[string][]string{
		"unzip":   {bundle},
		"jar":     {"--extract", "--file", bundle},
		"bsdtar":  {"-xf", bundle},
		"python3": {"-m", "zipfile", "-e", bundle, "."},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(interpreter(t, name), args...)
			cmd.Dir = t.TempDir()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := filesIn(t, cmd.Dir); !maps.Equal(got, want) {
				t.Errorf("it extracts %q, want %q", got, want)
			}
		})
	}
	t.Run("a browser", func(t *testing.T) {
		if got := extractedInBrowser(t, bundle); !maps.Equal(got, want) {
			t.Errorf("it extracts %q, want %q", got, want)
		}
	})
}

// filesIn returns the SHA-256 of the files below a folder, by their paths in it.
func filesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	in := os.DirFS(folder)
	err := fs.WalkDir(in, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(in, path)
		out[path] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// extractedInBrowser returns the SHA-256 of the files that the library fflate extracts in
// chromium, by their names.
func extractedInBrowser(t *testing.T, bundle string) map[string]string {
	t.Helper()
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		if chromium, err = exec.LookPath("chromium"); err != nil {
			suite.Missing(t, "no chromium: run .ci/tools")
		}
	}
	library, err := os.ReadFile(client(t, "node", "node_modules", "fflate", "umd", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	script := "<!doctype html><meta charset=utf-8><pre></pre><script>" + string(library) + "</script><script>" +
		"const files = fflate.unzipSync(Uint8Array.fromBase64('" + base64.StdEncoding.EncodeToString(file) + "'));" +
		"for (const name in files) files[name] = files[name].toBase64();" +
		"document.querySelector('pre').textContent = JSON.stringify(files)</script>"
	if err := os.WriteFile(page, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	dom, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+page).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(dom), "<pre>")
	text, _, _ = strings.Cut(text, "</pre>")
	var files map[string][]byte
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &files); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	out := map[string]string{}
	for name, b := range files {
		out[name] = fmt.Sprintf("%x", sha256.Sum256(b))
	}
	return out
}
