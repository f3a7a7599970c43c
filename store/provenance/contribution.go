package provenance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// The contribution of a log is stored in the bucket of its graph, and removed with it. It
// lists the ids of the log's triples, whether they were new or not. A short list is
// stored as a whole. A longer one is cut into pieces at positions that depend on the
// triples themselves, and each distinct piece is stored once. So if a robot sends its
// whole graph again, with additions, its list costs a few bytes for each piece. Triples
// with blank nodes, which are new with every log, are in separate pieces after the
// others.
//
// The graph's bucket contains these buckets:
//
//	logs    number of a journal entry -> the byte listed and a run of the index, or the byte
//	        pieced, the numbers of pieces and a CRC-32C of the key and everything before
//	pieces  number -> a run of the index
//	hashes  beginning of the SHA-256 of a piece -> its number
//	heirs   inherited counts; see withdraw.go
//
// To find the logs of a triple, logsOf reads the lists, newest first. An index would cost
// each write more pages than everything else.
const (
	logsName      = "logs"
	piecesName    = "pieces"
	hashesName    = "hashes"
	inheritedName = "heirs"
)

// published is the id of the published graph.
const published = dict.ID(0)

const (
	listed = 1
	pieced = 2

	maxListed = 64 // most triples of a list that is stored as a whole
	minPiece  = 32 // fewest triples of a piece, except the last
	meanPiece = 64
	hashSize  = 8
)

// bucket returns a bucket in the bucket of a graph.
func bucket(r kv.Reader, g dict.ID, name string) kv.Bucket {
	return r.Bucket(engine.GraphPath(g, name)...)
}

// lists holds the writable buckets of a graph.
type lists struct{ logs, pieces, hashes kv.Writable }

// openLists opens the buckets of a graph's lists for writing.
func openLists(w kv.Writer, g dict.ID) (l lists, err error) {
	for name, to := range map[string]*kv.Writable{logsName: &l.logs, piecesName: &l.pieces, hashesName: &l.hashes} {
		if *to, err = w.Writable(engine.GraphPath(g, name)...); err != nil {
			return l, fmt.Errorf("opening the contributions: %w", err)
		}
	}
	return l, nil
}

// Keep implements engine.Contributions.
func (p *Provenance) Keep(tx *engine.Tx, seq uint64, graph dict.ID, triples []index.Tuple) error {
	l, err := openLists(tx.KV(), graph)
	if err != nil {
		return err
	}
	if len(triples) <= maxListed {
		return l.keepList(number(seq), append([]byte{listed}, index.Pack(triples)...))
	}
	var numbers []uint64
	lasting, fleeting, err := parted(tx, triples)
	if err != nil {
		return err
	}
	for _, part := range [][]index.Tuple{lasting, fleeting} {
		for piece := range pieces(part) {
			n, err := l.keepPiece(index.Pack(piece))
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
	}
	return l.keepPieces(number(seq), numbers)
}

// Unpublished implements engine.Contributions.
func (p *Provenance) Unpublished(tx *engine.Tx, graphs []dict.ID) (numbers []uint64) {
	r := tx.KV()
	lists := bucket(r, published, logsName)
	for _, g := range graphs {
		for key := range kv.All(bucket(r, g, logsName)) {
			if g != published && len(key) == 8 && lists.Get(key) == nil {
				numbers = append(numbers, binary.BigEndian.Uint64(key))
			}
		}
	}
	return numbers
}

// number returns the key of a journal entry or of a piece.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func (l lists) keepList(key, value []byte) error {
	if err := l.logs.Put(key, value); err != nil {
		return fmt.Errorf("writing a contribution: %w", err)
	}
	return nil
}

// keepPieces stores a list of piece numbers.
func (l lists) keepPieces(key []byte, numbers []uint64) error {
	value := []byte{pieced}
	for _, n := range numbers {
		value = varint.Append(value, n)
	}
	return l.keepList(slices.Clone(key), checksum.Append(key, value))
}

// listPieces returns the piece numbers of a list, or none if it is stored as a whole. It does not verify the checksum, as
// list does.
func listPieces(value []byte) (numbers []uint64, err error) {
	const shortest = 1 + 1 + 4 // the byte pieced, a number and the checksum
	if len(value) < shortest || value[0] != pieced {
		return nil, nil
	}
	numbers, ok := varint.All(value[1 : len(value)-4])
	if !ok {
		return nil, errList
	}
	return numbers, nil
}

// keepPiece stores a run as a piece, unless there is one, and returns its number.
func (l lists) keepPiece(run []byte) (uint64, error) {
	n, made, err := l.storePiece(run)
	if err == nil && made {
		err = l.findPiece(n, run)
	}
	return n, err
}

// storePiece stores a run of triples, unless it is stored, and returns its number. Others can't find it by its hash
// before findPiece. made reports whether the piece is new.
func (l lists) storePiece(run []byte) (n uint64, made bool, err error) {
	known := l.hashes.Get(pieceHash(run))
	if len(known) == 8 && bytes.Equal(l.pieces.Get(known), run) {
		return binary.BigEndian.Uint64(known), false, nil
	}
	if n, err = l.pieces.NextSequence(); err == nil {
		err = l.pieces.Put(number(n), run)
	}
	if err != nil {
		return 0, false, fmt.Errorf("writing a contribution: %w", err)
	}
	return n, true, nil
}

// findPiece makes a piece available by its hash, unless another piece is.
func (l lists) findPiece(n uint64, run []byte) error {
	hash := pieceHash(run)
	if l.hashes.Get(hash) != nil {
		return nil
	}
	if err := l.hashes.Put(hash, number(n)); err != nil {
		return fmt.Errorf("writing a contribution: %w", err)
	}
	return nil
}

// pieceHash returns the hash under which a piece is found.
func pieceHash(run []byte) []byte {
	sum := sha256.Sum256(run)
	return sum[:hashSize]
}

// parted separates the triples without blank nodes from those with some. It keeps their
// order.
func parted(tx *engine.Tx, ts []index.Tuple) (lasting, fleeting []index.Tuple, err error) {
	for _, t := range ts {
		is, err := isFleeting(tx, t)
		switch {
		case err != nil:
			return nil, nil, err
		case is:
			fleeting = append(fleeting, t)
		default:
			lasting = append(lasting, t)
		}
	}
	return lasting, fleeting, nil
}

// isFleeting reports whether a triple has a blank node, possibly inside a triple term.
// Such a triple is new with every log.
func isFleeting(tx *engine.Tx, t index.Tuple) (bool, error) {
	if dict.ID(t[0]).IsBlank() {
		return true, nil
	}
	is, err := tx.HasBlank(dict.ID(t[2]))
	if err != nil {
		return false, fmt.Errorf("reading a triple term: %w", err)
	}
	return is, nil
}

// pieces cuts a list after triples chosen by their hashes, so that similar lists share
// most of their pieces.
func pieces(ts []index.Tuple) iter.Seq[[]index.Tuple] {
	return func(yield func([]index.Tuple) bool) {
		from := 0
		for i, t := range ts {
			if endsPiece(t, i+1-from) || i == len(ts)-1 {
				if !yield(ts[from : i+1]) {
					return
				}
				from = i + 1
			}
		}
	}
}

// endsPiece reports whether a piece ends with t as its nth triple.
func endsPiece(t index.Tuple, n int) bool {
	return n == index.MaxRun || n >= minPiece && index.Hash(t)%meanPiece == 0
}

// list calls f with the runs of a list, each with the number of its piece, or 0 if the
// list is stored as a whole. skip, unless nil, reports whether to skip a piece.
func list(pieces kv.Bucket, key, value []byte, skip func(piece uint64) bool, f func(run []index.Tuple, piece uint64) error) error {
	if len(value) == 0 {
		return errList
	}
	if value[0] == listed {
		run, err := index.Unpack(nil, value[1:])
		if err != nil {
			return err
		}
		return f(run, 0)
	}
	numbers, ok := checksum.Cut(key, value)
	if value[0] != pieced || !ok || len(numbers) == 0 {
		return errList
	}
	var run []index.Tuple
	for rest := numbers[1:]; len(rest) > 0; {
		var n uint64
		if n, rest, ok = varint.Cut(rest); !ok || n == 0 {
			return errList
		}
		if skip != nil && skip(n) {
			continue
		}
		v := pieces.Get(number(n))
		if v == nil {
			return &index.DamagedError{Detail: "a piece of a contribution is missing"}
		}
		var err error
		if run, err = index.Unpack(run[:0], v); err != nil {
			return err
		}
		if err := f(run, n); err != nil {
			return err
		}
	}
	return nil
}

var errList = &index.DamagedError{Detail: "a list of a contribution was changed"}

// uses calls use with each id in the lists of all graphs, and reads each piece once: see engine.Extension.
func uses(ctx context.Context, snap *engine.Snapshot, use func(dict.ID)) error {
	for _, g := range snap.Graphs() {
		pieces, read := bucket(snap.KV(), g, piecesName), map[uint64]bool{}
		for k, v := range kv.All(bucket(snap.KV(), g, logsName)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := list(pieces, k, v, func(n uint64) bool { return read[n] }, func(run []index.Tuple, n uint64) error {
				read[n] = n != 0 // 0 is no piece
				for _, t := range run {
					use(dict.ID(t[0]))
					use(dict.ID(t[1]))
					use(dict.ID(t[2]))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// check verifies the lists of all graphs.
func check(c *engine.Checker) error {
	for _, g := range c.Graphs() {
		if err := checkGraph(c, g); err != nil {
			return fmt.Errorf("graph %#x: contributions: %w", uint64(g), err)
		}
	}
	if _, _, err := forgotten(c.KV(), nil); err != nil {
		return fmt.Errorf("what logs lost by erasures: %w", err)
	}
	return nil
}

// checkGraph verifies the lists of a graph: they can be decoded, their logs are in the
// journal, their triples have terms, and every piece is used and can be found only by its
// own hash.
func checkGraph(c *engine.Checker, g dict.ID) error {
	used := map[uint64]bool{}
	if g == published {
		for _, scratch := range c.Scratch() {
			for k, v := range kv.All(c.KV().Bucket(scratch...)) {
				numbers, err := readMade(k, v)
				if err != nil {
					return err
				}
				for _, n := range numbers {
					used[n] = true
				}
			}
		}
	}
	all := bucket(c.KV(), g, piecesName)
	head := journal.HeadOf(c.KV()).Seq
	for k, value := range kv.All(bucket(c.KV(), g, logsName)) {
		if len(k) != 8 || binary.BigEndian.Uint64(k) == 0 || binary.BigEndian.Uint64(k) > head {
			return fmt.Errorf("%x is not a log", k)
		}
		if err := c.Context().Err(); err != nil {
			return err
		}
		known := func(piece uint64) bool { return used[piece] }
		err := list(all, k, value, known, func(run []index.Tuple, piece uint64) error {
			used[piece] = true
			for _, t := range run {
				if err := c.CheckTerms(engine.SPO.Triple(t)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for k := range kv.All(all) {
		if len(k) != 8 || !used[binary.BigEndian.Uint64(k)] {
			return fmt.Errorf("piece %x belongs to no log", k)
		}
	}
	for k, n := range kv.All(bucket(c.KV(), g, hashesName)) {
		if !bytes.Equal(pieceHash(all.Get(n)), k) {
			return fmt.Errorf("piece %x does not match its hash", n)
		}
	}
	receivers := bucket(c.KV(), g, inheritedName)
	for k := range kv.All(receivers) {
		if _, err := inherited(receivers, k); err != nil {
			return fmt.Errorf("what log %x inherited: %w", k, err)
		}
	}
	return nil
}
