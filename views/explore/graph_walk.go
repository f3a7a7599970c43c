package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// walkTime limits a walk. The nodes found by then are shown.
const walkTime = 500 * time.Millisecond

// notWalked are predicates that lead to classes. A walk follows them only on request.
var notWalked = []string{rdf.RDFType, vocabulary.RDFSSubClassOf}

// structural are classes of nodes that say little by themselves. The legend begins with them left out.
var structural = []string{vocabulary.Schema + "PropertyValue", vocabulary.SOSAObservation, vocabulary.ScObservation, vocabulary.SegbResult, vocabulary.OAAnnotation}

// walked is the result of a walk.
type walked struct {
	from  string
	steps int
	after []int // number of nodes found by each step
	plain bool  // it needs no words
	late  bool  // time ran out before the walk was complete
	first bool  // there are more neighbours
}

// distance is the number of steps from the start of a walk to a node.
type distance struct {
	from  string
	steps int
}

// getWithin adds the walk of a form to the state, and shows it.
func (u *handlers) getWithin(w http.ResponseWriter, r *http.Request) error {
	given := r.URL.Query()
	words := append([]string{"*" + given.Get("way"), given.Get("steps"), given.Get("from")}, given["by"]...)
	op, ok := readGraphOp(strings.Join(words, " "))
	if !ok {
		return front.NewProblem(http.StatusUnprocessableEntity, "a walk has 1 to %d steps from an IRI, and at most %d predicates", maxWalkSteps, maxWalkBy)
	}
	given.Del("edge")
	given.Set("node", op.iri)
	if !given.Has("without") {
		given["without"] = slices.Clone(structural)
	}
	u.Redirect(w, r, readGraphState(given).walking(op).page())
	return nil
}

// walk adds the nodes within some steps of a node, nearest first.
func (u *handlers) walk(ctx context.Context, p *picture, st graphState, op graphOp, group int) error {
	if u.Config.Walker == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, walkTime)
	defer cancel()
	most, each := maxGraphNodes, maxGraphNodes/op.count
	if op.count == 1 {
		most, each = firstNear, firstNear
	}
	found, cut, err := u.Config.Walker.Walk(limited, store.Walk{From: op.iri, By: strings.Fields(op.by), Except: notWalked, Out: !op.in, In: !op.out, Steps: op.count, Most: most, Each: each})
	if err != nil && (limited.Err() == nil || ctx.Err() != nil) {
		return err
	}
	p.add(op.iri, group, -1, st)
	parent, ok := p.index[op.iri]
	if !ok {
		parent = -1
	}
	p.full = p.full || cut && op.count > 1
	_, _, causal := st.causal()
	walk := walked{from: op.iri, steps: op.count, plain: causal || op.count == 1, after: make([]int, op.count), late: err != nil, first: cut && op.count == 1}
	for _, n := range found {
		walk.after[n.Steps-1]++
		p.add(n.IRI, group, parent, st)
		if old, ok := p.distances[n.IRI]; !ok || n.Steps < old.steps {
			p.distances[n.IRI] = distance{op.iri, n.Steps}
		}
	}
	p.walks = append(p.walks, walk)
	return nil
}

// walkNotes describes the results of the walks.
func (p *picture) walkNotes(names []turtle.Prefix) []string {
	var out []string
	for _, w := range p.walks {
		var parts []string
		for i, n := range w.after {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%s at %s", views.Count(n), views.Plural(i+1, "step")))
			}
		}
		text := fmt.Sprintf("Within %s of %s: %s.", views.Plural(w.steps, "step"), p.name(w.from, names), cmp.Or(strings.Join(parts, ", "), "nothing"))
		if w.first && p.filters > 0 {
			text = fmt.Sprintf("Of the first %d neighbours of %s, the filters show some. Expand to see others.", firstNear, quoted.Name(p.name(w.from, names)))
		} else if w.first {
			text = fmt.Sprintf("The first %d neighbours of %s are shown. Expand to see more.", firstNear, quoted.Name(p.name(w.from, names)))
		} else if w.plain && !w.late {
			continue // all neighbours or causes are there
		}
		if w.late {
			text += fmt.Sprintf(" The search stopped after %v: there may be more.", walkTime)
		}
		out = append(out, text)
	}
	return out
}

// away returns the distance of a node from the start of a walk, or "".
func (p *picture) away(iri string, names []turtle.Prefix) string {
	d, ok := p.distances[iri]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d from %s", d.steps, p.name(d.from, names))
}

// walkForm offers walks from a node, along all predicates, or along a predicate that the
// card or the picture has.
func (u *handlers) walkForm(st graphState, p *picture, card *GraphCard, predicates []string) {
	if u.Config.Walker == nil {
		return
	}
	for _, e := range p.edges {
		if e.told == "" {
			predicates = append(predicates, e.P.Value())
		}
	}
	slices.Sort(predicates)
	w := &GraphWalk{Steps: []int{2, 3, 4}}
	for _, op := range st.ops {
		if op.walk && op.iri == card.IRI {
			w.Now, w.Way, w.Along = op.count, strings.TrimPrefix(op.way(), "*"), strings.Fields(op.by)
		}
	}
	for _, iri := range slices.Compact(predicates) {
		name := linkWord(iri, false)
		if i := slices.IndexFunc(w.By, func(o GraphOption) bool { return o.Name == name }); i >= 0 { // predicates of one word are one choice
			w.By[i].Value += " " + iri
		} else if !slices.Contains(notWalked, iri) {
			w.By = append(w.By, GraphOption{Value: iri, Name: name})
		}
	}
	slices.SortFunc(w.By, func(a, b GraphOption) int { return strings.Compare(a.Name, b.Name) })
	card.Walk = w
}

// walking returns the state with a walk from a node, in place of earlier walks by the
// same predicates.
func (st graphState) walking(op graphOp) graphState {
	st.ops = slices.Clone(st.ops)
	if i := slices.IndexFunc(st.ops, op.same); i >= 0 {
		st.ops[i] = op
	} else {
		st.ops = append(st.ops, op)
	}
	return st.selecting(op.iri)
}
