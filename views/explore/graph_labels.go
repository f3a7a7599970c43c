package explore

import (
	"math"
	"slices"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/views"
)

// weight returns how important it is to show the name of a node; name adds the number of its edges.
func (a *artist) weight(i int) (w int) {
	switch a.picture.nodes[i].family {
	case "robot", "human", "event":
		w += 1000
	}
	if a.picture.nodes[i].label != "" {
		w += 20 // it says more than the name of a kind
	}
	if n := a.d.Nodes[i]; n.Selected || n.Along {
		w += 100_000
	}
	return w
}

// name chooses where each node's label is, and computes the greatest distance at which it fits, most
// important nodes first. No label covers a node, so on a phone a dense picture has names only after
// zooming in.
func (a *artist) name() {
	edges := make([]int, len(a.at))
	for _, e := range a.pairs {
		edges[e[0]]++
		edges[e[1]]++
	}
	order := make([]int, len(a.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return edges[j] + a.weight(j) - edges[i] - a.weight(i) })
	order = a.choose(order)
	all := a.all()
	for k, words := range a.words {
		for _, i := range order {
			n := &a.d.Nodes[i]
			if k == 0 {
				n.Named = -1
			}
			if b := a.labelBox(i, k, spot{n.Above, n.Aside}); n.Named == k-1 && (n.Wide > 0 || words.Free(b.Apart(a.at[i], labelGap*levels[k])) && (k <= a.d.Level || all.Has(b)) && (n.Aside == 0 || k <= maxAside || a.st.inColumns())) {
				n.Named = k
				words.Take(b)
			}
		}
	}
}

// signs returns the room that the signs of nodes take at a distance.
func (a *artist) signs(k int) *drawing.Words {
	words := &drawing.Words{}
	for i, p := range a.at {
		r := signRoom * markLevels[k]
		words.Take(drawing.Room{Side: r, Above: r, Below: r}.Around(p))
		if n := &a.d.Nodes[i]; n.More != "" {
			at, scale := n.badge(), levels[k]
			words.Take(drawing.Box{Left: at.X, Top: at.Y - badgeTall*scale, Right: at.X + n.badgeWide()*scale, Bottom: at.Y})
		}
	}
	return words
}

// spot is where a node's label is: below, or as of GraphPoint.
type spot struct {
	above bool
	aside int
}

// maxAside is the greatest distance at which a label has room beside its node's sign, which grows.
const maxAside = 3

// choose moves labels from below their nodes to where they are crossed by fewer lines and, at the distance at which the picture
// begins, have room, also for later ones. It returns the nodes with those that have room first.
func (a *artist) choose(order []int) []int {
	if a.st.inColumns() {
		return order
	}
	var lines [][2]drawing.Point
	for _, e := range a.pairs {
		if e[0] != e[1] && len(a.pairs) <= 3*manyLines && !a.inOwnLane(e) && !a.omits(e) {
			lines = append(lines, [2]drawing.Point{a.at[e[0]], a.at[e[1]]})
		}
	}
	k := a.d.Level
	words := a.words[k].Clone()
	var boxes []drawing.Box // of the labels, until they are moved
	for _, i := range order {
		boxes = append(boxes, a.labelBox(i, k, spot{above: a.d.Nodes[i].Above}))
	}
	var placed, others []int
	for at, i := range order {
		later := drawing.Taken(boxes[at+1:])
		n := &a.d.Nodes[i]
		best, fewest := a.best(i, k, lines, words, later)
		whole := n.Label
		for _, letters := range []int{nodeLetters, nodeLetters / 2} { // a shorter label, without a time, may have room
			if fewest >= noRoom {
				cut, _ := views.CutText(n.Name, letters)
				n.Label = []string{cut}
				best, fewest = a.best(i, k, lines, words, later)
			}
		}
		if fewest >= noRoom {
			n.Label = whole
		}
		n.Above, n.Aside = best.above, best.aside
		if fewest < noRoom {
			words.Take(a.labelBox(i, k, best))
			placed = append(placed, i)
		} else {
			others = append(others, i)
		}
	}
	return append(placed, others...)
}

// noRoom is the number of crossing lines that are as bad as covering another label, and lateRoom as bad as covering the place
// of a label that comes later.
const (
	noRoom   = 1000
	lateRoom = 8
)

// best returns where a label is crossed by the fewest lines at a distance, and by how many, with noRoom added if it has no room
// there, and lateRoom if a later label has none.
func (a *artist) best(i, k int, lines [][2]drawing.Point, words, later *drawing.Words) (best spot, fewest int) {
	fewest = math.MaxInt
	all := a.all()
	for _, s := range []spot{{}, {above: true}, {aside: 1}, {aside: -1}} {
		b, crossed := a.labelBox(i, k, s), 0
		if s.aside != 0 && k > maxAside || s != (spot{}) && !all.Has(b) {
			continue
		}
		if !words.Free(b.Apart(a.at[i], labelGap*levels[k])) {
			crossed = noRoom
		}
		if !later.Free(b) {
			crossed += lateRoom
		}
		for _, l := range lines {
			if b.Crossed(l[0], l[1]) {
				crossed++
				if l[1] == a.at[i] { // it would hide the arrow's head
					crossed++
				}
			}
		}
		for h, o := range a.outs {
			if o.Round && slices.Contains(a.picture.hulls[h].members, i) && !o.Ends().Has(b) {
				crossed += 2 // it would cross the outline
			}
		}
		if crossed < fewest {
			best, fewest = s, crossed
		}
	}
	return best, fewest
}

// all returns the part of the plane that the picture takes, without the times above lanes.
func (a *artist) all() drawing.Box {
	d := a.d.withGutter()
	if d.ByTime {
		d.Top, d.Height = 0, d.Height+d.Top // below the times
	}
	return drawing.Box{Left: d.Left, Top: d.Top, Right: d.Left + d.Width, Bottom: d.Top + d.Height}
}

// labelBox returns the room of a node's label at a distance.
func (a *artist) labelBox(i, k int, s spot) drawing.Box {
	n, scale, p := &a.d.Nodes[i], levels[k], a.at[i]
	side, down, tall := (float64(longest(n.Label))*letterWide/2+2)*scale, signRoom+1+labelDown[k], lineTall*scale*float64(len(n.Label))
	if n.Selected {
		side *= 1.1 // it is bold
	}
	switch {
	case n.Wide > 0:
		return a.rooms[i].Around(p)
	case s.aside != 0:
		wide, from := 2*side, p.X+float64(s.aside)*(signRoom+6)
		if a.st.inColumns() {
			wide = a.rooms[i].Side
		}
		return drawing.Box{Left: min(from, from+float64(s.aside)*wide), Right: max(from, from+float64(s.aside)*wide), Top: p.Y - tall/2, Bottom: p.Y + tall/2}
	case s.above:
		down = -down - tall
	}
	return drawing.Box{Left: p.X - side, Top: p.Y + down, Right: p.X + side, Bottom: p.Y + down + tall}
}

// wordBox returns the room of a text of the given size around its centre, at a distance.
func wordBox(p drawing.Point, wide, tall float64, k int) drawing.Box {
	w, t := wide/2*levels[k], tall/2*levels[k]
	return drawing.Box{Left: p.X - w, Top: p.Y - t, Right: p.X + w, Bottom: p.Y + t}
}

// place finds the best of some centres for a text of the given size, and takes the room
// there. It returns the greatest distance at which the text has room, or -1.
func (a *artist) place(centres []drawing.Point, wide, tall float64) (best drawing.Point, level int) {
	box := func(p drawing.Point, k int) drawing.Box { return wordBox(p, wide, tall, k) }
	best, level = centres[0], -1
	for _, p := range centres {
		k := 0
		for k < len(levels) && a.words[k].Free(box(p, k)) {
			k++
		}
		if k-1 > level {
			best, level = p, k-1
		}
		if level >= a.d.Level {
			break
		}
	}
	for k := range level + 1 {
		a.words[k].Take(box(best, k))
	}
	return best, level
}
