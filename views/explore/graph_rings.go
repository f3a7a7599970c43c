package explore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// Within some steps of a node there are often more nodes than anybody reads. The picture draws the
// weightiest ones, in a column for each step, and counts the others at the nodes that they are around.

// ringSizes are how many nodes the rings have, by the number of rings. If one has fewer, the next may have more.
var ringSizes = [maxWalkSteps + 1][]int{1: {firstNear}, 2: {10, 18}, 3: {6, 10, 12}, 4: {5, 7, 8, 10}}

// maxFan is how many nodes a tree of one step has at most, with its root: more would be too small to read.
const maxFan = 30

// weights are those of the families of nodes in rings: people read names and sentences first.
var weights = map[string]int{"robot": 2000, "human": 2000, "event": 800, "message": 600, "activity": 300, "other": 200}

// ringed returns the walk that a picture begins with, and its group, which is its place among the
// steps, from 1. It reports false if the picture begins otherwise, or with another node than the
// walk's. The walk's nodes are on rings around its start. Neighbours by one predicate are as a walk of one step.
func (st graphState) ringed() (walk graphOp, group int, ok bool) {
	if st.construct != "" || st.show != "" {
		return walk, 0, false
	}
	i := slices.IndexFunc(st.ops, func(o graphOp) bool { return !o.puts() })
	if i < 0 || slices.ContainsFunc(st.ops[:i], func(o graphOp) bool { return o.iri != st.ops[i].iri }) {
		return walk, 0, false
	}
	if !st.ops[i].walk {
		return nearby(st.ops[i].iri), i + 1, true
	}
	return st.ops[i], i + 1, true
}

// thin leaves the weightiest nodes of the walk that the picture begins with, each with a node that
// it stands near, and the nodes that the reader chose. Each other node is kept as the rest of a node
// that is left: the one that it would stand near or, if there is none, that of its nearest other.
func (p *picture) thin(st graphState) {
	walk, group, ok := st.ringed()
	start, there := p.index[walk.iri]
	if !ok || !there {
		return
	}
	links := p.links(group, start)
	p.nodes[start].ring = 0
	before, dropped, room := []int{start}, []int(nil), 0
	drop, keeper := map[int]bool{}, map[string]string{"": walk.iri}
	for step := 1; step <= walk.count; step++ {
		room += ringSizes[walk.count][step-1]
		var on, off []int
		for _, i := range p.byWeight(p.onRing(walk.iri, group, step), links) {
			n := p.nodes[i]
			n.ring, n.near = step, p.nearest(before, links[i])
			full, alone := len(on) >= room, n.near == "" && step > 1
			if walk.count > 1 && !st.chosen(n.iri) && (full || alone) {
				keeper[n.iri] = cmp.Or(n.near, keeper[p.nearest(dropped, links[i])])
				by := p.nodes[p.index[keeper[n.iri]]]
				by.rest, drop[i], off = append(by.rest, n), true, append(off, i)
				continue
			}
			on = append(on, i)
		}
		dropped, room = append(dropped, off...), max(0, room-len(on)) // the next ring gets the room that is left
		if len(on) > 0 {
			before = on
		}
	}
	p.keep(func(i int) bool { return !drop[i] })
}

// chosen reports whether the reader put a node into the picture, or looks at it.
func (st graphState) chosen(iri string) bool {
	return iri == st.selected || slices.Contains(st.along, iri) || slices.ContainsFunc(st.ops, func(o graphOp) bool { return o.iri == iri })
}

// links returns how many edges lead from each node of a walk to each other one, by index.
func (p *picture) links(group, start int) map[int]map[int]int {
	out := map[int]map[int]int{}
	walked := func(i int) bool { return i == start || p.nodes[i].group == group }
	for i, n := range p.nodes {
		for _, t := range slices.Concat(n.out, n.own) {
			j, there := p.index[t.O.Value()]
			if !there || i == j || !t.O.IsIRI() || !walked(i) || !walked(j) {
				continue
			}
			for _, e := range [][2]int{{i, j}, {j, i}} {
				if out[e[0]] == nil {
					out[e[0]] = map[int]int{}
				}
				out[e[0]][e[1]]++
			}
		}
	}
	return out
}

// onRing returns the indexes of the nodes of a group that a walk from a node found in its step number step. Those that no walk
// found, because they are neighbours by one predicate, are as those of step 1.
func (p *picture) onRing(from string, group, step int) (out []int) {
	for i, n := range p.nodes {
		if d, walked := p.distances[n.iri]; n.group == group && (d == distance{from, step} || !walked && step == 1) {
			out = append(out, i)
		}
	}
	return out
}

// byWeight sorts some nodes, the weightiest first. Each further node of a kind weighs less, so that there are several kinds.
func (p *picture) byWeight(all []int, links map[int]map[int]int) []int {
	weight := map[int]int{}
	for _, i := range all {
		weight[i] = weights[p.nodes[i].family] + min(len(links[i]), 99)
		if p.nodes[i].label != "" {
			weight[i] += 50
		}
	}
	sorted := func() {
		slices.SortStableFunc(all, func(a, b int) int { return weight[b] - weight[a] })
	}
	sorted()
	kinds := map[string]int{}
	for _, i := range all {
		n := p.nodes[i]
		weight[i] -= 100 * kinds[n.kind] // so that kinds mix
		kinds[n.kind]++
	}
	sorted()
	return all
}

// nearest returns the IRI of the node among some that one has the most links to, or "".
func (p *picture) nearest(among []int, links map[int]int) (iri string) {
	best := 0
	for _, i := range among {
		if links[i] > best {
			iri, best = p.nodes[i].iri, links[i]
		}
	}
	return iri
}

// rings returns how many rings are drawn: as far as there are nodes.
func (p *picture) rings() (most int) {
	for _, n := range p.nodes {
		most = max(most, n.ring)
	}
	return most
}

// treeDrawn returns where the nodes of the walk that the picture begins with are, by index: in a tree from its start.
func (a *artist) treeDrawn() map[int]drawing.Point {
	walk, group, ok := a.st.ringed()
	start, there := a.index[walk.iri]
	if !ok || !there {
		return a.eventsDrawn()
	}
	of, all, rings := map[string]int{walk.iri: 0}, []int{start}, a.rings()
	branches, nodes := []drawing.Branch{{}}, a.together(rings)
	for step := 1; step <= walk.count; step++ {
		for _, i := range nodes {
			if n := a.picture.nodes[i]; n.group == group && n.ring == step {
				of[n.iri] = len(all)
				branch := drawing.Branch{Step: step, Toward: of[n.near]}
				if rings == 1 {
					branch.Group = 1 + a.event(i)
				}
				all, branches = append(all, i), append(branches, branch)
			}
		}
	}
	if a.d.Tree = rings > 1 || rings == 1 && len(all) <= maxFan; !a.d.Tree {
		return nil
	}
	out := map[int]drawing.Point{}
	places, wide, tall := drawing.Tree(branches)
	for k, i := range all {
		out[i] = places[k]
		if k > 0 {
			a.besideIn(i, wide, tall[a.picture.nodes[i].ring])
		}
	}
	return out
}

// byEvents makes a ring of what robots reported of shared events, if the picture has not much more than that and begins in no other
// way.
func (a *artist) byEvents() {
	_, _, walked := a.st.ringed()
	if walked || a.st.show+a.st.construct != "" || len(a.st.along) > 0 || a.d.Chain || len(a.picture.hulls) == 0 || len(a.picture.nodes) > maxFan {
		return
	}
	for _, n := range a.picture.nodes {
		if n.family != "robot" {
			n.ring = 1
		}
	}
}

// eventsDrawn returns where the nodes of byEvents are, by index: reports in rows, those of one event together, and robots at the left
// in the middle of what they reported.
func (a *artist) eventsDrawn() map[int]drawing.Point {
	if a.d.Tree = a.d.Rings == 1; !a.d.Tree {
		return nil
	}
	a.d.Events = true
	branches, rows, out := []drawing.Branch{{}}, []int(nil), map[int]drawing.Point{}
	for _, i := range a.together(1) {
		if a.picture.nodes[i].ring == 1 {
			rows, branches = append(rows, i), append(branches, drawing.Branch{Step: 1, Group: 1 + a.event(i)})
		}
	}
	places, wide, tall := drawing.Tree(branches)
	for k, i := range rows {
		out[i] = places[k+1]
		a.besideIn(i, wide, tall[1])
	}
	var robots []int
	for i, n := range a.picture.nodes {
		if n.ring == 0 {
			sum, count := 0.0, 0.0
			for _, e := range a.pairs {
				if p, reported := out[e[0]+e[1]-i]; reported && (e[0] == i || e[1] == i) {
					sum, count = sum+p.Y, count+1
				}
			}
			robots, out[i] = append(robots, i), drawing.Point{Y: sum / max(1, count)}
			a.d.Nodes[i].Aside, a.rooms[i].Side = -1, asideGap+letterWide*float64(longest(a.d.Nodes[i].Label)) // its name is at its left
		}
	}
	slices.SortFunc(robots, func(i, j int) int { return cmp.Compare(out[i].Y, out[j].Y) })
	for k, i := range robots[min(1, len(robots)):] { // each has room
		out[i] = drawing.Point{Y: max(out[i].Y, out[robots[k]].Y+2*lineRoom)}
	}
	return out
}

// Rooms, in pixels: for lines between columns of a tree, and at the right of its only one, and between labels of its rows.
const (
	lineRoom   = 56
	besideRoom = 84
	rowGap     = 8
)

// besideIn puts the label of a node of a tree beside it, in a column of some width and a row of some height. Of several nodes with
// one name, each begins with its kind.
func (a *artist) besideIn(i int, wide, tall float64) {
	n := &a.d.Nodes[i]
	letters := int((wide - asideGap - lineRoom) / lineLetter)
	if a.d.Rings == 1 { // lines between them run at the right
		letters = int((wide - asideGap - besideRoom) / letterWide)
	}
	if n.More != "" {
		letters -= int(n.badgeWide() / letterWide)
	}
	lines := min(4, max(1, int((tall-rowGap)/lineTall)))
	if letters > 2*nodeLetters {
		lines = 1
	}
	n.Label, n.Aside = label(a.kindFirst(i), letters, lines), 1
	a.rooms[i] = drawing.Room{Side: asideGap + letterWide*float64(letters), Above: tall / 2, Below: tall / 2}
}

// kindFirst returns the name of a node, after the word for its kind if a node of another kind has that name too: after that of its
// class, if the kinds have one word.
func (a *artist) kindFirst(i int) string {
	n, before := a.picture.nodes[i], ""
	name := n.toldApart()
	for _, o := range a.picture.nodes {
		if o.kind == n.kind || o.toldApart() != name {
			continue
		} else if before = kindWord(n.kind) + ": "; kindWord(o.kind) == kindWord(n.kind) {
			before = views.PlainWords(n.kind) + ": "
			break
		}
	}
	return before + name
}

// branch returns the ends of a line between a node of a tree and one in the next column. ok is false for other lines.
func (a *artist) branch(e [2]int) (left, right int, ok bool) {
	left, right = e[0], e[1]
	if a.at[right].X < a.at[left].X {
		left, right = right, left
	}
	return left, right, a.d.Tree && a.picture.nodes[left].ring+1 == a.picture.nodes[right].ring
}

// twig returns how a line runs between a node of a tree and one in the next column: straight from its label to where the longest
// in its column ends. ok is false if the nodes are not so.
func (a *artist) twig(e [2]int) (w way, ok bool) {
	left, right, ok := a.branch(e)
	if !ok {
		return w, false
	}
	from, to := drawing.Point{X: a.behind(left), Y: a.at[left].Y}, drawing.Point{X: a.at[right].X - drawing.Keep, Y: a.at[right].Y}
	bend := from
	for i := range a.at {
		if a.at[i].X == a.at[left].X && a.picture.nodes[i].ring == a.picture.nodes[left].ring {
			bend.X = max(bend.X, a.behind(i))
		}
	}
	if to.X-bend.X < shortTwig {
		return w, false
	}
	if a.picture.nodes[right].near == a.picture.nodes[left].iri { // the tree's own, which turn where no other does
		x := min(bend.X+firstTrunk, to.X-shortTwig)
		w = way{points: []drawing.Point{from, {X: x, Y: from.Y}, {X: x, Y: to.Y}, to}, path: drawing.Bracket(from, to, x), centres: []drawing.Point{{X: (x + to.X) / 2, Y: to.Y}}}
		if left == e[1] {
			w.path = drawing.Bracket(to, from, x)
		}
		return w, true
	}
	l := drawing.Twig(bend, to)
	w = way{points: append([]drawing.Point{from}, l.Points()...), path: fmt.Sprintf("M%.0f %.0fL", from.X, from.Y) + l.Path()[1:]}
	if left == e[1] {
		w.path = drawing.Twig(to, bend).Path()
		if from.X < bend.X-1 {
			w.path += fmt.Sprintf("L%.0f %.0f", from.X, from.Y)
		}
	}
	for _, part := range []float64{0.6, 0.5, 0.7, 0.8, 0.4} {
		w.centres = append(w.centres, drawing.Point{X: bend.X + part*(to.X-bend.X), Y: l.At(part).Y})
	}
	return w, true
}

// Of a line between columns of a tree: the least room for its bend and head, and the distance of where it turns from the labels, in
// pixels.
const (
	shortTwig  = 14
	firstTrunk = 12
)

// behind returns where a line to the right begins at a node of a tree: behind its label and badge.
func (a *artist) behind(i int) float64 {
	n := &a.d.Nodes[i]
	if n.Aside <= 0 {
		return a.at[i].X + drawing.Keep
	} else if n.More != "" {
		return a.at[i].X + asideGap + labelWide(n.Label) + n.badgeWide()*levels[a.d.Level] + labelGap
	}
	return a.labelBox(i, a.d.Level, n.spot()).Right + labelGap
}

// event returns the index of the shared event of a node, or -1.
func (a *artist) event(i int) int {
	return slices.IndexFunc(a.picture.hulls, func(h contextHull) bool { return slices.Contains(h.members, i) })
}

// together returns the indexes of the nodes. For a single step, those of one shared event are together, by time.
func (a *artist) together(rings int) (all []int) {
	var events []int
	for i := range a.picture.nodes {
		all, events = append(all, i), append(events, a.event(i))
	}
	if rings == 1 {
		slices.SortStableFunc(all, func(i, j int) int {
			return cmp.Or(events[i]-events[j], a.picture.nodes[i].at.Compare(a.picture.nodes[j].at))
		})
	}
	return all
}

// restCard lists what is not drawn near the node that the state names, or returns nil.
func (p *picture) restCard(st graphState, names []turtle.Prefix) *GraphRest {
	i := slices.IndexFunc(p.nodes, func(n *graphNode) bool { return n.rest != nil && nodeKey(n.iri) == st.rest })
	if i < 0 {
		return nil
	}
	all := p.nodes[i].rest
	out := &GraphRest{Title: moreAround(len(all), p.nodes[i].name(names))}
	for _, n := range all {
		k := slices.IndexFunc(out.Kinds, func(k GraphRestKind) bool { return k.Name == kindWord(n.kind) })
		if k < 0 {
			out.Kinds, k = append(out.Kinds, GraphRestKind{Name: kindWord(n.kind)}), len(out.Kinds)
		}
		out.Kinds[k].Links = append(out.Kinds[k].Links, GraphLink{Label: n.toldApart(), Sign: n.sign, Href: st.adding(n.iri).page(), IRI: n.iri})
	}
	return out
}

// moreAround says how many nodes near another are not drawn.
func moreAround(count int, name string) string {
	return fmt.Sprintf("%s more around %s", views.Count(count), quoted.Value(name))
}
