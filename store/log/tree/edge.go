package tree

import (
	"bytes"
	"errors"

	"github.com/transparency-dev/merkle/compact"
)

// Edge is the right edge of a tree: enough to append entries and to compute the root, without
// the entries before. The zero Edge is that of an empty tree.
type Edge struct{ r *compact.Range }

// NewEdge returns the edge of a tree with a size, given its hashes one after the other, as
// Hashes returns them.
func NewEdge(size uint64, hashes []byte) (Edge, error) {
	if len(hashes)%hashSize != 0 {
		return Edge{}, errors.New("an edge of a tree has a part of a hash")
	}
	var list [][]byte
	for ; len(hashes) > 0; hashes = hashes[hashSize:] {
		list = append(list, bytes.Clone(hashes[:hashSize]))
	}
	r, err := ranges.NewRange(0, size, list)
	if err != nil {
		return Edge{}, errors.New("an edge of a tree does not fit its size")
	}
	return Edge{r}, nil
}

// Append adds an entry, by its stored bytes.
func (e *Edge) Append(stored []byte) error {
	if e.r == nil {
		e.r = ranges.NewEmptyRange(0)
	}
	hash, _ := hashLeaf(nil, stored)
	return e.r.Append(hash[:], nil)
}

// Head returns the size and the root of the tree.
func (e Edge) Head() (Head, error) {
	if e.r == nil {
		return headOf(ranges.NewEmptyRange(0))
	}
	return headOf(e.r)
}

// Size returns the number of entries.
func (e Edge) Size() uint64 {
	if e.r == nil {
		return 0
	}
	return e.r.End()
}

// Hashes returns the hashes of the edge, one after the other.
func (e Edge) Hashes() []byte {
	if e.r == nil {
		return nil
	}
	return bytes.Join(e.r.Hashes(), nil)
}

// Clone returns a copy.
func (e Edge) Clone() Edge {
	c, err := NewEdge(e.Size(), e.Hashes())
	if err != nil {
		panic(err) // e is the edge of a tree
	}
	return c
}
