package drawing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// usual is the room of a node with a two-line name.
var usual = Room{Side: 55, Above: 15, Below: 43}

// star returns a graph of a centre and n nodes connected to it.
func star(n int) ([]Node, [][2]int) {
	nodes, edges := []Node{{"centre", 0, -1, usual, nil}}, [][2]int(nil)
	for i := range n {
		nodes = append(nodes, Node{fmt.Sprint("n", i), 1, 0, usual, nil})
		edges = append(edges, [2]int{0, i + 1})
	}
	return nodes, edges
}

func TestTheSameGraphIsTheSamePicture(t *testing.T) {
	nodes, edges := star(30)
	if first := Force(nodes, edges, nil); !slices.Equal(first, Force(nodes, edges, nil)) {
		t.Error("the second layout differs")
	}
}

func TestNodesStayWhereTheyAreWhenMoreCome(t *testing.T) {
	nodes, edges := star(20)
	before := Force(nodes, edges, nil)
	for i := range 15 {
		nodes = append(nodes, Node{fmt.Sprint("m", i), 2, 3, usual, nil})
		edges = append(edges, [2]int{3, 21 + i})
	}
	if after := Force(nodes, edges, nil); !slices.Equal(before, after[:21]) {
		t.Error("a placed node has moved")
	}
}

func TestNoNodeStandsOnAnotherOrOnItsName(t *testing.T) {
	for _, n := range []int{1, 2, 25, 100, 299} {
		nodes, edges := star(n)
		at := Force(nodes, edges, nil)
		for i, p := range at {
			if math.IsNaN(p.X) || math.IsInf(p.X, 0) || math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
				t.Fatalf("%d nodes: node %d is at %v", n, i, p)
			}
			for j, q := range at[:i] {
				if usual.Around(p).meets(usual.Around(q)) {
					t.Errorf("%d nodes: %d and %d are at %v and %v", n, i, j, p, q)
				}
			}
		}
	}
}

func TestThreeHundredNodesArePlacedQuickly(t *testing.T) {
	nodes, edges := star(299)
	suite.Within(t, "placing", time.Second, func() time.Duration {
		begun := time.Now()
		Force(nodes, edges, nil)
		return time.Since(begun)
	})
}

func TestALineGoesAroundNodesThatAreOnItsWay(t *testing.T) {
	a, b := Point{0, 0}, Point{300, 0}
	box := func(x, y float64) Box { return Room{20, 12, 30}.Around(Point{x, y}) }
	if l := Route(End{Point: a}, End{Point: b}, []Box{box(0, 0), box(300, 0), box(150, 80)}, nil, false); l.At(0.5) != (Point{150, 0}) {
		t.Errorf("a line without obstacles is bowed: %v", l)
	}
	on := []Box{box(0, 0), box(300, 0), box(150, 0), box(200, -10)}
	l := Route(End{Point: a}, End{Point: b}, on[:3], on[3:], false)
	for i := range 100 {
		for _, b := range on[2:] {
			if b.Crossed(l.At(float64(i)/100), l.At(float64(i+1)/100)) {
				t.Errorf("it crosses %v at %v", b, l.At(float64(i)/100))
			}
		}
	}
	there, back := Route(End{Point: a}, End{Point: b}, nil, nil, true), Route(End{Point: b}, End{Point: a}, nil, nil, true)
	if p, q := there.At(0.5), back.At(0.5); math.Abs(p.Y-q.Y) < 20 {
		t.Errorf("an edge and its opposite are at %v and %v", p, q)
	}
}

func TestWordsMeetNeitherNodesNorEachOther(t *testing.T) {
	w := &Words{}
	w.Take(usual.Around(Point{150, 0}))
	points := Route(End{}, End{Point: Point{300, 0}}, nil, nil, false).Along()
	beside := func(wide float64) []Point {
		return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !w.Free(Box{p.X - wide/2, p.Y - 5, p.X + wide/2, p.Y + 5}) })
	}
	if points[0] != (Point{150, 0}) {
		t.Errorf("the best place is %v", points[0])
	}
	first := beside(40)
	if len(first) == 0 || math.Abs(first[0].X-150) < usual.Side {
		t.Fatalf("the words may be at %v", first)
	}
	w.Take(Box{first[0].X - 20, -5, first[0].X + 20, 5})
	if second := beside(40); len(second) == 0 || math.Abs(first[0].X-second[0].X) < 40 {
		t.Errorf("the second words may be at %v, beside %v", second, first)
	}
	if p := beside(200); len(p) > 0 {
		t.Errorf("words without room may be at %v", p)
	}
}

func TestAMovedNodeStaysAndMovesNoOther(t *testing.T) {
	nodes, edges := star(20)
	before := Force(nodes, edges, nil)
	moves := []Move{{Node: 3, To: Point{900, -400}, After: 1}, {Node: 4, To: Point{900, -400}, After: 9}}
	check := func(at []Point) {
		t.Helper()
		for i, p := range before {
			switch i {
			case 3:
				p = Point{900, -400}
			case 4: // beside the one that is there
				if math.Hypot(at[i].X-900, at[i].Y+400) > 200 || usual.Around(at[i]).meets(usual.Around(at[3])) {
					t.Errorf("4 is at %v", at[i])
				}
				continue
			}
			if at[i] != p {
				t.Errorf("%d is at %v, was at %v", i, at[i], p)
			}
		}
	}
	check(Force(nodes, edges, moves))
	for i := range 15 {
		nodes = append(nodes, Node{fmt.Sprint("m", i), 2, 3, usual, nil})
		edges = append(edges, [2]int{3, 21 + i})
	}
	moves[1].After = 1
	at := Force(nodes, edges, moves)
	check(at[:21])
	for i := 21; i < len(at); i++ {
		if d := math.Hypot(at[i].X-900, at[i].Y+400); d > 700 {
			t.Errorf("%d is %v from the moved node that it belongs to", i, d)
		}
		for j := range i {
			if usual.Around(at[i]).meets(usual.Around(at[j])) {
				t.Errorf("%d and %d are at %v and %v", i, j, at[i], at[j])
			}
		}
	}
}

func TestAStepPassesWhatIsInTheWay(t *testing.T) {
	nodes := []Node{{"a", 0, -1, usual, nil}, {"b", 0, -1, usual, nil}}
	at := []Point{{0, 0}, {120, 0}}
	if p := Step(nodes, at, 0, Point{40, 0}); p.Y != 0 || p.X < 120+2*usual.Side || p.X > 120+2*usual.Side+40 {
		t.Errorf("to the right: %v", p)
	}
	if p := Step(nodes, at, 0, Point{0, -40}); p != (Point{0, -40}) {
		t.Errorf("up: %v", p)
	}
}

func TestAHullHoldsItsMembersAndNoOther(t *testing.T) {
	corners := []Point{{0, 0}, {200, 0}, {200, 200}, {0, 200}, {100, 100}}
	o := Hull(corners, nil, []int{0, 1, 2, 3, 4})
	if !o.Round || o.Path != "M0 0L200 0L200 200L0 200Z" {
		t.Errorf("%+v", o)
	}
	if top, bottom := o.Between(90, 110); top != -o.Reach || bottom != 200+o.Reach {
		t.Errorf("in the middle it is from %v to %v", top, bottom)
	}
	if o.Holds(Box{-30, 150, 30, 240}) || !o.Holds(Box{-30, 150, 30, 215}) {
		t.Error("it does not hold what is inside")
	}
	if near := (Box{90, -70, 110, -45}); o.Meets(near, 4) || !o.Meets(near, 10) || !o.Meets(Box{60, 60, 80, 80}, 0) {
		t.Error("it is not where it is")
	}
	var boxes []Box
	for _, p := range corners {
		boxes = append(boxes, Box{p.X - 60, p.Y - 12, p.X + 60, p.Y + 40})
	}
	if named := Hull(corners[:4], boxes, []int{0, 1}); !named.Round || named.Ends() != (Box{-60 - named.Reach, -12 - named.Reach, 260 + named.Reach, 40 + named.Reach}) {
		t.Errorf("around two names it is %+v", named.Ends())
	}
	if o := Hull(corners, boxes, []int{0, 1, 2, 3}); o.Round || strings.Count(o.Path, "M") != 3 {
		t.Errorf("with a stranger in the middle it is %+v", o)
	}
	l := limb(Point{0, 0}, Point{0, 300}, []Point{{0, 150}})
	for i := range 21 {
		if p := l.At(float64(i) / 20); math.Hypot(p.X, p.Y-150) < 36 {
			t.Errorf("a limb goes over a stranger: %v", p)
		}
	}
	if o := Hull(corners, nil, []int{2}); o.Path != "" || o.Round {
		t.Errorf("a hull of one is %s", o.Path)
	}
}

func TestALineEndsAtTheNameOfItsNode(t *testing.T) {
	name := Box{-55, 13, 55, 43} // of the node that the line leads to, below it
	for _, from := range []Point{{0, 75}, {20, 110}, {-30, 150}, {40, 220}, {300, 20}, {0, -90}} {
		l := Route(End{Point: from}, End{Plate: name}, nil, []Box{name}, false)
		if name.CrossedAlong(l.Points()) {
			t.Errorf("the line from %v runs behind the name, to %v", from, l.To)
		}
	}
	if l := Route(End{Point: Point{0, 45}}, End{Plate: name}, nil, nil, false); l.To.Y >= l.From.Y {
		t.Errorf("without room the line is turned around: %v", l)
	}
}

func TestARectangleKeepsApart(t *testing.T) {
	below := Box{-20, 13, 20, 40}
	if b := below.Apart(Point{}, 4); b != (Box{-24, 13, 24, 44}) {
		t.Errorf("%v", b)
	}
}

func TestALargeHullIsDrawnQuickly(t *testing.T) {
	nodes, edges := star(299)
	at := Force(nodes, edges, nil)
	var members []int
	for i := range 250 {
		members = append(members, i)
	}
	suite.Within(t, "the hull", time.Second/2, func() time.Duration {
		begun := time.Now()
		if o := Hull(at, nil, members); strings.Count(o.Path, "M") != 249 {
			t.Fatalf("%d limbs", strings.Count(o.Path, "M"))
		}
		return time.Since(begun)
	})
}

func TestNoLinesOfATreeCross(t *testing.T) {
	nodes, before := []Branch{{}}, []int{0}
	for k, n := range []int{6, 10, 12} {
		var on []int
		for i := range n {
			on = append(on, len(nodes))
			nodes = append(nodes, Branch{Step: k + 1, Toward: before[i*7%len(before)]})
		}
		before = on
	}
	at, wide, tall := Tree(nodes)
	for i, n := range nodes {
		for j, o := range nodes[:i] {
			if o.Step != n.Step || i == j {
				continue
			}
			if at[i].X != at[j].X || math.Abs(at[i].Y-at[j].Y) < tall[n.Step]-0.1 {
				t.Errorf("%d and %d are at %v and %v", i, j, at[i], at[j])
			}
			if (at[i].Y-at[j].Y)*(at[n.Toward].Y-at[o.Toward].Y) < 0 {
				t.Errorf("the lines of %d and %d cross", i, j)
			}
		}
		if n.Step > 1 && math.Abs(at[i].X-at[n.Toward].X-wide) > 0.1 {
			t.Errorf("%d is at %v, and %d at %v", i, at[i], n.Toward, at[n.Toward])
		}
	}
	// Lines to the nodes near one turn where no line of another does.
	top, bottom := map[int]float64{}, map[int]float64{}
	for i, n := range nodes[1:] {
		k, y := n.Toward, at[i+1].Y
		if _, ok := top[k]; !ok {
			top[k], bottom[k] = at[k].Y, at[k].Y
		}
		top[k], bottom[k] = min(top[k], y), max(bottom[k], y)
	}
	for i := range top {
		for j := range top {
			if i < j && nodes[i].Step == nodes[j].Step && top[i] < bottom[j]+lowRow && top[j] < bottom[i]+lowRow {
				t.Errorf("lines of %d turn from %v to %v, and those of %d from %v to %v", i, top[i], bottom[i], j, top[j], bottom[j])
			}
		}
	}
}

func TestALineIsCutWhereARectangleIs(t *testing.T) {
	if got := Around(Point{0, 0}, Point{100, 10}, Box{40, 0, 60, 20}); got != "M0 0L40 4M60 6L100 10" {
		t.Error(got)
	}
}
