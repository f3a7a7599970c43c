package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

// The commands of docs/from-segb.md work as written: moving with an export,
// compatibility, and Virtuoso's graph.
func TestMovingFromSEGBGoesAsThePageSays(t *testing.T) {
	suite.Slow(t, "it starts Virtuoso and several services")
	t.Parallel()
	for _, tool := range []string{"sh", "curl", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			suite.Missing(t, "the commands need "+tool+": "+err.Error())
		}
	}
	page, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", "from-segb.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		blocks = append(blocks, string(m[1]))
	}
	if len(blocks) != 6 {
		t.Fatalf("%d blocks of commands, and this test knows 6", len(blocks))
	}
	export, load, start, look, compatible, virtuoso := blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5]

	segb := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/turtle; charset=utf-8")
		fmt.Fprint(w, prologueTurtle+people)
	}))
	defer segb.Close()
	dir := t.TempDir()
	runBlock(t, dir, export, segb.URL)
	if out := runBlock(t, dir, load, ""); !strings.Contains(out, "16") {
		t.Errorf("after loading the count is %s", out)
	}
	s := serve(t, dir, assignments(start))
	if out := runBlock(t, dir, look, s.api); !strings.Contains(out, "https://example.org/moved") {
		t.Errorf("the published log is not in %s", out)
	}
	s.stop()
	s = serve(t, dir, assignments(compatible))
	ready := request(t, "GET", s.api+"/healthz/ready", nil)
	if ready.member(t, "virtuoso") != true {
		t.Errorf("with compatibility: %s", ready.body)
	}
	s.stop()
	t.Run("from Virtuoso", func(t *testing.T) { moveFromVirtuoso(t, virtuoso) })
}

// moveFromVirtuoso starts a service with SEGB's graph in a Virtuoso, and then continues
// without it.
func moveFromVirtuoso(t *testing.T, block string) {
	v := servers.StartVirtuoso(t, 1_000_000)
	v.Update(t, `INSERT DATA { GRAPH <http://amor-segb/events> { <http://ex/a> <http://ex/p> "old", 2 } }`)
	dir := t.TempDir()
	env := assignments(block)
	for i := range env {
		env[i] = strings.NewReplacer("http://localhost:8890", v.URL, "change-this-password", v.Password).Replace(env[i])
	}
	s := serve(t, dir, env)
	s.waitUntilReady()
	s.stop()
	s = serve(t, dir, nil)
	if got := string(s.events()); !strings.Contains(got, `<http://ex/a> <http://ex/p> 2 , "old" .`) {
		t.Errorf("without Virtuoso there is %s", got)
	}
}

// runBlock runs commands of a page in a folder and returns their output. base replaces
// http://localhost:5000.
func runBlock(t *testing.T, dir, block, base string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", strings.ReplaceAll(block, "http://localhost:5000", base))
	cmd.Dir = dir
	cmd.Env = environ("PATH=" + filepath.Dir(binary) + string(filepath.ListSeparator) + os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, block, out)
	}
	return string(out)
}

// assignments returns the variables that a block sets for segraph serve, which must be
// its last command.
func assignments(block string) (env []string) {
	block = strings.TrimSpace(block)
	if !strings.HasSuffix(block, "segraph serve") {
		panic("the block does not start the service: " + block)
	}
	return regexp.MustCompile(`\b[A-Z][A-Z_]*=\S+`).FindAllString(block, -1)
}
