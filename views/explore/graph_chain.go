package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// A walk to causes is drawn as a chain: boxes in columns, so that each effect is at the right of its causes.

// Sizes of a chain, in pixels.
const (
	chainWide  = usualWidth - 2*margin // of a chain with few columns
	chainGap   = 62.0                  // between columns, for the word of a line
	chainRow   = 22.0                  // between rows
	widestLink = 230.0                 // greatest and least width of its boxes
	leastLink  = 132.0
	linkLines  = 6 // most lines of a label
	linkFoot   = 24.0
	linkPad    = 10.0
	linkLine   = 16.0 // height of a line
)

// causing are the predicates that lead to causes, sorted as those of walks are.
var causing = []string{vocabulary.SegbTriggeredByActivity, vocabulary.SegbTriggeredByEntity, vocabulary.ProvWasGeneratedBy, vocabulary.ProvWasInformedBy}

// later are predicates whose subject follows from their object.
var later = append([]string{vocabulary.ProvWasInfluencedBy, vocabulary.ProvWasDerivedFrom, vocabulary.ProvUsed, vocabulary.SegbUsedMLModel}, causing...)

// causal returns the group of the walk to causes that a picture begins with, and its start. ok is false if it begins otherwise.
func (st graphState) causal() (group int, start string, ok bool) {
	walk, group, ok := st.ringed()
	by := strings.Fields(walk.by)
	ok = ok && walk.out && len(by) > 0 && !slices.ContainsFunc(by, func(p string) bool { return !slices.Contains(causing, p) })
	return group, walk.iri, ok
}

// fold leaves out what activities of the picture made, except for the node start. In its edges, the activity stands for it.
func (p *picture) fold(start string) {
	maker := map[string]string{}
	acts := func(iri string) bool {
		i, there := p.index[iri]
		return there && p.nodes[i].isActivity()
	}
	for _, n := range p.nodes {
		if acts(n.source) {
			maker[n.iri] = n.source
		}
		for _, t := range n.out {
			if made := t.P.Value() == vocabulary.ProvGenerated || t.P.Value() == vocabulary.SegbProducedEntityResult; made && n.isActivity() {
				maker[t.O.Value()] = n.iri
			}
		}
	}
	var folded []string
	p.keep(func(i int) bool {
		n := p.nodes[i]
		if maker[n.iri] == "" || n.isActivity() || n.iri == start {
			return true
		}
		folded = append(folded, n.iri)
		return false
	})
	for _, iri := range folded {
		by := maker[iri]
		p.index[iri] = p.index[by]
		if d, ok := p.distances[iri]; ok && d.steps < p.distances[by].steps {
			p.distances[by] = d
		}
	}
}

// chain lays out the nodes of a walk to causes.
type chain struct {
	of     map[int]bool // its nodes
	cells  []drawing.Cell
	passed map[[2]int][]drawing.Cell // that lines from causes to effects pass
	wide   float64                   // of a box
	tall   float64
}

// chained returns the chain of a picture by links, or nil if it has none.
func (a *artist) chained() *chain {
	group, start, ok := a.st.causal()
	if !ok {
		return nil
	}
	c := &chain{of: map[int]bool{}, passed: map[[2]int][]drawing.Cell{}}
	var all []int
	place := map[int]int{}
	for i, n := range a.picture.nodes {
		if n.group == group || n.iri == start {
			place[i], c.of[i], all = len(all), true, append(all, i)
		}
	}
	a.chain = c
	var pairs, edges [][2]int
	for i := range a.pairs {
		if e, _, turned := a.towards(i); turned && e[0] != e[1] && !slices.Contains(pairs, e) {
			pairs, edges = append(pairs, e), append(edges, [2]int{place[e[0]], place[e[1]]})
		}
	}
	cells, routes := drawing.Layers(len(all), edges)
	columns := 0
	c.cells = make([]drawing.Cell, len(a.picture.nodes))
	for k, i := range all {
		c.cells[i], columns = cells[k], max(columns, cells[k].Column+1)
	}
	for k, e := range pairs {
		c.passed[e] = routes[k]
	}
	c.wide = min(max((chainWide-chainGap*float64(columns-1))/float64(columns), leastLink), widestLink)
	return c
}

// towards returns the ends of an edge in the direction in which it is drawn, and what it says: in a chain, from cause to
// effect, and on the found path from its start if there is a word for each direction. turned reports whether it is an edge of the chain.
func (a *artist) towards(i int) (ends [2]int, word string, turned bool) {
	e, edge := a.pairs[i], a.picture.edges[i]
	if a.chain != nil && a.chain.of[e[0]] && a.chain.of[e[1]] && slices.Contains(later, edge.P.Value()) {
		return [2]int{e[1], e[0]}, linkWord(edge.P.Value(), true), true
	}
	_, both := edgeWords[edge.P.Value()]
	if from, to := a.onPath(edge.S.Value()), a.onPath(edge.O.Value()); both && to >= 0 && from == to+1 {
		return [2]int{e[1], e[0]}, a.picture.word(edge, true), false
	}
	return e, a.picture.word(edge, false), false
}

// at returns the middle of a cell.
func (c *chain) at(cell drawing.Cell) drawing.Point {
	return drawing.Point{X: float64(cell.Column) * (c.wide + chainGap), Y: cell.Row * (c.tall + chainRow)}
}

// chainDrawn returns where the nodes of the chain are, by index.
func (a *artist) chainDrawn() map[int]drawing.Point {
	out := map[int]drawing.Point{}
	for i := range a.chain.of {
		out[i] = a.chain.at(a.chain.cells[i])
	}
	return out
}

// through returns the path of a line of the chain, and the places for its word. ok is false if the line is not of the chain.
func (a *artist) through(e [2]int) (path string, centres []drawing.Point, ok bool) {
	if a.chain == nil {
		return "", nil, false
	}
	passed, ok := a.chain.passed[e]
	if !ok {
		return "", nil, false
	}
	half := a.chain.wide / 2
	from, to := a.at[e[0]], a.at[e[1]]
	from.X, to.X = from.X+half, to.X-half-2
	var over []drawing.Span
	for _, cell := range passed {
		p := a.chain.at(cell)
		over = append(over, drawing.Span{Left: p.X - half, Right: p.X + half, Y: p.Y})
		centres = append(centres, p)
	}
	if len(centres) == 0 {
		centres = []drawing.Point{{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}}
	}
	return drawing.Arrow(from, to, over), centres, true
}

// footed returns the clock of a box, or else its word.
func (n *GraphPoint) footed() string {
	return cmp.Or(n.Clock, n.Word)
}

// tagWide returns the width of the tag of a box.
func (n *GraphPoint) tagWide() float64 { return 7.5*float64(longest([]string{n.Tag})) + 14 }

// titled returns what a node's title says.
func (n *GraphPoint) titled(name string) string {
	if n.By == "" {
		return fmt.Sprintf("%s · %s", name, n.Word)
	}
	did := deed(n.Word, false)
	if _, ok := deeds[n.Word]; !ok { // it does not tell the kind
		did = n.Word + " · " + did
	}
	return fmt.Sprintf("%s · %s %s", name, did, quoted.Name(n.By))
}

// byWhom sets who did what a box shows, in a tag that has room beside its clock.
func (a *artist) byWhom(point *GraphPoint, n *graphNode) {
	if by := cmp.Or(n.performer, n.author); by != "" {
		point.By = a.picture.name(by, a.names)
		point.Tag, _ = views.CutText(point.By, int((point.Wide-90)/7.5))
	}
}

// boxes makes each box of the chain as tall as its text, and the rows as the tallest.
func (a *artist) boxes() {
	for i := range a.chain.of {
		n := &a.d.Nodes[i]
		n.Tall = 2*linkPad + linkLine*float64(len(n.Label)) + linkFoot
		a.chain.tall = max(a.chain.tall, n.Tall)
	}
}
