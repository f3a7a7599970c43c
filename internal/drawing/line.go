package drawing

import (
	"fmt"
	"math"
)

// Line is an edge between two nodes: a quadratic Bézier curve.
type Line struct{ From, Control, To Point }

// Keep is the distance between the end of a line and the centre of its node.
const Keep = 14.0

// Shows reports whether enough of a line is left to see around a text of this size on it.
func (l Line) Shows(wide, tall float64) bool {
	x, y := math.Abs(l.To.X-l.From.X), math.Abs(l.To.Y-l.From.Y)
	long := math.Hypot(x, y)
	return long*long > x*wide+y*tall+14*long
}

// clearance is the distance that a line keeps from the centres of other nodes if it can.
const clearance = 17.0

// Route returns the line between two nodes that comes close to the fewest others. The
// line is straight, or bowed to its left (bow > 0) or right. If an edge in the opposite
// direction exists (companion), the line is always bowed. For an edge from a node to
// itself, see Loop.
func Route(a, b Point, others []Point, companion bool) Line {
	bows := []float64{0, 36, -36, 76, -76, 120, -120}
	if companion {
		bows = []float64{30, 60, 90, 130}
	}
	best, least := Line{}, math.MaxInt
	for _, bow := range bows {
		l := bowed(a, b, bow)
		if n := l.meets(a, b, others, clearance); n < least {
			best, least = l, n
		}
		if least == 0 {
			break
		}
	}
	return best
}

func bowed(a, b Point, bow float64) Line {
	dx, dy := b.X-a.X, b.Y-a.Y
	l := math.Max(math.Hypot(dx, dy), 1)
	c := Point{(a.X+b.X)/2 - dy/l*bow, (a.Y+b.Y)/2 + dx/l*bow}
	return Line{toward(a, c), c, toward(b, c)}
}

// meets counts the nodes, other than a and b, that the line comes too close to.
func (l Line) meets(a, b Point, others []Point, clearance float64) int {
	left, right := min(a.X, b.X, l.Control.X)-clearance, max(a.X, b.X, l.Control.X)+clearance
	top, bottom := min(a.Y, b.Y, l.Control.Y)-clearance, max(a.Y, b.Y, l.Control.Y)+clearance
	n := 0
	for _, p := range others {
		if p == a || p == b || p.X < left || p.X > right || p.Y < top || p.Y > bottom {
			continue
		}
		const parts = 24
		for i := 1; i < parts; i++ {
			if at := l.At(float64(i) / parts); math.Hypot(at.X-p.X, at.Y-p.Y) < clearance {
				n++
				break
			}
		}
	}
	return n
}

// toward returns the point at distance Keep from p in the direction of to.
func toward(p, to Point) Point {
	l := math.Max(math.Hypot(to.X-p.X, to.Y-p.Y), 1)
	return Point{p.X + (to.X-p.X)/l*Keep, p.Y + (to.Y-p.Y)/l*Keep}
}

// At returns the point of a line at parameter t, from 0 to 1.
func (l Line) At(t float64) Point {
	s := 1 - t
	return Point{s*s*l.From.X + 2*s*t*l.Control.X + t*t*l.To.X, s*s*l.From.Y + 2*s*t*l.Control.Y + t*t*l.To.Y}
}

// Path returns the line as SVG path data.
func (l Line) Path() string {
	return fmt.Sprintf("M%.0f %.0fQ%.0f %.0f %.0f %.0f", l.From.X, l.From.Y, l.Control.X, l.Control.Y, l.To.X, l.To.Y)
}

// Loop returns the path of an edge from a node to itself, and the position of its label.
func Loop(a Point) (path string, words Point) {
	const r = 24
	return fmt.Sprintf("M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f", a.X-6, a.Y-Keep, a.X-r, a.Y-2*r, a.X+r, a.Y-2*r, a.X+6, a.Y-Keep), Point{a.X, a.Y - 1.6*r}
}
