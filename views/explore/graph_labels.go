package explore

import (
	"math"
	"slices"
	"strings"
	"unicode"

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

// name computes the greatest distance at which each label fits, most important nodes first. No label covers a node, so on a phone
// a dense picture has names only after zooming in.
func (a *artist) name() {
	all, gap := a.all(), labelGap
	if a.d.Tree { // its rows are apart
		gap = 1
	}
	for k, words := range a.words {
		for _, i := range a.turns {
			n := &a.d.Nodes[i]
			if k == 0 {
				n.Named = -1
			}
			if n.Named != k-1 { // it has no room nearer by
				continue
			}
			b := a.labelBox(i, k, n.spot())
			inside := k <= a.d.Level || all.Has(b)
			besideSign := n.Aside == 0 || k <= maxAside || a.st.inColumns()
			fits := inside && besideSign && words.Free(b.Apart(a.at[i], gap*levels[k]))
			if n.Wide > 0 || fits { // in its box, or in the picture
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
			if n.Aside > 0 { // the column has room
				continue
			}
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

func (n *GraphPoint) spot() spot { return spot{n.Above, n.Aside} }

// maxAside is the greatest distance at which a label has room beside its node's sign, which grows.
const maxAside = 3

// rounds is how often labels are moved out of the way of lines, and lines around labels.
const rounds = 3

// arrange chooses where labels are and how lines run, so that few lines cross labels.
func (a *artist) arrange() {
	edges := make([]int, len(a.at))
	for _, e := range a.pairs {
		edges[e[0]]++
		edges[e[1]]++
	}
	for i := range a.at {
		a.turns = append(a.turns, i)
	}
	slices.SortStableFunc(a.turns, func(i, j int) int { return edges[j] + a.weight(j) - edges[i] - a.weight(i) })
	a.hidden = map[int]bool{}
	if a.st.inColumns() {
		a.route()
		return
	}
	for _, e := range a.order { // straight, at first
		a.ways = append(a.ways, way{points: []drawing.Point{a.at[e[0]], a.at[e[1]]}})
	}
	times := rounds
	if len(a.order) > manyLines {
		times = 1
	}
	for range times {
		a.choose()
		a.route()
	}
}

// choose moves labels to where they are crossed by fewer lines and, at the distance at which the picture begins, have room, also
// for later ones. Those that have room come first in the turns.
func (a *artist) choose() {
	k := a.d.Level
	words := a.words[k].Clone()
	var boxes []drawing.Box // of the labels, until they are moved
	for _, i := range a.turns {
		boxes = append(boxes, a.labelBox(i, k, a.d.Nodes[i].spot()))
	}
	var placed, others []int
	for at, i := range a.turns {
		later := drawing.Taken(boxes[at+1:])
		n := &a.d.Nodes[i]
		if a.d.Tree && (n.Ring > 0 || n.Aside < 0) { // in a column, or a root
			placed = append(placed, i)
			words.Take(a.labelBox(i, k, n.spot()))
			continue
		}
		best, fewest := a.best(i, k, words, later)
		whole := n.Label
		for _, letters := range []int{nodeLetters, nodeLetters / 2} { // a shorter label, without a time, may have room
			if fewest >= noRoom {
				cut, _ := views.CutText(n.Name, letters)
				n.Label = []string{cut}
				best, fewest = a.best(i, k, words, later)
			}
		}
		if fewest >= noRoom {
			n.Label = whole
		}
		n.Above, n.Aside = best.above, best.aside
		if a.hidden[i] = fewest >= noRoom; a.hidden[i] {
			others = append(others, i)
		} else {
			words.Take(a.labelBox(i, k, best))
			placed = append(placed, i)
		}
	}
	a.turns = append(placed, others...)
}

// Costs of a place for a label: to cover another one, to cover the place of one that comes later, to be crossed by a line, and
// to hold the end of one, which ends there.
const (
	noRoom   = 1000
	lateRoom = 12
	onLine   = 5
	onEnd    = 1
)

// best returns the place for a label that costs least at a distance, and its cost.
func (a *artist) best(i, k int, words, later *drawing.Words) (best spot, least int) {
	least = math.MaxInt
	all := a.all()
	for _, s := range []spot{{}, {above: true}, {aside: 1}, {aside: -1}} {
		b, cost := a.labelBox(i, k, s), 0
		if s.aside != 0 && k > maxAside || s != (spot{}) && !all.Has(b) { // below the sign is always possible
			continue
		}
		if !words.Free(b.Apart(a.at[i], labelGap*levels[k])) {
			cost = noRoom
		}
		if !later.Free(b) {
			cost += lateRoom
		}
		for l, e := range a.order {
			if e[0] == i || e[1] == i {
				if other := e[0] + e[1] - i; other != i && b.Crossed(a.at[i], a.at[other]) {
					cost += onEnd
				}
			} else if b.CrossedAlong(a.ways[l].points) {
				cost += onLine
			}
		}
		if cost < least {
			best, least = s, cost
		}
	}
	return best, least
}

// all returns the part of the plane that the picture takes.
func (a *artist) all() drawing.Box {
	d := a.d
	return drawing.Box{Left: d.Left, Top: d.Top, Right: d.Left + d.Width, Bottom: d.Top + d.Height}
}

// labelWide returns about the width of a label at normal zoom.
func labelWide(lines []string) (wide float64) {
	for _, l := range lines {
		sum := 6.0 // on both sides
		for _, r := range l {
			switch {
			case strings.ContainsRune(" ijlI.,:;'!|", r):
				sum += 3.9
			case strings.ContainsRune("frt()-/\"“”‘’", r):
				sum += 5.2
			case strings.ContainsRune("mwMW%@…", r):
				sum += 11.5
			case r > '\u2e7f': // as wide as it is high
				sum += 12.5
			case unicode.IsUpper(r):
				sum += 8.3
			default:
				sum += 7.3
			}
		}
		wide = max(wide, sum)
	}
	return wide
}

// labelBox returns the rectangle that the label of node i takes at distance k, an index of levels, if it is at s. A node with a
// box has its label there, wherever s is.
func (a *artist) labelBox(i, k int, s spot) drawing.Box {
	n, scale, p := &a.d.Nodes[i], levels[k], a.at[i]
	side, down, tall := labelWide(n.Label)/2*scale, signRoom+1+labelDown[k], lineTall*scale*float64(len(n.Label))
	if n.Selected {
		side *= 1.1 // it is bold
	}
	switch {
	case n.Wide > 0:
		return a.rooms[i].Around(p)
	case s.aside != 0:
		wide := 2 * side
		if a.st.inColumns() {
			wide = a.rooms[i].Side // it is the same at every distance
		}
		near := p.X + float64(s.aside)*(signRoom+6) // the end of the label at its node
		far := near + float64(s.aside)*wide
		return drawing.Box{Left: min(near, far), Right: max(near, far), Top: p.Y - tall/2, Bottom: p.Y + tall/2}
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
