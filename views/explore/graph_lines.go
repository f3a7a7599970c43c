package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
)

// gather finds the lines to draw, one for all edges between two nodes, and what they say. If the edges go both ways, the first
// edge decides the arrow and the words. A timeline omits edges to the robot of the lane.
func (a *artist) gather() {
	type ends = [2]int
	told, beside := map[ends]bool{}, map[ends]bool{}
	a.says = map[ends][]string{}
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
		if back := (ends{e[1], e[0]}); a.says[back] != nil {
			continue
		}
		if edge.told != "" {
			told[e] = true
		} else if told[e] {
			continue
		}
		if a.says[e] == nil {
			a.order = append(a.order, e)
		}
		if !slices.Contains(a.says[e], name) {
			a.says[e] = append(a.says[e], name)
		}
	}
	a.d.Beside = len(beside)
	if a.d.Unseen = max(0, len(a.order)-maxLines); a.d.Unseen > 0 {
		a.order = a.order[:maxLines]
	}
}

// way is how a line runs.
type way struct {
	path    string
	points  []drawing.Point // of it, near each other
	centres []drawing.Point // for its words, the best first
	bound   bool            // its words have their place also where they hide most of it
}

// route finds how the lines run: around signs, and around names that have room, if there are not too many lines to follow.
func (a *artist) route() {
	var signs, names []drawing.Box
	if len(a.d.Heads) == 0 && len(a.order) <= manyLines { // columns have no node between them
		signs, names = a.obstacles()
	}
	brackets := a.brackets()
	a.ways = nil
	for _, e := range a.order {
		from, to := a.at[e[0]], a.at[e[1]]
		if path, centres, ok := a.through(e); ok {
			a.ways = append(a.ways, way{path: path, centres: centres, bound: true})
		} else if e[0] == e[1] {
			path, at := drawing.Loop(from)
			a.ways = append(a.ways, way{path: path, centres: []drawing.Point{at}, bound: true})
		} else if a.beside(e) {
			path, points := a.bracket(e, brackets[e])
			a.ways = append(a.ways, way{path: path, points: points, centres: []drawing.Point{{X: brackets[e], Y: (from.Y + to.Y) / 2}}})
		} else if w, ok := a.twig(e); ok {
			a.ways = append(a.ways, w)
		} else {
			l := drawing.Route(a.end(e[0], to.X), a.end(e[1], from.X), signs, names, false)
			a.ways = append(a.ways, way{path: l.Path(), points: l.Points(), centres: l.Along()})
		}
	}
}

// beside reports whether a line runs beside its nodes: in a timeline, and between nodes of one column of a tree.
func (a *artist) beside(e [2]int) bool {
	ring := a.picture.nodes[e[0]].ring
	return a.d.ByTime || a.d.Tree && ring > 0 && ring == a.picture.nodes[e[1]].ring && a.at[e[0]].X == a.at[e[1]].X
}

// aside returns where a line of a timeline ends that runs beside a node, at x: at its left, behind its label or, for one in the
// gutter, at the end of that.
func (a *artist) aside(i int, x float64) drawing.Point {
	p := a.at[i]
	if a.d.Nodes[i].Head {
		p.X = a.d.Left
	} else if x > p.X {
		p.X = a.labelBox(i, a.d.Level, a.d.Nodes[i].spot()).Right + labelGap
	} else {
		p.X -= drawing.Keep
	}
	return p
}

// bracket returns the path of a line that runs beside its nodes, at x, and its points.
func (a *artist) bracket(e [2]int, x float64) (path string, points []drawing.Point) {
	from, to := a.aside(e[0], x), a.aside(e[1], x)
	return drawing.Bracket(from, to, x), []drawing.Point{from, {X: x, Y: from.Y}, {X: x, Y: to.Y}, to}
}

// Where lines run beside the nodes of a timeline, in pixels from one of their ends.
const (
	firstTrack = 16.0
	trackStep  = 7.0
	tracks     = 4
)

// brackets returns where lines and doubts run beside their nodes: in a timeline at the left, if they cross no label there, and
// else at the right. Those to one node run together, and others that would cover each other apart, the shorter ones
// nearer to the nodes.
func (a *artist) brackets() map[[2]int]float64 {
	out := map[[2]int]float64{}
	all := slices.Clone(a.order)
	for _, k := range a.picture.doubts {
		all = append(all, [2]int{k.from, k.to})
	}
	all = slices.DeleteFunc(all, func(e [2]int) bool { return !a.beside(e) })
	if len(all) == 0 {
		return out
	}
	slices.SortStableFunc(all, func(d, e [2]int) int {
		return cmp.Compare(math.Abs(a.at[d[0]].Y-a.at[d[1]].Y), math.Abs(a.at[e[0]].Y-a.at[e[1]].Y))
	})
	var labels []drawing.Box
	for i, n := range a.d.Nodes {
		labels = append(labels, a.labelBox(i, a.d.Level, n.spot()))
	}
	for n, e := range all {
		left := min(a.aside(e[0], math.Inf(-1)).X, a.aside(e[1], math.Inf(-1)).X) - firstTrack
		right := math.Inf(-1)
		for i, l := range labels {
			if y := a.at[i].Y; min(a.at[e[0]].Y, a.at[e[1]].Y) <= y && y <= max(a.at[e[0]].Y, a.at[e[1]].Y) && (a.d.ByTime || a.at[i].X == a.at[e[0]].X) {
				right = max(right, l.Right+firstTrack)
			}
		}
		if a.d.Tree { // where other lines are
			left = math.Inf(-1)
		}
		if a.d.Nodes[e[0]].Head || a.d.Nodes[e[1]].Head {
			left, right = a.d.Left+firstTrack+trackStep*tracks, math.Inf(1)
		}
		least := math.Inf(1)
		out[e] = a.d.Left + a.d.Width - 4 // without a better place
		for track := range 2 * tracks {
			x := left - trackStep*float64(track)
			if track >= tracks {
				x = right + trackStep*float64(track-tracks)
			}
			cost := float64(track)
			_, points := a.bracket(e, x)
			for _, l := range labels {
				if l.CrossedAlong(points) {
					cost += 100
				}
			}
			for _, o := range all[:n] {
				p, q, r, s := a.at[e[0]].Y, a.at[e[1]].Y, a.at[o[0]].Y, a.at[o[1]].Y
				if o[1] != e[1] && math.Abs(out[o]-x) < trackStep-1 && min(p, q) < max(r, s) && min(r, s) < max(p, q) {
					cost += 50
				}
			}
			if cost < least && x > a.d.Left && x < a.d.Left+a.d.Width {
				out[e], least = x, cost
			}
		}
	}
	return out
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

// lines draws the lines, and writes their words.
func (a *artist) lines() {
	for k, e := range a.order {
		a.d.Lines = append(a.d.Lines, a.line(e, a.says[e], a.ways[k]))
	}
	if len(a.order) > manyLines || a.d.ByTime { // all say one thing, mostly, or have no room
		a.d.Unnamed = a.unnamed(func(GraphLine) bool { return true })
		return
	}
	var groups []string
	lines := map[string][]int{}
	for k, l := range a.d.Lines {
		group := l.group()
		if lines[group] == nil {
			groups = append(groups, group)
		}
		lines[group] = append(lines[group], k)
	}
	for _, group := range groups {
		a.write(lines[group])
	}
	a.d.Unnamed = a.unnamed(func(l GraphLine) bool { return l.Named < 0 })
}

// group returns what lines that have their words together say: all that tell who did something are one.
func (l GraphLine) group() string {
	words := strings.Join(l.Words, " ")
	if strings.HasSuffix(words, " by") {
		return deed("", false)
	}
	return words
}

// unnamed returns what lines say that have no words in the picture, for the legend.
func (a *artist) unnamed(without func(GraphLine) bool) (words []string) {
	if len(a.order) > manyLines {
		return nil
	}
	for _, l := range a.d.Lines {
		if group := l.group(); without(l) && told(l) == "" && !slices.Contains(words, group) {
			words = append(words, group)
		}
	}
	return words
}

// write puts the words of some lines beside them, if there is room for all at the distance at which the picture begins, or else
// for none: a reader could not tell what a line without words says.
func (a *artist) write(lines []int) {
	var before []*drawing.Words
	for _, w := range a.words {
		before = append(before, w.Clone())
	}
	for _, k := range lines {
		l, w := &a.d.Lines[k], a.ways[k]
		across, tall := wide(l.Words)+wordGap, wordTall*float64(len(l.Words))+wordGap
		free, named := slices.Clone(w.centres), -1
		if !w.bound {
			free = slices.DeleteFunc(free, func(p drawing.Point) bool {
				box := wordBox(p, across, tall, a.d.Level)
				return a.crossed(k, box) || !a.all().Has(box)
			})
		}
		place := w.centres[0]
		if len(free) > 0 && (w.bound || (drawing.Line{From: w.points[0], To: w.points[len(w.points)-1]}).Shows(across, tall)) {
			place, named = a.place(free, across, tall)
		}
		if named < min(a.d.Level, linesNamed) {
			a.words = before
			for _, k := range lines {
				a.d.Lines[k].Named = -1
			}
			return
		}
		l.X, l.Y, l.Named = place.X, place.Y, min(named, max(linesNamed, a.d.Level))
		box := wordBox(place, across, tall, a.d.Level)
		l.Grouped = slices.ContainsFunc(a.outs, func(o drawing.Outline) bool { return o.Holds(box) })
	}
}

// line returns the line of a pair of nodes, without a place for its words.
func (a *artist) line(e [2]int, all []string, w way) GraphLine {
	from, to := &a.d.Nodes[e[0]], &a.d.Nodes[e[1]]
	plain := func(w string) bool { return w == "used" || w == "reported by" || w == "used by" || w == "basis of" }
	if better := slices.DeleteFunc(slices.Clone(all), plain); len(better) > 0 { // another word says it better
		all = better
	}
	line := GraphLine{Path: w.path, X: w.centres[0].X, Y: w.centres[0].Y, Named: -1, Words: all, Along: a.steps(from.IRI, to.IRI), Href: a.st.choosing(from.IRI, to.IRI).page(),
		Ends: e, Selected: from.Selected || to.Selected || a.st.edge == [2]string{from.Key, to.Key} || a.st.edge == [2]string{to.Key, from.Key},
		Title: from.said() + " " + strings.Join(all, ", ") + " " + to.said()}
	if len(all) > maxWords {
		line.Words = append(slices.Clone(all[:maxWords-1]), fmt.Sprintf("and %d more", len(all)-maxWords+1))
	}
	if a.chain != nil && a.chain.of[e[0]] && a.chain.of[e[1]] {
		line.Href = a.st.choosing(to.IRI, from.IRI).page() // as it is logged
	}
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

// crossed reports whether a line other than number k runs through a box, so that words there would seem to be that line's.
func (a *artist) crossed(k int, box drawing.Box) bool {
	for o, w := range a.ways {
		if o != k && box.CrossedAlong(w.points) {
			return true
		}
	}
	return false
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

// hulls draws an outline around each shared event, with its name beside it, unless one of its nodes says it.
func (a *artist) hulls() {
	boxes := make([]drawing.Box, len(a.at)) // signs and labels
	for i, p := range a.at {
		s, l := drawing.Room{Side: signRoom, Above: signRoom, Below: signRoom}.Around(p), a.labelBox(i, a.d.Level, a.d.Nodes[i].spot())
		boxes[i] = drawing.Box{Left: min(s.Left, l.Left), Top: min(s.Top, l.Top), Right: max(s.Right, l.Right), Bottom: max(s.Bottom, l.Bottom)}
	}
	for _, h := range a.picture.hulls {
		if a.d.ByTime || a.d.Tree { // with the lines beside its nodes, and as wide as its widest row
			around, more := boxes[h.members[0]], map[bool]float64{true: firstTrack + 4}
			for _, m := range h.members {
				around.Left, around.Right = min(around.Left, boxes[m].Left-more[a.d.ByTime]), max(around.Right, boxes[m].Right+more[a.d.Tree])
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

// obstacles returns what lines go around at the distance at which the picture begins: signs, and names.
func (a *artist) obstacles() (signs, names []drawing.Box) {
	for i, p := range a.at {
		signs = append(signs, drawing.Room{Side: signRoom, Above: signRoom, Below: signRoom}.Around(p))
		if plate, ok := a.plate(i); ok {
			names = append(names, plate)
		}
	}
	return signs, names
}

// plate returns the room of a node's label, if it is not in a box and there at the distance at which the picture begins.
func (a *artist) plate(i int) (b drawing.Box, ok bool) {
	n := &a.d.Nodes[i]
	if n.Wide > 0 || a.hidden[i] {
		return b, false
	}
	return a.labelBox(i, a.d.Level, n.spot()), true
}

// touch is the distance of a name from its outline, in pixels.
const touch = 3

// besideHull returns centres for a name of some width that touches an outline from above or below, or is inside of it: the
// best first, those in the middle. At the distance where the picture begins, all of the name is inside of the picture, and
// it touches no other outline. Lines run through it only if crossed.
func (a *artist) besideHull(i int, wide float64, crossed bool) (centres []drawing.Point) {
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
		return within || !all.Has(box) || !a.words[k].Free(box) || slices.ContainsFunc(a.outs, other) || !crossed && a.crossed(-1, box)
	})
	return centres
}

// doubts draws the undecided cases.
func (a *artist) doubts() {
	signs, names := a.obstacles()
	beside := a.brackets()
	for _, k := range a.picture.doubts {
		var path string
		var centres []drawing.Point
		if e := [2]int{k.from, k.to}; a.beside(e) {
			path, _ = a.bracket(e, beside[e])
			for _, part := range []float64{0.5, 0.35, 0.65, 0.2, 0.8} {
				x := min(max(beside[e], a.d.Left+doubtWide/2), a.d.Left+a.d.Width-doubtWide/2)
				centres = append(centres, drawing.Point{X: x, Y: a.at[k.from].Y + part*(a.at[k.to].Y-a.at[k.from].Y)})
			}
		} else {
			way := drawing.Route(a.end(k.from, a.at[k.to].X), a.end(k.to, a.at[k.from].X), signs, names, true)
			path, centres = way.Path(), way.Along()
		}
		at, level := a.place(centres, doubtWide, wordTall)
		a.d.Doubts = append(a.d.Doubts, GraphDoubt{
			Path: path, X: at.X, Y: at.Y, Named: level, Href: caseAddress(a.v, k.caseID), Ends: [2]int{k.from, k.to},
			Title: "These may be one event: " + quoted.Value(a.d.Nodes[k.from].Full) + " and " + quoted.Value(a.d.Nodes[k.to].Full) + ". Needs review.",
		})
	}
}
