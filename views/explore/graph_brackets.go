package explore

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/internal/drawing"
)

// beside reports whether a line runs beside its nodes: between nodes of one column of a tree.
func (a *artist) beside(e [2]int) bool {
	ring := a.picture.nodes[e[0]].ring
	return a.d.Tree && ring > 0 && ring == a.picture.nodes[e[1]].ring && a.at[e[0]].X == a.at[e[1]].X
}

// aside returns where a line ends that runs beside a node: behind its label.
func (a *artist) aside(i int) drawing.Point {
	return drawing.Point{X: a.labelBox(i, a.d.Level, a.d.Nodes[i].spot()).Right + labelGap, Y: a.at[i].Y}
}

// bracket returns the path of a line that runs beside its nodes, at x, and its points. It begins below where others end, so that it
// covers none of their heads.
func (a *artist) bracket(e [2]int, x float64) (path string, points []drawing.Point) {
	from, to := a.aside(e[0]), a.aside(e[1])
	from.Y += 5
	return drawing.Bracket(from, to, x), []drawing.Point{from, {X: x, Y: from.Y}, {X: x, Y: to.Y}, to}
}

// Where lines run beside nodes, in pixels from one of their ends: those between events outside of the outlines.
const (
	firstTrack = 16.0
	trackStep  = 7.0
	tracks     = 4
	outside    = 36.0
)

// brackets returns where lines and doubts run beside their nodes: at the right. Those to one node run together, and others that
// would cover each other apart, the shorter ones nearer to the nodes.
func (a *artist) brackets() map[[2]int]float64 {
	out := map[[2]int]float64{}
	all := slices.Clone(a.order)
	for _, k := range a.picture.doubts {
		all = append(all, [2]int{k.from, k.to})
	}
	all = slices.DeleteFunc(all, func(e [2]int) bool { return !a.beside(e) })
	if len(all) == 0 {
		return out
	}
	slices.SortStableFunc(all, func(d, e [2]int) int {
		return cmp.Compare(math.Abs(a.at[d[0]].Y-a.at[d[1]].Y), math.Abs(a.at[e[0]].Y-a.at[e[1]].Y))
	})
	var labels []drawing.Box
	for i, n := range a.d.Nodes {
		labels = append(labels, a.labelBox(i, a.d.Level, n.spot()))
	}
	for n, e := range all {
		right := a.right(e, labels)
		low, high := min(a.at[e[0]].Y, a.at[e[1]].Y), max(a.at[e[0]].Y, a.at[e[1]].Y)
		least := math.Inf(1)
		out[e] = a.d.Left + a.d.Width - 4 // without a better place
		for track := range tracks {
			x := right + trackStep*float64(track)
			cost := float64(track)
			_, points := a.bracket(e, x)
			for _, l := range labels {
				if l.CrossedAlong(points) {
					cost += 100
				}
			}
			for _, o := range all[:n] {
				r, s := a.at[o[0]].Y, a.at[o[1]].Y
				sameTrack := math.Abs(out[o]-x) < trackStep-1
				if covers := sameTrack && low < max(r, s) && min(r, s) < high; covers && o[1] != e[1] {
					cost += 50
				}
			}
			if cost < least && x > a.d.Left && x < a.d.Left+a.d.Width {
				out[e], least = x, cost
			}
		}
	}
	return out
}

// right returns where the tracks of a line begin: to the right of all that it passes.
func (a *artist) right(e [2]int, labels []drawing.Box) float64 {
	right := math.Inf(-1)
	low, high := min(a.at[e[0]].Y, a.at[e[1]].Y), max(a.at[e[0]].Y, a.at[e[1]].Y)
	from, to, reach := a.event(e[0]), a.event(e[1]), firstTrack
	apart := from != to
	if apart {
		reach = outside
	}
	for i, l := range labels {
		passed := low <= a.at[i].Y && a.at[i].Y <= high
		if apart && !passed { // it passes all nodes of the events at its ends
			of := a.event(i)
			passed = of >= 0 && (of == from || of == to)
		}
		if passed && a.at[i].X == a.at[e[0]].X {
			right = max(right, l.Right+reach)
		}
	}
	return right
}
