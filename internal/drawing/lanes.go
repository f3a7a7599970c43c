package drawing

import (
	"cmp"
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
	Turn   int     // nodes take rows in ascending order of it, and then of time
	Room   Room
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
	pitch    = 84.0 // between two times with the usual gap
	rowTall  = 66.0 // height of a row of a lane
	maxRows  = 6    // per lane, or so many that the picture is not wider; further nodes of the same time move to the right
	tickRoom = 100.0

	timesWide = 690.0 // from the first time to the last: with the gutter, as wide as a window

	laneGap   = 32.0  // above the first row and below the last, for names of outlines
	rowGap    = 6.0   // least one between the rooms of rows
	lanesTall = 500.0 // least height of all lanes, as high as a window
	rowMore   = 60.0  // the most that a row gets for it
)

// Gutter is the width of the strip at the left of the lanes, in whose middle their heads are.
const Gutter = 140.0

// Lanes places nodes by time from left to right, each in its lane. A lane has as many
// rows as it needs to avoid overlaps, up to maxRows. A time has the same position in
// every lane, and so have all times of one second. The axis is not to scale: a long pause takes little more
// space than a usual one.
func Lanes(nodes []Timed, edges [][2]int) Timeline {
	var out Timeline
	out.At = make([]Point, len(nodes))
	lanes := 0
	var order []int
	for i, n := range nodes {
		lanes = max(lanes, n.Lane+1)
		if n.Known && !n.Head {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(nodes[a].At, nodes[b].At) })
	scale := newScale(nodes, order)
	for _, i := range order {
		out.At[i].X = scale.x[nodes[i].At]
	}
	rows := make([][][]Box, lanes) // taken boxes of each lane and row
	most := make([]int, lanes)
	for l := range most {
		wide := 0.0
		for _, n := range nodes {
			if n.Lane == l && !n.Head {
				wide += 2*n.Room.Side + gap
			}
		}
		most[l] = max(maxRows, int(1.5*wide/timesWide)) // a third of the room may stay free
	}
	row := make([]int, len(nodes))
	slices.SortStableFunc(order, func(a, b int) int { return nodes[a].Turn - nodes[b].Turn })
	for _, i := range order {
		out.At[i].X, row[i] = takeRow(&rows[nodes[i].Lane], most[nodes[i].Lane], out.At[i].X, nodes[i].Room.Side)
	}
	for i, n := range nodes {
		if n.Known || n.Head {
			continue
		}
		x, ok := out.beside(nodes, edges, i)
		if !ok {
			x = scale.width / 2
		}
		out.At[i].X, row[i] = takeRow(&rows[n.Lane], most[n.Lane], x, n.Room.Side)
	}
	out.Ticks = scale.ticks()
	out.Left, out.Right = 0, scale.width
	for i, n := range nodes {
		if !n.Head {
			out.Left, out.Right = min(out.Left, out.At[i].X-n.Room.Side), max(out.Right, out.At[i].X+n.Room.Side)
		}
	}
	out.Left -= 44 // outlines of groups too
	for i, n := range nodes {
		if n.Head {
			out.At[i].X = out.Left - Gutter/2
		}
	}
	out.Right = max(out.Right+24, out.Left+timesWide)
	out.stack(nodes, rows, row)
	return out
}

// stack places the lanes below each other, and the nodes in the rows of their lanes.
func (out *Timeline) stack(nodes []Timed, rows [][][]Box, row []int) {
	y, all := 0.0, 0.0
	least := make([]float64, len(rows)) // heights of rows
	for l := range rows {
		least[l] = rowTall
		for _, n := range nodes {
			if n.Lane == l && !n.Head {
				least[l] = max(least[l], n.Room.Above+n.Room.Below+rowGap)
			}
		}
		all += 2*laneGap + least[l]*float64(max(1, len(rows[l])))
	}
	for l := range rows {
		count := float64(max(1, len(rows[l])))
		high := least[l] + min(max(0, lanesTall-all)/float64(len(rows))/count, rowMore) // few rows are higher
		tall := 2*laneGap + high*count
		out.Lanes = append(out.Lanes, Band{y, tall})
		for i, n := range nodes {
			if n.Lane == l {
				out.At[i].Y = y + laneGap + high*float64(row[i]) + (high-least[l])/2 + 16
			}
			if n.Lane == l && n.Head {
				out.At[i].Y = y + tall/2 - 6
			}
		}
		y += tall
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

// takeRow finds and reserves a free position for a node in a lane: at x in the first row
// that is free there, or else at the next x with room. most is the largest number of rows.
func takeRow(rows *[][]Box, most int, x, side float64) (at float64, row int) {
	for {
		next := math.Inf(1)
		for r := range min(len(*rows)+1, most) {
			if r == len(*rows) {
				*rows = append(*rows, nil)
			}
			b, met := Box{Left: x - side - gap/2, Right: x + side + gap/2, Bottom: 1}, false
			for _, t := range (*rows)[r] {
				if t.meets(b) {
					met, next = true, min(next, t.Right+side+gap/2)
				}
			}
			if !met {
				(*rows)[r] = append((*rows)[r], b)
				return x, r
			}
		}
		x = max(next, x+1)
	}
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
			step := min(max(0.5+0.5*math.Log2(1+pause/usual), 0.8), 2)
			if pause > 8*usual && pause >= 60 {
				s.silences[t], step = pause, 2.4
			}
			s.width += pitch * step
		}
		s.x[t] = s.width
	}
	for t := range s.x {
		if s.width > 0 {
			s.x[t] *= timesWide / s.width // rows have room for more nodes
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

// ticks returns the times that have room for a label. The time after a silence comes first.
func (s scale) ticks() []Tick {
	var out []Tick
	for i, t := range s.times {
		k := Tick{X: s.x[t], At: t, Silence: s.silences[t]}
		if k.Silence > 0 {
			k.Break = (s.x[s.times[i-1]] + k.X) / 2
		}
		if n := len(out); n > 0 && k.X-out[n-1].X < tickRoom {
			if n == 1 || k.Silence == 0 || out[n-1].Silence > 0 {
				continue
			}
			out = out[:n-1]
		}
		out = append(out, k)
	}
	return out
}
