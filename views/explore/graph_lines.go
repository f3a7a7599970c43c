package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
)

// gather finds the lines to draw, one for all edges between two nodes, and what they say. If the edges go both ways, the first
// edge decides the arrow, and what others say against it is turned.
func (a *artist) gather() {
	type ends = [2]int
	told, beside := map[ends]bool{}, map[ends]bool{}
	a.says, a.often = map[ends][]string{}, map[ends]string{}
	for i, e := range a.pairs {
		edge := a.picture.edges[i]
		if len(a.d.Edges) < maxEdges {
			a.row(edge, &a.d.Nodes[e[0]], edge.name(a.names), &a.d.Nodes[e[1]])
		} else {
			a.d.More++
		}
		if a.omits(e) {
			beside[ends{min(e[0], e[1]), max(e[0], e[1])}] = true
			continue
		}
		e, name, _ := a.towards(i)
		if back := (ends{e[1], e[0]}); back != e && a.says[back] != nil {
			e = back
			if _, ok := edgeWords[edge.P.Value()]; ok { // which has a word for each direction
				name = a.picture.word(edge, e != a.pairs[i])
			} else {
				name = "back: " + name
			}
		}
		if edge.told != "" {
			if told[e] = true; edge.times > 0 {
				a.often[e] = views.Plural(edge.times, map[bool]string{true: "sentence", false: "time"}[edge.told != "used"]) + edge.last.Format(", last 15:04:05")
			}
		} else if told[e] { // what an offered picture says comes first, and is enough
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
	a.bracketed, a.ways = a.brackets(), nil
	for _, e := range a.order {
		from, to := a.at[e[0]], a.at[e[1]]
		if path, centres, ok := a.through(e); ok {
			a.ways = append(a.ways, way{path: path, centres: centres, bound: true})
		} else if e[0] == e[1] {
			path, at := drawing.Loop(from)
			a.ways = append(a.ways, way{path: path, centres: []drawing.Point{at}, bound: true})
		} else if a.beside(e) {
			path, points := a.bracket(e, a.bracketed[e])
			a.ways = append(a.ways, way{path: path, points: points, centres: []drawing.Point{{X: a.bracketed[e], Y: (from.Y + to.Y) / 2}}})
		} else if w, ok := a.twig(e); ok {
			a.ways = append(a.ways, w)
		} else {
			l := drawing.Route(a.end(e[0], to), a.end(e[1], from), signs, names, false)
			a.ways = append(a.ways, way{path: l.Path(), points: l.Points(), centres: l.Along()})
		}
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
	near := from.near == to.iri || to.near == from.iri
	selected := a.d.Nodes[e[0]].Selected || a.d.Nodes[e[1]].Selected
	onRing := max(from.ring, to.ring) > 0
	return onRing && !near && !selected && !a.steps(from.iri, to.iri)
}

// lines draws the lines, and writes their words.
func (a *artist) lines() {
	for k, e := range a.order {
		a.d.Lines = append(a.d.Lines, a.line(e, a.says[e], a.ways[k]))
	}
	if len(a.order) > manyLines { // all say one thing, mostly, or have no room
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
		if a.write(lines[group]); a.d.Lines[lines[group][0]].Named >= 0 {
			continue
		}
		for _, k := range lines[group] { // the word alone is shorter
			a.d.Lines[k].Often = ""
		}
		a.write(lines[group])
	}
	a.d.Unnamed = a.unnamed(func(l GraphLine) bool { return l.Named < 0 && !l.Selected })
	a.d.OfChosen = a.unnamed(func(l GraphLine) bool { return l.Named < 0 && l.Selected })
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
	at := a.inOneColumn(lines)
	for _, k := range lines {
		l, w := &a.d.Lines[k], a.ways[k]
		across, tall := a.roomOf(l)
		free, named := slices.Clone(w.centres), -1
		if at >= 0 {
			free = free[at : at+1]
		}
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
				a.d.Lines[k].Named, a.d.Lines[k].Path = -1, a.ways[k].path
			}
			return
		}
		l.X, l.Y, l.Named = place.X, place.Y, min(named, max(linesNamed, a.d.Level))
		box := wordBox(place, across, tall, a.d.Level)
		l.Grouped = slices.ContainsFunc(a.outs, func(o drawing.Outline) bool { return o.Holds(box) })
		if at >= 0 && len(w.points) == 2 { // so that no bit of the line shows between its words
			l.Path = drawing.Around(w.points[0], w.points[1], box)
		}
	}
}

// roomOf returns the size of the words of a line, with a gap around them. Texts of columns have the same size at every distance.
func (a *artist) roomOf(l *GraphLine) (across, tall float64) {
	across, tall = wide(l.lines())+wordGap, wordTall*float64(len(l.lines()))+wordGap
	if len(a.d.Heads) > 0 {
		across, tall = across/levels[a.d.Level], tall/levels[a.d.Level]
	}
	return across, tall
}

// inOneColumn returns the first of the places of words, as way has them, at which all of some lines between columns have room for
// theirs, or -1.
func (a *artist) inOneColumn(lines []int) int {
	if len(a.d.Heads) == 0 {
		return -1
	}
	places := len(a.ways[lines[0]].centres)
	for _, k := range lines {
		places = min(places, len(a.ways[k].centres)) // a loop has one
	}
	for at := range places {
		words := a.words[a.d.Level].Clone()
		if !slices.ContainsFunc(lines, func(k int) bool {
			across, tall := a.roomOf(&a.d.Lines[k])
			box := wordBox(a.ways[k].centres[at], across, tall, a.d.Level)
			taken := !words.Free(box) || a.crossed(k, box)
			words.Take(box)
			return taken
		}) {
			return at
		}
	}
	return -1
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
		Title: from.said() + " " + strings.Join(all, ", ") + " " + to.said(), Often: a.often[e]}
	cause, effect := to.at, from.at
	if slices.Contains(all, "led to") {
		cause, effect = effect, cause
	} else if !slices.Contains(all, "because of") {
		cause = time.Time{}
	}
	if line.Late = views.IsLate(cause, effect); line.Late {
		line.Title += ": " + views.LateWords
	}
	if len(all) > maxWords {
		line.Words = append(slices.Clone(all[:maxWords-1]), fmt.Sprintf("and %d more", len(all)-maxWords+1))
	}
	if !slices.Contains(a.pairs, e) {
		line.Href = a.st.choosing(to.IRI, from.IRI).page() // as it is logged
	}
	return line
}

// lines returns the lines of a line's label.
func (l GraphLine) lines() []string {
	if l.Often == "" {
		return l.Words
	}
	return []string{strings.Join(l.Words, ", ") + ", " + l.Often}
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

// onPath returns the place of a node on the found path, or -1.
func (a *artist) onPath(iri string) int { return slices.Index(a.st.along, iri) }

// steps reports whether the found path connects two nodes, in either direction.
func (a *artist) steps(from, to string) bool {
	p, q := a.onPath(from), a.onPath(to)
	return min(p, q) >= 0 && (p == q+1 || q == p+1)
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
