package cayley

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/path"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
)

// NewWalker returns a walker over a store. It uses Cayley's path API, over one snapshot
// for each walk.
func NewWalker(s *engine.Store, log *slog.Logger) store.Walker { return walker{s, log} }

type walker struct {
	store *engine.Store
	log   *slog.Logger
}

// Walk implements store.Walker.
func (w walker) Walk(ctx context.Context, read store.Walk) (found []store.Reached, cut bool, err error) {
	err = w.store.View(func(snap *engine.Snapshot) error {
		found, cut, err = w.walk(ctx, snap, read)
		return err
	})
	return found, cut, err
}

// mostPassed is how many times read.Each nodes a step may pass before the walk ends there.
const mostPassed = 50

// walk is Walk in a snapshot. It takes one step at a time, from all nodes that the previous step reached.
// Path.FollowRecursive would do the same, but drops errors, and intersects iterators
// although one index range suffices.
func (w walker) walk(ctx context.Context, snap *engine.Snapshot, read store.Walk) (found []store.Reached, cut bool, err error) {
	qs := OverSnapshot(snap, w.log)
	first, ok := qs.ValueOf(quad.IRI(read.From)).(nodeRef)
	if !ok {
		return nil, false, nil
	}
	labels, by, against, err := bounds(snap, read)
	if err != nil || len(by)+len(against) == 0 {
		return nil, false, err
	}
	seen, more := map[nodeRef]bool{first: true}, false
	frontier := []graph.Ref{first}
	for step := 1; step <= read.Steps && len(frontier) > 0; step++ {
		from := path.StartPathNodes(qs, frontier...).LabelContext(path.StartPathNodes(qs, labels...))
		frontier = nil
		passed := 0 // of this step, beyond read.Each
		for _, p := range ways(qs, from, read, by, against) {
			it := p.BuildIterator()
			for it.Next(ctx) {
				node, ok := it.Result().(nodeRef)
				if !ok || seen[node] || !dict.ID(node).IsIRI() {
					continue
				}
				if read.Each > 0 && len(frontier) == read.Each { // these are no nodes of the next step
					seen[node] = true
					passed++
					if passed < mostPassed*read.Each {
						continue
					}
					more = true
					break
				}
				more = len(found) == read.Most
				if more {
					break
				}
				t, err := snap.Term(dict.ID(node))
				if err != nil {
					return found, false, fmt.Errorf("reading a node: %w", err)
				}
				seen[node] = true
				frontier = append(frontier, it.Result())
				found = append(found, store.Reached{IRI: t.Value(), Steps: step})
			}
			err := it.Err()
			it.Close()
			cut = cut || more || passed > 0
			if err != nil || more {
				return found, cut, err
			}
		}
	}
	return found, cut, nil
}

// ways returns the paths that make one step from some nodes.
func ways(qs graph.QuadStore, from *path.Path, read store.Walk, by, against []graph.Ref) (out []*path.Path) {
	step := func(along []graph.Ref, ahead, back bool) {
		via := path.StartPathNodes(qs, along...)
		switch {
		case len(along) == 0: // no such edges
		case ahead && back:
			out = append(out, from.Both(via))
		case back:
			out = append(out, from.In(via))
		default:
			out = append(out, from.Out(via))
		}
	}
	step(by, read.Out, read.In)
	step(against, read.In, read.Out)
	return out
}

// bounds returns the graphs in which a walk stays, and the predicates that it follows: by
// in the walk's directions, against in the opposite ones.
func bounds(snap *engine.Snapshot, read store.Walk) (labels, by, against []graph.Ref, err error) {
	labels = []graph.Ref{DefaultGraph}
	contexts, ok, err := snap.ID(rdf.NewIRI(store.ContextsGraph))
	if err != nil {
		return nil, nil, nil, err
	}
	if ok {
		labels = append(labels, nodeRef(contexts))
	}
	known := map[dict.ID]bool{}
	for _, label := range labels {
		for id := range snap.Predicates(dict.ID(label.(nodeRef))) {
			known[id] = true
		}
	}
	ids := func(iris []string) (out map[dict.ID]bool, err error) {
		out = map[dict.ID]bool{}
		for _, iri := range iris {
			id, ok, err := snap.ID(rdf.NewIRI(iri))
			if err != nil {
				return nil, err
			}
			if ok {
				out[id] = true
			}
		}
		return out, nil
	}
	chosen, err := ids(read.By)
	if err != nil {
		return nil, nil, nil, err
	}
	except, err := ids(read.Except)
	if err != nil {
		return nil, nil, nil, err
	}
	opposite, err := ids(read.Against)
	if err != nil {
		return nil, nil, nil, err
	}
	for id := range known {
		follows := !except[id]
		if len(read.By) > 0 {
			follows = chosen[id]
		}
		if follows {
			by = append(by, nodeRef(id))
		}
		if opposite[id] {
			against = append(against, nodeRef(id))
		}
	}
	return labels, by, against, nil
}
