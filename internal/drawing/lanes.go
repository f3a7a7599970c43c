package drawing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Timed is a node to place on a timeline.
type Timed struct {
	At     float64 // seconds
	Known  bool    // At is valid; other nodes are placed by their neighbours
	Lane   int     // counted from the top, starting at 0
	Head   bool    // it labels its lane and stands before it
	Beside int     // the node that a node without a time belongs to, or -1
	Group  int     // nodes of a lane with the same one, other than 0, have rows below each other
}

// Timeline is the layout that Lanes returns.
type Timeline struct {
	At    []Point
	Lanes []Band
	Ticks []Tick
	Left  float64 // left end of the lanes
	Right float64
}

// Band is the vertical extent of a lane.
type Band struct{ Top, Height float64 }

// Tick is a labelled time and its position.
type Tick struct {
	X, At   float64
	Silence float64 // seconds of a long pause before it, which is drawn shorter, or 0
	Break   float64 // of a silence: the position of its middle
}

const (
	pitch     = 84.0  // between two times with the usual gap
	tickRoom  = 60.0  // least distance between two ticks
	timesWide = 310.0 // from the first time to the last
	linesWide = 60.0  // room for lines at the left of the first time
	namesWide = 350.0 // room for the name of the last node

	rowTall   = 24.0
	groupGap  = 34.0  // above and below a group, for its outline and name
	laneGap   = 14.0  // above the first row and below the last
	lanesTall = 430.0 // least height of all lanes, as high as a window
)

// Gutter is the width of the strip at the left of the lanes, in whose middle their heads are.
const Gutter = 140.0

// Lanes places nodes by time from left to right, each in its lane and in a row of its own, whose rest is for the node's name.
// Rows are in the order of time, except that those of a group in several lanes are near each other, so that a line beside two nodes of a lane, at the left, crosses no name. A time has the same
// position in every lane, and so have all times of one second. The axis is not to scale: a long pause takes little more
// space than a usual one.
func Lanes(nodes []Timed, edges [][2]int) Timeline {
	out := Timeline{At: make([]Point, len(nodes)), Left: -linesWide}
	var timed, order []int
	for i, n := range nodes {
		if n.Known && !n.Head {
			timed = append(timed, i)
		}
		if !n.Head {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(timed, func(a, b int) int { return cmp.Compare(nodes[a].At, nodes[b].At) })
	scale := newScale(nodes, timed)
	for _, i := range timed {
		out.At[i].X = scale.x[nodes[i].At]
	}
	for i, n := range nodes {
		if n.Head {
			out.At[i].X = out.Left - Gutter/2
		} else if x, ok := out.beside(nodes, edges, i); !n.Known && ok {
			out.At[i].X = x
		} else if !n.Known {
			out.At[i].X = scale.width / 2
		}
	}
	out.Ticks, out.Right = scale.ticks(), timesWide+namesWide
	out.sort(nodes, timed, order)
	out.stack(nodes, order)
	return out
}

// sort sorts the nodes of order by lane, and within a lane by row. The nodes of a group follow each other: above all others if
// the group goes on in a lane above, below all others if it goes on below, and otherwise at the time of the group's first node.
// timed has the nodes with a time.
func (out *Timeline) sort(nodes []Timed, timed, order []int) {
	from, to := map[int]int{}, map[int]int{} // the lanes of each group
	for _, i := range order {
		g, l := nodes[i].Group, nodes[i].Lane
		if _, ok := from[g]; !ok {
			from[g], to[g] = l, l
		}
		from[g], to[g] = min(from[g], l), max(to[g], l)
	}
	side := func(i int) int { // -1 at the top of the lane, 1 at the bottom
		g, l := nodes[i].Group, nodes[i].Lane
		if g == 0 || from[g] < l && to[g] > l {
			return 0
		}
		return cmp.Compare(from[g], l) + cmp.Compare(to[g], l)
	}
	begin := map[[2]int]Point{} // the first node of each group of a lane: its place and time
	place := func(i int) Point {
		if !nodes[i].Known {
			return Point{out.At[i].X, math.Inf(1)}
		}
		return Point{out.At[i].X, nodes[i].At}
	}
	earlier := func(p, q Point) int { return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y)) }
	for _, i := range timed {
		g := [2]int{nodes[i].Lane, nodes[i].Group}
		if p, ok := begin[g]; !ok || earlier(place(i), p) < 0 {
			begin[g] = place(i)
		}
	}
	first := func(i int) Point {
		if p, ok := begin[[2]int{nodes[i].Lane, nodes[i].Group}]; ok && nodes[i].Group != 0 {
			return p
		}
		return place(i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(nodes[a].Lane-nodes[b].Lane, side(a)-side(b), earlier(first(a), first(b)), nodes[a].Group-nodes[b].Group, earlier(place(a), place(b)))
	})
}

// stack places the lanes below each other, and the nodes in the rows of their lanes, in an order. If that is less than lanesTall,
// the rows get higher.
func (out *Timeline) stack(nodes []Timed, order []int) {
	var lanes [][]int
	for _, n := range nodes {
		for len(lanes) <= n.Lane {
			lanes = append(lanes, nil)
		}
	}
	for _, i := range order {
		lanes[nodes[i].Lane] = append(lanes[nodes[i].Lane], i)
	}
	rows, high := 0, rowTall
	for _, in := range lanes {
		rows += max(1, len(in))
	}
	for range 2 { // the second time with higher rows, if there is room
		y := 0.0
		out.Lanes = nil
		for _, in := range lanes {
			top := y
			y += laneGap
			for k, i := range in {
				before := 0 // the group above
				if k > 0 {
					before = nodes[in[k-1]].Group
				}
				if nodes[i].Group != before {
					y += groupGap
				}
				out.At[i].Y = y + high/2
				y += high
			}
			if len(in) == 0 {
				y += high
			}
			y += laneGap
			out.Lanes = append(out.Lanes, Band{top, y - top})
		}
		high += max(0, lanesTall-y) / float64(max(1, rows))
	}
	for i, n := range nodes {
		if n.Head {
			out.At[i].Y = out.Lanes[n.Lane].Top + out.Lanes[n.Lane].Height/2 - 6
		}
	}
}

// beside returns the place of a node without a time: the place of the node that it belongs beside, or the
// mean place of the nodes that it has edges with. ok is false if none of these has a time.
func (out *Timeline) beside(nodes []Timed, edges [][2]int, i int) (x float64, ok bool) {
	if near := nodes[i].Beside; near >= 0 {
		return out.At[near].X, nodes[near].Known
	}
	sum, count := 0.0, 0
	for _, e := range edges {
		for side := range e {
			if other := nodes[e[1-side]]; e[side] == i && other.Known && !other.Head {
				sum, count = sum+out.At[e[1-side]].X, count+1
			}
		}
	}
	return sum / float64(max(1, count)), count > 0
}

// Bracket returns the line from one point to another that runs beside both, at x.
func Bracket(from, to Point, x float64) string {
	bend := func(p, q float64) float64 { return math.Copysign(min(8, math.Abs(to.Y-from.Y)/2, math.Abs(p-q)), p-q) }
	out, in := bend(from.X, x), bend(to.X, x)
	down := math.Copysign(min(8, math.Abs(to.Y-from.Y)/2), to.Y-from.Y)
	return fmt.Sprintf("M%.0f %.0fL%.0f %.0fQ%.0f %.0f %.0f %.0fL%.0f %.0fQ%.0f %.0f %.0f %.0fL%.0f %.0f", from.X, from.Y, x+out, from.Y, x, from.Y, x, from.Y+down,
		x, to.Y-down, x, to.Y, x+in, to.Y, to.X, to.Y)
}

// scale maps times to positions.
type scale struct {
	times    []float64           // the first of each second
	x        map[float64]float64 // of every time
	silences map[float64]float64 // by the time after the pause
	width    float64
}

// newScale places each time from left to right. The width of a pause grows with the logarithm of its length, within limits. A
// pause of at least a minute that is more than eight times the usual one is a silence. order has the nodes with a time, by time.
func newScale(nodes []Timed, order []int) scale {
	s := scale{x: map[float64]float64{}, silences: map[float64]float64{}}
	for _, i := range order { // robots hear one sentence within a second, which must not look like a sequence
		if t := nodes[i].At; len(s.times) == 0 || t-s.times[len(s.times)-1] >= 1 {
			s.times = append(s.times, t)
		}
	}
	var gaps []float64
	for i := 1; i < len(s.times); i++ {
		gaps = append(gaps, s.times[i]-s.times[i-1])
	}
	slices.Sort(gaps)
	usual := 1.0
	if len(gaps) > 0 {
		usual = gaps[len(gaps)/2]
	}
	for i, t := range s.times {
		if i > 0 {
			pause := t - s.times[i-1]
			step := min(max(0.5+0.5*math.Log2(1+pause/usual), 0.8), 2) // 1 for the usual pause
			if pause > 8*usual && pause >= 60 {
				s.silences[t], step = pause, 4
			}
			s.width += pitch * step
		}
		s.x[t] = s.width
	}
	for t := range s.x {
		if s.width > 0 {
			s.x[t] *= timesWide / s.width // the axis may be short, as each node has a row of its own
		}
	}
	k := 0
	for _, i := range order {
		for k+1 < len(s.times) && s.times[k+1] <= nodes[i].At {
			k++
		}
		s.x[nodes[i].At] = s.x[s.times[k]]
	}
	if s.width > 0 {
		s.width = timesWide
	}
	return s
}

// ticks returns the times that have room for a label: the first one, those after and before silences, and then others.
func (s scale) ticks() []Tick {
	all := make([]Tick, len(s.times))
	for i, t := range s.times {
		all[i] = Tick{X: s.x[t], At: t, Silence: s.silences[t]}
		if i > 0 {
			all[i].Break = (s.x[s.times[i-1]] + all[i].X) / 2
		}
	}
	var out []Tick
	for _, turn := range []func(i int) bool{
		func(i int) bool { return i == 0 || all[i].Silence > 0 },
		func(i int) bool { return i+1 < len(all) && all[i+1].Silence > 0 },
		func(int) bool { return true },
	} {
		for i, k := range all {
			near := func(o Tick) bool { return math.Abs(o.X-k.X) < tickRoom }
			if turn(i) && !slices.ContainsFunc(out, near) {
				out = append(out, k)
			}
		}
	}
	slices.SortFunc(out, func(a, b Tick) int { return cmp.Compare(a.X, b.X) })
	return out
}
