package explore

import (
	"slices"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
)

// hulls draws an outline around each shared event, with its name beside it, unless one of its nodes says it.
func (a *artist) hulls() {
	boxes := make([]drawing.Box, len(a.at)) // signs and labels
	for i, p := range a.at {
		s, l := drawing.Room{Side: signRoom, Above: signRoom, Below: signRoom}.Around(p), a.labelBox(i, a.d.Level, a.d.Nodes[i].spot())
		boxes[i] = drawing.Box{Left: min(s.Left, l.Left), Top: min(s.Top, l.Top), Right: max(s.Right, l.Right), Bottom: max(s.Bottom, l.Bottom)}
	}
	for _, h := range a.picture.hulls {
		if a.d.Tree { // with the lines beside its nodes, and as wide as its widest row
			around := boxes[h.members[0]]
			for _, m := range h.members {
				around.Left, around.Right = min(around.Left, boxes[m].Left), max(around.Right, boxes[m].Right+firstTrack+4)
			}
			for _, m := range h.members {
				boxes[m].Left, boxes[m].Right = around.Left, around.Right
			}
		}
		a.outs = append(a.outs, drawing.Hull(a.at, boxes, h.members))
	}
	for i, h := range a.picture.hulls {
		o := a.outs[i]
		hull := GraphHull{Path: o.Path, Round: o.Round, Reach: o.Reach, Href: a.st.adding(h.iri).page(), Named: -1, Members: h.members, Name: h.name, Said: h.said}
		for _, m := range h.members {
			a.d.Nodes[m].Grouped = a.d.Nodes[m].Grouped || o.Round
		}
		for _, crossed := range []bool{false, true} { // a short name that no line crosses is better than a long one
			for _, letters := range []int{3 * nodeLetters, 2*nodeLetters - 4, nodeLetters - 2} {
				name, _ := views.CutText(h.name, letters)
				room := wide([]string{name}) * 1.1 // it is bold
				if h.said || hull.Named >= a.d.Level {
					break
				}
				if centres := a.besideHull(i, room, crossed); len(centres) > 0 {
					at, level := a.place(centres, room, hullTall)
					hull.Name, hull.X, hull.Y, hull.Named = name, at.X, at.Y, level
				}
			}
		}
		a.d.Hulls = append(a.d.Hulls, hull)
	}
}

// touch is the distance of a name from its outline, in pixels.
const touch = 3

// besideHull returns centres for a name of some width that touches an outline from above or below, or is inside of it: the
// best first, those in the middle. At the distance where the picture begins, all of the name is inside of the picture, and
// it touches no other outline. Lines run through it only if crossed.
func (a *artist) besideHull(i int, wide float64, crossed bool) (centres []drawing.Point) {
	o, k, all := a.outs[i], a.d.Level, a.all()
	ends, side, up := o.Ends(), levels[k]*wide/2, levels[k]*hullTall/2
	middle := (ends.Left + ends.Right) / 2
	add := func(x, y float64) { centres = append(centres, drawing.Point{X: x, Y: y}) }
	for part := range 4 {
		for _, x := range []float64{middle - side*float64(part)/3, middle + side*float64(part)/3} {
			x = min(max(x, all.Left+side+1), all.Right-side-1)
			if top, bottom := o.Between(x-side, x+side); top < bottom && ends.Left < x && x < ends.Right {
				add(x, top-touch-up)
				add(x, bottom+touch+up)
				add(x, top+2*touch+up)
				add(x, bottom-2*touch-up)
			}
		}
	}
	centres = slices.DeleteFunc(centres, func(p drawing.Point) bool {
		box := wordBox(p, wide, hullTall, k)
		other := func(q drawing.Outline) bool { return q.Path != o.Path && q.Meets(box, 2*touch) }
		top, bottom := o.Between(box.Left, box.Right)
		within := box.Top > top && box.Bottom < bottom && !o.Holds(box)
		return within || !all.Has(box) || !a.words[k].Free(box) || slices.ContainsFunc(a.outs, other) || !crossed && a.crossed(-1, box)
	})
	return centres
}

// doubts draws the undecided cases.
func (a *artist) doubts() {
	signs, names := a.obstacles()
	for _, k := range a.picture.doubts {
		var path string
		var centres []drawing.Point
		if e := [2]int{k.from, k.to}; a.beside(e) {
			path, _ = a.bracket(e, a.bracketed[e])
			for _, part := range []float64{0.5, 0.35, 0.65, 0.2, 0.8} {
				x := min(max(a.bracketed[e], a.d.Left+doubtWide/2+labelGap), a.d.Left+a.d.Width-doubtWide/2)
				centres = append(centres, drawing.Point{X: x, Y: a.at[k.from].Y + part*(a.at[k.to].Y-a.at[k.from].Y)})
			}
		} else {
			way := drawing.Route(a.end(k.from, a.at[k.to]), a.end(k.to, a.at[k.from]), signs, names, true)
			path, centres = way.Path(), way.Along()
		}
		at, level := a.place(centres, doubtWide, wordTall)
		a.d.Doubts = append(a.d.Doubts, GraphDoubt{
			Path: path, X: at.X, Y: at.Y, Named: level, Href: caseAddress(a.v, k.caseID), Ends: [2]int{k.from, k.to},
			Title: "These may be one event: " + quoted.Value(a.d.Nodes[k.from].Full) + " and " + quoted.Value(a.d.Nodes[k.to].Full) + ". Needs review.",
		})
	}
}
