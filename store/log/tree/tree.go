// Package tree keeps a Merkle tree over the journal (RFC 6962, section 2.1, with SHA-256).
//
// Its leaves are the journal's stored values, byte for byte. The tree is stored in the
// transaction that moves its entries from the memtable to the file's buckets. It stores
// one hash for each full tile of 256 leaves, one for 256 such tiles, and so on, and the
// hashes of its right edge. All other hashes are computed from the entries: at most 512
// of them for a proof, and once for those still in the memtable.
package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// bucketName is the bucket of the tree:
//
//	edge           the tree's size and the hashes of its right edge, and a checksum
//	level, number  the hash of a full tile of the level below, and a checksum
const bucketName = "tree"

const (
	tileHeight = 8
	// TileWidth is the number of hashes in a full tile.
	TileWidth = 1 << tileHeight
	hashSize  = 32
	// MaxLevel is the highest level of a tile.
	MaxLevel = 63 / tileHeight
)

var edgeKey = []byte("edge")

// nodeKey returns the key of the hash of a full tile. Level 0 is never stored.
func nodeKey(level int, number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(level)}, number)
}

var ranges = compact.RangeFactory{Hash: hashChildren}

// hashLeaf returns the hash of an entry. It uses the memory of buf, which may be nil, and
// returns that.
func hashLeaf(buf, stored []byte) (hash [hashSize]byte, memory []byte) {
	buf = append(append(buf[:0], rfc6962.RFC6962LeafHashPrefix), stored...)
	return sha256.Sum256(buf), buf
}

// hashChildren returns the hash of an inner node with two children.
func hashChildren(left, right []byte) []byte {
	var both [2 * hashSize]byte
	copy(both[:], left)
	copy(both[hashSize:], right)
	sum := hashPair(both[:])
	return sum[:]
}

// hashPair returns the hash of an inner node, given the hashes of its two children, one
// after the other.
func hashPair(both []byte) [hashSize]byte {
	var text [1 + 2*hashSize]byte
	text[0] = rfc6962.RFC6962NodeHashPrefix
	copy(text[1:], both)
	return sha256.Sum256(text[:])
}

// DamagedError reports that the tree and the journal disagree.
type DamagedError struct{ Detail string }

func (e *DamagedError) Error() string { return "the journal's tree " + e.Detail }

// Damaged describes the damage; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }

// Head is a tree's size and root hash.
type Head struct {
	Size uint64
	Root [hashSize]byte
}

// edgeOf returns the right edge of the stored tree.
func edgeOf(r kv.Reader) (*compact.Range, error) {
	sealed := r.Bucket(bucketName).Get(edgeKey)
	if sealed == nil {
		return ranges.NewEmptyRange(0), nil
	}
	v, err := kv.Unseal(edgeKey, bytes.Clone(sealed)) // it outlives the transaction
	if err != nil {
		return nil, fmt.Errorf("reading the tree: %w", err)
	}
	if len(v) < 8 || (len(v)-8)%hashSize != 0 {
		return nil, &DamagedError{"has an edge that can't be read"}
	}
	size := binary.BigEndian.Uint64(v)
	var hashes [][]byte
	for v = v[8:]; len(v) > 0; v = v[hashSize:] {
		hashes = append(hashes, v[:hashSize:hashSize])
	}
	edge, err := ranges.NewRange(0, size, hashes)
	if err != nil {
		return nil, &DamagedError{"has an edge that does not fit its size"}
	}
	return edge, nil
}

// headOf returns the head of a tree from its right edge.
func headOf(edge *compact.Range) (h Head, err error) {
	h.Size = edge.End()
	if h.Size == 0 {
		return Head{Root: sha256.Sum256(nil)}, nil
	}
	root, err := edge.GetRootHash(nil)
	if err != nil {
		return h, &DamagedError{"has no root: " + err.Error()}
	}
	return Head{h.Size, [hashSize]byte(root)}, nil
}

// HeadOf returns the head of the tree over all entries. See Cache for repeated calls.
func HeadOf(r kv.Reader) (Head, error) {
	t, err := NewReader(r)
	if err != nil {
		return Head{}, err
	}
	return t.head, nil
}

// Extend stores the tree of all entries.
func Extend(w kv.Writer) error {
	edge, err := edgeOf(w)
	if err != nil {
		return err
	}
	size := journal.Count(w)
	if size < edge.End() {
		return tooLong(edge.End(), size)
	}
	if size == edge.End() {
		return nil
	}
	g, err := grow(w, edge, size)
	if err != nil {
		return err
	}
	return g.put(w)
}

func tooLong(tree, journal uint64) error {
	return &DamagedError{fmt.Sprintf("has %d entries, and the journal only %d", tree, journal)}
}

// growth holds what some entries add to the tree.
type growth struct {
	from  uint64 // size of the tree before
	edge  *compact.Range
	nodes []node
}

type node struct {
	level  int
	number uint64
	hash   []byte
}

// grow adds the entries up to size to an edge.
func grow(r kv.Reader, edge *compact.Range, size uint64) (*growth, error) {
	g := &growth{from: edge.End(), edge: edge}
	return g, g.add(r, size)
}

// add adds the entries up to size.
func (g *growth) add(r kv.Reader, size uint64) error {
	var memory []byte
	return journal.Stored(r, g.edge.End()+1, size-g.edge.End(), func(stored []byte) error {
		hash, buf := hashLeaf(memory, stored)
		memory = buf
		return g.edge.Append(hash[:], g.visit)
	})
}

// visit keeps a new node if it is the hash of a full tile.
func (g *growth) visit(id compact.NodeID, hash []byte) {
	if id.Level > 0 && id.Level%tileHeight == 0 {
		g.nodes = append(g.nodes, node{int(id.Level / tileHeight), id.Index, hash})
	}
}

// put stores the nodes that a growing tree has got, and its edge, from which it goes on.
func (g *growth) put(w kv.Writer) error {
	b, err := w.Writable(bucketName)
	if err != nil {
		return fmt.Errorf("opening the tree: %w", err)
	}
	for _, n := range g.nodes {
		key := nodeKey(n.level, n.number)
		if err := b.Put(key, kv.Seal(key, n.hash)); err != nil {
			return fmt.Errorf("writing the tree: %w", err)
		}
	}
	hashes := g.edge.Hashes()
	v := make([]byte, 0, 8+len(hashes)*hashSize+4)
	v = binary.BigEndian.AppendUint64(v, g.edge.End())
	for _, h := range hashes {
		v = append(v, h...)
	}
	if err := b.Put(edgeKey, kv.SealInPlace(edgeKey, v)); err != nil {
		return fmt.Errorf("writing the tree: %w", err)
	}
	return nil
}

// Verifier compares the stored tree with the journal.
type Verifier struct {
	bucket kv.Bucket
	stored *compact.Range
	edge   *compact.Range
	memory []byte // for hashLeaf
	nodes  int
	wrong  error
}

// NewVerifier returns a Verifier. The caller calls Add with every stored entry, in order,
// and then End.
func NewVerifier(r kv.Reader) (*Verifier, error) {
	stored, err := edgeOf(r)
	return &Verifier{bucket: r.Bucket(bucketName), stored: stored, edge: ranges.NewEmptyRange(0)}, err
}

// Add adds an entry.
func (v *Verifier) Add(stored []byte) error {
	hash, memory := hashLeaf(v.memory, stored)
	v.memory = memory
	if err := v.edge.Append(hash[:], v.visit); err != nil {
		return &DamagedError{err.Error()}
	}
	if v.wrong == nil && v.edge.End() == v.stored.End() && !v.edge.Equal(v.stored) {
		v.wrong = &DamagedError{"does not hold the journal's last entries"}
	}
	return v.wrong
}

// visit compares a node of the computed tree with the stored one, if that is stored: those at the edges of tiles are.
func (v *Verifier) visit(id compact.NodeID, hash []byte) {
	from, to := id.Coverage()
	if id.Level == 0 || id.Level%tileHeight != 0 || v.wrong != nil || to > v.stored.End() {
		return
	}
	got, err := readNode(v.bucket, int(id.Level/tileHeight), id.Index)
	if err == nil && !bytes.Equal(got, hash) {
		err = &DamagedError{fmt.Sprintf("does not hold the entries %d to %d", from+1, to)}
	}
	v.nodes++
	v.wrong = err
}

// End checks that the stored tree has no more entries than were added, and all its nodes. It returns the head of the
// tree over the added entries. The stored tree may have fewer: it lacks those that wait for a flush. One that was cut hides
// nothing, because every proof is of the journal's entries: a Reader adds those that the tree lacks, as the next flush does.
func (v *Verifier) End() (Head, error) {
	if v.edge.End() < v.stored.End() {
		return Head{}, tooLong(v.stored.End(), v.edge.End())
	}
	n := 0
	for k := range kv.All(v.bucket) {
		if len(k) == 9 {
			n++
		}
	}
	if n != v.nodes {
		return Head{}, &DamagedError{fmt.Sprintf("has %d tiles, and %d are expected", n, v.nodes)}
	}
	return headOf(v.edge)
}

func readNode(b kv.Bucket, level int, number uint64) ([]byte, error) {
	key := nodeKey(level, number)
	return openNode(key, b.Get(key))
}

// openNode returns the hash of a stored node.
func openNode(key, sealed []byte) ([]byte, error) {
	if sealed == nil {
		return nil, &DamagedError{fmt.Sprintf("lacks a tile: %x", key)}
	}
	hash, err := kv.Unseal(key, sealed)
	if err == nil && len(hash) != hashSize {
		err = errors.New("it is not a hash")
	}
	if err != nil {
		return nil, &DamagedError{fmt.Sprintf("has a tile %x that can't be read: %v", key, err)}
	}
	return hash, nil
}
