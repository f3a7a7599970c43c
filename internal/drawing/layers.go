package drawing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Cell is a place in a grid. Rows may have halves, because short columns are centred.
type Cell struct {
	Column int
	Row    float64
}

// Layers places nodes in columns, so that each edge leads to a column further right, and
// connected nodes are in near rows. It returns the cell of each node, and for each edge
// the free cells that it passes in the columns between its ends. Edges that close a cycle
// pass none.
func Layers(nodes int, edges [][2]int) (at []Cell, routes [][]Cell) {
	columns := ranks(nodes, edges)
	var grid [][]int
	before, after := make([][]int, nodes), make([][]int, nodes)
	put := func(i, column int) {
		for len(grid) <= column {
			grid = append(grid, nil)
		}
		grid[column] = append(grid[column], i)
	}
	for i, c := range columns {
		put(i, c)
	}
	passed := make([][]int, len(edges)) // placeholders of an edge in the columns that it passes
	for k, e := range edges {
		last := e[0]
		for c := columns[e[0]] + 1; c <= columns[e[1]]; c++ {
			i := e[1]
			if c < columns[e[1]] {
				i = len(before)
				before, after = append(before, nil), append(after, nil)
				put(i, c)
				passed[k] = append(passed[k], i)
			}
			before[i], after[last] = append(before[i], last), append(after[last], i)
			last = i
		}
	}
	rows := make([]float64, len(before))
	arrange(grid, rows, before, after)
	at, routes = make([]Cell, nodes), make([][]Cell, len(edges))
	for i, c := range columns {
		at[i] = Cell{c, rows[i]}
	}
	for k, e := range edges {
		for n, i := range passed[k] {
			routes[k] = append(routes[k], Cell{columns[e[0]] + 1 + n, rows[i]})
		}
	}
	return at, routes
}

// ranks returns the column of each node: after all nodes that lead to it or, if there are
// none, directly before the leftmost node that it leads to.
func ranks(nodes int, edges [][2]int) []int {
	columns, known := make([]int, nodes), make([]bool, nodes)
	before, after := make([][]int, nodes), make([][]int, nodes)
	for _, e := range acyclic(nodes, edges) {
		before[e[1]], after[e[0]] = append(before[e[1]], e[0]), append(after[e[0]], e[1])
	}
	var column func(int) int
	column = func(i int) int {
		if !known[i] {
			for _, b := range before[i] {
				columns[i] = max(columns[i], column(b)+1)
			}
			known[i] = true
		}
		return columns[i]
	}
	for i := range nodes {
		column(i)
	}
	for i := range nodes {
		for k, to := range after[i] {
			if len(before[i]) == 0 && (k == 0 || columns[to] <= columns[i]) {
				columns[i] = columns[to] - 1
			}
		}
	}
	return columns
}

// acyclic returns the edges without those that close a cycle, in a depth-first search.
func acyclic(nodes int, edges [][2]int) (out [][2]int) {
	next := make([][]int, nodes)
	for _, e := range edges {
		next[e[0]] = append(next[e[0]], e[1])
	}
	const fresh, open, done = 0, 1, 2
	state := make([]int, nodes)
	var visit func(int)
	visit = func(i int) {
		state[i] = open
		for _, to := range next[i] {
			if state[to] == open {
				continue
			}
			out = append(out, [2]int{i, to})
			if state[to] == fresh {
				visit(to)
			}
		}
		state[i] = done
	}
	for i := range nodes {
		if state[i] == fresh {
			visit(i)
		}
	}
	return out
}

// arrange orders the nodes of each column by the mean row of their neighbours, in sweeps
// to the right and to the left.
func arrange(grid [][]int, rows []float64, before, after [][]int) {
	tallest := 0
	for _, column := range grid {
		tallest = max(tallest, len(column))
	}
	place := func(column []int) {
		for k, i := range column {
			rows[i] = float64(k) + float64(tallest-len(column))/2
		}
	}
	for _, column := range grid {
		place(column)
	}
	sweep := func(column []int, near [][]int) {
		mean := map[int]float64{}
		for _, i := range column {
			mean[i] = rows[i]
			if len(near[i]) > 0 {
				mean[i] = 0
				for _, j := range near[i] {
					mean[i] += rows[j] / float64(len(near[i]))
				}
			}
		}
		slices.SortStableFunc(column, func(i, j int) int { return cmp.Compare(mean[i], mean[j]) })
		place(column)
	}
	for range 6 {
		for _, column := range grid {
			sweep(column, before)
		}
		for _, column := range slices.Backward(grid) {
			sweep(column, after)
		}
	}
}

// Span is a part of a row that an arrow passes.
type Span struct{ Left, Right, Y float64 }

// Arrow returns the SVG path of an arrow from the right side of a box to the left side of another, over spans from left to
// right. If the other box is not further right, it leads back below the boxes.
func Arrow(from, to Point, over []Span) string {
	x, y := from.X, from.Y
	if to.X < x {
		return fmt.Sprintf("M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f", x, y+12, x+50, y+70, to.X-50, to.Y+70, to.X, to.Y+12)
	}
	var path strings.Builder
	fmt.Fprintf(&path, "M%.0f %.0f", x, y)
	curve := func(toX, toY float64) {
		bend := (toX - x) / 2
		fmt.Fprintf(&path, "C%.0f %.0f %.0f %.0f %.0f %.0f", x+bend, y, toX-bend, toY, toX, toY)
		x, y = toX, toY
	}
	for _, s := range over {
		curve(s.Left, s.Y)
		fmt.Fprintf(&path, "H%.0f", s.Right)
		x = s.Right
	}
	curve(to.X, to.Y)
	return path.String()
}
