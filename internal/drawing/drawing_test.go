package drawing

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// star is a node with so many others around it.
func star(n int) ([]Node, [][2]int) {
	nodes, edges := []Node{{"centre", 0, -1}}, [][2]int(nil)
	for i := range n {
		nodes = append(nodes, Node{fmt.Sprint("n", i), 1, 0})
		edges = append(edges, [2]int{0, i + 1})
	}
	return nodes, edges
}

func TestTheSameGraphIsTheSamePicture(t *testing.T) {
	nodes, edges := star(30)
	if first := Force(nodes, edges); !slices.Equal(first, Force(nodes, edges)) {
		t.Error("it is another one the second time")
	}
}

func TestNodesStayWhereTheyAreWhenMoreCome(t *testing.T) {
	nodes, edges := star(20)
	before := Force(nodes, edges)
	for i := range 15 {
		nodes = append(nodes, Node{fmt.Sprint("m", i), 2, 3})
		edges = append(edges, [2]int{3, 21 + i})
	}
	if after := Force(nodes, edges); !slices.Equal(before, after[:21]) {
		t.Error("what was there has moved")
	}
}

func TestNoTwoNodesAreInOnePlace(t *testing.T) {
	for _, n := range []int{1, 2, 25, 100, 299} {
		nodes, edges := star(n)
		at := Force(nodes, edges)
		for i, p := range at {
			if math.IsNaN(p.X) || math.IsInf(p.X, 0) || math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
				t.Fatalf("%d nodes: node %d is at %v", n, i, p)
			}
			for j, q := range at[:i] {
				if d := math.Hypot(p.X-q.X, p.Y-q.Y); d < 20 {
					t.Errorf("%d nodes: %d and %d are %.1f apart", n, i, j, d)
				}
			}
		}
	}
}

func TestThreeHundredNodesAreSoonPlaced(t *testing.T) {
	nodes, edges := star(299)
	best := time.Hour
	for range 3 {
		begun := time.Now()
		Force(nodes, edges)
		best = min(best, time.Since(begun))
	}
	if t.Logf("%v", best); best > 2*time.Second {
		t.Errorf("it takes %v", best)
	}
}

func TestLanesKeepTheOrderOfTimeAndRoomForEach(t *testing.T) {
	nodes := []Timed{{30, true, 0}, {10, true, 0}, {10, true, 0}, {20, true, 1}, {0, false, 2}}
	at, heights := Lanes(nodes, [][2]int{{4, 3}})
	if len(heights) != 3 || at[0].Y != heights[0] || at[3].Y != heights[1] || at[4].Y != heights[2] {
		t.Errorf("%v in lanes %v", at, heights)
	}
	if at[1].X >= at[0].X || math.Abs(at[1].X-at[2].X) < laneWidth || at[4].X != at[3].X {
		t.Errorf("%v", at)
	}
}
