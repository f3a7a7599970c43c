package cayley

import (
	"context"
	"fmt"
	"sort"

	"github.com/cayleygraph/cayley/graph"

	"github.com/segraph/segraph/store/dict"
	"github.com/segraph/segraph/store/index"
)

// nodeSet is all nodes: the terms that quads use. The dictionary keeps terms for ever, so it is the
// indexes that are asked.
type nodeSet struct{}

var _ resultSet[nodeRef] = nodeSet{}

func (nodeSet) String() string      { return "segraph nodes" }
func (nodeSet) walk() walk[nodeRef] { return &nodeWalk{} }

func (nodeSet) contains(s *Snapshot, r nodeRef) (bool, error) { return s.uses(dict.ID(r)) }

// size is that of the quads, a guess.
func (nodeSet) size(s *Snapshot) (graph.Size, error) {
	size, err := quadSet{}.size(s)
	size.Exact = false
	return size, err
}

// uses tells whether a quad of any graph has the term as subject, predicate, object or label.
func (s *Snapshot) uses(id dict.ID) (bool, error) {
	for _, g := range s.Graphs() {
		counts := s.view(g).counts
		if readCount(counts, 0) == 0 {
			continue
		}
		if g == id || readCount(counts, id) > 0 {
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

// countNodes counts the nodes of one moment.
func countNodes(ctx context.Context, s *Snapshot) (graph.Size, error) {
	out := graph.Size{Exact: true}
	var batch []nodeRef
	for w := (&nodeWalk{}); ; {
		if err := contextErr(ctx); err != nil {
			return graph.Size{}, err
		}
		var err error
		if batch, err = w.next(s, batch[:0]); err != nil {
			return graph.Size{}, err
		}
		if len(batch) == 0 {
			return out, nil
		}
		out.Size += int64(len(batch))
	}
}

// nodeWalk gives nodes in the order of their ids, by merging what begins the tuples of every index
// of every graph, and the graphs' names.
type nodeWalk struct {
	from dict.ID // where it goes on
	end  bool
}

func (w *nodeWalk) next(s *Snapshot, out []nodeRef) ([]nodeRef, error) {
	if w.end {
		return out, nil
	}
	streams, err := nodeStreams(s, w.from)
	// Opening a stream costs about what a result does, so the more there are, the more
	// is read at once.
	for most := max(batchSize, len(streams)); err == nil && len(out) < most; {
		var least dict.ID
		for _, n := range streams {
			if id := n.head(); id != 0 && (least == 0 || id < least) {
				least = id
			}
		}
		if least == 0 {
			w.end = true
			break
		}
		out = append(out, nodeRef(least))
		w.from = least + 1
		for _, n := range streams {
			if n.head() == least {
				err = n.pass(least)
			}
			if err != nil {
				break
			}
		}
	}
	if err != nil {
		return out, fmt.Errorf("reading nodes: %w", err)
	}
	return out, nil
}

// nodeStream gives the ids that begin an index's tuples, in order, or with no index a single one.
type nodeStream struct {
	scan  *index.Scan
	batch []index.Tuple
}

// nodeStreams opens all streams before the first id that is not less than from.
func nodeStreams(s *Snapshot, from dict.ID) ([]*nodeStream, error) {
	var out []*nodeStream
	for _, g := range s.Graphs() {
		v := s.view(g)
		if readCount(v.counts, 0) == 0 {
			continue
		}
		if g >= from {
			out = append(out, &nodeStream{batch: []index.Tuple{{uint64(g)}}})
		}
		for o := range v.indexes {
			n := &nodeStream{scan: index.NewScan(v.indexes[o])}
			if err := n.seek(from); err != nil {
				return nil, err
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// head is the id where the stream is, 0 at its end, which the default graph's name is too.
func (n *nodeStream) head() dict.ID {
	if len(n.batch) == 0 {
		return 0
	}
	return dict.ID(n.batch[0][0])
}

// pass goes on behind id, which is the head. A term with many quads is jumped over.
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
