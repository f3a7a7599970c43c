package reports

import (
	"math"
	"slices"
	"unicode/utf8"
)

// labelledPoints is how many points of a chart have their names beside them, in place of a legend.
const labelledPoints = 8

// labelled reports whether the points of a chart have their names beside them.
func (e EmotionChart) labelled() bool { return len(e.Points) <= labelledPoints }

// pointLabel is the name beside a point: dx and dy are its place in pixels, relative to the point.
type pointLabel struct {
	name, anchor string
	dx, dy       int
}

// A box is a mark or a text on a chart of usual width, in pixels: its left edge, its middle line, and its width.
type box struct{ x, y, wide float64 }

// meets reports whether a box has another at the same place and nearer than so many pixels above or below.
func (b box) meets(list []box, near float64) bool {
	return slices.ContainsFunc(list, func(o box) bool {
		return b.x < o.x+o.wide && o.x < b.x+b.wide && math.Abs(b.y-o.y) < near
	})
}

// labels returns how far each point is moved, in pixels, so that none covers another, and, of a chart with few, their
// names. A point has none beside one with the same name, or where there is no room.
func (e EmotionChart) labels(s Scale) (moved []int, names []pointLabel) {
	const percent, letter, line, mark = 5.2, 6.5, 14.0, 12.0 // pixels
	marks, texts := make([]box, len(e.Points)), []box(nil)
	moved = make([]int, len(e.Points))
	for i, p := range slices.Backward(e.Points) { // of two points at one place, the earlier moves left
		m := box{percent*(2+96*s.At(p.Time)) - mark/2, intensityY(p.Intensity), mark}
		for ; m.meets(marks, mark) && moved[i] > -40; m.x -= 8 {
			moved[i] -= 8
		}
		marks[i] = m
	}
	for i, p := range e.Points {
		long, l := letter*float64(utf8.RuneCountInString(p.Name)), pointLabel{}
		repeats := i > 0 && e.Points[i-1].Name == p.Name && marks[i].x-marks[i-1].x < long
		// The first place with room: to the right of the mark, to the left, below or above.
		for _, at := range []pointLabel{{p.Name, "start", 9, 4}, {p.Name, "end", -9, 4}, {p.Name, "end", 6, 20}, {p.Name, "end", 6, -10}} {
			b := box{marks[i].x + mark/2 + float64(at.dx), marks[i].y + float64(at.dy) - 4, long}
			if at.anchor == "end" {
				b.x -= long
			}
			inside := b.x > 0 && b.x+long < 100*percent && b.y > 4
			if e.labelled() && !repeats && inside && !b.meets(texts, line) && !b.meets(marks, 9) {
				texts, l = append(texts, b), at
				break
			}
		}
		names = append(names, l)
	}
	return moved, names
}
