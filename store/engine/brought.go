package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/journal"
)

// What a log brought is kept beside the graph that it went to, and goes with it: the ids of its
// triples, whether they were new or not. A short list stands by itself. A longer one is cut into
// pieces where the triples themselves say so, each of which is stored once: a robot that sends its whole
// graph again, with some more in it, costs a few bytes a piece. Triples with blank nodes, which are new with
// every log, stand in pieces of their own behind the others.
//
//	logs    number of the journal's entry -> listed and one run of the index, or
//	        pieced, the numbers of pieces and a CRC-32C of key and all before it
//	pieces  number -> a run of the index
//	hashes  the beginning of the SHA-256 of a piece -> its number
//
// From a triple to its logs the lists are read, the newest first: an index for it would cost each
// write more pages than all else.
var (
	logsName   = []byte("logs")
	piecesName = []byte("pieces")
	hashesName = []byte("hashes")
)

const (
	listed = 1
	pieced = 2

	maxListed = 64 // triples that stand by themselves
	minPiece  = 32 // triples of a piece, but for the last
	meanPiece = 64
	hashSize  = 8
)

// brought is what a log brought to one graph, in the order of the SPO index and without repetition.
type brought struct {
	graph   dict.ID
	triples []index.Tuple
}

// journal appends the entry of a write and keeps what the write brought, if the file has a journal.
func (tx *Tx) journal(e journal.Entry) error {
	seq, err := journal.Append(tx.KV(), e)
	if err != nil {
		return err
	}
	if seq == 0 {
		tx.brought = nil
	}
	for _, b := range tx.brought {
		if err := tx.keep(seq, b); err != nil {
			return err
		}
	}
	tx.brought = nil
	return nil
}

// keep stores one list.
func (tx *Tx) keep(seq uint64, b brought) error {
	g, err := tx.graph(b.graph)
	if err != nil {
		return err
	}
	key := idKey(dict.ID(seq))
	if len(b.triples) <= maxListed {
		return g.keepList(key, append([]byte{listed}, index.Pack(b.triples)...))
	}
	var numbers []uint64
	lasting, fleeting := parted(b.triples)
	for _, part := range [][]index.Tuple{lasting, fleeting} {
		for piece := range pieces(part) {
			n, err := g.keepPiece(index.Pack(piece))
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
	}
	return g.keepPieces(key, numbers)
}

func (g *graphBuckets) keepList(key, value []byte) error {
	if err := g.logs.Put(key, value); err != nil {
		return fmt.Errorf("writing what a log brought: %w", err)
	}
	return nil
}

// keepPieces stores a list of pieces, by their numbers.
func (g *graphBuckets) keepPieces(key []byte, numbers []uint64) error {
	value := []byte{pieced}
	for _, n := range numbers {
		value = varint.Append(value, n)
	}
	return g.keepList(slices.Clone(key), checksum.Append(key, value))
}

// listPieces gives the numbers of the pieces of a list, none where it stands by itself.
func listPieces(value []byte) (numbers []uint64, err error) {
	if len(value) < 6 || value[0] != pieced {
		return nil, nil
	}
	numbers, ok := varint.All(value[1 : len(value)-4])
	if !ok {
		return nil, errList
	}
	return numbers, nil
}

// keepPiece stores a run, if it is not there yet, and gives its number.
func (g *graphBuckets) keepPiece(run []byte) (uint64, error) {
	n, made, err := g.storePiece(run)
	if err == nil && made {
		err = g.findPiece(n, run)
	}
	return n, err
}

// storePiece stores a run and says whether it made a piece of it, which is not found by its hash yet, or found one.
func (g *graphBuckets) storePiece(run []byte) (n uint64, made bool, err error) {
	known := g.hashes.Get(pieceHash(run))
	if len(known) == 8 && bytes.Equal(g.pieces.Get(known), run) {
		return binary.BigEndian.Uint64(known), false, nil
	}
	if n, err = g.pieces.NextSequence(); err == nil {
		err = g.pieces.Put(idKey(dict.ID(n)), run)
	}
	if err != nil {
		return 0, false, fmt.Errorf("writing what a log brought: %w", err)
	}
	return n, true, nil
}

// findPiece has a piece found by its hash, unless another one is.
func (g *graphBuckets) findPiece(n uint64, run []byte) error {
	hash := pieceHash(run)
	if g.hashes.Get(hash) != nil {
		return nil
	}
	if err := g.hashes.Put(hash, idKey(dict.ID(n))); err != nil {
		return fmt.Errorf("writing what a log brought: %w", err)
	}
	return nil
}

// pieceHash is by what a piece is found.
func pieceHash(run []byte) []byte {
	sum := sha256.Sum256(run)
	return sum[:hashSize]
}

// parted gives the triples without blank nodes and those with some, each in their order.
func parted(ts []index.Tuple) (lasting, fleeting []index.Tuple) {
	for _, t := range ts {
		if isFleeting(t) {
			fleeting = append(fleeting, t)
		} else {
			lasting = append(lasting, t)
		}
	}
	return lasting, fleeting
}

// isFleeting reports whether a triple has a blank node, and so is new with every log.
func isFleeting(t index.Tuple) bool { return dict.ID(t[0]).IsBlank() || dict.ID(t[2]).IsBlank() }

// pieces cuts a list behind triples whose hash says so, so that lists which have much in common have
// most of their pieces in common.
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
	return n == index.MaxRun || n >= minPiece && mix(mix(mix(t[0])+t[1])+t[2])%meanPiece == 0
}

// list calls f with the runs of a list under its key and with the number of the piece that each is, 0 for
// one that stands by itself. skip, which may be nil, tells of pieces that need not be read.
func list(pieces *bolt.Bucket, key, value []byte, skip func(piece uint64) bool, f func(run []index.Tuple, piece uint64) error) error {
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
	if value[0] != pieced || !ok || len(numbers) == 0 || pieces == nil {
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
		v := pieces.Get(idKey(dict.ID(n)))
		if v == nil {
			return &index.DamagedError{Detail: "a piece of what a log brought is missing"}
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

var errList = &index.DamagedError{Detail: "a list of what a log brought is not what was written"}

// checkLogs verifies the lists of a graph: that they can be read, that their logs are in the journal, that
// their triples have terms, and that every piece is in use and found by its own hash alone.
func (c *checker) checkLogs(v *view) error {
	if v.logs == nil {
		return nil // a file from before there were lists
	}
	if v.pieces == nil || v.hashes == nil {
		return errors.New("the pieces are missing")
	}
	used, err := unpublishedPieces(c.bolt)
	if err != nil {
		return err
	}
	err = v.logs.ForEach(func(k, value []byte) error {
		if len(k) != 8 || binary.BigEndian.Uint64(k) == 0 || binary.BigEndian.Uint64(k) > c.report.Head.Seq {
			return fmt.Errorf("%x is no log", k)
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		known := func(piece uint64) bool { return used[piece] }
		return list(v.pieces, k, value, known, func(run []index.Tuple, piece uint64) error {
			used[piece] = true
			for _, t := range run {
				if err := c.checkTerms(SPO.Triple(t)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	err = v.pieces.ForEach(func(k, _ []byte) error {
		if len(k) != 8 || !used[binary.BigEndian.Uint64(k)] {
			return fmt.Errorf("piece %x belongs to no log", k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.hashes.ForEach(func(k, n []byte) error {
		if !bytes.Equal(pieceHash(v.pieces.Get(n)), k) {
			return fmt.Errorf("piece %x is not what its hash says", n)
		}
		return nil
	})
}
