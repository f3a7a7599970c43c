package provenance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
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
func (p *Provenance) Select(ctx context.Context, by store.Selection, limit int) ([]journal.Numbered, error) {
	out, err := engine.Read(p.store, func(snap *engine.Snapshot) ([]journal.Numbered, error) { return p.selected(ctx, snap, by, limit) })
	if err != nil {
		return nil, fmt.Errorf("selecting logs: %w", err)
	}
	return out, nil
}

// selected is the part of Select that reads a snapshot. It takes the first part of each log.
func (p *Provenance) selected(ctx context.Context, snap *engine.Snapshot, by store.Selection, limit int) (out []journal.Numbered, err error) {
	want, ok, err := p.wanted(snap, by)
	if err != nil || !ok {
		return nil, err
	}
	first, err := FirstSince(snap.KV(), by.Since)
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	err = eachList(ctx, snap, max(first, by.After+1), &want, func(e journal.Numbered, found traits) (more bool, err error) {
		if !by.Until.IsZero() && !e.Time.Before(by.Until.Add(ClockStep)) {
			return e.Time.After(time.Now()), nil // go on if its clock was ahead: later logs may be older
		}
		if found.marks == want.marks && !have[e.LogID] && by.Wants(&e.Entry) {
			have[e.LogID] = true
			out = append(out, e)
		}
		return len(out) < limit, nil
	})
	return out, err
}

// eachList calls f with each log, or part of one, that still contributes something, from a number
// on, in order, and with the wanted traits of its triples, until f returns false.
func eachList(ctx context.Context, snap *engine.Snapshot, from uint64, want *wanted, f func(journal.Numbered, traits) (more bool, err error)) error {
	// The lists of all graphs are merged by the numbers of their entries.
	var cursors []*listCursor
	for _, g := range snap.Graphs() {
		c := &listCursor{graph: g, Cursor: bucket(snap.KV(), g, logsName).Cursor(), pieces: bucket(snap.KV(), g, piecesName), known: map[uint64]traits{}}
		c.key, c.value = c.Seek(number(from))
		cursors = append(cursors, c)
	}
	for {
		cursors = slices.DeleteFunc(cursors, func(c *listCursor) bool { return c.key == nil })
		if len(cursors) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		key := slices.Clone(slices.MinFunc(cursors, func(a, b *listCursor) int { return bytes.Compare(a.key, b.key) }).key)
		e, err := journal.Get(snap.KV(), binary.BigEndian.Uint64(key))
		if err != nil {
			return err
		}
		found := traits{arrived: cmp.Or(e.BoxTime, e.Time)}
		for _, c := range cursors {
			if bytes.Equal(c.key, key) {
				if err := c.find(want, &found); err != nil {
					return err
				}
			}
		}
		if e.Action != journal.Insert {
			continue
		}
		if more, err := f(journal.Numbered{Seq: binary.BigEndian.Uint64(key), Entry: e}, found); err != nil || !more {
			return err
		}
	}
}

// ClockStep is how far the times of successive entries may decrease: concurrent requests
// take theirs before they are stored.
const ClockStep = time.Minute

// marks is a set of conditions on the triples of a log.
type marks uint64

// Conditions of a store.Selection.
const (
	ofRobot marks = 1 << iota
	ofKind
	about
	naming
)

// wanted is what is looked for in the triples of a log. Each mark has a triple that sets it.
type wanted struct {
	marks           marks
	pairs           map[[2]dict.ID]marks // by predicate and object
	subjects, terms map[dict.ID]marks    // by subject, and by subject or object
	times           map[dict.ID]bool     // predicates of times
	time            func(dict.ID) (time.Time, bool)
}

// traits is what was found in the triples of a log.
type traits struct {
	marks       marks
	first, last time.Time // of the wanted times; zero if there are none
	event       time.Time // the last of them that is not after the arrival; zero if there is none
	arrived     time.Time // when the log arrived, here or at its box
}

// add adds the marks of another part of a log, and widens the times that it reports.
func (t *traits) add(more traits) {
	t.marks |= more.marks
	if t.last.Before(more.last) {
		t.last = more.last
	}
	if t.event.Before(more.event) {
		t.event = more.event
	}
	if t.first.IsZero() || !more.first.IsZero() && more.first.Before(t.first) {
		t.first = more.first
	}
}

// pair wants a mark, which a predicate with an object sets. ok is false if the file lacks one of them.
func (w *wanted) pair(snap *engine.Snapshot, mark marks, predicate, object rdf.Term) (ok bool, err error) {
	var key [2]dict.ID
	for i, t := range []rdf.Term{predicate, object} {
		if key[i], ok, err = snap.ID(t); err != nil || !ok {
			return false, err
		}
	}
	w.marks |= mark
	w.pairs[key] |= mark
	return true, nil
}

// robot adds the activities of a robot, by any of some predicates, which set a mark. ok is false if the file has none.
func (w *wanted) robot(snap *engine.Snapshot, mark marks, agents []rdf.Term, robot rdf.Term) (ok bool, err error) {
	for _, predicate := range agents {
		has, err := w.pair(snap, mark, predicate, robot)
		if err != nil {
			return false, err
		}
		ok = ok || has
	}
	return ok, nil
}

// wanted returns the conditions of a selection. ok is false if the file lacks a term of them.
func (p *Provenance) wanted(snap *engine.Snapshot, by store.Selection) (w wanted, ok bool, err error) {
	w.pairs, ok = map[[2]dict.ID]marks{}, true
	if !by.Robot.IsZero() {
		ok, err = w.robot(snap, ofRobot, p.agents, by.Robot)
	}
	if ok && err == nil && !by.Kind.IsZero() {
		ok, err = w.pair(snap, ofKind, rdf.NewIRI(rdf.RDFType), by.Kind)
	}
	if ok && err == nil && by.About != nil {
		w.subjects, err = w.idsOf(snap, about, by.About)
		ok = len(w.subjects) > 0
	}
	if ok && err == nil && by.Naming != nil {
		w.terms, err = w.idsOf(snap, naming, by.Naming)
		ok = len(w.terms) > 0
	}
	if ok && err == nil {
		var nested []dict.ID
		nested, err = snap.Nested(slices.Collect(maps.Keys(w.terms)))
		for _, id := range nested {
			w.terms[id] = naming
		}
	}
	return w, ok, err
}

// idsOf wants a mark, and returns the ids of terms, each with that mark. It leaves out terms that the file lacks.
func (w *wanted) idsOf(snap *engine.Snapshot, mark marks, terms []rdf.Term) (map[dict.ID]marks, error) {
	w.marks |= mark
	ids := map[dict.ID]marks{}
	for _, t := range terms {
		if id, ok, err := snap.ID(t); err != nil {
			return nil, err
		} else if ok {
			ids[id] = mark
		}
	}
	return ids, nil
}

// in returns the wanted traits of the triples of a log that arrived at a time.
func (w *wanted) in(run []index.Tuple, arrived time.Time) (found traits) {
	for _, t := range run {
		s, p, o := dict.ID(t[0]), dict.ID(t[1]), dict.ID(t[2])
		if len(w.pairs) > 0 {
			found.marks |= w.pairs[[2]dict.ID{p, o}]
		}
		if len(w.subjects) > 0 {
			found.marks |= w.subjects[s]
		}
		if len(w.terms) > 0 {
			found.marks |= w.terms[s] | w.terms[o]
		}
		if w.times[p] {
			if at, ok := w.time(o); ok {
				of := traits{first: at, last: at}
				if !at.After(arrived) {
					of.event = at
				}
				found.add(of)
			}
		}
	}
	return found
}

// listCursor iterates over the lists of one graph.
type listCursor struct {
	kv.Cursor
	graph      dict.ID
	pieces     kv.Bucket
	key, value []byte
	known      map[uint64]traits // of pieces that were read
}

// find adds the wanted traits of the list to found, and goes to the next list.
func (c *listCursor) find(w *wanted, found *traits) (err error) {
	found.marks |= w.terms[c.graph]                                                // the triples also name their graph
	complete := func() bool { return found.marks == w.marks && len(w.times) == 0 } // no triple adds anything
	if !complete() {
		skip := func(piece uint64) bool {
			has, known := c.known[piece]
			usable := known && !has.last.After(found.arrived) // else it must be read: its event depends on the arrival
			if usable {
				has.event = has.last
				found.add(has)
			}
			return usable || complete()
		}
		err = list(c.pieces, c.key, c.value, skip, func(run []index.Tuple, piece uint64) error {
			has := w.in(run, found.arrived)
			if piece != 0 {
				c.known[piece] = has
			}
			found.add(has)
			return nil
		})
	}
	c.key, c.value = c.Next()
	return err
}
