package explore

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Sizes of the diagram.
const (
	columnWide = WhyWide + 54
	rowHigh    = WhyTall + 16
	maxBoxes   = 44
	boxLetters = 23 // in a line
)

// drawable reports whether there is a chain to draw: two boxes at least.
func (t *teller) drawable() bool { return len(t.drawn()) > 1 }

// draw draws the chain, which must be drawable: each effect is at the right of its causes. An activity and what
// it made, such as a message, share a box. It has at most maxBoxes boxes, those nearest to
// the start.
func (t *teller) draw() *WhyDrawing {
	nodes := t.drawn()
	d := &WhyDrawing{Left: max(0, len(nodes)-maxBoxes)}
	nodes = nodes[:len(nodes)-d.Left]
	index := map[*graphNode]int{}
	for i, n := range nodes {
		index[n] = i
	}
	best := map[[2]int]*whyLink{}
	var edges [][2]int
	for i := range t.links {
		l := &t.links[i]
		from, ok := index[t.act(l.cause)]
		to, there := index[t.act(l.effect)]
		edge := [2]int{from, to}
		old, known := best[edge]
		joins := ok && there && from != to
		worse := known && old.rank <= l.rank
		past := t.isEffect(l.effect) != t.isEffect(l.cause) && t.act(l.cause) != t.act(t.start) // the start, from a cause to a consequence
		if !joins || worse || past {
			continue
		}
		if best[edge] = l; !known {
			edges = append(edges, edge)
		}
	}
	at, routes := drawing.Layers(len(nodes), edges)
	for i, n := range nodes {
		b := WhyBox{X: 2 + float64(at[i].Column)*columnWide, Y: 2 + at[i].Row*rowHigh, Sign: n.sign, Full: t.clause(n), Href: views.WhyAddress(n.iri), Start: n == t.act(t.start)}
		b.Lines, b.Note = t.boxed(n)
		d.Boxes = append(d.Boxes, b)
		d.Width, d.Height = max(d.Width, b.X+WhyWide+2), max(d.Height, b.Y+WhyTall+2)
	}
	for k, e := range edges {
		l := best[e]
		kind := arrowKind(l)
		from, to := d.Boxes[e[0]], d.Boxes[e[1]]
		d.Arrows = append(d.Arrows, WhyArrow{Path: drawing.Arrow(drawing.Point{X: from.X + WhyWide, Y: from.Y + WhyTall/2}, drawing.Point{X: to.X - 2, Y: to.Y + WhyTall/2}, passed(routes[k])), Kind: kind, Href: t.logOf(l).Address(), Title: to.Lines[0] + ", " + l.words + ": " + from.Lines[0]})
		if word := (WhyWord{Kind: kind, Words: arrowWords[kind]}); !slices.Contains(d.Words, word) {
			d.Words = append(d.Words, word)
		}
		for _, c := range routes[k] {
			d.Height = max(d.Height, 2+c.Row*rowHigh+WhyTall)
		}
	}
	slices.SortFunc(d.Words, func(a, b WhyWord) int { return strings.Compare(b.Words, a.Words) })
	return d
}

// drawn returns the nodes that have a box, nearest to the start first. Settings of model
// runs have none, nor has the training of models if the start is not part of it: the graph
// has them.
func (t *teller) drawn() (nodes []*graphNode) {
	const far = 99 // more than any steps
	near := func(n *graphNode) int { return min(cmp.Or(t.steps[n.iri], far), cmp.Or(t.after[n.iri], far)) }
	nodes = []*graphNode{t.act(t.start)}
	aboutModel := t.start.isModel() || t.ofModels(t.act(t.start))
	for _, n := range t.nodes {
		hidden := n.isParty() || n.isSetting() || !aboutModel && t.ofModels(t.act(n))
		linked := (t.isCause(n) || t.isEffect(n)) && len(t.causes[n.iri])+len(t.effects[n.iri]) > 0
		if linked && !hidden && !slices.Contains(nodes, t.act(n)) {
			nodes = append(nodes, t.act(n))
		}
	}
	slices.SortStableFunc(nodes[1:], func(a, b *graphNode) int { return near(a) - near(b) })
	return nodes
}

// isSetting reports whether a node is a setting or a measurement of a model's run.
func (n *graphNode) isSetting() bool { return n.is(vocabulary.MLSHyperParameterValue) }

// ofModels reports whether a node belongs to the training or the evaluation of models.
func (y *why) ofModels(n *graphNode) bool {
	trains := func(n *graphNode) bool {
		return n.is(vocabulary.MLSRun) && slices.ContainsFunc(y.makes(n), (*graphNode).isModel)
	}
	return trains(n) || n.is(vocabulary.MLSModelEvaluation) || n.is(vocabulary.MLSDataset) && !slices.ContainsFunc(y.effects[n.iri], func(l *whyLink) bool { return !trains(l.effect) })
}

// act returns the activity that made a node, if it is among the causes and consequences or is the
// start, and otherwise the node itself. It returns models and their evaluations themselves: they are
// not counted as part of the run that made them.
func (y *why) act(n *graphNode) *graphNode {
	for range 2 { // an emotion is part of an annotation, which an activity made
		for _, m := range y.madeBy(n) {
			_, cause := y.steps[m.iri]
			_, effect := y.after[m.iri]
			if !n.isModel() && !n.is(vocabulary.MLSModelEvaluation) && (cause || effect || m == y.start) {
				n = m
				break
			}
		}
	}
	return n
}

// isCause reports whether a node is among the causes, and not part of the start's act.
func (y *why) isCause(n *graphNode) bool {
	_, ok := y.steps[n.iri]
	return ok && y.act(n) != y.act(y.start)
}

// isEffect reports whether a node is among the consequences.
func (y *why) isEffect(n *graphNode) bool {
	_, ok := y.after[n.iri]
	return ok && !y.isCause(n) && y.act(n) != y.act(y.start)
}

var arrowWords = map[string]string{"trigger": "triggered", "made": "made", "use": "was used by", "follow": "led to"}

// arrowKind returns how a link looks.
func arrowKind(l *whyLink) string {
	switch l.iri {
	case vocabulary.SegbTriggeredByActivity, vocabulary.SegbTriggeredByEntity, vocabulary.ProvWasInformedBy:
		return "trigger"
	case vocabulary.ProvUsed, vocabulary.SegbUsedMLModel, vocabulary.MLSHasInput:
		return "use"
	case vocabulary.ProvWasDerivedFrom, vocabulary.ProvWasInfluencedBy:
		return "follow"
	}
	return "made"
}

// passed returns where a line passes cells.
func passed(cells []drawing.Cell) (over []drawing.Span) {
	for _, c := range cells {
		left := 2 + float64(c.Column)*columnWide
		over = append(over, drawing.Span{Left: left, Right: left + WhyWide, Y: 2 + c.Row*rowHigh + WhyTall/2})
	}
	return over
}

// boxed returns the lines of a node's box and the note below them.
func (t *teller) boxed(n *graphNode) (lines []string, note string) {
	t.brief = true
	text := t.clause(n)
	t.brief = false
	if parts := quoted.Parts(text); n.isActivity() && len(parts) > 2 && parts[len(parts)-1].Value {
		said := parts[len(parts)-1].Text
		did := strings.TrimRight(strings.TrimSuffix(text, said), ": ")
		said, _ = views.CutText(said, boxLetters)
		lines = []string{did, said}
	} else {
		lines = wrap(text)
	}
	if note = cmp.Or(views.KindSaid(n.kind), "activity"); !n.at.IsZero() {
		form := views.DayForm
		if sameDay(n.at, t.time()) {
			form = time.TimeOnly
		}
		note = n.at.Format(form) + " · " + note
	}
	note, _ = views.CutText(note, boxLetters+1)
	return lines, note
}

// wrap splits a text into at most two lines.
func wrap(text string) []string {
	if utf8.RuneCountInString(text) <= boxLetters {
		return []string{text}
	}
	runes := []rune(text)
	cut := boxLetters
	for i := boxLetters; i > boxLetters/2; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	rest, _ := views.CutText(strings.TrimSpace(string(runes[cut:])), boxLetters-1)
	return []string{strings.TrimSpace(string(runes[:cut])), rest}
}
