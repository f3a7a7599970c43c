package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/docs"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views/reports"
)

// pages lists all pages with commands. Each has the number of its command blocks, and the
// test that runs them, or what the commands need that a test does not have.
var pages = map[string]struct {
	blocks int
	ran    string
}{
	"README.md":                 {2, "TestTheReadmeGoesAsItSays"},
	"CONTRIBUTING.md":           {1, "whoever runs the tests"},
	"docs/connect.md":           {2, "TestARobotIsConnectedAsThePageSays"},
	"docs/api.md":               {7, "TestTheAPIGoesAsThePageSays"},
	"docs/command-line.md":      {1, "TestCommandsGoAsThePageSays"},
	"docs/queries.md":           {3, "TestTheQuestionsOfTheDocumentationRunOnTheDemo"},
	"docs/shared-contexts.md":   {6, "TestSharedContextsGoAsThePageSays"},
	"docs/configuration.md":     {2, "TestSettingsAreSetAsThePageSays"},
	"docs/operations.md":        {12, "TestRunningSegraphGoesAsThePageSays"},
	"docs/from-segb.md":         {6, "TestMovingFromSEGBGoesAsThePageSays"},
	"docs/containers.md":        {6, "a container engine"},
	"docs/graph-stores.md":      {2, "another graph store"},
	"docs/promises.md":          {1, "hours"},
	"docs/vocabulary.md":        {1, "TestTheLogOfTheVocabularyFillsReports"},
	"docs/evidence/README.md":   {2, "TestAReceiptIsVerifiedAsThePageSays"},
	"docs/witnesses.md":         {1, "TestWitnessesAreSetUpAsThePageSays"},
	"docs/monitoring/README.md": {2, "TestMetricsAreServedAsThePageSays"},
}

var commandBlock = regexp.MustCompile("(?ms)^( *)```sh\n(.*?)^ *```$")

// blocksOf returns the command blocks of a page. Their number must match pages.
func blocksOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suite.Root(t), page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range commandBlock.FindAllSubmatch(text, -1) {
		out = append(out, string(m[2]))
	}
	if len(out) != pages[page].blocks {
		t.Fatalf("%s has %d blocks of commands, and the tests know %d", page, len(out), pages[page].blocks)
	}
	return out
}

// Every page with commands is run by a test or is listed with what it needs.
func TestEveryPageWithCommandsIsRun(t *testing.T) {
	root := suite.Root(t)
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			page, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			blocksOf(t, filepath.ToSlash(page))
		}
	}
}

// shellIn creates a folder that contains only those files of a clone that commands of
// pages read. It skips the test if a tool is missing.
func shellIn(t *testing.T) (dir string) {
	t.Helper()
	for _, tool := range []string{"sh", "curl", "gzip", "openssl", "install"} {
		if _, err := exec.LookPath(tool); err != nil {
			suite.Missing(t, "the commands need "+tool+": "+err.Error())
		}
	}
	dir = filepath.Join(t.TempDir(), "segraph")
	if err := os.CopyFS(filepath.Join(dir, "docs", "examples"), os.DirFS(filepath.Join(suite.Root(t), "docs", "examples"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// clone replaces the go command in a clone, because the program is already built. It
// downloads nothing.
const clone = `go() {
  case "$1 $2" in
  "run .") shift 2; segraph "$@" ;;
  "build ") cp "$(command -v segraph)" . ;;
  *) : ;;
  esac
}
`

// The first log of README.md is stored and found.
func TestTheReadmeGoesAsItSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "README.md"), shellIn(t)
	s := serve(t, dir, nil)
	if out := runBlock(t, dir, b[1], s.api); !strings.Contains(out, "201 Created") || !strings.Contains(out, "I am sorry.\r\n") {
		t.Errorf("%s\n%s", b[1], out)
	}
	wantWhy(t, s, "https://museum.example/said1", "Iris said “I am sorry.”", "Iris decided: “apologize”", "say “You are late!”")
}

// wantWhy checks what the page /why says about an event.
func wantWhy(t *testing.T, s *service, iri string, texts ...string) {
	t.Helper()
	page := string(request(t, "GET", s.ui+"/why?iri="+url.QueryEscape(iri), nil).body)
	shown := strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(page, ""))), " ")
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("the page why of %s has no %s: %s", iri, text, shown)
		}
	}
}

// The robot of docs/connect.md is understood.
func TestARobotIsConnectedAsThePageSays(t *testing.T) {
	t.Parallel()
	block, dir := blocksOf(t, "docs/connect.md")[0], shellIn(t)
	python := pythons(t, "3")["3"]
	if python == "" {
		suite.Missing(t, "no Python: apt-get install python3")
	}
	s := serve(t, dir, nil)
	runBlock(t, dir, "pip() { :; }\npython3() { command "+python+" \"$@\"; }\nexport XDG_STATE_HOME="+dir+" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="+
		filepath.Join(suite.Root(t), "clients", "python", "src")+"\n"+block, s.api)
	said := s.rows(`SELECT ?a { ?m <http://schema.org/text> "I am sorry." ; <http://www.w3.org/ns/prov#wasGeneratedBy> ?a }`)
	if len(said) != 1 {
		t.Fatalf("the answer was said in %q", said)
	}
	wantWhy(t, s, said[0], "Iris said “I am sorry.”", "Iris decided: “apologize”", "Iris recognized anger in María",
		"Iris heard María say “You are late!”")
}

// The commands of docs/api.md work in order.
func TestTheAPIGoesAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/api.md"), shellIn(t)
	s := serve(t, dir, nil)
	for _, block := range []string{b[0], b[2]} {
		if out := runBlock(t, dir, block, s.api); !strings.Contains(out, "201 Created") {
			t.Errorf("%s\n%s", block, out)
		}
	}
	if out := runBlock(t, dir, b[1], s.api); strings.Count(out, "Good morning") != 2 {
		t.Errorf("as Turtle and as N-Triples the graph is %s", out)
	}
	if out := runBlock(t, dir, b[5], s.api); strings.Count(out, "201 Created") != 2 || strings.Count(out, "Idempotent-Replayed: true") != 1 {
		t.Errorf("a request that is sent again: %s", out)
	}
	if out := runBlock(t, dir, b[6], s.api); strings.Count(out, `"status":201`) != 2 || !strings.Contains(out, `"outcome":"created"`) {
		t.Errorf("the lines are answered with %s", out)
	}
	s.stop()

	key := strings.TrimSpace(runBlock(t, dir, strings.Replace(b[3], "go run . serve", `echo "$SECRET_KEY"`, 1), ""))
	s = serve(t, dir, []string{"SECRET_KEY=" + key})
	if out := runBlock(t, dir, "export SECRET_KEY="+key+"\n"+clone+b[4], s.api); !strings.Contains(out, "Good morning") {
		t.Errorf("with a token there is %s", out)
	}
}

// TestWitnessesAreSetUpAsThePageSays makes one server the witness of another, with the
// keys that the page's commands print.
func TestWitnessesAreSetUpAsThePageSays(t *testing.T) {
	t.Parallel()
	block := blocksOf(t, "docs/witnesses.md")[0]
	ask, started := strings.CutPrefix(block, "   segraph serve &\n")
	ask, print, stopped := strings.Cut(ask, "   kill %1 && wait\n")
	if !started || !stopped {
		t.Fatalf("the commands do not start and stop the service: %s", block)
	}
	keysIn := func(dir string) []string {
		s := serve(t, dir, nil)
		runBlock(t, dir, strings.ReplaceAll(ask, "http://127.0.0.1:5000", s.api), "")
		s.stop()
		return strings.Fields(runBlock(t, dir, print, ""))
	}
	log, other := shellIn(t), shellIn(t)
	of, keys := keysIn(log), keysIn(other)
	if len(of) != 2 || len(keys) != 2 {
		t.Fatalf("%q and %q are not two keys each", of, keys)
	}
	w := serve(t, other, []string{"SEGRAPH_WITNESS_OF=" + of[0]})
	s := serve(t, log, []string{"SEGRAPH_WITNESSES=" + keys[1] + " " + w.api})
	name, _, _ := strings.Cut(keys[1], "+")
	poll(t, "the checkpoint is cosigned", func() bool {
		return strings.Contains(string(request(t, "GET", s.api+"/log/checkpoint", nil).body), "\n\u2014 "+name+" ")
	})
	sum := sha256.Sum256([]byte(strings.Split(of[0], "+")[0]))
	if a := request(t, "GET", w.api+"/witness/"+hex.EncodeToString(sum[:])+"/checkpoint", nil); a.status != 200 || !strings.Contains(string(a.body), name) {
		t.Errorf("the witness shows %d %s", a.status, a.body)
	}
}

// A receipt is verified as docs/evidence/README.md says, and not for another document.
// The test starts and stops the service itself, on free ports.
func TestAReceiptIsVerifiedAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/evidence/README.md"), shellIn(t)
	if _, err := exec.LookPath("python3"); err != nil {
		suite.Missing(t, "the receipt is verified with Python: "+err.Error())
	}
	for _, name := range []string{"verify_receipt.py", "verify_bundle.py"} {
		script, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", "evidence", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	post, started := strings.CutPrefix(b[0], "segraph serve &\n")
	post, verify, stopped := strings.Cut(post, "kill %1 && wait\n")
	if !started || !stopped {
		t.Fatalf("the commands do not start and stop the service: %s", b[0])
	}
	s := serve(t, dir, nil)
	runBlock(t, dir, strings.ReplaceAll(post, "http://127.0.0.1:5000", s.api), "")
	s.stop()
	if out := runBlock(t, dir, verify, ""); !strings.Contains(out, "'action': 'insert'") {
		t.Errorf("the entry is %s", out)
	}
	changed := strings.Replace(verify, "python3", "echo >> log.ttl; ! python3", 1)
	if out := runBlock(t, dir, changed, ""); !strings.Contains(out, "the entry is of another content") {
		t.Errorf("of another document the program says %s", out)
	}
	// After the commands of the receipt, those of a bundle.
	if out := runBlock(t, dir, b[1], ""); !strings.Contains(out, "ari.zip holds: segraph/") || !strings.Contains(out, "It holds: segraph/") {
		t.Errorf("of bundles the programs say %s", out)
	}
}

// The log of docs/vocabulary.md leaves no table of /reports empty.
func TestTheLogOfTheVocabularyFillsReports(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/vocabulary.md"), shellIn(t)
	s := serve(t, dir, nil)
	if out := runBlock(t, dir, b[0], s.api); !strings.Contains(out, `"outcome":"ambiguous"`) || !strings.Contains(out, "201 Created") || strings.Contains(out, "warnings") {
		t.Fatalf("%s\n%s", b[0], out)
	}
	replay := string(request(t, "GET", s.ui+"/replay?from=2026-02-11T09:12:00Z&to=2026-02-11T09:16:00Z", nil).body)
	why := string(request(t, "GET", s.ui+"/why?iri=https://example.org/response_1", nil).body)
	for _, want := range []string{"completed", "She spoke to me", "greet, wait"} {
		if !strings.Contains(replay, want) || !strings.Contains(why, want) {
			t.Errorf("the replay or the explanation does not say %q", want)
		}
	}
	for _, want := range []string{"emergency stop", "the left arm does not answer", "error", "confidence 93\u00a0%"} {
		if !strings.Contains(replay, want) {
			t.Errorf("the replay does not say %q", want)
		}
	}
	for _, name := range reports.Names() {
		if name == "classes" {
			continue // it lists classes of other vocabularies
		}
		section := string(request(t, "GET", s.ui+"/reports?section="+name, nil).body)
		tables, filled := strings.Count(section, ">Query</a>"), strings.Count(section, ">CSV</a>")
		if tables != filled || tables == 0 {
			t.Errorf("%d of %d tables of the section %s have rows: %s", filled, tables, name, section)
		}
	}
}

// The commands of docs/command-line.md work in order in a clone.
func TestCommandsGoAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/command-line.md"), shellIn(t)
	if out := runBlock(t, dir, clone+b[0], ""); !strings.Contains(out, `"https://example.org/robot/pepper"`) {
		t.Errorf("the commands print %s", out)
	}
}

// Every question of the documentation, run on the demo as the page says, has an answer.
func TestTheQuestionsOfTheDocumentationRunOnTheDemo(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/queries.md"), shellIn(t)
	s := startDemo(t, dir)
	if out := runBlock(t, dir, b[1], s.api); !strings.Contains(out, "human:maria") || !strings.Contains(out, "https://example.org/human/maria,") {
		t.Errorf("the first question: %s", out)
	}
	for _, page := range []string{"queries.md", "contexts-in-sparql.md"} {
		text, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range docs.QuestionsOf(string(text)) {
			if strings.Contains(q.Query, "event:human_") { // a name that differs from store to store
				continue
			}
			command := "segraph query --url http://localhost:5000 --format table --file docs/" + q.File
			if out := runBlock(t, dir, command, s.api); strings.HasSuffix(out, "\n0 rows\n") {
				t.Errorf("%s: %s", q.Title, out)
			}
		}
	}
	answer, err := os.ReadFile(filepath.Join(dir, "docs", "examples", "what-was-said-in-order.txt"))
	if out := runBlock(t, dir, b[2], ""); err != nil || !strings.HasSuffix(out, string(answer)) {
		t.Errorf("from a file: %s %v", out, err)
	}
}

// The commands of docs/shared-contexts.md work on the demo.
func TestSharedContextsGoAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/shared-contexts.md"), shellIn(t)
	s := startDemo(t, dir)
	for _, block := range b {
		block = strings.ReplaceAll(block, "curl ", "curl --fail-with-body -sS ")
		runBlock(t, dir, strings.ReplaceAll(block, "http://127.0.0.1:5000", s.api), "")
	}
}

// The settings in docs/configuration.md do what the page says.
func TestSettingsAreSetAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/configuration.md"), shellIn(t)
	named := serve(t, dir, assignments(b[0]))
	if a := request(t, "GET", named.api+"/events", nil, "Host", "graph.example.org"); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if out := runBlock(t, dir, b[1], ""); !strings.Contains(out, "SEGRAPH_MEMORY = 64") {
		t.Errorf("segraph config prints %s", out)
	}
}

// The commands of docs/monitoring serve metrics with a token.
func TestMetricsAreServedAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/monitoring/README.md"), shellIn(t)
	key, start, _ := strings.Cut(b[0], "\n")
	runBlock(t, dir, key, "")
	address := freeAddress(t)
	serve(t, dir, assignments(strings.TrimSuffix(strings.TrimSpace(start), " --metrics :9090")), "--metrics", address)
	block := strings.Replace(strings.Replace(b[1], "http://localhost:9090", "http://"+address, 1), "curl ", "curl -fsS ", 1)
	if out := runBlock(t, dir, block, ""); !strings.Contains(out, "segraph_ready 1") {
		t.Errorf("the metrics are %s", out)
	}
}
