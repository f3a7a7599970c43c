package drawing

import (
	"fmt"
	"math"
	"slices"
)

// Line is an edge between two nodes: a cubic Bézier curve.
type Line struct{ From, Near, Far, To Point }

// Keep is the distance between the end of a line and the centre of its node.
const Keep = 14.0

// Shows reports whether enough of a line is left to see around a text of this size on it.
func (l Line) Shows(wide, tall float64) bool {
	const least = 14 // pixels to see
	x, y := math.Abs(l.To.X-l.From.X), math.Abs(l.To.Y-l.From.Y)
	long := math.Hypot(x, y)
	return long*long > x*wide+y*tall+least*long // about (x*wide+y*tall)/long of it is below the text
}

// shortest is the least length of a line with an arrow's head.
const shortest = 14.0

// clearance is the distance that a hull keeps from the centres of other nodes if it can.
const clearance = 17.0

// End is an end of a line: the place of a node, and the plate of its name, where the line ends if it comes from there.
type End struct {
	Point
	Plate Box
}

// leave returns where a line towards a point leaves a node and its plate.
func (e End) leave(to Point) Point {
	distance := Keep
	if e.Plate.Crossed(e.Point, to) { // go on until the plate is behind, but not beyond the other end
		long := math.Hypot(to.X-e.X, to.Y-e.Y)
		for distance < long && (e.Plate.around(toward(e.Point, to, distance)) || e.Plate.Crossed(toward(e.Point, to, distance), to)) {
			distance += 2
		}
	}
	return toward(e.Point, to, distance)
}

// Route returns the line between two nodes that crosses few signs and names. It may cross the signs at its ends. The line is
// straight, or bowed to its left (bow > 0) or right. If an edge in the opposite direction exists (companion), the line is
// always bowed. For an edge from a node to itself, see Loop.
func Route(a, b End, signs, names []Box, companion bool) Line {
	bows := []float64{0, 15, -15, 30, -30, 45, -45, 60, -60, 80, -80, 100, -100, 120, -120, 140, -140}
	if companion {
		bows = []float64{24, 48, 72, 104}
	}
	most := max(30, math.Hypot(b.X-a.X, b.Y-a.Y)/2)
	bows = slices.DeleteFunc(bows, func(bow float64) bool { return math.Abs(bow) > most })
	const sign, name, bend = 250, 200, 1 // the costs of crossing one, and of a pixel of a bow
	from, to := a.leave(b.Point), b.leave(a.Point)
	if (to.X-from.X)*(b.X-a.X)+(to.Y-from.Y)*(b.Y-a.Y) < shortest*math.Hypot(b.X-a.X, b.Y-a.Y) { // between two plates
		from, to = toward(a.Point, b.Point, Keep), toward(b.Point, a.Point, Keep)
	}
	return cheapest(from, to, bows, func(l Line, bow, least float64) float64 {
		cost := bend * math.Abs(bow)
		if cost < least {
			cost += sign * float64(l.crosses(signs, a.Point, b.Point))
		}
		if cost < least {
			cost += name * float64(l.crosses(names, a.Point, b.Point))
		}
		return cost
	})
}

// cheapest returns the first of those bowed lines that cost the least. costs may stop
// counting once it reaches least.
func cheapest(a, b Point, bows []float64, costs func(l Line, bow, least float64) float64) (best Line) {
	least := math.Inf(1)
	for _, bow := range bows {
		l := bowed(a, b, bow)
		if c := costs(l, bow, least); c < least {
			best, least = l, c
		}
	}
	return best
}

// bowed returns a line whose middle is three quarters of bow beside the straight one.
func bowed(a, b Point, bow float64) Line {
	dx, dy := b.X-a.X, b.Y-a.Y
	l := math.Max(math.Hypot(dx, dy), 1)
	near := Point{a.X + dx/5 - dy/l*bow, a.Y + dy/5 + dx/l*bow}
	far := Point{b.X - dx/5 - dy/l*bow, b.Y - dy/5 + dx/l*bow}
	return Line{a, near, far, b}
}

// straight reports whether a line is not bowed.
func (l Line) straight() bool { return math.Abs(orientation(l.From, l.To, l.Near)) < 1 }

// Points returns points of the line that are near each other, from one end to the other.
func (l Line) Points() []Point {
	parts := 16
	if l.straight() {
		parts = 1
	}
	points := make([]Point, parts+1)
	for i := range points {
		points[i] = l.At(float64(i) / float64(parts))
	}
	return points
}

// crosses counts the boxes that the line crosses, apart from those around a and b.
func (l Line) crosses(boxes []Box, a, b Point) (n int) {
	points := l.Points()
	around := Box{l.From.X, l.From.Y, l.From.X, l.From.Y}
	for _, p := range points {
		around = Box{min(around.Left, p.X), min(around.Top, p.Y), max(around.Right, p.X), max(around.Bottom, p.Y)}
	}
	for _, box := range boxes {
		if box.Left > around.Right || box.Right < around.Left || box.Top > around.Bottom || box.Bottom < around.Top || box.around(a) || box.around(b) {
			continue
		}
		if box.CrossedAlong(points) {
			n++
		}
	}
	return n
}

// toward returns the point at a distance from p in the direction of to.
func toward(p, to Point, distance float64) Point {
	l := math.Max(math.Hypot(to.X-p.X, to.Y-p.Y), 1)
	return Point{p.X + (to.X-p.X)/l*distance, p.Y + (to.Y-p.Y)/l*distance}
}

// At returns the point of a line at parameter t, from 0 to 1.
func (l Line) At(t float64) Point {
	s := 1 - t
	if l.straight() {
		return Point{l.From.X + t*(l.To.X-l.From.X), l.From.Y + t*(l.To.Y-l.From.Y)}
	}
	f, n, g, e := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
	return Point{f*l.From.X + n*l.Near.X + g*l.Far.X + e*l.To.X, f*l.From.Y + n*l.Near.Y + g*l.Far.Y + e*l.To.Y}
}

// Path returns the line as SVG path data.
func (l Line) Path() string {
	if l.straight() {
		return fmt.Sprintf("M%.0f %.0fL%.0f %.0f", l.From.X, l.From.Y, l.To.X, l.To.Y)
	}
	return fmt.Sprintf("M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f", l.From.X, l.From.Y, l.Near.X, l.Near.Y, l.Far.X, l.Far.Y, l.To.X, l.To.Y)
}

// Loop returns the path of an edge from a node to itself, and the position of its label.
func Loop(a Point) (path string, words Point) {
	const r = 24
	return fmt.Sprintf("M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f", a.X-6, a.Y-Keep, a.X-r, a.Y-2*r, a.X+r, a.Y-2*r, a.X+6, a.Y-Keep), Point{a.X, a.Y - 1.6*r}
}
