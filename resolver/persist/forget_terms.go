package persist

import (
	"slices"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/rdf"
)

// gone returns the triples of a graph that change, and what becomes of each: all of them, or those with an id of the
// person and the texts of nodes that name the person.
func (x *erasing) gone(snap *engine.Snapshot, g dict.ID, all bool) (map[index.Tuple]index.Tuple, error) {
	gone := map[index.Tuple]index.Tuple{}
	take := func(s, p, o dict.ID, textsOnly bool) error {
		scan := snap.Match(s, p, o, g)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, t := range batch {
				sub, pred, obj := scan.Order.Triple(t)
				if !textsOnly || isText(snap, obj) {
					gone[index.Tuple{uint64(sub), uint64(pred), uint64(obj)}] = x.becomes(sub, pred, obj)
				}
			}
		}
		return scan.Err()
	}
	if all {
		return gone, take(0, 0, 0, false)
	}
	for id := range x.ids {
		for _, p := range withID(id) {
			if err := take(p[0], p[1], p[2], false); err != nil {
				return nil, err
			}
		}
	}
	said := map[dict.ID]bool{}
	for t := range gone {
		if _, is := x.ids[dict.ID(t[2])]; is {
			said[dict.ID(t[0])] = true
		}
	}
	texts := make([]dict.ID, len(sentences))
	if err := x.tx.Find(sentences, texts); err != nil {
		return nil, err
	}
	texts = slices.DeleteFunc(texts, func(p dict.ID) bool { return p == 0 })
	for s := range said {
		for _, p := range texts {
			if err := take(s, p, 0, true); err != nil {
				return nil, err
			}
		}
	}
	return gone, nil
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

// isText reports whether a term is a text that people wrote or said.
func isText(snap *engine.Snapshot, id dict.ID) bool {
	t, err := snap.Term(id)
	return err == nil && t.IsLiteral() && (t.Datatype() == rdf.XSDString || t.Tag() != "")
}
