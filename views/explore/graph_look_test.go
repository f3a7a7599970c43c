package explore

import (
	"fmt"
	"math"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

const did = "< 25 http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy "

// drawn returns the picture at an address.
func (s *fixture) drawn(at string) *GraphDrawing {
	s.T.Helper()
	r := httptest.NewRequest("GET", at, nil)
	st, names := readGraphState(r.URL.Query()), s.UI.Prefixes(nil)
	p, err := s.ui.loadGraph(r, st, names)
	if err != nil {
		s.T.Fatal(err)
	}
	return draw(p, st, &views.Visit{Zone: time.UTC}, names)
}

func TestEveryMarkOfTheDemoHasAWord(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	done := []string{"v", "+ " + viewstest.ARI, "v", did + viewstest.ARI, "node", viewstest.ARI}
	within := []string{"v", "+ " + viewstest.ARI, "v", "* 3 " + viewstest.ARI, "node", viewstest.ARI}
	for _, c := range structural {
		within = append(within, "without", c)
	}
	for name, at := range map[string]string{"done": graphAt(done...), "within": graphAt(within...), "near": graphAt("node", viewstest.ARI)} {
		d := s.drawn(at)
		for _, n := range d.Nodes {
			if n.Named < d.Level {
				t.Errorf("%s: %s has no word", name, n.Full)
			}
		}
		for _, pair := range append(tooNear(d), struck(d)...) {
			t.Errorf("%s: %s", name, pair)
		}
		for _, h := range d.Hulls {
			if !h.Round && len(h.Members) > 2 || h.Named < d.Level && !h.Said {
				t.Errorf("%s: the outline of %s goes around others, or has no name", name, h.Name)
			}
			if far := farFrom(h, d.Level); h.Round && !h.Said && far > 8 {
				t.Errorf("%s: the name of %s is %.0f pixels from its outline", name, h.Name, far)
			}
		}
	}
}

// struck returns the labels of a picture, and the names of its outlines, that lines run through.
func struck(d *GraphDrawing) (pairs []string) {
	names := map[string]drawing.Box{}
	a := &artist{d: d}
	for _, n := range d.Nodes {
		a.at = append(a.at, drawing.Point{X: n.X, Y: n.Y})
	}
	for i, n := range d.Nodes {
		if n.Wide == 0 && n.Named >= d.Level {
			names[fmt.Sprint(i, " ", n.Label)] = a.labelBox(i, d.Level, n.spot())
		}
	}
	for _, h := range d.Hulls {
		if h.Named >= d.Level {
			names[h.Name] = wordBox(drawing.Point{X: h.X, Y: h.Y}, wide([]string{h.Name}), hullTall, d.Level)
		}
	}
	for _, l := range d.Lines {
		for name, box := range names {
			if box.CrossedAlong(pointsOf(l.Path)) {
				pairs = append(pairs, name+" is struck by the line of "+l.Title)
			}
		}
	}
	return pairs
}

// pointsOf returns points of a path that the page makes.
func pointsOf(path string) (points []drawing.Point) {
	for _, part := range regexp.MustCompile(`[MLCQ][^MLCQ]*`).FindAllString(path, -1) {
		var n []drawing.Point
		fields := strings.Fields(part[1:])
		for i := 0; i+1 < len(fields); i += 2 {
			var p drawing.Point
			_, _ = fmt.Sscan(fields[i]+" "+fields[i+1], &p.X, &p.Y)
			n = append(n, p)
		}
		if part[0] == 'C' {
			last := points[len(points)-1]
			n = drawing.Line{From: last, Near: n[0], Far: n[1], To: n[2]}.Points()
		}
		points = append(points, n...)
	}
	return points
}

// tooNear returns the labels of a picture that seem to be those of other nodes, with these.
func tooNear(d *GraphDrawing) (pairs []string) {
	a := &artist{d: d}
	for _, n := range d.Nodes {
		a.at = append(a.at, drawing.Point{X: n.X, Y: n.Y})
	}
	for i, n := range d.Nodes {
		for j, p := range a.at {
			room := signRoom + labelGap*levels[d.Level] - 1
			if i != j && n.Wide == 0 && !drawing.Taken([]drawing.Box{a.labelBox(i, d.Level, spot{n.Above, n.Aside})}).Free(drawing.Room{Side: room, Above: room, Below: room}.Around(p)) {
				pairs = append(pairs, n.Full+" is at the sign of "+d.Nodes[j].Full)
			}
		}
	}
	return pairs
}

func TestOfALabelOfSeveralLinesThePlatesAreBehind(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	page := s.NewVisitor().Get(graphAt("v", "+ "+viewstest.ARI, "v", "* 3 "+viewstest.ARI)).Body.String()
	several, before := 0, ""
	for _, label := range strings.Split(page, `<text class="called`)[1:] {
		lines, _, _ := strings.Cut(label, "</text>")
		class, _, _ := strings.Cut(lines, `"`)
		if many := strings.Count(lines, "<tspan") > 1; many != (class != "") || (class == " over") != (before == " plates") {
			t.Errorf("after %q: %s", before, lines)
		} else if many {
			several++
		}
		before = class
	}
	if several < 10 {
		t.Errorf("%d labels have several lines", several)
	}
}

func TestResultsAreNamedByWhatTheySay(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	var names []string
	for _, n := range s.drawn(graphAt("node", viewstest.ARI)).Nodes {
		names = append(names, n.Full)
	}
	for name, want := range map[string]bool{"state in room a": true, "happiness": true, "emotion": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s is there: %v; %q", name, !want, names)
		}
	}
}

// farFrom returns how far the name of a round outline is from it, in pixels.
func farFrom(h GraphHull, level int) float64 {
	var corners []drawing.Point
	for part := range strings.FieldsFuncSeq(h.Path, func(r rune) bool { return strings.ContainsRune("MLZ", r) }) {
		var p drawing.Point
		_, _ = fmt.Sscan(part, &p.X, &p.Y) // the page makes it
		corners = append(corners, p)
	}
	box, far := wordBox(drawing.Point{X: h.X, Y: h.Y}, wide([]string{h.Name})*1.1, hullTall, level), math.Inf(1)
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		for k := range 101 {
			part := float64(k) / 100
			x, y := p.X+part*(q.X-p.X), p.Y+part*(q.Y-p.Y)
			far = min(far, math.Hypot(max(box.Left-x, x-box.Right, 0), max(box.Top-y, y-box.Bottom, 0))-h.Reach)
		}
	}
	return far
}

func TestTheCardSaysARelationOnce(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
<http://e/a> segb:wasPerformedBy <http://e/r> ; prov:wasAssociatedWith <http://e/r> . <http://e/b> segb:wasPerformedBy <http://e/r> .
<http://e/c> segb:wasPerformedBy <http://e/q> . <http://e/d> prov:wasAssociatedWith <http://e/q> .`)
	for robot, want := range map[string]int{"r": 1, "q": 2} {
		page := s.NewVisitor().Get(graphAt("v", "+ http://e/"+robot, "node", "http://e/"+robot)).Body.String()
		if n := strings.Count(page, " by did"); n != want {
			t.Errorf("%s did in %d ways, want %d", robot, n, want)
		}
	}
}

func TestABeginningIsNamedAndThereOnce(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog + `:heard schema:text "You got it!" . :heard2 a schema:Message ; schema:text "You got it!" ; prov:wasGeneratedBy :hears2 .`)
	page := s.NewVisitor().Get("/kg-graph").Body.String()
	_, list, _ := strings.Cut(page, "Start elsewhere")
	if strings.Count(list, "<bdi>You got it!</bdi>") != 1 || strings.Contains(list, "hears1</bdi>") {
		t.Error("a sentence that two robots heard is there twice, or by its IRI")
	}
}

func TestBeginningsOfNearlyOneNameSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog + `<http://b.example/tiago> a oro:Robot ; schema:name "TIAGO" .`)
	page := s.NewVisitor().Get("/kg-graph").Body.String()
	list := viewstest.WordsOf("<main" + page[strings.Index(page, "Start elsewhere"):])
	viewstest.Want(t, list, "ARI robot TIAGo", "TIAGo robot · :tiago", "TIAGO robot · b.example/tiago")
}

func TestLinesOfOneWordAllHaveItOrNone(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var models strings.Builder
	for i := range 5 {
		fmt.Fprintf(&models, ":m%d a <http://www.w3.org/ns/mls#Model> ; schema:name \"Model %d\" . :hears1 segb:usedMLModel :m%d .\n", i, i, i)
	}
	s.Publish(metLog + models.String())
	written := 0
	lines := s.drawn("/kg-graph?show=models").Lines
	for _, l := range lines {
		if l.Named >= 0 {
			written++
		}
		if math.Abs(l.X-lines[0].X) > 1 || strings.Count(l.Path, "M") != 2 {
			t.Errorf("words at %.0f, and others at %.0f, are on a line %s", l.X, lines[0].X, l.Path)
		}
	}
	if written != 6 { // five models, and the demo's
		t.Errorf("%d lines have the word", written)
	}
}

func TestACauseAfterItsEffectIsMarked(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog + ` :hears2 segb:triggeredByActivity :answers .`)
	shown := []string{"v", "+ http://e/hears2", "v", "+ http://e/answers", "v", "+ http://e/decides"}
	page := s.NewVisitor().Get(graphAt(shown...)).Body.String()
	if n := strings.Count(page, " late"); n != 2 { // the line, and the legend
		t.Errorf("%d marks, want 2", n)
	}
	viewstest.Want(t, page, "because of: "+views.LateWords)
	viewstest.Want(t, viewstest.WordsOf(s.NewVisitor().Get(graphAt(shown...)).Body.String()), "heard 24 Feb 2026, 12:00:01 · because of “Here you are.” ("+views.LateWords+")")
}

func TestOneNameOfTwoKindsIsToldApartInATree(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog + ` :heard schema:text "You got it!" .`)
	var got []string
	for _, n := range s.drawn(graphAt("v", "* 2 http://e/hears1")).Nodes {
		if label := strings.Join(n.Label, " "); strings.Contains(label, "got it") {
			got = append(got, label)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []string{"event: You got it!", "sentence: You got it!"}) {
		t.Errorf("the labels are %q", got)
	}
}

func TestRowsAreUnderTheirSteps(t *testing.T) {
	t.Parallel()
	d := GraphDrawing{Rings: 2}
	for i, ring := range []int{2, 0, 1} {
		d.Nodes = append(d.Nodes, GraphPoint{Name: fmt.Sprint("at ", ring), Ring: ring})
		d.Lines = append(d.Lines, GraphLine{Ends: [2]int{i, i}})
	}
	d.Lines = append(d.Lines, GraphLine{Ends: [2]int{1, 2}, Words: []string{"did"}}, GraphLine{Ends: [2]int{0, 2}, Words: []string{"about"}})
	d.Nodes[1].More = "+3"
	var got []string
	for _, part := range d.byStep(d.rows()) {
		for _, r := range part.Rows {
			got = append(got, part.Title+": "+r.Name)
		}
	}
	if !slices.Equal(got, []string{": at 0", "1 step: at 1", "2 steps: at 2"}) {
		t.Errorf("it says %q", got)
	}
}

// A loop has one place for its word, and lines that cross need another than their middle.
func TestALoopAmongLinesOfOneWord(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog + `:m1 schema:name "One" . :m2 schema:name "Two" . :hears1 segb:usedMLModel :m1, :m2 . :hears2 segb:usedMLModel :m1, :m2 .
		:own segb:wasPerformedBy :x ; segb:usedMLModel :x ; prov:startedAtTime "2026-02-24T12:00:00.5Z"^^xsd:dateTime .`)
	if lines := s.drawn("/kg-graph?show=models").Lines; len(lines) < 4 {
		t.Errorf("%d lines", len(lines))
	}
}
