package provenance

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// run is a withdrawal of some entries: what a pass over a read snapshot found, and the
// lists since.
type run struct {
	p      *Provenance
	w      *Withdrawal
	chosen map[uint64]*chosenLog
	graphs []*held
	head   journal.Head // lists of later entries were not read yet
	// For rest: the units of all writers and the time of flushes when the last rest began, and what the run did since.
	units, mine   uint64
	flushed, took time.Duration
	went          int // entries
}

func newRun(p *Provenance, w *Withdrawal, chosen []*chosenLog) *run {
	r := &run{p: p, w: w, chosen: make(map[uint64]*chosenLog, len(chosen))}
	for _, c := range chosen {
		r.chosen[c.Seq] = c
	}
	return r
}

// held is what the chosen entries contributed to one graph, and who else did.
type held struct {
	graph  dict.ID
	at     map[index.Tuple]int32 // position in by
	by     []holders
	pieces map[uint64]int  // pieces of chosen entries, and how many of these use each
	shared map[uint64]bool // pieces of others, which were read
}

// holders are the entries whose lists have a triple.
type holders struct {
	chosen []uint64 // ascending, those that are not withdrawn yet
	other  uint64   // the oldest other one, or 0
}

func (h *holders) oldest() uint64 {
	if len(h.chosen) > 0 && (h.other == 0 || h.chosen[0] < h.other) {
		return h.chosen[0]
	}
	return h.other
}

// without returns the oldest holder of going, and the oldest of all others, or 0.
func (h *holders) without(going map[uint64]bool) (first, next uint64) {
	next = h.other
	for _, seq := range h.chosen {
		switch {
		case !going[seq]:
			if next == 0 || seq < next {
				next = seq
			}
			if first != 0 {
				return first, next
			}
		case first == 0:
			first = seq
		}
	}
	return first, next
}

// of returns the holders of a triple of a chosen entry.
func (h *held) of(t index.Tuple) *holders {
	i, ok := h.at[t]
	if !ok {
		return &holders{}
	}
	return &h.by[i]
}

// find returns the holders of any triple, or nil.
func (h *held) find(t index.Tuple) *holders {
	if i, ok := h.at[t]; ok {
		return &h.by[i]
	}
	return nil
}

// pass finds who else contributed the triples of the chosen entries. It uses known, unless that is nil, instead of reading
// all lists of the published graph.
func (r *run) pass(ctx context.Context, snap *engine.Snapshot, known *lookup) error {
	r.head = journal.HeadOf(snap.KV())
	seqs := make([]uint64, 0, len(r.chosen))
	for seq := range r.chosen {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	for _, g := range snap.Graphs() {
		h := &held{graph: g, at: map[index.Tuple]int32{}, pieces: map[uint64]int{}, shared: map[uint64]bool{}}
		for _, seq := range seqs {
			if err := r.own(snap.KV(), h, seq); err != nil {
				return err
			}
		}
		if len(h.at) == 0 {
			continue
		}
		var err error
		if known != nil && g == published {
			err = known.others(snap.KV(), h, r.chosen)
		} else {
			err = r.others(ctx, snap.KV(), h, 0)
		}
		if err != nil {
			return err
		}
		r.graphs = append(r.graphs, h)
	}
	return nil
}

// own adds the list of a chosen entry.
func (r *run) own(tx kv.Reader, h *held, seq uint64) error {
	key := number(seq)
	value := bucket(tx, h.graph, logsName).Get(key)
	if value == nil {
		return nil
	}
	return list(bucket(tx, h.graph, piecesName), key, value, nil, func(run []index.Tuple, piece uint64) error {
		if piece != 0 {
			h.pieces[piece]++
		}
		for _, t := range run {
			i, ok := h.at[t]
			if !ok {
				i = int32(len(h.by))
				h.at[t], h.by = i, append(h.by, holders{})
			}
			h.by[i].chosen = append(h.by[i].chosen, seq)
		}
		return nil
	})
}

// others sets, for each triple of the chosen entries without another holder, the oldest entry that is not chosen and has
// the triple, of those after one. It records which pieces such entries have, and reads each piece once.
func (r *run) others(ctx context.Context, tx kv.Reader, h *held, after uint64) error {
	pieces := bucket(tx, h.graph, piecesName)
	for key, value := range kv.From(bucket(tx, h.graph, logsName), number(after+1)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(key)
		if r.chosen[seq] != nil {
			continue
		}
		known := func(piece uint64) bool { return h.shared[piece] }
		err := list(pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
			if piece != 0 {
				h.shared[piece] = true
			}
			for _, t := range run {
				if by := h.find(t); by != nil && by.other == 0 {
					by.other = seq
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unchanged returns ErrAgain if lists that were read at an earlier head changed: if writes were lost, a graph was
// cleared or a person erased.
func unchanged(tx kv.Reader, since journal.Head) error {
	if !journal.Holds(tx, since) {
		return ErrAgain
	}
	return journal.Stored(tx, since.Seq+1, journal.HeadOf(tx).Seq-since.Seq, func(stored []byte) error {
		e, err := journal.Parse(stored)
		if e.Action == journal.Clear || e.Action == journal.Erasure {
			err = ErrAgain
		}
		return err
	})
}

// advance reads the lists that are newer than those read before. It returns ErrAgain if these changed.
func (r *run) advance(tx kv.Reader) error {
	if err := unchanged(tx, r.head); err != nil {
		return err
	}
	for _, h := range r.graphs {
		if err := r.others(context.Background(), tx, h, r.head.Seq); err != nil {
			return err
		}
	}
	r.head = journal.HeadOf(tx)
	return nil
}

// apply removes the entries of a unit from what the pass found.
func (r *run) apply(u *unit) {
	for _, l := range u.logs {
		for _, x := range l.lists {
			for _, t := range x.own {
				by := x.held.of(t)
				if i, ok := slices.BinarySearch(by.chosen, l.Seq); ok {
					by.chosen = slices.Delete(by.chosen, i, i+1)
				}
			}
			for _, piece := range x.pieces {
				x.held.pieces[piece]--
			}
		}
	}
}
