package drawing

// Box is a part of the plane.
type Box struct{ Left, Top, Right, Bottom float64 }

func (b Box) meets(c Box) bool {
	return b.Left < c.Right && c.Left < b.Right && b.Top < c.Bottom && c.Top < b.Bottom
}

// Around returns the room of a node at its place.
func (r Room) Around(p Point) Box {
	return Box{p.X - r.Side, p.Y - r.Above, p.X + r.Side, p.Y + r.Below}
}

// Words finds the places of words. What it was told of once stays free.
type Words struct{ taken []Box }

// Take keeps a part of the plane free of words.
func (w *Words) Take(b Box) { w.taken = append(w.taken, b) }

// Free reports whether a part of the plane is, and takes it then.
func (w *Words) Free(b Box) bool {
	for _, t := range w.taken {
		if t.meets(b) {
			return false
		}
	}
	w.Take(b)
	return true
}

// Beside finds the middle of words of a width and a height on a line: near its middle, or
// elsewhere on it, where they meet nothing. It tells false where there is no such place.
func (w *Words) Beside(l Line, wide, tall float64) (Point, bool) {
	for _, t := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82} {
		p := l.At(t)
		if w.Free(Box{p.X - wide/2, p.Y - tall/2, p.X + wide/2, p.Y + tall/2}) {
			return p, true
		}
	}
	return l.At(0.5), false
}
