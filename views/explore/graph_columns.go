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
	rowStep     = 98.0
	leastStep   = 34.0
	leastTall   = 380.0
	eventLetter = 38 // letters in a line of a sentence
	boxWide     = 336.0
	boxTall     = 80.0
)

// columnOf returns the column of a node: people and models, sentences, robots.
func columnOf(n *graphNode) int {
	switch n.family {
	case "event", "message":
		return 1
	case "robot":
		return 2
	}
	return 0
}

// inColumns reports whether a picture is drawn in columns: one that is offered, and that
// nothing was added to.
func (st graphState) inColumns() bool {
	return st.show != "" && len(st.ops) == 0 && !st.lanes
}

// placeInColumns places nodes in columns, each in the nodes' order, but moved ones where they were put.
func (a *artist) placeInColumns(moves []drawing.Move) {
	var in, done [3]int
	for _, n := range a.picture.nodes {
		in[columnOf(n)]++
	}
	// Columns of the usual height, or less if they have few nodes, but never with overlaps.
	tall := min(max(1.5*rowStep*float64(slices.Max(in[:])), leastTall), usualTall)
	tall = max(tall, rowStep*float64(in[1]), leastStep*float64(in[0]), leastStep*float64(in[2]))
	for c, names := range [3][2]string{{"People", "Models"}, {"What was said"}, {"Robots"}} {
		if name := names[map[bool]int{true: 1}[a.st.show == "models" && c == 0]]; in[c] > 0 {
			a.d.Heads = append(a.d.Heads, GraphTick{X: columnStep * float64(c), Text: name})
		}
	}
	for _, i := range a.inRows() {
		c := columnOf(a.picture.nodes[i])
		a.at[i].X, a.at[i].Y = columnStep*float64(c), tall*(float64(done[c])+0.5)/float64(in[c])
		done[c]++
	}
	for _, m := range moves {
		a.at[m.Node] = m.To
	}
}

// inRows returns the indexes of the nodes of columns: robots last, sorted by the nodes that lines lead to.
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
		x, y := columnOf(a.picture.nodes[i]), columnOf(a.picture.nodes[j])
		if x != 2 || y != 2 {
			return x - y
		}
		return cmp.Compare(sum[i]/max(1, count[i]), sum[j]/max(1, count[j]))
	})
	return order
}

// end returns where a line from or to a node ends that leads to x: at the edge of a sentence's box.
func (a *artist) end(i int, x float64) drawing.Point {
	p := a.at[i]
	if wide := a.d.Nodes[i].Wide; wide > 0 && x < p.X {
		p.X -= wide/2 - drawing.Keep
	} else if wide > 0 {
		p.X += wide/2 - drawing.Keep
	} else if len(a.d.Heads) > 0 { // its sign is larger
		p.X = math.Copysign(7, x-p.X) + p.X
	}
	return p
}
