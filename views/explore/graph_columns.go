package explore

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/internal/drawing"
)

// Columns of the offered pictures, in pixels.
const (
	columnStep  = 366.0
	nearStep    = 305.0 // without a column in the middle
	rowStep     = 98.0
	leastStep   = 34.0
	columnsWide = 940.0 // least width, and heights of the columns: of those with lines that have words, and of all
	columnsTall = 450.0
	columnsLow  = 240.0
	wordsStep   = 75.0 // between nodes whose lines have words
	eventLetter = 38   // letters in a line of a sentence
	boxWide     = 336.0
	boxTall     = 80.0
)

// columnOf returns the column of a node: people, sentences, robots; or robots, models, which they used.
func (st graphState) columnOf(n *graphNode) int {
	first := 0
	if st.show == "models" {
		first = 2
	}
	switch n.family {
	case "event", "message":
		return 1
	case "robot":
		return 2 - first
	}
	return first
}

// inColumns reports whether a picture is drawn in columns: one that is offered, and that
// nothing was added to.
func (st graphState) inColumns() bool {
	return st.show != "" && len(st.ops) == 0
}

// placeInColumns places nodes in columns, each in the nodes' order, but moved ones where they were put.
func (a *artist) placeInColumns(moves []drawing.Move) {
	var in, done [3]int
	for _, n := range a.picture.nodes {
		in[a.st.columnOf(n)]++
	}
	most := float64(max(in[0], in[2]))
	tall := max(columnsLow, min(columnsTall, wordsStep*most), rowStep*float64(in[1]), leastStep*most)
	a.columnsTall = tall
	step := columnStep
	if in[1] == 0 {
		step = nearStep
	}
	for c, names := range [3][2]string{{"People", "Robots"}, {"What was said"}, {"Robots", "Models"}} {
		if name := names[map[bool]int{true: 1}[a.st.show == "models"]]; in[c] > 0 {
			a.d.Heads = append(a.d.Heads, GraphHead{X: step * float64(c), Text: name})
		}
	}
	for _, i := range a.inRows() {
		c := a.st.columnOf(a.picture.nodes[i])
		a.at[i].X, a.at[i].Y = step*float64(c), tall*(float64(done[c])+0.5)/float64(in[c])
		done[c]++
	}
	for _, m := range moves {
		a.at[m.Node] = m.To
	}
}

// inRows returns the indexes of the nodes of columns: those of the last one sorted by the nodes that lines lead to.
func (a *artist) inRows() (order []int) {
	sum, count := make([]float64, len(a.at)), make([]float64, len(a.at))
	for i := range a.at {
		order = append(order, i)
	}
	for _, e := range a.pairs {
		for side := range e {
			sum[e[side]], count[e[side]] = sum[e[side]]+float64(e[1-side]), count[e[side]]+1
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := a.st.columnOf(a.picture.nodes[i]), a.st.columnOf(a.picture.nodes[j])
		if x != 2 || y != 2 {
			return x - y
		}
		return cmp.Compare(sum[i]/max(1, count[i]), sum[j]/max(1, count[j]))
	})
	return order
}

// end returns the end of a line at a node, as seen from another point: at the edge of a sentence's box, or of the node's label.
func (a *artist) end(i int, from drawing.Point) (e drawing.End) {
	e.Point = a.at[i]
	if wide := a.d.Nodes[i].Wide; wide > 0 { // a line keeps that distance from its end
		e.X += math.Copysign(wide/2, from.X-e.X)
		x, y := from.X-e.X, from.Y-e.Y
		long := max(1, math.Hypot(x, y))
		e.X, e.Y = e.X-x/long*drawing.Keep, e.Y-y/long*drawing.Keep
	} else if len(a.d.Heads) > 0 { // its sign is larger
		e.X += math.Copysign(7, from.X-e.X)
	} else {
		e.Plate, _ = a.plate(i)
	}
	return e
}
