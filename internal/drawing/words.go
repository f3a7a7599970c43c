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

// Free reports whether a rectangle is free, and if so takes it.
func (w *Words) Free(b Box) bool {
	for _, t := range w.taken {
		if t.meets(b) {
			return false
		}
	}
	w.Take(b)
	return true
}

// Beside returns the centre for a label of the given width and height on a line, near the
// middle of the line if there is room. It returns false if there is no room anywhere on
// it.
func (w *Words) Beside(l Line, wide, tall float64) (Point, bool) {
	for _, t := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82} {
		p := l.At(t)
		if w.Free(Box{p.X - wide/2, p.Y - tall/2, p.X + wide/2, p.Y + tall/2}) {
			return p, true
		}
	}
	return l.At(0.5), false
}
