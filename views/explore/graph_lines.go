package explore

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
)

// lines draws one line for all edges between two nodes. If the edges go both ways, the first
// edge decides the arrow and the words. A timeline omits edges to the robot of the lane.
func (a *artist) lines() {
	for i, n := range a.d.Nodes {
		if n.Head { // its lines begin at the gutter
			a.at[i].X = a.d.Left - drawing.Keep
		}
	}
	type ends = [2]int
	names := map[ends][]string{}
	var order []ends
	told, beside := map[ends]bool{}, map[ends]bool{}
	for i, e := range a.pairs {
		edge := a.picture.edges[i]
		if len(a.d.Edges) < maxEdges {
			a.row(edge, &a.d.Nodes[e[0]], edge.name(a.names), &a.d.Nodes[e[1]])
		} else {
			a.d.More++
		}
		if a.inOwnLane(e) {
			continue
		}
		if a.omits(e) {
			beside[ends{min(e[0], e[1]), max(e[0], e[1])}] = true
			continue
		}
		e, name, _ := a.towards(i)
		if back := (ends{e[1], e[0]}); names[back] != nil {
			continue
		}
		if edge.told != "" {
			told[e] = true
		} else if told[e] {
			continue
		}
		if names[e] == nil {
			order = append(order, e)
		}
		if !slices.Contains(names[e], name) {
			names[e] = append(names[e], name)
		}
	}
	a.d.Beside = len(beside)
	if a.d.Unseen = max(0, len(order)-maxLines); a.d.Unseen > 0 {
		order = order[:maxLines]
	}
	a.order = order
	if len(a.d.Heads) == 0 && len(order) <= manyLines { // columns have no node between them, and of many lines none can be followed
		a.marks, a.texts = a.obstacles()
	}
	for _, e := range order {
		a.d.Lines = append(a.d.Lines, a.line(e, names[e], len(order)))
	}
}

// omits reports whether an edge is left out so that a picture with several rings stays readable. It keeps the edges
// between a node and the one that it stands near, those of the selected node and of the found path, and those between
// nodes on no ring.
func (a *artist) omits(e [2]int) bool {
	if a.d.Rings < 2 || a.d.Chain && a.chain.of[e[0]] && a.chain.of[e[1]] {
		return false
	}
	from, to := a.picture.nodes[e[0]], a.picture.nodes[e[1]]
	return from.near != to.iri && to.near != from.iri && max(from.ring, to.ring) > 0 &&
		!a.d.Nodes[e[0]].Selected && !a.d.Nodes[e[1]].Selected && !a.steps(from.iri, to.iri)
}

// line draws the line of a pair of nodes, and places its words. lines is the number of all lines.
func (a *artist) line(e [2]int, all []string, lines int) GraphLine {
	from, to := &a.d.Nodes[e[0]], &a.d.Nodes[e[1]]
	plain := func(w string) bool { return w == "used" || w == "by" || w == "used by" || w == "source of" }
	if better := slices.DeleteFunc(slices.Clone(all), plain); len(better) > 0 { // another word says it better
		all = better
	}
	line := GraphLine{Words: all, Along: a.steps(from.IRI, to.IRI), Href: a.st.choosing(from.IRI, to.IRI).page(),
		Ends: e, Selected: from.Selected || to.Selected || a.st.edge == [2]string{from.Key, to.Key} || a.st.edge == [2]string{to.Key, from.Key},
		Title: from.said() + " " + strings.Join(all, ", ") + " " + to.said()}
	if len(all) > maxWords {
		line.Words = append(slices.Clone(all[:maxWords-1]), fmt.Sprintf("and %d more", len(all)-maxWords+1))
	}
	if e[0] == e[1] {
		path, at := drawing.Loop(a.at[e[0]])
		line.Path, line.X, line.Y = path, at.X, at.Y
		return line
	}
	across, tall := wide(line.Words)+wordGap, wordTall*float64(len(line.Words))+wordGap
	line.Named = -1
	path, chained, ok := a.through(e)
	if ok {
		place, named := a.place(chained, across, tall)
		line.Path, line.Href = path, a.st.choosing(to.IRI, from.IRI).page() // as it is logged
		return a.worded(line, place, named, across, tall)
	}
	way := drawing.Route(a.end(e[0], a.at[e[1]].X), a.end(e[1], a.at[e[0]].X), a.marks, a.texts, false)
	place, named := way.At(0.5), -1
	line.Path = way.Path()
	if lines <= manyLines && !a.often(line) {
		centres := way.Along()
		if a.d.Offered && !a.d.ByTime { // between columns, most lines cross in the middle
			centres = append([]drawing.Point{way.At(0.78), way.At(0.7), way.At(0.62)}, centres...)
		}
		free := slices.DeleteFunc(slices.Clone(centres), func(p drawing.Point) bool { return a.crossed(e, p, across, tall) })
		if len(a.told) > 0 {
			free = append(free, centres...)
		}
		if len(free) > 0 && way.Shows(across, tall) {
			place, named = a.place(free, across, tall)
		}
	}
	return a.worded(line, place, named, across, tall)
}

// worded puts the words of a line at a place, which it has from a level on; -1 means that they are not shown.
func (a *artist) worded(line GraphLine, place drawing.Point, named int, across, tall float64) GraphLine {
	line.X, line.Y, line.Named = place.X, place.Y, min(named, max(linesNamed, a.d.Level))
	box := wordBox(place, across, tall, a.d.Level)
	line.Grouped = slices.ContainsFunc(a.outs, func(o drawing.Outline) bool { return o.Holds(box) })
	return line
}

// said returns a node's label with quotes.
func (n *GraphPoint) said() string {
	words := strings.Join(n.Label, " ")
	if strings.HasPrefix(words, "“") { // it has them
		return words
	}
	return quoted.Value(words)
}

// crossed reports whether another line runs through words of a line around a centre, so that they would
// seem to be that line's.
func (a *artist) crossed(e [2]int, at drawing.Point, wide, tall float64) bool {
	box := wordBox(at, wide, tall, a.d.Level)
	return slices.ContainsFunc(a.order, func(o [2]int) bool {
		return o != e && box.Crossed(a.end(o[0], a.at[o[1]].X), a.end(o[1], a.at[o[0]].X))
	})
}

// often counts the words of a line at both of its nodes, and reports whether enough lines of one have them already.
// The words of offered pictures are different things to read, and always written, but if all are the same, only at the
// line in the middle.
func (a *artist) often(l GraphLine) bool {
	often := false
	words := strings.Join(l.Words, " ")
	if strings.HasSuffix(words, " by") { // who did it
		words = "by"
	}
	for _, end := range l.Ends {
		at := fmt.Sprint(end, words)
		a.written[at]++
		often = often || a.written[at] > maxSame && len(a.told) == 0
	}
	return often || len(a.told) > maxSame && a.oneWord() && l.Ends != a.order[len(a.order)/2]
}

// oneWord reports whether all edges of an offered picture say the same.
func (a *artist) oneWord() bool {
	return !slices.ContainsFunc(a.told, func(e graphEdge) bool { return e.told != a.told[0].told })
}

// row adds an edge to the table.
func (a *artist) row(edge graphEdge, from *GraphPoint, name string, to *GraphPoint) {
	r := GraphEdge{From: from.Full, Name: name, To: to.Full, Pair: from.Key + "-" + to.Key}
	if !edge.own {
		r.Logs = views.TripleLogs(edge.Triple)
	}
	a.d.Edges = append(a.d.Edges, r)
}

// steps reports whether the found path connects two nodes, in either direction.
func (a *artist) steps(from, to string) bool {
	for i := 1; i < len(a.st.along); i++ {
		if p, q := a.st.along[i-1], a.st.along[i]; p == from && q == to || p == to && q == from {
			return true
		}
	}
	return false
}

// longest returns the letters of the longest of some lines.
func longest(lines []string) (n int) {
	for _, l := range lines {
		n = max(n, utf8.RuneCountInString(l))
	}
	return n
}

// wide returns the width of the words of a line or a hull.
func wide(words []string) float64 { return float64(longest(words)) * wordWide }

// hulls draws an outline around each shared event, with its name beside it. It expects labels at their usual places.
func (a *artist) hulls() {
	usual := make([]drawing.Box, len(a.at)) // signs and labels
	for i, p := range a.at {
		s, l := drawing.Room{Side: signRoom, Above: signRoom, Below: signRoom}.Around(p), a.labelBox(i, a.d.Level, spot{above: a.d.Nodes[i].Above})
		usual[i] = drawing.Box{Left: min(s.Left, l.Left), Top: min(s.Top, l.Top), Right: max(s.Right, l.Right), Bottom: max(s.Bottom, l.Bottom)}
	}
	for _, h := range a.picture.hulls {
		a.outs = append(a.outs, drawing.Hull(a.at, usual, h.members))
	}
	for i, h := range a.picture.hulls {
		o := a.outs[i]
		hull := GraphHull{Path: o.Path, Round: o.Round, Reach: o.Reach, Href: a.st.adding(h.iri).page(), Named: -1, Members: h.members}
		for _, m := range h.members {
			a.d.Nodes[m].Grouped = a.d.Nodes[m].Grouped || o.Round
		}
		for _, letters := range []int{3 * nodeLetters, 2*nodeLetters - 4, nodeLetters - 2} {
			name, _ := views.CutText(h.name, letters)
			room := wide([]string{name}) * 1.1 // it is bold
			if centres := a.besideHull(i, room, usual); len(centres) > 0 {
				at, level := a.place(centres, room, hullTall)
				hull.Name, hull.X, hull.Y, hull.Named = name, at.X, at.Y, level
			}
			if hull.Named >= a.d.Level {
				break
			}
		}
		if hull.Name == "" {
			hull.Name = h.name
		}
		a.d.Hulls = append(a.d.Hulls, hull)
	}
}

// obstacles returns what lines go around at the distance at which the picture begins: signs, and names.
func (a *artist) obstacles() (signs, names []drawing.Box) {
	for i, p := range a.at {
		signs = append(signs, drawing.Room{Side: signRoom, Above: signRoom, Below: signRoom}.Around(p))
		if n := &a.d.Nodes[i]; n.Named >= a.d.Level {
			names = append(names, a.labelBox(i, a.d.Level, spot{n.Above, n.Aside}))
		}
	}
	for _, h := range a.d.Hulls {
		if h.Named >= a.d.Level {
			names = append(names, wordBox(drawing.Point{X: h.X, Y: h.Y}, wide([]string{h.Name})*1.1, hullTall, a.d.Level))
		}
	}
	return signs, names
}

// touch is the distance of a name from its outline, in pixels.
const touch = 3

// besideHull returns centres for a name of some width that touches an outline from above or below, or is inside of it: the
// best first, those in the middle. At the distance where the picture begins, all of the name is inside of the picture, and
// it touches no other outline. Those that are on labels at their usual places, or that lines run through, come last.
func (a *artist) besideHull(i int, wide float64, usual []drawing.Box) (centres []drawing.Point) {
	o, k, all := a.outs[i], a.d.Level, a.all()
	if a.d.ByTime {
		all.Left = a.d.Left // the names of lanes cover what is left of them
	}
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
		return within || !all.Has(box) || !a.words[k].Free(box) || slices.ContainsFunc(a.outs, other)
	})
	slices.SortStableFunc(centres, func(p, q drawing.Point) int {
		return a.covered(wordBox(p, wide, hullTall, k), usual) - a.covered(wordBox(q, wide, hullTall, k), usual)
	})
	return centres
}

// covered returns how many labels a box covers, each counted twice, and how many lines, if they are straight.
func (a *artist) covered(box drawing.Box, labels []drawing.Box) (n int) {
	for _, l := range labels {
		if !drawing.Taken([]drawing.Box{l}).Free(box) {
			n += 2
		}
	}
	for _, e := range a.pairs {
		if !a.inOwnLane(e) && box.Crossed(a.at[e[0]], a.at[e[1]]) {
			n++
		}
	}
	return n
}

// nearest returns those of the nodes of two events that are nearest to each other. Each event is given by one of its nodes.
func (a *artist) nearest(from, to int) (x, y int) {
	of := func(i int) []int {
		for _, h := range a.picture.hulls {
			if slices.Contains(h.members, i) {
				return h.members
			}
		}
		return []int{i}
	}
	least := math.Inf(1)
	for _, i := range of(from) {
		for _, j := range of(to) {
			if d := math.Hypot(a.at[i].X-a.at[j].X, a.at[i].Y-a.at[j].Y); d < least {
				x, y, least = i, j, d
			}
		}
	}
	return x, y
}

// doubts draws the undecided cases.
func (a *artist) doubts() {
	signs, names := a.obstacles()
	for _, k := range a.picture.doubts {
		k.from, k.to = a.nearest(k.from, k.to)
		way := drawing.Route(a.at[k.from], a.at[k.to], signs, names, true)
		centres := way.Along()
		for i, p := range centres {
			centres[i].X = min(p.X, a.all().Right-10-doubtWide/2*levels[a.d.Level])
		}
		at, level := a.place(centres, doubtWide, wordTall)
		a.d.Doubts = append(a.d.Doubts, GraphDoubt{
			Path: way.Path(), X: at.X, Y: at.Y, Named: level, Href: caseAddress(a.v, k.caseID), Ends: [2]int{k.from, k.to},
			Title: "These may be one event: " + quoted.Value(a.d.Nodes[k.from].Full) + " and " + quoted.Value(a.d.Nodes[k.to].Full) + ". Needs review.",
		})
	}
}
