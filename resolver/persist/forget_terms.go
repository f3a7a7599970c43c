package persist

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// find fills ids: with the IRIs of the person, and the literals and triple terms that have one.
func (x *erasing) find(snap *engine.Snapshot) error {
	x.snap, x.working = snap, time.Now()
	x.ids, x.terms, x.termIDs = map[dict.ID]dict.ID{}, nil, nil
	var was []dict.ID
	var becomes []rdf.Term
	look := func(id dict.ID) (bool, error) {
		x.rest()
		if id.IsLiteral() && id.Tag() != ids.TagOther { // its datatype is a known one, so it stays
			return true, nil
		}
		t, err := snap.Term(id)
		if err != nil {
			return false, err
		}
		if to := x.list.Term(t); to != t {
			was, becomes = append(was, id), append(becomes, to)
		}
		return true, nil
	}
	if err := cmp.Or(snap.Texts(rdf.KindIRI, x.list.Begins(), look), snap.Texts(rdf.KindLiteral, "", look)); err != nil {
		return err
	}
	nested, err := snap.Nested(was)
	if err != nil {
		return err
	}
	for _, id := range nested {
		x.ids[id] = 0
	}
	for i, id := range was {
		x.ids[id] = 0
		if becomes[i].IsZero() {
			continue
		}
		to, _, err := snap.ID(becomes[i])
		if err != nil {
			return err
		}
		x.ids[id], x.terms, x.termIDs = to, append(x.terms, becomes[i]), append(x.termIDs, to)
	}
	return nil
}

// gone returns the triples of a graph that change, and what becomes of each: the triples with an id of the person, and
// texts of nodes that name the person, and of their activities. If the graph is named after the person, all its triples change. Of the graph of
// contexts, whose records change, it returns none. It fills g.
func (x *erasing) gone(ctx context.Context, snap *engine.Snapshot, id dict.ID, g *erasingGraph) (gone map[index.Tuple]index.Tuple, err error) {
	gone = map[index.Tuple]index.Tuple{}
	if id != 0 {
		name, err := snap.Term(id)
		if g.contexts = name == contextsGraph; err != nil || g.contexts {
			return gone, err
		}
	}
	_, g.named = x.ids[id]
	take := func(s, p, o dict.ID, textsOnly bool) error {
		for t, err := range snap.Match(s, p, o, id).All(ctx) {
			if err != nil {
				return err
			}
			x.rest()
			switch triple := (index.Tuple{uint64(t[0]), uint64(t[1]), uint64(t[2])}); {
			case g.named || isText(snap, t[2]):
				gone[triple] = index.Tuple{}
			case !textsOnly:
				gone[triple] = x.becomes(t[0], t[1], t[2])
			}
		}
		return nil
	}
	if g.named {
		return gone, take(0, 0, 0, false)
	}
	for id := range x.ids {
		for _, p := range withID(id) {
			if err := take(p[0], p[1], p[2], false); err != nil {
				return nil, err
			}
		}
	}
	nodes := map[dict.ID]bool{} // whether each is about the person
	for t := range gone {
		if _, is := x.ids[dict.ID(t[2])]; is {
			nodes[dict.ID(t[0])] = nodes[dict.ID(t[0])] || dict.ID(t[1]) == x.topic
		}
	}
	if err := x.activities(ctx, snap, id, nodes, g.said); err != nil {
		return nil, err
	}
	for p := range x.texts {
		for s := range g.said {
			if err := take(s, p, 0, true); err != nil {
				return nil, err
			}
		}
	}
	return gone, nil
}

// activities adds to the set all the nodes of a graph, the activities from which they come and, for nodes that are about the
// person, the activities about them.
func (x *erasing) activities(ctx context.Context, snap *engine.Snapshot, graph dict.ID, nodes, all map[dict.ID]bool) error {
	withTopic := maps.Clone(x.links)
	withTopic[x.topic] = false
	for node, about := range nodes {
		all[node] = true
		links := x.links
		if about {
			links = withTopic
		}
		for p, from := range links {
			pattern := [3]dict.ID{0, p, node}
			if from {
				pattern = [3]dict.ID{node, p, 0}
			}
			for t, err := range snap.Match(pattern[0], pattern[1], pattern[2], graph).All(ctx) {
				if err != nil {
					return err
				}
				x.rest()
				if from {
					all[t[2]] = true
				} else {
					all[t[0]] = true
				}
			}
		}
	}
	return nil
}

// withID returns the patterns of the triples that have an id.
func withID(id dict.ID) [3][3]dict.ID { return [3][3]dict.ID{{id}, {0, id}, {0, 0, id}} }

// becomes returns what becomes of a triple, the zero Tuple if nothing does.
func (x *erasing) becomes(ids ...dict.ID) (out index.Tuple) {
	for i, id := range ids {
		to, is := x.ids[id]
		if is && to == 0 {
			return index.Tuple{}
		}
		if out[i] = uint64(id); is {
			out[i] = uint64(to)
		}
	}
	return out
}

func isText(snap *engine.Snapshot, id dict.ID) bool {
	t, err := snap.Term(id)
	return err == nil && store.IsText(t)
}
