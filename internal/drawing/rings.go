package drawing

import (
	"fmt"
	"math"
)

// Sizes of a tree: the distance of its root from its first column, or from its only one, its width without the names in the last
// column, and the heights with one column and with more, unless its rows would be lower or higher than these.
const (
	treeRoot = 110.0
	treeFan  = 190.0
	treeWide = 800.0
	treeTall = 400.0
	fullTall = 440.0
	lowRow   = 24.0
	twoLines = 36.0 // the lowest row of several columns, whose names are short lines
	highRow  = 90.0
	groupGap = 34.0 // above and below a group, for its outline
)

// Branch is a node of a tree.
type Branch struct {
	Step   int // from 1; 0 for the root
	Toward int // the node before it in nodes, and one step before it, that it stands near
	Group  int // nodes of one group have a gap above and below them; 0 is none
}

// Tree places nodes in columns from left to right, by their steps. Each is in the middle of those that stand near it, which have
// no others between them: so no line between a node and one that it stands near crosses or touches that of another. It returns the
// width of a column and the height of a row by steps too: a column with few rows has higher ones.
func Tree(nodes []Branch) (at []Point, wide float64, tall []float64) {
	var count []float64
	below := make([][]int, len(nodes))
	for i, n := range nodes {
		for len(count) <= n.Step {
			count = append(count, 0)
		}
		if count[n.Step]++; i > 0 {
			below[n.Toward] = append(below[n.Toward], i)
		}
	}
	first, most, low := treeRoot, fullTall, twoLines
	if len(count) < 3 {
		first, most, low = treeFan, treeTall, lowRow
	}
	wide = (treeWide - first) / float64(max(1, len(count)-1))
	tall = make([]float64, len(count))
	for row := highRow; ; row -= 2 { // the highest rows go first, until all have room
		for c, n := range count {
			tall[c] = max(low, min(row, most/max(1, n)))
		}
		high := 0.0
		at = stacked(nodes, below, tall)
		for i, p := range at {
			high = max(high, p.Y+tall[nodes[i].Step])
		}
		if high <= most || row < low {
			break
		}
	}
	for i, n := range nodes {
		if n.Step > 0 {
			at[i].X = first + wide*float64(n.Step-1)
		}
	}
	return at, wide, tall
}

// stacked returns the heights of the nodes of a tree with rows of these heights. below are the nodes that stand near each.
func stacked(nodes []Branch, below [][]int, tall []float64) []Point {
	at, free, last := make([]Point, len(nodes)), make([]float64, len(tall)), make([]int, len(tall)) // by steps: the next place, and the group above
	var down func(i int, by float64)
	down = func(i int, by float64) {
		at[i].Y += by
		free[nodes[i].Step] = max(free[nodes[i].Step], at[i].Y+tall[nodes[i].Step])
		for _, b := range below[i] {
			down(b, by)
		}
	}
	var place func(i int)
	place = func(i int) {
		n := nodes[i]
		for _, b := range below[i] {
			place(b)
		}
		least := free[n.Step]
		if least > 0 && last[n.Step] != n.Group {
			least += groupGap
		}
		if near := below[i]; len(near) > 0 {
			at[i].Y = (at[near[0]].Y + at[near[len(near)-1]].Y) / 2
		}
		last[n.Step] = n.Group
		down(i, max(0, least-at[i].Y))
	}
	place(0)
	return at
}

// Twig returns the line between two nodes of a tree, from the right side of one to the left side of the other, or back.
func Twig(from, to Point) Line {
	middle := (from.X + to.X) / 2
	return Line{from, Point{middle, from.Y}, Point{middle, to.Y}, to}
}

// Bracket returns the line from one point to another that runs beside both, at x.
func Bracket(from, to Point, x float64) string {
	bend := func(p, q float64) float64 { return math.Copysign(min(8, math.Abs(to.Y-from.Y)/2, math.Abs(p-q)), p-q) }
	out, in := bend(from.X, x), bend(to.X, x)
	down := math.Copysign(min(8, math.Abs(to.Y-from.Y)/2), to.Y-from.Y)
	return fmt.Sprintf("M%.0f %.0fL%.0f %.0fQ%.0f %.0f %.0f %.0fL%.0f %.0fQ%.0f %.0f %.0f %.0fL%.0f %.0f", from.X, from.Y, x+out, from.Y, x, from.Y, x, from.Y+down,
		x, to.Y-down, x, to.Y, x+in, to.Y, to.X, to.Y)
}
