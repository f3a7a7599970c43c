package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Note appends an entry to the journal that is of no write to a graph.
func (s *Store) Note(ctx context.Context, e journal.Entry) error {
	if err := s.update(ctx, &write{do: func(tx *Tx, _ int) error { return tx.journal(e) }}); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// Logs gives a page of the journal, the newest entry first. With a quad it is of the logs that brought
// it, whether it was new then or not; those before the last deletion of its graph have been forgotten.
func (s *Store) Logs(ctx context.Context, f journal.Filter, q *rdf.Quad) (page journal.Page, err error) {
	err = s.View(func(snap *Snapshot) error {
		if q == nil {
			page, err = journal.List(ctx, snap.KV(), f)
		} else {
			page, err = snap.logsOf(ctx, f, *q)
		}
		return err
	})
	if err != nil {
		return page, fmt.Errorf("reading the journal: %w", err)
	}
	return page, nil
}

// logsOf looks through the lists of a quad's graph, from the newest on.
func (s *Snapshot) logsOf(ctx context.Context, f journal.Filter, q rdf.Quad) (p journal.Page, err error) {
	r, err := lookUp(s.Reader, q)
	v := s.view(r.G)
	if err != nil || r.S == 0 || v.logs == nil {
		return p, err
	}
	holds := holder{want: SPO.Tuple(r.S, r.P, r.O), view: v, pieces: map[uint64]bool{}}
	c := v.logs.Cursor()
	k, list := c.Last()
	if f.Before > 0 && k != nil && f.Before <= binary.BigEndian.Uint64(k) {
		c.Seek(idKey(dict.ID(f.Before)))
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
		found, err := holds.list(k, list)
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

// holder tells which lists hold one triple. It remembers what it found out about pieces.
type holder struct {
	want   index.Tuple
	view   *view
	pieces map[uint64]bool
	found  bool
}

func (h *holder) list(key, value []byte) (bool, error) {
	h.found = false
	err := list(h.view.pieces, key, value, h.known, func(run []index.Tuple, piece uint64) error {
		_, here := slices.BinarySearchFunc(run, h.want, index.Compare)
		if piece != 0 {
			h.pieces[piece] = here
		}
		h.found = h.found || here
		return nil
	})
	return h.found, err
}

func (h *holder) known(piece uint64) bool {
	here, known := h.pieces[piece]
	h.found = h.found || here
	return known || h.found
}

// maxLogParts bounds how many parts of one log are told of.
const maxLogParts = 1 << 12

// Log gives a log and the first most of the quads that it brought. No log of that id has no entries.
func (s *Store) Log(ctx context.Context, id string, most int) (out store.Log, err error) {
	err = s.View(func(snap *Snapshot) error {
		if out.Entries, err = journal.Find(ctx, snap.KV(), id, maxLogParts); err != nil {
			return err
		}
		out.Kept, err = snap.eachBrought(ctx, out.Entries, snap.Graphs(), func(g dict.ID, t index.Tuple) error {
			if out.Total++; len(out.Quads) >= most {
				return nil
			}
			q, err := snap.quad(g, t)
			out.Quads = append(out.Quads, q)
			return err
		})
		return err
	})
	if err != nil {
		return out, fmt.Errorf("reading a log: %w", err)
	}
	return out, nil
}

// eachBrought calls f with what entries brought to graphs. kept says that this is all they brought.
func (s *Snapshot) eachBrought(ctx context.Context, entries []journal.Numbered, graphs []dict.ID, f func(dict.ID, index.Tuple) error) (kept bool, err error) {
	missing := 0
	for _, e := range entries {
		key, found := idKey(dict.ID(e.Seq)), 0
		for _, g := range graphs {
			v := s.view(g)
			if v.logs == nil {
				continue
			}
			value := v.logs.Get(key)
			if value == nil {
				continue
			}
			err := list(v.pieces, key, value, nil, func(run []index.Tuple, _ uint64) error {
				found += len(run)
				for _, t := range run {
					if err := f(g, t); err != nil {
						return err
					}
				}
				return ctx.Err()
			})
			if err != nil {
				return false, err
			}
		}
		missing += e.Triples - found
	}
	return missing <= 0, nil
}

func (s *Snapshot) quad(g dict.ID, t index.Tuple) (q rdf.Quad, err error) {
	triple, err := s.Triple(SPO.Triple(t))
	q = rdf.Quad{S: triple.S, P: triple.P, O: triple.O}
	if err == nil && g != defaultGraph {
		q.G, err = s.Term(g)
	}
	return q, err
}

// LogText opens what a log brought to the published graph for writing out. A log that is not there, or
// of which nothing is kept, is ErrNoLog.
func (s *Store) LogText(ctx context.Context, id string, f turtle.Format) (store.Export, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	x := &logText{export: export{ctx: ctx, store: s, snap: snap, format: f, etag: fmt.Sprintf("%s-%d-%d", id, f, textVersion)}}
	err = s.guard(func() (err error) {
		if x.entries, err = journal.Find(ctx, snap.KV(), id, maxLogParts); err == nil && len(x.entries) == 0 {
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

type logText struct {
	export
	entries []journal.Numbered
}

func (x *logText) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	err := x.store.guard(func() error {
		prefixes, err := readPrefixes(x.snap.bolt)
		if err != nil {
			return err
		}
		out := turtle.NewWriter(count, x.format, prefixes)
		kept, err := x.snap.eachBrought(x.ctx, x.entries, []dict.ID{defaultGraph}, func(g dict.ID, t index.Tuple) error {
			q, err := x.snap.quad(g, t)
			if err != nil {
				return err
			}
			return out.Write(q)
		})
		if err == nil && !kept && count.n == 0 {
			err = store.ErrForgotten
		}
		return errors.Join(err, out.Close())
	})
	if err != nil {
		return count.n, fmt.Errorf("writing what a log brought: %w", err)
	}
	return count.n, nil
}
