package drawing

// Box is a rectangle.
type Box struct{ Left, Top, Right, Bottom float64 }

func (b Box) meets(c Box) bool {
	return b.Left < c.Right && c.Left < b.Right && b.Top < c.Bottom && c.Top < b.Bottom
}

// Around returns the rectangle that a node at p takes.
func (r Room) Around(p Point) Box {
	return Box{p.X - r.Side, p.Y - r.Above, p.X + r.Side, p.Y + r.Below}
}

// Words places labels so that they overlap nothing that was taken.
type Words struct{ taken []Box }

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
