package provenance

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Select returns the oldest logs that match a selection and still contribute something, oldest
// first and at most limit of them. A log of several parts is returned once, with its first part.
// If the selection depends on triples, Select reads the lists of all logs in the interval.
func (p *Provenance) Select(ctx context.Context, by store.Selection, limit int) (out []journal.Numbered, err error) {
	err = p.store.View(func(snap *engine.Snapshot) (err error) {
		out, err = p.selected(ctx, snap, by, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("selecting logs: %w", err)
	}
	return out, nil
}

func (p *Provenance) selected(ctx context.Context, snap *engine.Snapshot, by store.Selection, limit int) (out []journal.Numbered, err error) {
	want, ok, err := p.wanted(snap, by)
	if err != nil || !ok {
		return nil, err
	}
	first, err := firstSince(snap.KV(), by.Since)
	if err != nil {
		return nil, err
	}
	// The lists of all graphs are merged by the numbers of their entries.
	var cursors []*listCursor
	for _, g := range snap.Graphs() {
		c := &listCursor{Cursor: bucket(snap.KV(), g, logsName).Cursor(), pieces: bucket(snap.KV(), g, piecesName), known: map[uint64]marks{}}
		c.key, c.value = c.Seek(number(max(first, by.After+1)))
		cursors = append(cursors, c)
	}
	have := map[string]bool{}
	for len(out) < limit {
		cursors = slices.DeleteFunc(cursors, func(c *listCursor) bool { return c.key == nil })
		if len(cursors) == 0 {
			return out, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key := slices.Clone(slices.MinFunc(cursors, func(a, b *listCursor) int { return bytes.Compare(a.key, b.key) }).key)
		found := marks(0)
		for _, c := range cursors {
			if bytes.Equal(c.key, key) {
				if err := c.find(&want, &found); err != nil {
					return nil, err
				}
			}
		}
		e, err := journal.Get(snap.KV(), binary.BigEndian.Uint64(key))
		if err != nil {
			return nil, err
		}
		if !by.Until.IsZero() && !e.Time.Before(by.Until.Add(clockStep)) {
			return out, nil
		}
		if found == want.marks && e.Action == journal.Insert && !have[e.LogID] && by.Wants(&e) {
			have[e.LogID] = true
			out = append(out, journal.Numbered{Seq: binary.BigEndian.Uint64(key), Entry: e})
		}
	}
	return out, nil
}

// clockStep is how far the times of successive entries may decrease: concurrent requests
// take theirs before they are stored.
const clockStep = time.Minute

// marks is a set of conditions on the triples of a log.
type marks uint8

const (
	ofRobot marks = 1 << iota
	ofKind
	about
)

// wanted are conditions on the triples of a log. For each there must be a triple that meets it.
type wanted struct {
	marks                     marks
	agent, robot, class, kind dict.ID
	subjects                  map[dict.ID]bool
}

// wanted returns the conditions of a selection. ok is false if the file lacks a term of them.
func (p *Provenance) wanted(snap *engine.Snapshot, by store.Selection) (w wanted, ok bool, err error) {
	lacks := false
	find := func(mark marks, to *dict.ID, t rdf.Term) {
		if err == nil {
			w.marks |= mark
			*to, ok, err = snap.ID(t)
			lacks = lacks || !ok
		}
	}
	if !by.Robot.IsZero() {
		find(ofRobot, &w.agent, p.agent)
		find(ofRobot, &w.robot, by.Robot)
	}
	if !by.Kind.IsZero() {
		find(ofKind, &w.class, rdf.NewIRI(rdf.RDFType))
		find(ofKind, &w.kind, by.Kind)
	}
	if by.About != nil {
		w.marks, w.subjects = w.marks|about, map[dict.ID]bool{}
	}
	for _, t := range by.About {
		if id, ok, err := snap.ID(t); err != nil {
			return w, false, err
		} else if ok {
			w.subjects[id] = true
		}
	}
	return w, !lacks && (by.About == nil || len(w.subjects) > 0), err
}

// in returns which conditions the triples of a list fulfil.
func (w *wanted) in(run []index.Tuple) (found marks) {
	for _, t := range run {
		if p, o := dict.ID(t[1]), dict.ID(t[2]); p == w.agent && o == w.robot {
			found |= ofRobot
		} else if p == w.class && o == w.kind {
			found |= ofKind
		}
		if w.subjects[dict.ID(t[0])] {
			found |= about
		}
	}
	return found & w.marks
}

// listCursor iterates over the lists of one graph.
type listCursor struct {
	kv.Cursor
	pieces     kv.Bucket
	key, value []byte
	known      map[uint64]marks // what pieces that were read fulfil
}

// find adds the conditions that the list fulfils, and goes to the next one.
func (c *listCursor) find(w *wanted, found *marks) (err error) {
	if *found != w.marks {
		skip := func(piece uint64) bool {
			has, known := c.known[piece]
			*found |= has
			return known || *found == w.marks
		}
		err = list(c.pieces, c.key, c.value, skip, func(run []index.Tuple, piece uint64) error {
			has := w.in(run)
			if piece != 0 {
				c.known[piece] = has
			}
			*found |= has
			return nil
		})
	}
	c.key, c.value = c.Next()
	return err
}
