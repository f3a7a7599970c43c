package drawing

import (
	"cmp"
	"slices"
)

// Sizes of a tree: the distance of its root from its first column, or from its only one, its width without the names in the last
// column, and the heights with one column and with more, if its rows are neither lower nor higher than these.
const (
	treeRoot = 110.0
	treeFan  = 190.0
	treeWide = 800.0
	treeTall = 400.0
	fullTall = 440.0
	lowRow   = 24.0
	highRow  = 90.0
)

// Branch is a node of a tree.
type Branch struct {
	Step   int // from 1; 0 for the root
	Toward int // the node one step before it that it stands near
	Group  int // nodes of one group have a gap above and below them; 0 is none
}

// Tree places nodes in columns from left to right, by their steps, in the order of the nodes that they stand near: so no two
// lines between those cross. It returns the width of a column and the height of a row by steps too: a column with few rows has higher ones.
func Tree(nodes []Branch) (at []Point, wide float64, tall []float64) {
	at = make([]Point, len(nodes))
	var columns [][]int
	for i, n := range nodes {
		for len(columns) <= n.Step {
			columns = append(columns, nil)
		}
		columns[n.Step] = append(columns[n.Step], i)
	}
	first, high := treeRoot, fullTall
	if len(columns) < 3 {
		first, high = treeFan, treeTall
	}
	wide = (treeWide - first) / float64(max(1, len(columns)-1))
	gaps := func(on []int) (n float64) {
		for k, i := range on[1:] {
			if nodes[i].Group != nodes[on[k]].Group {
				n += groupGap
			}
		}
		return n
	}
	for c, on := range columns {
		slices.SortStableFunc(on, func(i, j int) int { return cmp.Compare(at[nodes[i].Toward].Y, at[nodes[j].Toward].Y) })
		row := max(lowRow, min(highRow, (high-gaps(on))/float64(len(on))))
		tall = append(tall, row)
		y := -(row*float64(len(on)-1) + gaps(on)) / 2
		for k, i := range on {
			if k > 0 {
				y += row + gaps(on[k-1:k+1])
			}
			at[i].Y = y
			if c > 0 {
				at[i].X = first + wide*float64(c-1)
			}
		}
	}
	return at, wide, tall
}

// Twig returns the line between two nodes of a tree, from the right side of one to the left side of the other, or back.
func Twig(from, to Point) Line {
	middle := (from.X + to.X) / 2
	return Line{from, Point{middle, from.Y}, Point{middle, to.Y}, to}
}
