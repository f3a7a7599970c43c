package engine

import (
	"fmt"
	"sort"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
)

// Uses reports whether a quad has the term as its subject, predicate, object or graph.
func (s *Snapshot) Uses(id dict.ID) (bool, error) {
	for _, g := range s.Graphs() {
		v := s.view(g)
		if v.count(0) == 0 {
			continue
		}
		if g == id || v.count(id) > 0 {
			return true, nil
		}
		for _, o := range []Order{SPO, OSP} {
			lo, hi := index.Prefix(uint64(id))
			scan := s.Range(g, o, lo, hi)
			if scan.Next() != nil {
				return true, nil
			}
			if scan.Err() != nil {
				return false, fmt.Errorf("looking for a term's quads: %w", scan.Err())
			}
		}
	}
	return false, nil
}

// Nodes appends to out the ids of terms that quads use, sorted and distinct, beginning with
// the id from: at least limit, or all that are left. end reports whether that is all. It
// merges the indexes of all graphs and the graphs' names, because the dictionary also keeps
// terms that are not used any more.
func (s *Snapshot) Nodes(from dict.ID, limit int, out []dict.ID) (ids []dict.ID, end bool, err error) {
	streams, err := nodeStreams(s, from)
	if err != nil {
		return out, false, fmt.Errorf("reading nodes: %w", err)
	}
	// Opening a stream costs about as much as a result, so read at least one result for
	// each stream.
	for limit = max(limit, len(streams)); limit > 0; limit-- {
		var least dict.ID
		for _, n := range streams {
			if id := n.head(); id != 0 && (least == 0 || id < least) {
				least = id
			}
		}
		if least == 0 {
			return out, true, nil
		}
		out = append(out, least)
		for _, n := range streams {
			if n.head() != least {
				continue
			}
			if err := n.pass(least); err != nil {
				return out, false, fmt.Errorf("reading nodes: %w", err)
			}
		}
	}
	return out, false, nil
}

// nodeStream yields the first ids of an index's tuples in order or, if scan is nil, a
// single id.
type nodeStream struct {
	scan  *index.Scan
	batch []index.Tuple
}

// nodeStreams opens all streams at the first id not less than from.
func nodeStreams(s *Snapshot, from dict.ID) ([]*nodeStream, error) {
	var out []*nodeStream
	for _, g := range s.Graphs() {
		v := s.view(g)
		if v.count(0) == 0 {
			continue
		}
		if g >= from {
			out = append(out, &nodeStream{batch: []index.Tuple{{uint64(g)}}})
		}
		for o := range v.indexes {
			n := &nodeStream{scan: v.indexes[o].Scan()}
			if err := n.seek(from); err != nil {
				return nil, err
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// head returns the current id of the stream, or 0 at its end and for the default graph.
func (n *nodeStream) head() dict.ID {
	if len(n.batch) == 0 {
		return 0
	}
	return dict.ID(n.batch[0][0])
}

// pass moves past id, which is the head, skipping all quads of the term at once.
func (n *nodeStream) pass(id dict.ID) error {
	i := sort.Search(len(n.batch), func(i int) bool { return n.batch[i][0] > uint64(id) })
	n.batch = n.batch[i:]
	if len(n.batch) > 0 || n.scan == nil {
		return nil
	}
	return n.seek(id + 1)
}

func (n *nodeStream) seek(id dict.ID) error {
	lo, _ := index.Prefix(uint64(id))
	_, hi := index.Prefix()
	n.scan.Seek(lo, hi)
	n.batch = n.scan.Next()
	return n.scan.Err()
}
