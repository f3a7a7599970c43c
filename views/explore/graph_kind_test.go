package explore

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

// kindsOf maps the classes of resources in the captured logs to the most specific one. A
// result is not an activity, even if it has that class.
var kindsOf = map[string]string{
	"oro:Robot prov:Agent":                                                               "oro:Robot",
	"foaf:Person oro:Human prov:Person":                                                  "oro:Human",
	"oro:ListeningEvent prov:Activity segb:LoggedActivity":                               "oro:ListeningEvent",
	"oro:DecisionMakingAction prov:Activity segb:LoggedActivity":                         "oro:DecisionMakingAction",
	"oro:ResponseAction prov:Activity segb:LoggedActivity":                               "oro:ResponseAction",
	"oro:DetectedHumanEvent prov:Activity segb:LoggedActivity":                           "oro:DetectedHumanEvent",
	"mls:Run prov:Activity segb:LoggedActivity":                                          "mls:Run",
	"onyx:EmotionAnalysis prov:Activity segb:LoggedActivity":                             "onyx:EmotionAnalysis",
	"oro:EmotionRecognitionEvent prov:Activity segb:LoggedActivity":                      "oro:EmotionRecognitionEvent",
	"onyx:EmotionAnalysis oro:EmotionRecognitionEvent prov:Activity segb:LoggedActivity": "oro:EmotionRecognitionEvent",
	"oro:InitialMessage prov:Entity schema:Message":                                      "oro:InitialMessage",
	"oro:ResponseMessage prov:Entity schema:Message":                                     "oro:ResponseMessage",
	"amor:EmotionAnnotation oa:Annotation prov:Activity prov:Entity segb:Result":         "amor:EmotionAnnotation",
	"prov:Activity prov:Entity segb:Result":                                              "segb:Result",
	"mls:Model prov:Activity prov:Entity segb:Result":                                    "mls:Model",
	"mls:Dataset prov:Entity":                                                            "mls:Dataset",
	"mls:ModelEvaluation prov:Entity":                                                    "mls:ModelEvaluation",
	"prov:Entity schema:Event":                                                           "schema:Event",
	"prov:Entity":                                                                        "prov:Entity",
}

func TestAKindIsTheMostSpecificClass(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := openService(t)
	s.PublishDemo()
	s.PublishCapture()
	words := map[string]string{}
	for class, k := range views.Kinds() {
		words[views.ShortIRI(class, s.UI.Prefixes(nil))] = k.Word
	}
	b, names, seen := s.NewVisitor(), s.UI.Prefixes(nil), map[string]int{}
	row := regexp.MustCompile(`<button class="as-link" name="node" value="([^"]*)".*?</td><td title="([^"]*)">`)
	for _, file := range []string{"demo-two-robots.ttl", "robot-capture.nt"} {
		want := map[string]string{}
		for iri, said := range viewstest.GraphOf(t, file) {
			var classes []string
			for _, c := range said[rdf.RDFType] {
				classes = append(classes, views.ShortIRI(c.Value(), names))
			}
			slices.Sort(classes)
			if all := strings.Join(classes, " "); len(classes) == 1 {
				want[iri] = all
			} else if len(classes) > 1 {
				if want[iri] = kindsOf[all]; want[iri] == "" {
					t.Fatalf("the test knows no kind of %s, which is %s", iri, all)
				}
				seen[all]++
			}
		}
		for some := range slices.Chunk(slices.Sorted(maps.Keys(want)), maxGraphOps) {
			parameters := []string{"table", "1"}
			for _, iri := range some {
				parameters = append(parameters, "v", "+ "+iri)
			}
			page := b.Get(graphAt(parameters...)).Body.String()
			shown := row.FindAllStringSubmatch(page, -1)
			if len(shown) != len(some) {
				t.Fatalf("%d of %d nodes are shown", len(shown), len(some))
			}
			for _, m := range shown {
				if m[2] != want[m[1]] {
					t.Errorf("%s is a %s, want %s", m[1], m[2], want[m[1]])
				}
			}
			_, legend, _ := strings.Cut(page, `class="legend"`)
			legend, _, _ = strings.Cut(legend, "</ul>")
			for _, iri := range some {
				if !strings.Contains(legend, "<span>"+cmp.Or(words[want[iri]], views.PlainWords(want[iri]))+"</span>") {
					t.Errorf("the legend has no %s", want[iri])
				}
			}
		}
	}
	if len(seen) < len(kindsOf)-1 {
		t.Errorf("of %d ways to be typed %d were met", len(kindsOf), len(seen))
	}
}

func TestKindsDifferByShapeAndColourAndKeepThem(t *testing.T) {
	t.Parallel()
	look := func(n int) (shapes map[string]int, colours map[int]int, pairs map[GraphSign]bool, first []GraphSign) {
		p := &picture{}
		for i := range n {
			kind := fmt.Sprint("http://e/Kind", i)
			p.nodes = append(p.nodes, &graphNode{kind: kind, sign: signOf(kind, []string{"activity", "result", "other"}[i%3])})
		}
		p.nodes = append(p.nodes, &graphNode{kind: "http://e/Kind0", sign: signOf("", "activity")})
		p.gatherKinds()
		shapes, colours, pairs = map[string]int{}, map[int]int{}, map[GraphSign]bool{}
		for _, k := range p.kinds {
			shapes[k.sign.Shape]++
			colours[k.sign.Series]++
			pairs[k.sign] = true
			first = append(first, k.sign)
		}
		if len(p.kinds) != n || p.kinds[0].count != 2 || p.nodes[n].sign != p.nodes[0].sign {
			t.Errorf("%d kinds of %d, the first %+v", len(p.kinds), n, p.kinds[0])
		}
		return shapes, colours, pairs, first
	}
	shapes, colours, _, eight := look(GraphColours)
	if len(shapes) != GraphColours || len(colours) != GraphColours {
		t.Errorf("eight kinds have %v and %v", shapes, colours)
	}
	shapes, _, _, some := look(len(SpareShapes))
	if len(shapes) != len(SpareShapes) || !slices.Equal(some[:len(eight)], eight) {
		t.Errorf("%v, and before %v", some, eight)
	}
	if _, _, pairs, _ := look(100); len(pairs) != 100 {
		t.Errorf("100 kinds have %d looks", len(pairs))
	}
	seen := map[GraphSign]string{}
	for kind, known := range views.Kinds() {
		s := signOf(kind, known.Family)
		if other := seen[s]; other != "" && views.Kinds()[other].Word != known.Word {
			t.Errorf("%s and %s have one look", kind, other)
		}
		seen[s] = kind
	}
}

// TestAKnownKindHasOneLook compares the looks in a list and in a picture of all known
// kinds with those of stories.
func TestAKnownKindHasOneLook(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var iris []string
	var logged strings.Builder
	for i, kind := range slices.Sorted(maps.Keys(views.Kinds())) {
		iris = append(iris, fmt.Sprint("http://e/", i))
		fmt.Fprintf(&logged, "<%s> a <%s> .\n", iris[i], kind)
	}
	s.Publish(logged.String())
	nodes, err := s.ui.foundNodes(t.Context(), "", iris)
	if err != nil || len(nodes) != len(views.Kinds()) {
		t.Fatal(len(nodes), err)
	}
	for _, n := range nodes {
		if n.sign != signOf(n.kind, n.family) {
			t.Errorf("%s is a %+v in a list", n.kind, n.sign)
		}
	}
	p := &picture{nodes: nodes}
	p.gatherKinds()
	looks := map[GraphSign]string{}
	for _, n := range nodes {
		if n.sign != signOf(n.kind, n.family) {
			t.Errorf("%s is a %+v in a picture", n.kind, n.sign)
		}
		if other := looks[n.sign]; other != "" && kindWord(other) != kindWord(n.kind) {
			t.Errorf("%s and %s have one look", n.kind, other)
		}
		looks[n.sign] = n.kind
	}
	if emotion := signOf(vocabulary.AmorEmotionAnnotation, "result"); emotion.Shape == "face" || emotion.Series != signOf(vocabulary.OroEmotionRecognitionEvent, "activity").Series {
		t.Errorf("an emotion, which may be sadness, is a %+v", emotion)
	}
}

func TestAnUnknownKindLooksLikeItsGeneralClass(t *testing.T) {
	t.Parallel()
	const e = "http://e/"
	for _, c := range []struct {
		want    string
		classes []string
	}{
		{"robot", []string{e + "Robot", "http://www.w3.org/ns/prov#SoftwareAgent"}},
		{"human", []string{e + "Visitor", "http://www.w3.org/ns/prov#Person"}},
		{"activity", []string{e + "Jump", "http://www.w3.org/ns/prov#Activity"}},
		{"result", []string{e + "Face", "http://www.w3.org/ns/prov#Activity", "http://www.w3.org/ns/prov#Entity"}},
		{"other", []string{e + "Thing"}},
		{"other", []string{"http://www.w3.org/ns/mls#Model", "http://www.w3.org/ns/prov#Activity"}},
	} {
		n := &graphNode{}
		for _, class := range c.classes {
			n.out = append(n.out, rdf.Triple{S: rdf.NewIRI(e), P: rdf.NewIRI(rdf.RDFType), O: rdf.NewIRI(class)})
		}
		if n.read(time.UTC); n.kind != c.classes[0] || n.family != c.want {
			t.Errorf("%v: %s, %s", c.classes, n.kind, n.family)
		}
	}
}

// TestTheGraphPageDistinguishesRobotsOfOneName has two labs, each with a robot ari without a
// label and a person of the same name. It checks the picture, its lanes and table, the
// filter and the search.
func TestTheGraphPageDistinguishesRobotsOfOneName(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, lab := range []string{"lab-a", "lab-b"} {
		s.Publish(fmt.Sprintf(`@prefix l: <http://%s.example/ns/> . @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <http://schema.org/> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
l:ari a oro:Robot . l:maria a oro:Human ; schema:name "Maria" .
l:activity a segb:LoggedActivity ; segb:wasPerformedBy l:ari ; prov:startedAtTime "2026-02-01T12:0%d:30Z"^^xsd:dateTime ; schema:sender l:maria .
`, lab, i))
	}
	b := s.NewVisitor()
	st := url.Values{"node": {"http://lab-a.example/ns/ari"}}
	for _, lab := range []string{"lab-a", "lab-b"} {
		for _, name := range []string{"activity", "ari", "maria"} {
			st.Add("v", "+ http://"+lab+".example/ns/"+name)
		}
	}
	page := b.Get("/kg-graph?" + st.Encode()).Body.String()
	viewstest.Want(t, page, "ari (lab-b.example)", "Maria (lab-b.example)")
	if strings.Contains(page, "(lab-a.example)") {
		t.Error("those that were there first have another name")
	}
	viewstest.Want(t, b.Get("/kg-graph").Body.String(), "ari (lab-b.example)", "Maria (lab-b.example)")
}
