package tree

import (
	"bytes"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// A Reader reads tiles, and computes heads and proofs of any size up to the tree's. It
// keeps the tiles that it has read.
type Reader struct {
	r     kv.Reader
	head  Head
	grown []node // hashes of full tiles that are not stored yet
	tiles map[tileID][][]byte
}

type tileID struct {
	level  int
	number uint64
}

// NewReader returns a Reader of the tree over all entries.
func NewReader(r kv.Reader) (*Reader, error) { return new(Cache).Reader(r) }

// Size returns the size of the tree.
func (t *Reader) Size() uint64 { return t.head.Size }

// Latest returns the head of the tree.
func (t *Reader) Latest() Head { return t.head }

// Tile returns the first width hashes of a tile, one after the other. ok is false if the
// tree does not have them.
func (t *Reader) Tile(level int, number uint64, width int) (hashes []byte, ok bool, err error) {
	if !t.Has(level, number, width) {
		return nil, false, nil
	}
	tile, err := t.tile(level, number, width)
	if err != nil {
		return nil, false, err
	}
	return bytes.Join(tile[:width], nil), true, nil
}

// Has reports whether the tree has the first width hashes of a tile.
func (t *Reader) Has(level int, number uint64, width int) bool {
	if level < 0 || level > MaxLevel || width < 1 || width > TileWidth || number > t.head.Size {
		return false
	}
	return number*TileWidth+uint64(width) <= t.head.Size>>(tileHeight*level)
}

// tile returns at least the first width hashes of a tile.
func (t *Reader) tile(level int, number uint64, width int) ([][]byte, error) {
	id := tileID{level, number}
	if tile := t.tiles[id]; len(tile) >= width {
		return tile, nil
	}
	first, tile := number*TileWidth, make([][]byte, 0, width)
	if level == 0 {
		var memory []byte
		all := make([]byte, 0, width*hashSize)
		err := journal.Stored(t.r, first+1, uint64(width), func(stored []byte) error {
			hash, buf := hashLeaf(memory, stored)
			all, memory = append(all, hash[:]...), buf
			tile = append(tile, all[len(all)-hashSize:len(all):len(all)])
			return nil
		})
		t.tiles[id] = tile
		return tile, err
	}
	for k, v := range kv.From(t.r.Bucket(bucketName), nodeKey(level, first)) {
		if !bytes.Equal(k, nodeKey(level, first+uint64(len(tile)))) {
			break
		}
		hash, err := openNode(k, v)
		if err != nil {
			return nil, err
		}
		tile = append(tile, hash)
		if len(tile) == width {
			break
		}
	}
	for _, n := range t.grown {
		if n.level == level && n.number == first+uint64(len(tile)) && len(tile) < width {
			tile = append(tile, n.hash)
		}
	}
	if len(tile) < width {
		return nil, &DamagedError{fmt.Sprintf("lacks a tile of level %d", level)}
	}
	t.tiles[id] = tile
	return tile, nil
}

// node returns the hash of a complete subtree.
func (t *Reader) node(id compact.NodeID) ([]byte, error) {
	level, height := int(id.Level/tileHeight), id.Level%tileHeight
	first := id.Index << height
	number, at, n := first/TileWidth, int(first%TileWidth), 1<<height
	tile, err := t.tile(level, number, at+n)
	if err != nil {
		return nil, err
	}
	hashes := bytes.Join(tile[at:at+n], nil)
	for ; len(hashes) > hashSize; hashes = hashes[:len(hashes)/2] {
		for i := 0; i < len(hashes); i += 2 * hashSize {
			sum := hashPair(hashes[i : i+2*hashSize])
			copy(hashes[i/2:], sum[:])
		}
	}
	return hashes, nil
}

func (t *Reader) nodes(ids []compact.NodeID) ([][]byte, error) {
	hashes := make([][]byte, len(ids))
	for i, id := range ids {
		var err error
		if hashes[i], err = t.node(id); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// Head returns the head that the tree had with size entries.
func (t *Reader) Head(size uint64) (Head, error) {
	if size > t.head.Size {
		return Head{}, t.tooLarge(size)
	}
	hashes, err := t.nodes(compact.RangeNodes(0, size, nil))
	if err != nil {
		return Head{}, err
	}
	edge, err := ranges.NewRange(0, size, hashes)
	if err != nil {
		return Head{}, &DamagedError{err.Error()}
	}
	return headOf(edge)
}

func (t *Reader) tooLarge(size uint64) error {
	return fmt.Errorf("the tree has %d entries, and not %d", t.head.Size, size)
}

// Inclusion returns the proof that the tree of a size has the entry with an index, from 0
// (RFC 6962, section 2.1.1).
func (t *Reader) Inclusion(index, size uint64) ([][]byte, error) {
	if size > t.head.Size {
		return nil, t.tooLarge(size)
	}
	p, err := proof.Inclusion(index, size)
	if err != nil {
		return nil, fmt.Errorf("proving an entry: %w", err)
	}
	return t.proof(p)
}

// Consistency returns the proof that the tree of one size begins with that of a smaller
// one (RFC 6962, section 2.1.2).
func (t *Reader) Consistency(from, to uint64) ([][]byte, error) {
	if to > t.head.Size {
		return nil, t.tooLarge(to)
	}
	p, err := proof.Consistency(from, to)
	if err != nil {
		return nil, fmt.Errorf("proving that the tree has grown: %w", err)
	}
	return t.proof(p)
}

func (t *Reader) proof(p proof.Nodes) ([][]byte, error) {
	hashes, err := t.nodes(p.IDs)
	if err != nil {
		return nil, err
	}
	if hashes, err = p.Rehash(hashes, hashChildren); err != nil {
		return nil, fmt.Errorf("proving: %w", err)
	}
	return hashes, nil
}
