package provenance

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// A lookup finds the lists that have a triple, so that withdrawing one log after the other needs no pass over all lists
// for each. It stays in memory while logs are withdrawn in this way, with 8 bytes for each triple of a list. What it
// finds is compared with the file, so it need not hear of lists that were removed.
type lookup struct {
	graphs map[dict.ID]*graphLookup
	head   journal.Head // lists of later entries were not read yet
	size   int          // triples
}

// graphLookup is the lookup of one graph.
type graphLookup struct {
	// sources are the numbers of entries whose lists are stored as a whole, and of pieces, in the order in which they
	// were first used.
	sources []source
	pieces  map[uint64]uint32 // position in sources
	// levels are sorted. The upper half of an element is that of a triple's hash, the lower half a position in sources.
	// Each level is longer than the next.
	levels [][]uint64
}

// source is a run of triples: the list of an entry, or a piece.
type source struct {
	piece uint64   // 0 for a list that is stored as a whole
	first uint64   // the first entry that has it
	gone  bool     // the list of that entry is not there any more
	more  []uint64 // later entries that have it and may still be there, ascending
}

const (
	// lookupSoon is how long a lookup stays without a withdrawal, and how soon a second withdrawal makes one.
	lookupSoon = time.Minute
	// usualShare is the part of all triples from which on a pass over the lists is faster.
	usualShare = 32
	maxLookup  = 1 << 27 // triples
)

// errLarge means that a lookup would take too much memory.
var errLarge = errors.New("the lookup of contributions would be too large")

// lookupFor returns the lookup for withdrawing that many triples, with all lists of a snapshot; or nil if a pass is
// better. The caller runs within Alone.
func (p *Provenance) lookupFor(ctx context.Context, snap *engine.Snapshot, triples int) (*lookup, error) {
	all, err := snap.Count(0, 0, 0, published)
	if err != nil {
		return nil, err
	}
	few := int64(triples*p.share) <= all
	soon := time.Since(p.looked) < lookupSoon
	if !few || !soon && p.lookup == nil {
		if few {
			p.looked = time.Now()
		}
		return nil, nil
	}
	p.looked = time.Now()
	if p.lookup == nil || unchanged(snap.KV(), p.lookup.head) != nil {
		p.lookup = &lookup{graphs: map[dict.ID]*graphLookup{}}
		time.AfterFunc(lookupSoon, p.dropLookup)
	}
	if err = p.lookup.read(ctx, snap); err != nil {
		p.lookup = nil
	}
	if errors.Is(err, errLarge) {
		return nil, nil
	}
	return p.lookup, err
}

// dropLookup ends a lookup that was not used for some time.
func (p *Provenance) dropLookup() {
	_ = p.Alone(context.Background(), func() error {
		if rest := lookupSoon - time.Since(p.looked); rest > 0 {
			time.AfterFunc(rest, p.dropLookup)
		} else {
			p.lookup = nil
		}
		return nil
	})
}

// read adds the lists of a snapshot that are newer than those read before. The error is errLarge if there are too many.
func (l *lookup) read(ctx context.Context, snap *engine.Snapshot) error {
	room := int(min(maxLookup, debug.SetMemoryLimit(-1)/64)) // 1/8 of the memory
	for _, id := range snap.Graphs() {
		g := l.graphs[id]
		if g == nil {
			g = &graphLookup{pieces: map[uint64]uint32{}}
			l.graphs[id] = g
		}
		level, err := g.read(ctx, snap.KV(), id, l.head.Seq, room-l.size)
		if err != nil {
			return err
		}
		l.size += len(level)
		g.add(level)
	}
	l.head = journal.HeadOf(snap.KV())
	return nil
}

// read returns the level with the lists of the entries after one, which has at most room triples.
func (g *graphLookup) read(ctx context.Context, r kv.Reader, id dict.ID, after uint64, room int) (level []uint64, err error) {
	pieces := bucket(r, id, piecesName)
	for key, value := range kv.From(bucket(r, id, logsName), number(after+1)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seq := binary.BigEndian.Uint64(key)
		known := func(piece uint64) bool {
			at, is := g.pieces[piece]
			if is {
				g.sources[at].more = append(g.sources[at].more, seq)
			}
			return is
		}
		err := list(pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
			if piece != 0 {
				g.pieces[piece] = uint32(len(g.sources))
			}
			for _, t := range run {
				level = append(level, keyOf(t)|uint64(len(g.sources)))
			}
			g.sources = append(g.sources, source{piece: piece, first: seq})
			if len(level) > room {
				return errLarge
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(level)
	return level, nil
}

func keyOf(t index.Tuple) uint64 { return index.Hash(t) &^ (1<<32 - 1) }

// add adds a level. It merges levels until each is longer than the next.
func (g *graphLookup) add(level []uint64) {
	for n := len(g.levels); n > 0 && len(g.levels[n-1]) <= len(level); n = len(g.levels) {
		level = merged(g.levels[n-1], level)
		g.levels = g.levels[:n-1]
	}
	if len(level) > 0 {
		g.levels = append(g.levels, level)
	}
}

// merged returns the elements of two sorted slices, sorted.
func merged(a, b []uint64) []uint64 {
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// others does what run.others does for all lists of the lookup.
func (l *lookup) others(r kv.Reader, h *held, chosen map[uint64]*chosenLog) error {
	g := l.graphs[h.graph]
	s := search{graphLookup: g, logs: bucket(r, h.graph, logsName), pieces: bucket(r, h.graph, piecesName), chosen: chosen}
	for piece := range h.pieces {
		if at, is := g.pieces[piece]; is && s.oldest(&g.sources[at]) != 0 {
			h.shared[piece] = true
		}
	}
	for t, i := range h.at {
		var err error
		if h.by[i].other, err = s.other(t); err != nil {
			return err
		}
	}
	return nil
}

// search looks for the holders of triples in a snapshot.
type search struct {
	*graphLookup
	logs, pieces kv.Bucket
	chosen       map[uint64]*chosenLog // entries that are not looked for
	run          []index.Tuple         // reused
}

// other returns the oldest entry whose list has a triple, or 0.
func (s *search) other(t index.Tuple) (oldest uint64, err error) {
	key := keyOf(t)
	for _, level := range s.levels {
		i, _ := slices.BinarySearch(level, key)
		for ; i < len(level) && level[i]&^(1<<32-1) == key; i++ {
			x := &s.sources[uint32(level[i])]
			if oldest != 0 && x.first >= oldest {
				break
			}
			seq := s.oldest(x)
			if seq == 0 || oldest != 0 && seq >= oldest {
				continue
			}
			if has, err := s.has(x, seq, t); err != nil {
				return 0, err
			} else if has {
				oldest = seq
			}
		}
	}
	return oldest, nil
}

// oldest returns the oldest entry of a source that is still there and was not chosen, or 0. It notes which are not there.
func (s *search) oldest(x *source) uint64 {
	if !x.gone && s.chosen[x.first] == nil {
		if s.logs.Get(number(x.first)) != nil {
			return x.first
		}
		x.gone = true
	}
	for i := 0; i < len(x.more); {
		switch seq := x.more[i]; {
		case s.logs.Get(number(seq)) == nil:
			x.more = slices.Delete(x.more, i, i+1)
		case s.chosen[seq] == nil:
			return seq
		default:
			i++
		}
	}
	return 0
}

// has reports whether a source, which an entry has, has a triple.
func (s *search) has(x *source, seq uint64, t index.Tuple) (bool, error) {
	stored := s.pieces.Get(number(x.piece))
	if x.piece == 0 {
		if stored = s.logs.Get(number(seq)); len(stored) == 0 || stored[0] != listed {
			return false, errList
		}
		stored = stored[1:]
	}
	var err error
	s.run, err = index.Unpack(s.run[:0], stored)
	_, has := slices.BinarySearchFunc(s.run, t, index.Compare)
	return has, err
}
