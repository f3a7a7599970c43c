package tree

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// A Cache remembers the end of a journal's tree between reads. A Reader from it hashes only
// the entries that were appended since the previous Reader. The zero Cache is ready to use.
type Cache struct {
	mu   sync.Mutex
	last *growth           // what follows the stored tree, or nil; nodes are appended, never changed
	hash [sha256.Size]byte // of the last entry in it, which depends on all before
}

// Reader returns a Reader of the tree over all entries.
func (c *Cache) Reader(r kv.Reader) (*Reader, error) {
	stored, err := edgeOf(r)
	if err != nil {
		return nil, err
	}
	end := journal.HeadOf(r)
	if end.Seq < stored.End() {
		return nil, tooLong(stored.End(), end.Seq)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g, keep := c.last, true
	switch {
	case g == nil || g.edge.End() < stored.End():
		g = &growth{from: stored.End(), edge: stored}
	case !journal.Holds(r, journal.Head{Seq: g.edge.End(), Hash: c.hash}):
		keep = g.edge.End() <= end.Seq // otherwise r is an older snapshot
		g = &growth{from: stored.End(), edge: stored}
	case g.from > stored.End(): // r is from before a flush, and lacks the nodes that this stored
		keep, g = false, &growth{from: stored.End(), edge: stored}
	case g.from < stored.End():
		g.from = stored.End()
		g.nodes = slices.DeleteFunc(slices.Clone(g.nodes), func(n node) bool { return (n.number+1)<<(tileHeight*n.level) <= g.from })
	}
	if err := g.add(r, end.Seq); err != nil {
		c.last = nil
		return nil, err
	}
	head, err := headOf(g.edge)
	if err != nil {
		return nil, err
	}
	if keep {
		c.last, c.hash = g, end.Hash
	}
	return &Reader{r, head, g.nodes, map[tileID][][]byte{}}, nil
}
