package drawing

import (
	"fmt"
	"slices"
)

// Box is a rectangle.
type Box struct{ Left, Top, Right, Bottom float64 }

func (b Box) meets(c Box) bool {
	return b.Left < c.Right && c.Left < b.Right && b.Top < c.Bottom && c.Top < b.Bottom
}

// Has reports whether another rectangle is inside of it.
func (b Box) Has(c Box) bool {
	return b.Left <= c.Left && c.Right <= b.Right && b.Top <= c.Top && c.Bottom <= b.Bottom
}

// Apart returns the rectangle and a gap at each of its sides, except for those that face a point.
func (b Box) Apart(p Point, gap float64) Box {
	if p.X > b.Left {
		b.Left -= gap
	}
	if p.X < b.Right {
		b.Right += gap
	}
	if p.Y > b.Top {
		b.Top -= gap
	}
	if p.Y < b.Bottom {
		b.Bottom += gap
	}
	return b
}

// around reports whether a point is inside of it.
func (b Box) around(p Point) bool {
	return b.Left < p.X && p.X < b.Right && b.Top < p.Y && p.Y < b.Bottom
}

// Crossed reports whether the line between two points meets the rectangle.
func (b Box) Crossed(p, q Point) bool {
	from, to := b.within(p, q)
	return from < to
}

// within returns the parts of the way from one point to another at which it enters and leaves the rectangle, from 0 to 1. If it
// does not meet it, the first is not less than the second.
func (b Box) within(p, q Point) (from, to float64) {
	to = 1
	for _, d := range [][4]float64{{p.X, q.X, b.Left, b.Right}, {p.Y, q.Y, b.Top, b.Bottom}} {
		way := d[1] - d[0]
		if way == 0 {
			if d[0] <= d[2] || d[0] >= d[3] {
				return 1, 0
			}
			continue
		}
		in, out := (d[2]-d[0])/way, (d[3]-d[0])/way
		from, to = max(from, min(in, out)), min(to, max(in, out))
	}
	return from, to
}

// Around returns the SVG path of the straight line from one point to another, without what is in a rectangle on it.
func Around(p, q Point, b Box) string {
	from, to := b.within(p, q)
	in, out := Line{p, p, q, q}.At(from), Line{p, p, q, q}.At(to)
	return fmt.Sprintf("M%.0f %.0fL%.0f %.0fM%.0f %.0fL%.0f %.0f", p.X, p.Y, in.X, in.Y, out.X, out.Y, q.X, q.Y)
}

// CrossedAlong reports whether the line through some points meets the rectangle.
func (b Box) CrossedAlong(points []Point) bool {
	for i := range max(0, len(points)-1) {
		if b.Crossed(points[i], points[i+1]) {
			return true
		}
	}
	return false
}

// Around returns the rectangle that a node at p takes.
func (r Room) Around(p Point) Box {
	return Box{p.X - r.Side, p.Y - r.Above, p.X + r.Side, p.Y + r.Below}
}

// Words places labels so that they overlap nothing that was taken.
type Words struct{ taken []Box }

// Taken returns Words with rectangles that are reserved.
func Taken(boxes []Box) *Words { return &Words{slices.Clip(boxes)} }

// Clone returns a copy.
func (w *Words) Clone() *Words { return &Words{slices.Clone(w.taken)} }

// Take reserves a rectangle.
func (w *Words) Take(b Box) { w.taken = append(w.taken, b) }

// Free reports whether a rectangle overlaps nothing that was taken.
func (w *Words) Free(b Box) bool {
	for _, t := range w.taken {
		if t.meets(b) {
			return false
		}
	}
	return true
}

// Along returns points of a line for the centre of a label, the best first: those nearest
// to the middle of the line.
func (l Line) Along() []Point {
	var out []Point
	for _, t := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82} {
		out = append(out, l.At(t))
	}
	return out
}
