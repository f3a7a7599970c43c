package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

const yasguiPage = `<!doctype html><meta charset="utf-8"><title>YASGUI</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="yasgui.min.css"><script src="yasgui.min.js"></script>
<div id="yasgui"></div>
<script>
const tab = new Yasgui(document.getElementById("yasgui"), {requestConfig: {endpoint: "%s/query"}}).getTab();
tab.setQuery("SELECT ?s ?text { ?s <http://e/text> ?text } ORDER BY ?text");
tab.query();
</script>
`

// TestYASGUI runs a query in YASGUI, on a page of another origin in chromium, and finds
// the answer in its table.
func TestYASGUI(t *testing.T) {
	t.Parallel()
	folder := client(t, "node", "node_modules", "@zazuko", "yasgui", "build")
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		suite.Missing(t, "no chromium: "+err.Error())
	}
	var api string
	files := http.FileServer(http.Dir(folder))
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprintf(w, yasguiPage, api)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer page.Close()
	s := serve(t, t.TempDir(), []string{"SEGRAPH_CORS_ORIGINS=" + page.URL})
	api = s.api
	if a := s.publish(clientsData, "ari"); a.status != 201 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	dom, err := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=20000",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--dump-dom", page.URL+"/").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"Hello", "¡Hola!"} {
		if _, row, ok := strings.Cut(string(dom), `"`+cell+`"<sup>@`); !ok {
			t.Errorf("the table lacks %q: %d bytes of page, %.80s", cell, len(dom), row)
		}
	}
}
