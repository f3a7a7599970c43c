package explore

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views/viewstest"
)

// picture returns the picture at an address.
func (s *fixture) picture(path string) *picture {
	s.T.Helper()
	r := httptest.NewRequest("GET", path, nil)
	p, err := s.ui.loadGraph(r, readGraphState(r.URL.Query()), nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return p
}

// acceptance returns the journal entry of a person's acceptance.
func acceptance() journal.Entry {
	return journal.Entry{LogID: journal.NewLogID(), Action: journal.Accept, Time: time.Now(), Actor: "judge"}
}

func (s *fixture) path(from, to string, rows, perNode int) (names string, whole bool) {
	s.T.Helper()
	search := &pathSearch{ask: s.UI.Ask, rows: rows, perNode: perNode}
	path, whole, err := search.find(context.Background(), "http://e/"+from, "http://e/"+to)
	if err != nil {
		s.T.Fatal(err)
	}
	for i, iri := range path {
		path[i] = strings.TrimPrefix(iri, "http://e/")
	}
	return strings.Join(path, " "), whole
}

func TestAPathIsTheShortestWayOverEdgesOfEitherDirection(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var chain strings.Builder
	for i := range 12 {
		fmt.Fprintf(&chain, "<http://e/c%02d> <http://e/p> <http://e/c%02d> .\n", i, i+1)
	}
	s.Publish(chain.String() + `<http://e/a> <http://e/p> <http://e/b> . <http://e/c> <http://e/p> <http://e/b> ; <http://e/p> <http://e/d> . <http://e/a> <http://e/q> <http://e/x> .
		<http://e/x> <http://e/q> <http://e/y> . <http://e/y> <http://e/q> <http://e/d> . <http://e/a> a <http://e/T> . <http://e/far> a <http://e/T> .`)
	for _, c := range []struct {
		from, to, want string
		whole          bool
	}{
		{"a", "b", "a b", true}, {"b", "a", "b a", true}, {"a", "d", "a b c d", true}, {"a", "a", "a", true},
		{"c00", "c08", "c00 c01 c02 c03 c04 c05 c06 c07 c08", true},
		{"c00", "c09", "", true},                           // more steps than a search may take
		{"a", "far", "", true}, {"a", "nothing", "", true}, // a common class is not a path
	} {
		if got, whole := s.path(c.from, c.to, pathRows, pathPerNode); got != c.want || whole != c.whole {
			t.Errorf("from %s to %s: %q, %v", c.from, c.to, got, whole)
		}
	}
}

func TestASearchForAPathIsBoundedAndSaysSo(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "<http://e/n%04d> <http://e/by> <http://e/hub> .\n", i)
	}
	s.Publish(text.String() + "<http://e/n2999> <http://e/p> <http://e/end> . <http://e/other> <http://e/p> <http://e/lonely> .")
	if got, _ := s.path("n0000", "n2999", pathRows, pathPerNode); got != "n0000 hub n2999" {
		t.Errorf("through a hub: %q", got)
	}
	if got, whole := s.path("n0000", "lonely", 100, 50); got != "" || whole {
		t.Errorf("with few edges: %q, %v", got, whole)
	}
	b := s.NewVisitor()
	page := b.Get("/kg-graph/path?" + url.Values{"from": {"http://e/n0000"}, "to": {"http://e/lonely"}}.Encode()).Body.String()
	if !strings.Contains(page, "stopped after") && !strings.Contains(page, "There is no path of at most 8 steps") || strings.Count(page, `id="n-`) != 2 {
		t.Errorf("%s", page)
	}
}

func TestAPathIsPartOfTheAddress(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	ask := func(to string, more ...string) *httptest.ResponseRecorder {
		values := url.Values{"from": {heard}, "to": {to}, "node": {heard}, "v": {"+ " + heard}}
		for i := 0; i < len(more); i += 2 {
			values.Add(more[i], more[i+1])
		}
		return b.Get("/kg-graph/path?" + values.Encode())
	}
	for _, to := range []string{viewstest.ARI, "<" + viewstest.ARI + ">", "ari:robot_ari1", "ari"} {
		w := ask(to)
		if w.Code != 303 {
			t.Fatalf("to %s: %d", to, w.Code)
		}
		at, err := url.Parse(w.Header().Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		along := at.Query()["along"]
		if len(along) != 3 || along[0] != heard || along[2] != viewstest.ARI || at.Query().Get("node") != heard {
			t.Errorf("to %s it goes along %v", to, along)
		}
		page := b.Get(at.String()).Body.String()
		if !strings.Contains(page, "a path of 2 steps") || strings.Count(page, " along") < 3 || !strings.Contains(page, "Clear path") {
			t.Errorf("the path is not shown")
		}
		d := s.drawn(at.String())
		place := func(n GraphPoint) int { return slices.Index(along, n.IRI) }
		for _, l := range d.Lines {
			if from, to := d.Nodes[l.Ends[0]], d.Nodes[l.Ends[1]]; place(from) >= place(to) {
				t.Errorf("%q leads back from %s to %s", l.Words, from.Full, to.Full)
			}
		}
		if p := s.picture(at.String()); len(p.nodes) != 3 || len(p.edges) < 2 {
			t.Errorf("%d nodes, %d edges", len(p.nodes), len(p.edges))
		}
	}
	viewstest.WantPage(t, ask("nothing has such a name"), 200, "No node is called “nothing has such a name”")
	several := ask("ari:activity")
	viewstest.WantPage(t, several, 200, "Choose one.")
	if !strings.Contains(several.Body.String(), "/kg-graph/path?") {
		t.Error("one can't choose")
	}
	viewstest.WantPage(t, ask(""), 200, "A path needs two ends")
	viewstest.WantPage(t, b.Get("/kg-graph/path?from=x&to=y"), 200, "A path needs two ends")
}

func TestALineNamesTheLogThatContributedIt(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish("<http://e/a> <http://e/p> <http://e/b> ; <http://e/q> <http://e/b> .")
	s.Publish("<http://e/a> <http://e/q> <http://e/b> . <http://e/b> <http://e/p> <http://e/a> .")
	b := s.NewVisitor()
	page := b.Get(graphAt("v", "+ http://e/a", "v", "+ http://e/b", "edge", "http://e/a http://e/b")).Body.String()
	viewstest.Want(t, page, " p, q, back: p ") // as there is an edge back
	_, card, _ := strings.Cut(page, "Path between two nodes")
	card, _, _ = strings.Cut(card, "</section>")
	logs := map[string]string{}
	for _, item := range strings.Split(card, "<li>")[1:] {
		name, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(item), "<b title=\""), "\">")
		_, id, _ := strings.Cut(rest, `/log?id=`)
		logs[name], _, _ = strings.Cut(id, `"`)
		if !strings.Contains(rest, "/query/logs?triple=") {
			t.Errorf("%s has no way to all its logs", name)
		}
	}
	p, q := logs["http://e/p"], logs["http://e/q"]
	if len(logs) != 2 || len(p) != 36 || len(q) != 36 || p >= q {
		t.Errorf("the logs are %v", logs)
	}
	if page := b.Get(graphAt("v", "+ http://e/a", "v", "+ http://e/b", "edge", "http://e/b http://e/nothing")).Body.String(); strings.Contains(page, "Path between two nodes") {
		t.Error("there is a card of a line that is not there")
	}
	if !slices.Contains(nodesOf(page), "<bdi>&lt;http://e/a&gt;</bdi>") {
		t.Error("the picture is gone")
	}
}

// TestAPathThatIsGoneIsNotAsserted withdraws the log of a path that an address names.
func TestAPathThatIsGoneIsNotAsserted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/p> <http://e/b> . <http://e/b> <http://e/says> 1 .")
	id := s.LastLog()
	s.Publish("<http://e/a> <http://e/says> 1 . <http://e/b> <http://e/says> 2 .")
	at := graphAt("v", "+ http://e/a", "v", "+ http://e/b", "along", "http://e/a", "along", "http://e/b")
	b := s.SignedIn("admin")
	viewstest.Want(t, b.Get(at).Body.String(), "a path of 1 step")
	viewstest.WantPage(t, b.Post("/logs/insert", url.Values{"action": {"withdraw"}, "log": {id}}), 200, "The log is withdrawn")
	page := b.Get(at).Body.String()
	if viewstest.Want(t, page, "The path of this address is no longer in the graph"); strings.Contains(page, "a path of 1 step") {
		t.Error("the path is asserted")
	}
}

// TestASearchThatWasCutDeniesNothing has more texts with some letters than a search looks up.
func TestASearchThatWasCutDeniesNothing(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range maxAmong + 1 {
		fmt.Fprintf(&text, "<http://e/%d> <http://e/p> \"a zzz %d\" .\n", i, i)
	}
	s.Publish(text.String() + "<http://e/a> <http://e/p> <http://e/b> .")
	b := s.NewVisitor()
	path := "/kg-graph/path?" + url.Values{"from": {"http://e/a"}, "v": {"+ http://e/a"}, "to": {"zzz"}}.Encode()
	viewstest.Want(t, b.Get("/kg-graph?q=zzz").Body.String(), "None found so far", "Search everything")
	viewstest.Want(t, b.Get(path).Body.String(), "was found soon")
	viewstest.Want(t, b.Get("/why?iri=zzz").Body.String(), "was found soon")
	s.Publish(`<http://e/b> <http://www.w3.org/2000/01/rdf-schema#label> "zzz top" .`)
	viewstest.Want(t, b.Get("/kg-graph?q=zzz").Body.String(), "1 thing found so far")
	viewstest.Want(t, b.Get(path).Body.String(), "Is it one of these?")
	if page := b.Get("/why?iri=zzz").Body.String(); !strings.Contains(page, "There may be more.") || strings.Contains(page, "More than 1") {
		t.Error("one was found")
	}
}

// A property without a word for its other direction keeps its own on a path.
func TestALineOfAPathSaysWhatIsLogged(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish("<http://e/b> <http://e/p> <http://e/a> .")
	d := s.drawn(graphAt("v", "+ http://e/a", "v", "+ http://e/b", "along", "http://e/a", "along", "http://e/b"))
	if len(d.Lines) != 1 || d.Nodes[d.Lines[0].Ends[0]].IRI != "http://e/b" {
		t.Errorf("%+v", d.Lines)
	}
}
