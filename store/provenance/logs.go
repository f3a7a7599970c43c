package provenance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/segraph/segraph/internal/counting"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Logs returns a page of the journal, newest entry first. If quads, which are of one graph, is not
// nil, the page has the logs that contributed any of them, whether it was new then or not.
// After the graph is deleted, Logs no longer finds earlier ones.
func (p *Provenance) Logs(ctx context.Context, f journal.Filter, quads []rdf.Quad) (journal.Page, error) {
	page, err := engine.Read(p.store, func(snap *engine.Snapshot) (journal.Page, error) {
		if quads == nil {
			return journal.List(ctx, snap.KV(), f)
		}
		return logsOf(ctx, snap, f, quads)
	})
	if err != nil {
		return page, fmt.Errorf("reading the journal: %w", err)
	}
	return page, nil
}

// logsOf searches the lists of the quads' graph, newest first.
func logsOf(ctx context.Context, s *engine.Snapshot, f journal.Filter, quads []rdf.Quad) (p journal.Page, err error) {
	want, graph, err := tuplesOf(s, quads)
	known := slices.DeleteFunc(want, func(t index.Tuple) bool { return t == index.Tuple{} })
	if err != nil || len(known) == 0 {
		return p, err
	}
	slices.SortFunc(known, index.Compare)
	lists := listFinder{want: known, all: bucket(s.KV(), graph, piecesName), pieces: map[uint64]bool{}}
	c := bucket(s.KV(), graph, logsName).Cursor()
	k, list := c.Last()
	if f.Before > 0 && k != nil && f.Before <= binary.BigEndian.Uint64(k) {
		c.Seek(number(f.Before))
		k, list = c.Prev()
	}
	for looked := uint64(0); k != nil; k, list = c.Prev() {
		seq := binary.BigEndian.Uint64(k)
		if len(p.Entries) == f.Limit || looked == f.Look {
			p.Next = seq + 1
			return p, nil
		}
		if looked++; ctx.Err() != nil {
			return p, ctx.Err()
		}
		found, err := lists.list(k, list)
		if err != nil {
			return p, err
		}
		if !found {
			continue
		}
		e, err := journal.Get(s.KV(), seq)
		if err != nil {
			return p, err
		}
		if f.Wants(&e) {
			p.Entries = append(p.Entries, journal.Numbered{Seq: seq, Entry: e})
		}
	}
	return p, nil
}

// listFinder reports which lists contain one of some triples. It caches the results for pieces.
type listFinder struct {
	want   []index.Tuple   // sorted
	all    kv.Bucket       // pieces
	pieces map[uint64]bool // whether each piece that was read contains one
	found  bool            // by list, so far
}

// list reports whether a log's list has a triple that is looked for. It reads each shared piece only once.
func (h *listFinder) list(key, value []byte) (bool, error) {
	h.found = false
	err := list(h.all, key, value, h.recall, func(run []index.Tuple, piece uint64) error {
		few, many := h.want, run
		if len(few) > len(many) {
			few, many = many, few
		}
		here := slices.ContainsFunc(few, func(t index.Tuple) bool {
			_, found := slices.BinarySearchFunc(many, t, index.Compare)
			return found
		})
		if piece != 0 {
			h.pieces[piece] = here
		}
		h.found = h.found || here
		return nil
	})
	return h.found, err
}

// recall uses the cached result of a piece, and reports whether the piece need not be read.
func (h *listFinder) recall(piece uint64) (skip bool) {
	here, known := h.pieces[piece]
	h.found = h.found || here
	return known || h.found
}

// maxLogParts limits how many parts of one log are shown.
const maxLogParts = 1 << 12

const (
	// quadText is how many bytes of text a quad of Log may have on average. A short document can repeat a long term in many quads.
	quadText = 4 << 10
	// pageQuads is the largest limit of a page. Evidence needs more, and all of them.
	pageQuads = 10_000
)

// Log returns a log and the first limit quads of its contribution, or fewer if their terms are long: a page ends with
// the quad that reaches store.PageText bytes. If the log does not exist, the result has no entries.
func (p *Provenance) Log(ctx context.Context, id string, limit int) (out store.Log, err error) {
	err = p.store.View(func(snap *engine.Snapshot) error {
		if out.Entries, err = journal.Find(snap.KV(), id, maxLogParts); err != nil {
			return err
		}
		bytes, most := 0, limit*quadText
		if limit <= pageQuads {
			most = store.PageText(limit)
		}
		enough := func() bool { return len(out.Quads) >= limit || bytes > most }
		out.Total, out.Kept, err = each(ctx, snap, out.Entries, snap.Graphs(), enough, func(g dict.ID, t index.Tuple) error {
			q, err := snap.Quad(g, t)
			out.Quads = append(out.Quads, q)
			bytes += q.S.Size() + q.P.Size() + q.O.Size() + q.G.Size()
			return err
		})
		return err
	})
	if err != nil {
		return out, fmt.Errorf("reading a log: %w", err)
	}
	return out, nil
}

// Part returns the contribution of one entry of a log. ok is false if that is more than
// limit quads, or is not completely known.
func (p *Provenance) Part(ctx context.Context, n journal.Numbered, limit int) (quads []rdf.Quad, ok bool, err error) {
	if n.Triples > limit {
		return nil, false, nil
	}
	err = p.store.View(func(snap *engine.Snapshot) error {
		_, ok, err = each(ctx, snap, []journal.Numbered{n}, snap.Graphs(), never, func(g dict.ID, t index.Tuple) error {
			q, err := snap.Quad(g, t)
			quads = append(quads, q)
			return err
		})
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("reading a part of a log: %w", err)
	}
	return quads, ok, nil
}

// each calls f with each triple that the entries contributed to the graphs, until enough returns true, and returns how many
// there are in all. kept reports whether all triples of the entries are recorded, but for those of people who were erased.
func each(ctx context.Context, s *engine.Snapshot, entries []journal.Numbered, graphs []dict.ID, enough func() bool, f func(dict.ID, index.Tuple) error) (total int64, kept bool, err error) {
	expected := int64(0)
	for _, e := range entries {
		key := number(e.Seq)
		expected += int64(e.Triples)
		for _, g := range graphs {
			value := bucket(s.KV(), g, logsName).Get(key)
			if value == nil {
				continue
			}
			pieces := bucket(s.KV(), g, piecesName)
			count := func(piece uint64) bool { // once there is enough, it counts pieces without reading them
				if !enough() {
					return false
				}
				n := index.Len(pieces.Get(number(piece)))
				total += int64(n)
				return n > 0 && ctx.Err() == nil // list says what is wrong, or f does
			}
			err := list(pieces, key, value, count, func(run []index.Tuple, _ uint64) error {
				total += int64(len(run))
				for _, t := range run {
					if enough() {
						break
					}
					if err := f(g, t); err != nil {
						return err
					}
				}
				return ctx.Err()
			})
			if err != nil {
				return 0, false, err
			}
		}
		removed, _, err := forgotten(s.KV(), key)
		if err != nil {
			return 0, false, err
		}
		expected -= int64(removed)
	}
	return total, expected <= total, nil
}

// never is the argument enough of each for all triples.
func never() bool { return false }

// LogText opens the text of a log's contribution to the published graph. It returns
// store.ErrNoLog if the log does not exist. If the log's contribution is no longer kept,
// WriteTo returns store.ErrNotKept.
func (p *Provenance) LogText(ctx context.Context, id string, f turtle.Format) (store.Export, error) {
	snap, err := p.store.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	x := &logText{ctx: ctx, store: p.store, snap: snap, id: id, format: f}
	err = p.store.Guard(func() (err error) {
		if x.entries, err = journal.Find(snap.KV(), id, maxLogParts); err == nil && len(x.entries) == 0 {
			err = store.ErrNoLog
		}
		return err
	})
	if err != nil {
		snap.Close()
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	return x, nil
}

// logText is the text of a log's contribution in a snapshot.
type logText struct {
	ctx     context.Context
	store   *engine.Store
	snap    *engine.Snapshot
	id      string
	format  turtle.Format
	entries []journal.Numbered
}

// ETag implements store.Export.
func (x *logText) ETag() string { return fmt.Sprintf("%s-%d-%d", x.id, x.format, engine.TextVersion) }

// Version implements store.Export.
func (x *logText) Version() (rdf.Version, error) {
	v := rdf.RDF11
	err := x.store.Guard(func() error {
		if !x.snap.MayHaveRDF12() {
			return nil
		}
		_, _, err := each(x.ctx, x.snap, x.entries, []dict.ID{published}, never, func(_ dict.ID, t index.Tuple) error {
			object, err := x.snap.VersionOf(dict.ID(t[2]))
			v = min(v, object)
			if v == rdf.RDF12 && err == nil { // the least: no other triple changes it
				err = errFound
			}
			return err
		})
		return err
	})
	if err != nil && !errors.Is(err, errFound) {
		return rdf.RDF12, fmt.Errorf("reading a log: %w", err)
	}
	return v, nil
}

// errFound ends a search.
var errFound = errors.New("found")

// Close implements store.Export.
func (x *logText) Close() error {
	x.snap.Close()
	return nil
}

// WriteTo implements store.Export.
func (x *logText) WriteTo(w io.Writer) (int64, error) {
	count := &counting.Writer{W: w}
	if err := x.store.Guard(func() error { return x.write(count) }); err != nil {
		return count.N, fmt.Errorf("writing a log's contribution: %w", err)
	}
	return count.N, nil
}

// write writes the triples of a log that are still there.
func (x *logText) write(count *counting.Writer) error {
	prefixes, err := x.snap.Prefixes()
	if err != nil {
		return err
	}
	if x.format == turtle.RDFXML || x.format == turtle.JSONLD { // refuse before the first byte, not after many
		if _, err := x.writeQuads(format.NewWriter(io.Discard, x.format, prefixes)); err != nil {
			return err
		}
	}
	out := format.NewWriter(count, x.format, prefixes)
	kept, err := x.writeQuads(out)
	if err == nil && !kept && count.N == 0 {
		return store.ErrNotKept // before Close writes the prefixes
	}
	return errors.Join(err, out.Close())
}

// writeQuads writes the triples to out. kept reports whether all of them are recorded.
func (x *logText) writeQuads(out format.Writer) (kept bool, err error) {
	_, kept, err = each(x.ctx, x.snap, x.entries, []dict.ID{published}, never, func(g dict.ID, t index.Tuple) error {
		q, err := x.snap.Quad(g, t)
		if err != nil {
			return err
		}
		return out.Write(q)
	})
	return kept, err
}
