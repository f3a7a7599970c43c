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
// weightiest ones, in a ring for each step, and counts the others at the nodes that they are around.

// ringSizes are how many nodes the rings have, by the number of rings. If one has fewer, the next may have more.
var ringSizes = [maxWalkSteps + 1][]int{1: {firstNear}, 2: {12, 22}, 3: {6, 10, 12}, 4: {5, 7, 8, 10}}

// weights are those of the families of nodes in rings: people read names and sentences first.
var weights = map[string]int{"robot": 2000, "human": 2000, "event": 800, "message": 600, "activity": 300, "other": 200}

// ringed returns the walk that a picture begins with, and its group, which is its place among the
// steps, from 1. It reports false if the picture begins otherwise, or with another node than the
// walk's. The walk's nodes are on rings around its start.
func (st graphState) ringed() (walk graphOp, group int, ok bool) {
	if st.construct != "" || st.show != "" {
		return walk, 0, false
	}
	i := slices.IndexFunc(st.ops, func(o graphOp) bool { return !o.puts() })
	if i < 0 || !st.ops[i].walk || slices.ContainsFunc(st.ops[:i], func(o graphOp) bool { return o.iri != st.ops[i].iri }) {
		return walk, 0, false
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
			if walk.count > 1 && !st.chosen(n.iri) && (len(on) >= room || n.near == "" && step > 1) {
				keeper[n.iri] = cmp.Or(n.near, keeper[p.nearest(dropped, links[i])])
				by := p.nodes[p.index[keeper[n.iri]]]
				by.rest, drop[i], off = append(by.rest, n), true, append(off, i)
				continue
			}
			on = append(on, i)
		}
		if dropped, room = append(dropped, off...), max(0, room-len(on)); len(on) > 0 {
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
	for i, n := range p.nodes {
		for _, t := range slices.Concat(n.out, n.own) {
			j, there := p.index[t.O.Value()]
			if !there || i == j || !t.O.IsIRI() || n.group != group && i != start || p.nodes[j].group != group && j != start {
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

// onRing returns the indexes of the nodes of a group that a walk from a node found in its step number step.
func (p *picture) onRing(from string, group, step int) (out []int) {
	for i, n := range p.nodes {
		if n.group == group && p.distances[n.iri] == (distance{from, step}) {
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

// ringDrawn returns where the nodes of the walk that the picture begins with are, by index, around its start.
func (a *artist) ringDrawn() map[int]drawing.Point {
	walk, group, ok := a.st.ringed()
	start, there := a.index[walk.iri]
	if !ok || !there {
		return nil
	}
	of, at, rings := map[string]int{walk.iri: 0}, []int{start}, a.rings()
	nodes := []drawing.Ringed{{Room: a.rooms[start]}}
	for step := 1; step <= walk.count; step++ {
		for _, i := range a.together(rings) {
			if n := a.picture.nodes[i]; n.group == group && n.ring == step {
				of[n.iri] = len(nodes)
				nodes, at = append(nodes, drawing.Ringed{Ring: min(step, rings), Toward: of[n.near], Room: a.rooms[i]}), append(at, i)
			}
		}
	}
	out := map[int]drawing.Point{}
	if walk.in || walk.out { // causes and effects are read from left to right
		for k, p := range drawing.Steps(nodes) {
			out[at[k]] = p
		}
		return out
	}
	places, up := drawing.Rings(nodes)
	for k, p := range places {
		if out[at[k]] = p; up[k] {
			r := &a.rooms[at[k]]
			r.Above, r.Below = r.Below, r.Above
			a.d.Nodes[at[k]].Above = true
		}
	}
	return out
}

// together returns the indexes of the nodes. For a single ring, those of one shared event are beside each other, so that one
// outline holds no other.
func (a *artist) together(rings int) (all []int) {
	event := func(i int) int {
		return slices.IndexFunc(a.picture.hulls, func(h contextHull) bool { return slices.Contains(h.members, i) })
	}
	for i := range a.picture.nodes {
		all = append(all, i)
	}
	if rings == 1 {
		slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(event(i), event(j)) })
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
