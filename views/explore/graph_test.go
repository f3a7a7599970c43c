package explore

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views/viewstest"
)

const (
	heard = "https://gsi.upm.es/segb/robots/ari/v1/message_ari_heard_1"
)

func graphAt(parameters ...string) string {
	values := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		values.Add(parameters[i], parameters[i+1])
	}
	values.Set("table", "1")
	return "/kg-graph?" + values.Encode()
}

// nodesOf returns the rows of the table of nodes.
func nodesOf(page string) []string {
	_, table, _ := strings.Cut(page, `<table id="nodes">`)
	table, _, _ = strings.Cut(table, "</table>")
	return regexp.MustCompile(`<bdi>([^<]*)</bdi>`).FindAllString(table, -1)
}

func TestANodeIsFoundByItsIRIItsNameAndItsLabel(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	for text, want := range map[string]string{
		viewstest.ARI: "ari:robot_ari1", "<" + viewstest.Maria + ">": "ari:human_maria", "ari:human_m": "ari:human_maria", "robot_ari": "ari:robot_ari1",
		"ari detects happiness": "ari:activity_ari_emotion_from_face_after_1", "ARI detects happiness": "ari:activity_ari_emotion_from_face_after_1",
		"BAD NEWS": "ari:message_ari_heard_1", "ari_listening_grat": "ari:activity_ari_listening_gratitude_1",
	} {
		page := b.Get(graphAt("q", text)).Body.String()
		if !strings.Contains(page, want) || !strings.Contains(page, " found") {
			t.Errorf("%q does not find %s", text, want)
		}
		if strings.Contains(page, "Where to begin") || strings.Contains(page, "no data yet") {
			t.Errorf("beside what %q found there is where to begin", text)
		}
	}
	for _, text := range []string{"nothing is called so", `"`, "\\", "<>", "a{}b", "'; DROP", "<script>alert(1)</script>"} {
		if w := b.Get(graphAt("q", text)); w.Code != 200 || !strings.Contains(w.Body.String(), "No node has this name") || !strings.Contains(w.Body.String(), "Where to begin") || strings.Contains(w.Body.String(), "no data yet") {
			t.Errorf("%q: %d", text, w.Code)
		}
	}
}

func TestANodeIsExpandedByPredicateStepByStep(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "<http://e/a%02d> <http://e/by> <http://e/robot> ; <http://e/says> \"%d\" .\n", i, i)
	}
	s.Publish(text.String() + `<http://e/robot> <http://e/at> <http://e/room> ; <http://e/is> [ <http://e/height> 3 ] .`)
	b := s.NewVisitor()
	page := b.Get(graphAt("v", "+ http://e/robot", "node", "http://e/robot")).Body.String()
	for _, want := range []string{"60</b>", "Show 25", `<dt title="http://e/height">height</dt>`, "Show </a>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the card has no %q", want)
		}
	}
	if n := len(nodesOf(page)); n != 1 {
		t.Errorf("%d nodes at first", n)
	}
	next := regexp.MustCompile(`<a class="button mini" href="([^"]*)" aria-label="(?:Show|Next) [0-9]+ by by"`)
	for _, want := range []int{26, 51, 61} {
		m := next.FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("there is no way on to %d nodes", want)
		}
		page = b.Get(strings.ReplaceAll(m[1], "&amp;", "&")).Body.String()
		if n := len(nodesOf(page)); n != want {
			t.Errorf("%d nodes, want %d", n, want)
		}
	}
	if next.MatchString(page) {
		t.Error("there is a way on beyond the last")
	}
	collapse := regexp.MustCompile(`<a class="button mini" href="([^"]*)" data-key="c">`).FindStringSubmatch(page)
	if collapse == nil {
		t.Fatal("it can't be collapsed")
	}
	if n := len(nodesOf(b.Get(strings.ReplaceAll(collapse[1], "&amp;", "&")).Body.String())); n != 1 {
		t.Errorf("%d nodes once it is collapsed", n)
	}
}

func TestALinkToANodeShowsItsFirstNeighbours(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "<http://e/a%02d> <http://e/by> <http://e/robot> .\n", i)
	}
	s.Publish(text.String() + "<http://e/few> <http://e/at> <http://e/room>, <http://e/hall> .")
	b := s.NewVisitor()
	page := b.Get(graphAt("node", "http://e/robot")).Body.String()
	if n := len(nodesOf(page)); n != 1+firstNear || !strings.Contains(page, "The first 12 neighbours of ") {
		t.Errorf("%d nodes", n)
	}
	found := regexp.MustCompile(`<a href="(/kg-graph[^"]*http://e/few[^"]*)"`).FindStringSubmatch(b.Get(graphAt("q", "http://e/few")).Body.String())
	if found == nil {
		t.Fatal("the search finds no node")
	}
	for _, address := range []string{graphAt("node", "http://e/few"), strings.ReplaceAll(found[1], "&amp;", "&")} {
		page = b.Get(address).Body.String()
		if n := len(nodesOf(page)); n != 3 || strings.Contains(page, "The first 12") {
			t.Errorf("%s: %d nodes", address, n)
		}
	}
}

func TestASearchRanksExactNamesThenRobotsPeopleAndPlaces(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix oro: <http://kb.openrobots.org#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix e: <http://e/> .
		e:1 a segb:LoggedActivity ; rdfs:label "Ari hears" . e:2 a e:Location ; rdfs:label "Ari's room" . e:3 a oro:Human ; rdfs:label "Ariadne" .
		e:4 a segb:Result ; rdfs:label "Ari" . e:5 a oro:Robot ; rdfs:label "ARI" . e:6 a oro:Robot ; rdfs:label "Ari two" .`)
	page := s.NewVisitor().Get(graphAt("q", "ari")).Body.String()
	if err := viewstest.InOrder(page, "<bdi>ARI</bdi>", "<bdi>Ari</bdi>", "<bdi>Ari", "<bdi>Ari", "<bdi>Ari&#39;s room", "<bdi>Ari hears"); err != nil {
		t.Error(err)
	}
}

func TestFiltersHoldForWhatIsShownAndWhatIsExpanded(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	by := "< 200 http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy " + viewstest.ARI
	count := func(more ...string) int {
		return len(nodesOf(b.Get(graphAt(append([]string{"v", "+ " + viewstest.ARI, "v", by}, more...)...)).Body.String()))
	}
	all := count()
	late := count("since", "2026-02-24T12:20:00")
	early := count("until", "2026-02-24T12:20:00")
	if all < 10 || late < 2 || early < 2 || late+early != all+1 {
		t.Errorf("%d in all, %d late, %d early", all, late, early)
	}
	if n := count("robot", viewstest.Maria); n != 1 {
		t.Errorf("%d of another participant", n-1)
	}
	if n := count("without", "http://kb.openrobots.org#ListeningEvent"); n >= all {
		t.Errorf("without listening there are %d of %d", n, all)
	}
	if n := count("hide", viewstest.ARI); n != all-1 {
		t.Errorf("with one hidden there are %d of %d", n, all)
	}
}

// TestAParticipantWithTwoNamesIsOneChoice filters by either name of a person, what is shown and what is expanded.
func TestAParticipantWithTwoNamesIsOneChoice(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix schema: <http://schema.org/> . @prefix : <http://e/> . :x a <http://kb.openrobots.org#Human> ; schema:name "Maria" . :y a <http://kb.openrobots.org#Human> ; schema:name "Maria" .
		:m1 schema:sender :x ; schema:text "one" ; :in :talk . :m2 schema:sender :y ; schema:text "two" ; :in :talk . :m3 schema:sender :z ; schema:text "three" ; :in :talk .`)
	if _, err := s.Contexts.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: []string{"http://e/x", "http://e/y"}, One: true}, journal.Entry{Action: journal.Subject, Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	for _, robot := range []string{"http://e/x", "http://e/y"} {
		page := s.NewVisitor().Get(graphAt("v", "+ http://e/talk", "v", "+ http://e/m1", "v", "+ http://e/m2", "v", "+ http://e/m3", "v", "< 9 http://e/in http://e/talk", "robot", robot)).Body.String()
		if len(nodesOf(page)) != 3 || strings.Count(page, `<option value="http://e/x" selected>`) != 1 || strings.Contains(page, `<option value="http://e/y"`) {
			t.Errorf("%s has %v: %s", robot, nodesOf(page), page)
		}
	}
}

// TestACardCountsWhatThePictureCanShow has a subject that is a blank node, and more neighbours than a picture shows.
func TestACardCountsWhatThePictureCanShow(t *testing.T) {
	t.Parallel()
	s := openService(t)
	text := "<http://e/sad> <http://e/is> 1 . [] <http://e/felt> <http://e/sad> .\n"
	for i := range maxExpand + 1 {
		text += fmt.Sprintf("<http://e/%d> <http://e/about> <http://e/sad> ; <http://e/n> %d . <http://e/sad> <http://e/number> %d, -%d, %d.5 .\n", i, i, i, i, i)
	}
	s.Publish(text)
	page := viewstest.WordsOf(s.NewVisitor().Get(graphAt("v", "+ http://e/sad", "v", fmt.Sprintf("< %d http://e/about http://e/sad", maxExpand), "node", "http://e/sad")).Body.String())
	viewstest.Want(t, page, fmt.Sprintf("%d %d shown", maxExpand+1, maxExpand))
	if strings.Contains(page, "felt") || strings.Contains(page, "Only part of its triples") {
		t.Errorf("the card counts what can't be shown, or lacks nothing: %s", page)
	}
}

func TestAPictureIsMadeFromAConstruct(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	page := b.Get(graphAt("construct", "CONSTRUCT { ?a <http://e/talksTo> ?b } { ?m <http://schema.org/sender> ?a ; <http://www.w3.org/ns/prov#wasDerivedFrom>/<http://schema.org/sender> ?b FILTER(?a != ?b) }")).Body.String()
	if n := len(nodesOf(page)); n != 2 || strings.Count(page, ">&lt;http://e/talksTo&gt;</button></td>") != 2 {
		t.Errorf("%d nodes: %s", n, page)
	}
	viewstest.WantPage(t, b.Get(graphAt("construct", "SELECT * { ?s ?p ?o }")), 422, "A picture needs a CONSTRUCT or DESCRIBE query, not SELECT")
	viewstest.WantPage(t, b.Get(graphAt("construct", "CONSTRUCT {")), 400, "The query can")
}

func TestThePictureIsTheSameForTheSameAddressAndComesAsFiles(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	path := graphAt("v", "+ "+viewstest.ARI, "v", "< 25 http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy "+viewstest.ARI, "node", viewstest.ARI)
	first := b.Get(path).Body.String()
	if again := b.Get(path).Body.String(); again != first {
		t.Error("the same address is another page")
	}
	picture := func(page string) string {
		_, page, _ = strings.Cut(page, `<svg id="drawing"`)
		page, _, _ = strings.Cut(page, "</svg>")
		return page
	}
	if picture(first) == "" {
		t.Fatal("there is no picture")
	}
	w := b.Get(strings.Replace(path, "/kg-graph?", "/kg-graph/picture.svg?", 1))
	if got := w.Body.String(); w.Header().Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(got, `<svg xmlns="http://www.w3.org/2000/svg"`) || strings.Count(got, `class="node`) != len(nodesOf(first)) {
		t.Errorf("%v %s", w.Header(), got)
	}
	w = b.Get(strings.Replace(path, "/kg-graph?", "/kg-graph/picture.ttl?", 1))
	in, n := turtle.NewReader(w.Body, turtle.Turtle, turtle.Options{}), 0
	for {
		q, err := in.Read()
		if err != nil {
			break
		}
		if q.P == rdf.NewIRI("http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy") {
			n++
		}
	}
	if n < 8 || n != len(nodesOf(first))-1 {
		t.Errorf("%d activities in the Turtle, %d nodes in the picture", n, len(nodesOf(first)))
	}
}

func TestWhatTheAddressSaysIsNeverTakenForAQuery(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish("<http://e/a> <http://e/b> <http://e/c> .")
	b := s.NewVisitor()
	for _, evil := range []string{"http://e/a> ?p ?o } #", "javascript:alert(1)", "http://e/a\"", "x y z", "> 1000000 http://e/b http://e/a", "< -1 http://e/b http://e/a", "> x http://e/b http://e/a"} {
		for _, name := range []string{"v", "node", "robot", "hide", "without", "since", "until"} {
			for _, prefix := range []string{"", "+ "} {
				if w := b.Get(graphAt("v", "+ http://e/a", name, prefix+evil)); w.Code != 200 || strings.Contains(w.Body.String(), `href="javascript:`) {
					t.Errorf("%s=%s: %d", name, prefix+evil, w.Code)
				}
			}
		}
	}
}

func TestAPictureIsNeverLargerThanItsBound(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 5 {
		for j := range 190 {
			fmt.Fprintf(&text, "<http://e/h%d> <http://e/p> <http://e/n%d-%d> .\n", i, i, j)
		}
	}
	s.Publish(text.String())
	var parameters []string
	for i := range 5 {
		parameters = append(parameters, "v", fmt.Sprint("+ http://e/h", i), "v", fmt.Sprintf("> 200 http://e/p http://e/h%d", i))
	}
	page := s.NewVisitor().Get(graphAt(parameters...)).Body.String()
	if n := len(nodesOf(page)); n != maxGraphNodes || !strings.Contains(page, "The picture is full") {
		t.Errorf("%d nodes", n)
	}
}

func TestAPictureWithTooManyEdgesSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 50 {
		for j := range 50 {
			fmt.Fprintf(&text, "<http://e/n%d> <http://e/p> <http://e/n%d> .\n", i, j)
		}
	}
	s.Publish(text.String())
	b := s.NewVisitor()
	path := graphAt("v", "+ http://e/n0", "v", "> 200 http://e/p http://e/n0")
	page := b.Get(path).Body.String()
	if n := strings.Count(page, `<a class="edge`); n != maxLines || !strings.Contains(page, "275 lines between nodes not drawn") || !strings.Contains(page, "50 things, 1,275 links") || !strings.Contains(page, "And 500 edges more") {
		t.Errorf("%d lines", n)
	}
	if n := strings.Count(b.Get(strings.Replace(path, "/kg-graph?", "/kg-graph/picture.ttl?", 1)).Body.String(), "n49"); n < 50 {
		t.Errorf("the Turtle has %d edges to one node", n)
	}
}

// A name may contain characters that XML does not allow. The picture is still XML.
func TestAPictureIsXMLWhateverANodeIsCalled(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish("<http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> \"a\\u0000b\\u001B\\uFFFFc\\t<d>\" ; <http://e/p> <http://e/b> .")
	text := s.NewVisitor().Get("/kg-graph/picture.svg?" + url.Values{"v": {"+ http://e/a"}}.Encode()).Body.String()
	if err := xml.Unmarshal([]byte(text), new(struct{})); err != nil || !strings.Contains(text, "a\uFFFDb\uFFFD\uFFFDc") {
		t.Errorf("%v in %s", err, text)
	}
}

// TestANodesSurroundingsAreShownWithinSomeSteps submits the form on a node's card, like a
// browser without scripts.
func TestANodesSurroundingsAreShownWithinSomeSteps(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`<http://e/a> <http://e/p> <http://e/b> ; a <http://e/T> . <http://e/c> <http://e/p> <http://e/b> . <http://e/c> <http://e/q> <http://e/d> .
		<http://e/d> <http://e/p> <http://e/e> . <http://e/e> <http://e/p> <http://e/f> . <http://e/far> a <http://e/T> . <http://e/a> <http://e/p> [ <http://e/p> <http://e/below> ] .`)
	b := s.NewVisitor()
	card := b.Get(graphAt("node", "http://e/a", "tools", "1")).Body.String()
	for _, want := range []string{`<select id="steps" name="steps">`, `<option value="4">4 steps</option>`, `name="by" value="http://e/p"`} {
		if !strings.Contains(card, want) {
			t.Errorf("the card has no %s", want)
		}
	}
	if strings.Contains(card, `name="by" value="`+rdf.RDFType) {
		t.Error("the card offers to walk by types")
	}
	for _, c := range []struct {
		steps, way string
		by         []string
		want, note string
	}{
		{"2", "", nil, "a b c", "Within 2 steps of &lt;http://e/a&gt;: 1 at 1 step, 1 at 2 steps."},
		{"4", "", nil, "a b c d e", "1 at 4 steps."},
		{"4", "", []string{"http://e/p"}, "a b c", "1 at 2 steps."},
		{"4", "", []string{"http://e/q", "http://e/p"}, "a b c d e", "1 at 3 steps, 1 at 4 steps."},
		{"3", ">", nil, "a b", "Within 3 steps of &lt;http://e/a&gt;: 1 at 1 step."},
		{"3", "<", nil, "a", "Within 3 steps of &lt;http://e/a&gt;: nothing."},
	} {
		values := url.Values{"steps": {c.steps}, "way": {c.way}, "by": c.by, "from": {"http://e/a"}, "v": {"+ http://e/a"}, "node": {"http://e/a"}, "table": {"1"}}
		w := b.Get("/kg-graph?" + values.Encode())
		if w.Code != 303 || !strings.Contains(w.Header().Get("Location"), "v=%2A"+url.QueryEscape(c.way)+"+"+c.steps) {
			t.Fatalf("%v: %d to %s", c, w.Code, w.Header().Get("Location"))
		}
		page := b.Get(w.Header().Get("Location")).Body.String()
		got := strings.NewReplacer("<bdi>&lt;http://e/", "", "&gt;</bdi>", "").Replace(strings.Join(nodesOf(page), " "))
		if got != c.want || !strings.Contains(page, c.note) {
			t.Errorf("%v: %s", c, got)
		}
		if c.steps == "4" && c.by == nil && !strings.Contains(page, "<td>4 from &lt;http://e/a&gt;</td>") {
			t.Error("the table does not say how far a node is")
		}
	}
	for _, bad := range []string{"steps=5&from=http://e/a", "steps=x&from=http://e/a", "steps=2&from=a", "steps=2&from=http://e/a&way=up", "steps=2&from=http://e/a&by=p"} {
		if w := b.Get("/kg-graph?" + bad); w.Code != 422 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
	other := b.Get(graphAt("v", "* 2 http://e/b", "v", "* 2 http://e/d", "node", "http://e/b")).Body.String()
	if !strings.Contains(other, "<td>1 from &lt;http://e/b&gt;</td>") || !strings.Contains(other, "<td>1 from &lt;http://e/d&gt;</td>") || !strings.Contains(other, "Collapse") {
		t.Error("two walks are not both reported")
	}
}

// TestAWalkDrawsWhatAPersonReads has more neighbours than a ring has room for.
func TestAWalkDrawsWhatAPersonReads(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 2 * maxGraphNodes {
		fmt.Fprintf(&text, "<http://e/a%03d> <http://e/by> <http://e/robot> .\n", i)
	}
	s.Publish(text.String())
	state := []string{"v", "* 2 http://e/robot", "v", "+ http://e/a000"}
	p := s.picture(graphAt(state...))
	if len(p.nodes) > 2+ringSizes[2][0]+1 || len(p.nodes) < ringSizes[2][0] || !p.full || p.without("http://e/a000") {
		t.Errorf("%d nodes, full %v", len(p.nodes), p.full)
	}
	rest := p.nodes[p.index["http://e/robot"]].rest
	if len(p.nodes)-1+len(rest) != maxGraphNodes/2 {
		t.Errorf("%d nodes, and %d more", len(p.nodes), len(rest))
	}
	b := s.NewVisitor()
	viewstest.Want(t, b.Get(graphAt(state...)).Body.String(), fmt.Sprintf(">+%d<", len(rest)), fmt.Sprintf(`aria-label="%d more around`, len(rest)), "There are more")
	list := b.Get(graphAt(append(state, "rest", nodeKey("http://e/robot"))...)).Body.String()
	viewstest.Want(t, list, fmt.Sprintf("%d more around", len(rest)))
	add := regexp.MustCompile(`<a href="([^"]*)" title="(http://e/a[0-9]+)"`).FindStringSubmatch(list)
	if add == nil {
		t.Fatal("the list has no link")
	}
	if p = s.picture(strings.ReplaceAll(add[1], "&amp;", "&")); p.without(add[2]) {
		t.Errorf("%s is not drawn", add[2])
	}
}
