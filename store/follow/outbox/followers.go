package outbox

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
)

// positionOf, with a follower's name after it, is the note of its position.
const positionOf = "at "

// Start prepares the outbox for the named followers. Others lose their positions. All do if
// a program that knows no outbox changed triples.
func (o *Outbox) Start(ctx context.Context, followers []string) error {
	return o.update(ctx, func(tx *engine.Tx) error {
		at, err := positions(tx.KV())
		if err != nil {
			return err
		}
		for f := range at {
			if !tx.Unrecorded() && slices.Contains(followers, f) {
				continue
			}
			if err := setNote(tx.KV(), []byte(positionOf+f), nil); err != nil {
				return err
			}
		}
		return tx.ClearUnrecorded()
	})
}

// Resumes reports whether a follower that has the changes up to and including number at
// can go on from there.
func (o *Outbox) Resumes(follower string, at uint64) (bool, error) {
	return engine.Read(o.store, func(s *engine.Snapshot) (bool, error) {
		all, err := positions(s.KV())
		least, known := all[follower]
		trimmed, last := span(s.KV())
		return known && max(least, trimmed) <= at && at <= last, err
	})
}

// Begin moves a follower to the last change, and returns its number. If the follower then
// gets all triples with All, and later changes, it misses nothing.
func (o *Outbox) Begin(ctx context.Context, follower string) (last uint64, err error) {
	err = o.update(ctx, func(tx *engine.Tx) error {
		_, last = span(tx.KV())
		return setNote(tx.KV(), []byte(positionOf+follower), key(last))
	})
	if err == nil {
		err = o.trim(ctx)
	}
	return last, err
}

// Confirm moves a follower to change at, and removes the changes that every follower has.
func (o *Outbox) Confirm(ctx context.Context, follower string, at uint64) error {
	err := o.update(ctx, func(tx *engine.Tx) error { return setNote(tx.KV(), []byte(positionOf+follower), key(at)) })
	if err != nil {
		return err
	}
	return o.trim(ctx)
}

// Limits of the changes that are kept for a follower that is away. Then sending all triples takes less.
const (
	mostKept  = 1_000_000
	mostBytes = 256 << 20
)

// Wait keeps the changes for a follower that is away, unless they are too many: then it
// loses its position.
func (o *Outbox) Wait(ctx context.Context, follower string) error {
	return o.wait(ctx, follower, mostKept, mostBytes)
}

// wait lets a follower that lacks more than most changes go, or that is the last one and lacks more than some bytes: they are
// no longer kept for it, so it gets everything again.
func (o *Outbox) wait(ctx context.Context, follower string, most uint64, bytes int) error {
	far, err := engine.Read(o.store, func(s *engine.Snapshot) (bool, error) {
		all, err := positions(s.KV())
		at, known := all[follower]
		trimmed, last := span(s.KV())
		if known && at <= trimmed && o.keptBytes(s.KV(), trimmed) > bytes {
			return true, err
		}
		return last-trimmed > most && (!known || last-at > most), err
	})
	if err == nil && far {
		err = cmp.Or(o.SetNote(ctx, positionOf+follower, nil), o.trim(ctx))
	}
	return err
}

// sum is the bytes of the changes after one, up to and including another.
type sum struct {
	after, upTo uint64
	bytes       int
}

// keptBytes returns how many bytes the changes after trimmed have. It reads only those since the last call.
func (o *Outbox) keptBytes(r kv.Reader, trimmed uint64) int {
	o.summing.Lock()
	defer o.summing.Unlock()
	if o.kept.after != trimmed {
		o.kept = sum{after: trimmed, upTo: trimmed}
	}
	for k, v := range kv.From(r.Bucket(name, changes), key(o.kept.upTo+1)) {
		o.kept.upTo, o.kept.bytes = binary.BigEndian.Uint64(k), o.kept.bytes+len(v)
	}
	return o.kept.bytes
}

// trimAtOnce is how many changes one transaction removes. Posts wait for it.
const trimAtOnce = 5000

// trim removes the changes that every follower with a position has.
func (o *Outbox) trim(ctx context.Context) error {
	for {
		var trimmed, upTo uint64
		err := o.store.View(func(s *engine.Snapshot) error {
			at, err := positions(s.KV())
			trimmed, upTo = span(s.KV())
			for _, n := range at {
				upTo = min(upTo, n)
			}
			return err
		})
		if err != nil || upTo <= trimmed {
			return err
		}
		err = o.update(ctx, func(tx *engine.Tx) error { return remove(tx.KV(), min(upTo, trimmed+trimAtOnce)) })
		if err != nil {
			return err
		}
	}
}

// positions returns the positions of the followers that have one.
func positions(r kv.Reader) (map[string]uint64, error) {
	out := map[string]uint64{}
	for k, v := range kv.From(r.Bucket(name, notes), []byte(positionOf)) {
		follower, ok := strings.CutPrefix(string(k), positionOf)
		if !ok {
			break
		}
		text, err := kv.Unseal(k, v)
		if err != nil {
			return nil, err
		}
		if len(text) != 8 {
			return nil, errChange
		}
		out[follower] = binary.BigEndian.Uint64(text)
	}
	return out, nil
}

// forget removes all changes and positions, and reports whether there were some.
func forget(w kv.Writer) (some bool, err error) {
	at, err := positions(w)
	if err != nil {
		return false, err
	}
	for f := range at {
		if err := setNote(w, []byte(positionOf+f), nil); err != nil {
			return true, err
		}
	}
	trimmed, last := span(w)
	if trimmed < last {
		err = remove(w, last)
	}
	return len(at) > 0 || trimmed < last, err
}
