package provenance

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// A lookup finds the lists of the published graph that have a triple, so that withdrawing one log after the other needs no
// pass over all lists for each. It stays in memory meanwhile. What it finds is compared with the file, so it need not
// hear of lists that are withdrawn.
type lookup struct {
	head journal.Head // lists of later entries were not read yet
	size int64        // about how many bytes of memory it takes while it grows
	gone int          // sources that no list has any more

	// sources are the lists that are stored as a whole, and the pieces, in the order of first.
	sources []source
	pieces  map[uint64]uint32 // number of a piece -> position in sources
	// Each level is sorted, and more than twice as long as the next. The upper half of an element is that of a triple's
	// hash, the lower half a position in sources; so equal triples are in the order of sources.
	levels [][]uint64
}

// source is a run of triples: the list of an entry, or a piece.
type source struct {
	piece uint64   // 0 for a list that is stored as a whole
	first uint64   // the first entry that has it
	gone  bool     // the list of that entry is not in the file any more
	more  []uint64 // later entries that have it, ascending, but for some whose lists are not in the file any more
}

const (
	// lookupSoon is how long a lookup stays without a withdrawal. A second withdrawal within this time makes one.
	lookupSoon = time.Minute
	// lookupLater is the time until the next attempt, after a lookup was too large.
	lookupLater = time.Hour
	// usualShare: a lookup is for withdrawing at most one in usualShare triples. For more, a pass over the lists is faster.
	usualShare = 32
	// usualRoom is the memory of a lookup, in bytes, unless Options say another.
	usualRoom = 64 << 20
)

// errLarge means that a lookup would take too much memory.
var errLarge = errors.New("the lookup of contributions would be too large")

// lookupFor returns a lookup with all lists of a snapshot, for withdrawing that many triples. It returns nil if a pass over
// the lists is better, or if a lookup would take too much memory. The caller runs within Alone.
func (p *Provenance) lookupFor(ctx context.Context, snap *engine.Snapshot, triples int) (*lookup, error) {
	all, err := snap.Count(0, 0, 0, published)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if int64(triples)*int64(p.share) > all || now.Before(p.tooLarge) {
		return nil, nil
	}
	l, soon := p.lookup, now.Sub(p.looked) < lookupSoon
	p.lookup, p.looked = nil, now                              // nothing half read stays after an error
	changed := l != nil && unchanged(snap.KV(), l.head) != nil // lists that it has
	if !soon || changed {
		return nil, nil
	}
	if l == nil || l.gone > len(l.sources)/2 {
		l = &lookup{pieces: map[uint64]uint32{}}
	}
	if err := l.read(ctx, snap.KV(), p.room); errors.Is(err, errLarge) {
		p.tooLarge = now.Add(lookupLater)
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	p.lookup = l
	if !p.dropping {
		p.dropping = true
		time.AfterFunc(lookupSoon, p.dropLookup)
	}
	return l, nil
}

// dropLookup ends a lookup that was not used for lookupSoon. If it was used since, dropLookup runs again later.
func (p *Provenance) dropLookup() {
	p.withdrawing <- struct{}{} // not by Alone, which would end the rests of a patient withdrawal
	defer func() { <-p.withdrawing }()
	rest := lookupSoon - time.Since(p.looked)
	p.dropping = p.lookup != nil && rest > 0
	if p.dropping {
		time.AfterFunc(rest, p.dropLookup)
	} else {
		p.lookup = nil
	}
}

// read adds the lists that are newer than those read before. The error is errLarge if the lookup would then take more than
// room bytes.
func (l *lookup) read(ctx context.Context, r kv.Reader, room int64) error {
	const ofTriple, ofSource, ofMore = 2 * 8, 2 * 64, 2 * 8 // bytes; twice what stays, because slices are copied as they grow
	var level []uint64
	pieces := bucket(r, published, piecesName)
	for key, value := range kv.From(bucket(r, published, logsName), number(l.head.Seq+1)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(key)
		known := func(piece uint64) bool {
			at, is := l.pieces[piece]
			if is {
				l.sources[at].more = append(l.sources[at].more, seq)
				l.size += ofMore
			}
			return is
		}
		err := list(pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
			if piece != 0 {
				l.pieces[piece] = uint32(len(l.sources))
			}
			for _, t := range run {
				level = append(level, keyOf(t)|uint64(len(l.sources)))
			}
			l.sources = append(l.sources, source{piece: piece, first: seq})
			l.size += ofSource + ofTriple*int64(len(run))
			return nil
		})
		if err == nil && l.size > room {
			err = errLarge
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(level)
	l.add(level)
	l.head = journal.HeadOf(r)
	return nil
}

// positions are the bits of an element of a level that are a position in sources.
const positions = 1<<32 - 1

// keyOf returns the other bits of an element, for a triple.
func keyOf(t index.Tuple) uint64 { return index.Hash(t) &^ positions }

// add adds a level. It merges levels until each is more than twice as long as the next.
func (l *lookup) add(level []uint64) {
	for n := len(l.levels); n > 0 && len(l.levels[n-1]) <= 2*len(level); n = len(l.levels) {
		level = merged(l.levels[n-1], level)
		l.levels = l.levels[:n-1]
	}
	if len(level) > 0 {
		l.levels = append(l.levels, level)
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

// others sets, for each triple of the chosen entries, the oldest entry that is not chosen and has the triple, and for each
// piece of theirs whether such an entry has it. r has the lists that were read last.
func (l *lookup) others(r kv.Reader, h *held, chosen map[uint64]*chosenLog) error {
	s := search{lookup: l, logs: bucket(r, published, logsName), pieces: bucket(r, published, piecesName), chosen: chosen}
	for piece := range h.pieces {
		if at, is := l.pieces[piece]; is && s.oldest(&l.sources[at]) != 0 {
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

// search looks for entries that have triples.
type search struct {
	*lookup
	logs, pieces kv.Bucket
	chosen       map[uint64]*chosenLog // entries that are not looked for
	run          []index.Tuple         // reused
}

// other returns the oldest entry whose list has a triple, or 0.
func (s *search) other(t index.Tuple) (oldest uint64, err error) {
	key := keyOf(t)
	for _, level := range s.levels {
		i, _ := slices.BinarySearch(level, key)
		for ; i < len(level) && level[i]&^positions == key; i++ {
			x := &s.sources[uint32(level[i])]
			if oldest != 0 && x.first >= oldest {
				break // the others of this level are newer, too
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

// oldest returns the oldest entry that has a source, or 0. It notes which lists it does not find in the file.
func (s *search) oldest(x *source) uint64 {
	if !x.gone && s.chosen[x.first] == nil {
		if s.logs.Get(number(x.first)) != nil {
			return x.first
		}
		x.gone = true
		if len(x.more) == 0 {
			s.lookup.gone++
		}
	}
	for i := 0; i < len(x.more); {
		switch seq := x.more[i]; {
		case s.chosen[seq] != nil:
			i++
		case s.logs.Get(number(seq)) != nil:
			return seq
		case i == 0:
			x.more = x.more[1:]
		default:
			x.more = slices.Delete(x.more, i, i+1)
		}
	}
	return 0
}

// has reports whether a source that an entry has contains a triple.
func (s *search) has(x *source, seq uint64, t index.Tuple) (has bool, err error) {
	var stored []byte
	if x.piece != 0 {
		stored = s.pieces.Get(number(x.piece))
	} else if stored = s.logs.Get(number(seq)); len(stored) == 0 || stored[0] != listed {
		return false, errList
	} else {
		stored = stored[1:]
	}
	s.run, err = index.Unpack(s.run[:0], stored)
	_, has = slices.BinarySearchFunc(s.run, t, index.Compare)
	return has, err
}
