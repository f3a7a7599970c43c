package reports

import (
	"html"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/robot/mapping"
	"github.com/segraph/segraph/views/viewstest"
)

func TestAnEmptyStoreOffersThreeWaysToBegin(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for role, play := range map[auth.Role]bool{"admin": true, "auditor": false} {
		page := s.SignedIn(role).Get("/reports").Body.String()
		for _, want := range []string{"Play the demo", "Publish a log", "Connect a robot", "python3 robot.py", "/reports?with=ROS+2", "/reports?with=C%2B%2B", "/api/ttl", "$SEGRAPH_TOKEN"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not see %q", role, want)
			}
		}
		if strings.Contains(page, `value="play"`) != play {
			t.Errorf("%s may play the demo: %t", role, !play)
		}
	}
}

func TestTheDemoIsPlayedAndRemovedWithOneClickEach(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	b := s.NewVisitor()
	viewstest.Want(t, b.Get("/demo").Body.String(), "Play the demo", `class="count none">0<`)
	if w := b.Post("/demo", url.Values{"do": {"play"}}); w.Code != 303 || w.Header().Get("Location") != "/demo" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	viewstest.WantPage(t, b.Get("/demo"), 200, "What upset Maria?")
	viewstest.Want(t, b.Get("/reports").Body.String(), "This is the demo", "Start with its questions")
	answered(t, b)
	viewstest.WantPage(t, b.Post("/demo", url.Values{"do": {"play"}}), 409, "only into an empty store")
	w := b.Post("/demo", url.Values{"do": {"remove"}})
	if w.Code != 303 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	viewstest.WantPage(t, b.Get(w.Header().Get("Location")), 200, "contexts are gone")
	viewstest.WantPage(t, b.Get("/reports"), 200, "Healthy, and no data yet")
	if strings.Contains(b.Get("/reports").Body.String(), `href="/demo"`) {
		t.Error("the navigation leads to a demo that is gone")
	}
	viewstest.WantPage(t, b.Post("/demo", url.Values{"do": {"remove"}}), 404, "This store has no demo")
	viewstest.WantPage(t, b.Post("/demo", url.Values{}), 422, "neither play nor remove")
	s.Publish(own)
	viewstest.WantPage(t, b.Get("/demo"), 200, "This store has data")
}

// answered follows the questions of the demo and finds the answer on each page.
func answered(t *testing.T, b *viewstest.Visitor) {
	t.Helper()
	whole := b.Get("/demo").Body.String()
	page := viewstest.WordsOf(whole)
	questions := regexp.MustCompile(`(?s)<li>(.*?)</li>`).FindAllStringSubmatch(whole[strings.Index(whole, `<ol class="todo">`):], -1)
	links := regexp.MustCompile(`(?s)<a href="([^"]*)">(.*?)</a>`)
	var asked []pageLink
	for _, q := range questions {
		for _, l := range links.FindAllStringSubmatch(q[1], -1) {
			asked = append(asked, pageLink{href: html.UnescapeString(l[1]), text: html.UnescapeString(l[2])})
		}
	}
	if len(asked) != 11 {
		t.Fatalf("the links are %+v in %s", asked, page)
	}
	for i, q := range asked {
		answer := [][]string{
			{"Whom ARI met", "Maria , Greta , Zoe", "Uma"},
			{"because ARI heard Maria say “Taken down?", "“I am sorry, Maria. The Lighthouse was taken down last week"},
			{"because ARI recognized sadness in Maria"},
			{"ARI recognized sadness in Maria (confidence 93 %, strength 84 %), with Face Reader 1.4", "TIAGo recognized sadness in Maria (confidence 81 %, strength 79 %), with Face Reader 1.2"},
			{"ARI recognized sadness", "on behalf of ari"},
			{"TIAGo recognized sadness", "on behalf of tiago"},
			{"Same event", "2 cases"},
			{"The guard says that she asked about the water"},
			{"Leila", "Layla"},
			{"withdrawn by"},
			{"What led to ARI answers Maria", "4 logs"},
		}[i]
		path, id, anchored := strings.Cut(q.href, "#")
		found := b.Get(path).Body.String()
		if anchored && !strings.Contains(found, `id="`+id+`"`) {
			t.Errorf("%q leads to a page without %s", q.text, id)
		}
		if nav, _, _ := strings.Cut(found, "<main"); !strings.Contains(nav, `href="/demo"`) {
			t.Errorf("no link leads from the answer to %q back to the questions", q.text)
		}
		for _, want := range answer {
			if text := viewstest.WordsOf(found); !strings.Contains(text, viewstest.Unmarked.Replace(want)) {
				t.Errorf("%s: there is no %q in %s", q.text, want, text)
			}
		}
	}
}

// program returns a program of the page as a person copies it.
func program(t *testing.T, page, id string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)id="` + regexp.QuoteMeta(id) + `"[^>]*><code>(.*?)</code>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no %s", id)
	}
	return html.UnescapeString(m[1])
}

// The programs and commands on the page run as they stand, with a token and without.
func TestTheProgramsThatConnectARobotRun(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	suite.NotShort(t)
	programs := []struct{ name, needs, file string }{{"Python", "python3", "robot.py"}, {"C++", "g++", "robot.cpp"}}
	for _, p := range programs {
		for _, secret := range []string{"", viewstest.Secret} {
			t.Run(p.name+map[bool]string{true: " with a token"}[secret != ""], func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(p.needs); err != nil {
					suite.Missing(t, "no "+p.needs+" to run the program with")
				}
				s := startWith(t, secret, nil)
				server := httptest.NewServer(s.Pages)
				defer server.Close()
				b, dir := s.NewVisitor(), t.TempDir()
				if secret != "" {
					b = s.SignedIn("admin")
				}
				b.Host = strings.TrimPrefix(server.URL, "http://")
				page := b.Get("/connect?with=" + url.QueryEscape(p.name)).Body.String()
				if !strings.Contains(page, "Waiting for the first activity") {
					t.Error("the page does not wait for the first activity")
				}
				if err := os.WriteFile(filepath.Join(dir, p.file), []byte(program(t, page, "program-"+p.name)), 0o600); err != nil {
					t.Fatal(err)
				}
				site := filepath.Join(dir, "site") // where pip installs to, and Python looks
				env := append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "SEGRAPH_QUEUE="+filepath.Join(dir, "queue"), "PIP_NO_INDEX=1", "PIP_TARGET="+site, "PYTHONPATH="+site)
				run := func(token string) ([]byte, error) {
					cmd := exec.Command("sh", "-c", program(t, page, "run-"+p.name))
					cmd.Dir, cmd.Env = dir, append(env, "SEGRAPH_TOKEN="+token)
					return cmd.CombinedOutput()
				}
				token := ""
				if secret != "" { // without the token it says that it failed
					if out, err := run(""); err == nil {
						t.Errorf("without a token: %s", out)
					}
					token = s.Token("logger")
				}
				if out, err := run(token); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				viewstest.WantPage(t, b.Get(viewstest.QueryPath(`PREFIX schema: <http://schema.org/> SELECT ?text { ?m schema:text ?text }`)), 200, "The painting that I came for is gone!")
				viewstest.WantPage(t, b.Get("/connect"), 200, "Activities have arrived")
				viewstest.Want(t, b.Get("/connect/arrival").Body.String(), "Activities have arrived", "/reports?last=session", " triples")
			})
		}
	}
}

// The map for recordings and the bridge is one.
func TestTheMapThatConnectsARobotIsOne(t *testing.T) {
	s := startWith(t, "", nil)
	for name, run := range map[string]string{"Recording": "segraph import --map recording.map.yaml --dry-run FILE.mcap\nsegraph import --url http", "Bridge": "segraph bridge --url http"} {
		page := s.NewVisitor().Get("/connect?with=" + name).Body.String()
		if _, err := mapping.Parse(program(t, page, "program-"+name)); err != nil {
			t.Error(err)
		}
		if got := program(t, page, "run-"+name); !strings.HasPrefix(got, run) {
			t.Errorf("the commands are %q", got)
		}
	}
}

// The ROS 2 node can't run here. It compiles.
func TestTheNodeOfROSCompiles(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		suite.Missing(t, "no python3 to compile the node with")
	}
	path := filepath.Join(t.TempDir(), "robot_ros.py")
	if err := os.WriteFile(path, []byte(rosProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-m", "py_compile", path).CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
}
