package persist

import (
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// find fills ids: with the IRIs of the person, and the triple terms that have one. idsOf finds terms.
func (x *erasing) find(snap *engine.Snapshot, idsOf func([]rdf.Term, []dict.ID) error) error {
	x.ids = map[dict.ID]dict.ID{}
	var was []dict.ID
	var becomes []rdf.Term
	err := snap.Texts(rdf.KindIRI, x.list.Begins(), func(id dict.ID) (bool, error) {
		t, err := snap.Term(id)
		if err != nil {
			return false, err
		}
		if to := x.list.Term(t); to != t {
			was, becomes = append(was, id), append(becomes, to)
		}
		return true, nil
	})
	if err != nil {
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
		var to [1]dict.ID
		if !becomes[i].IsZero() {
			if err := idsOf(becomes[i:i+1], to[:]); err != nil {
				return err
			}
		}
		x.ids[id] = to[0]
	}
	x.out.Terms = len(x.ids)
	return nil
}

// gone returns the triples of a graph that change, and what becomes of each: those with an id of the person, and the
// texts of nodes that name the person; or all, if the graph is named after the person. Of the graph of contexts, whose
// records change, it returns none.
func (x *erasing) gone(snap *engine.Snapshot, g dict.ID) (gone map[index.Tuple]index.Tuple, contexts bool, err error) {
	gone = map[index.Tuple]index.Tuple{}
	if g != 0 {
		name, err := snap.Term(g)
		if err != nil || name == contextsGraph {
			return gone, true, err
		}
	}
	_, named := x.ids[g]
	take := func(s, p, o dict.ID, textsOnly bool) error {
		scan := snap.Match(s, p, o, g)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, t := range batch {
				sub, pred, obj := scan.Order.Triple(t)
				switch triple := (index.Tuple{uint64(sub), uint64(pred), uint64(obj)}); {
				case named || isText(snap, obj):
					gone[triple] = index.Tuple{}
				case !textsOnly:
					gone[triple] = x.becomes(sub, pred, obj)
				}
			}
		}
		return scan.Err()
	}
	if named {
		return gone, false, take(0, 0, 0, false)
	}
	for id := range x.ids {
		for _, p := range withID(id) {
			if err := take(p[0], p[1], p[2], false); err != nil {
				return nil, false, err
			}
		}
	}
	said := map[dict.ID]bool{}
	for t := range gone {
		if _, is := x.ids[dict.ID(t[2])]; is {
			said[dict.ID(t[0])] = true
		}
	}
	for _, text := range vocabulary.Sentences {
		p, _, err := snap.ID(text)
		if err != nil {
			return nil, false, err
		}
		if p == 0 {
			continue
		}
		for s := range said {
			if err := take(s, p, 0, true); err != nil {
				return nil, false, err
			}
		}
	}
	return gone, false, nil
}

// withID returns the patterns of the triples that have an id.
func withID(id dict.ID) [3][3]dict.ID { return [3][3]dict.ID{{id}, {0, id}, {0, 0, id}} }

// becomes returns what becomes of a triple.
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

// isText reports whether the term with an id is a text.
func isText(snap *engine.Snapshot, id dict.ID) bool {
	t, err := snap.Term(id)
	return err == nil && store.IsText(t)
}
