package provenance

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Origins returns, for each of some quads of one graph, a log that contributed it, or an entry with the number 0.
// It first examines up to limit logs written since a time, oldest first, because robots publish soon after they
// act, and then up to limit others, newest first. With an error, it returns the logs found until then.
func (p *Provenance) Origins(ctx context.Context, quads []rdf.Quad, since time.Time, limit int) (out []journal.Numbered, err error) {
	out = make([]journal.Numbered, len(quads))
	err = p.store.View(func(snap *engine.Snapshot) error {
		o := origins{snap: snap, out: out, read: map[uint64]bool{}}
		var g dict.ID
		if o.want, g, err = tuplesOf(snap, quads); err != nil {
			return err
		}
		for _, t := range o.want {
			if t != (index.Tuple{}) {
				o.missing++
			}
		}
		if o.missing == 0 {
			return nil
		}
		o.pieces = bucket(snap.KV(), g, piecesName)
		return o.search(ctx, bucket(snap.KV(), g, logsName), since, limit)
	})
	if err != nil {
		return out, fmt.Errorf("searching for logs: %w", err)
	}
	return out, nil
}

// tuplesOf returns the tuples of some quads and their graph. The tuple of a quad that the store does not have is zero.
func tuplesOf(snap *engine.Snapshot, quads []rdf.Quad) (out []index.Tuple, graph dict.ID, err error) {
	out = make([]index.Tuple, len(quads))
	for i, q := range quads {
		id, err := snap.QuadID(q)
		if err != nil {
			return nil, graph, err
		}
		if id.S != 0 {
			out[i], graph = engine.SPO.Tuple(id.S, id.P, id.O), id.G
		}
	}
	return out, graph, nil
}

// origins searches the lists of one graph for triples.
type origins struct {
	snap    *engine.Snapshot
	pieces  kv.Bucket
	read    map[uint64]bool // searched pieces, which are not searched again
	want    []index.Tuple
	out     []journal.Numbered
	missing int // triples without a log
}

// search looks for the logs that contributed the triples that are missing: in the first limit logs since a time, then in
// the newest limit ones.
func (o *origins) search(ctx context.Context, lists kv.Bucket, since time.Time, limit int) error {
	first, err := FirstSince(o.snap.KV(), since)
	if err != nil {
		return err
	}
	c := lists.Cursor()
	k, list := c.Seek(number(first))
	for n := 0; k != nil && n < limit && o.missing > 0; k, list = c.Next() {
		n++
		if err := o.list(ctx, k, list); err != nil {
			return err
		}
	}
	if k == nil && first <= 1 {
		return nil // all logs were examined
	}
	k, list = c.Last()
	for n := 0; k != nil && n < limit && o.missing > 0; k, list = c.Prev() {
		n++
		if err := o.list(ctx, k, list); err != nil {
			return err
		}
	}
	return nil
}

// list records which of the triples a list contains.
func (o *origins) list(ctx context.Context, key, value []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var entry *journal.Numbered
	skip := func(piece uint64) bool { return o.read[piece] || o.missing == 0 }
	return list(o.pieces, key, value, skip, func(run []index.Tuple, piece uint64) error {
		o.read[piece] = true
		for i, want := range o.want {
			if o.out[i].Seq != 0 || want == (index.Tuple{}) {
				continue
			}
			if _, here := slices.BinarySearchFunc(run, want, index.Compare); !here {
				continue
			}
			if entry == nil {
				seq := binary.BigEndian.Uint64(key)
				e, err := journal.Get(o.snap.KV(), seq)
				if err != nil {
					return err
				}
				entry = &journal.Numbered{Seq: seq, Entry: e}
			}
			o.out[i] = *entry
			o.missing--
		}
		return nil
	})
}

// FirstSince returns the number of the journal's first entry at a time or later. It assumes that the entries' times
// increase, apart from those before the year 2000, when a clock was not set. For later ones, when a clock was ahead, it
// may return an earlier number.
func FirstSince(r kv.Reader, since time.Time) (uint64, error) {
	var failed error
	last := journal.HeadOf(r).Seq
	n := sort.Search(int(last), func(i int) bool {
		at := uint64(i) + 1
		e, err := journal.Get(r, at)
		for ; err == nil && e.Time.Year() < 2000 && at < last; e, err = journal.Get(r, at) {
			at++
		}
		if err != nil {
			failed = err
		}
		return failed != nil || !e.Time.Before(since)
	})
	return uint64(n) + 1, failed
}
