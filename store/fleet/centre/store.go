package centre

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/rdf"
)

// bucketName is the bucket of boxes: the name of a box's log -> a box.
const bucketName = "boxes"

// box is the stored state of a box.
type box struct {
	Key string `json:"key"` // the verifier key now, after rotations
	// Named is the last key of the log that the operator named. Another one replaced it if it is not Key.
	Named string `json:"named,omitempty"`
	Size  uint64 `json:"size"`
	Edge  []byte `json:"edge"`
	Last  []byte `json:"last"`
	Note  string `json:"note"` // the last confirmation
	// Stored is how many entries are stored: more than Size if a pack was not stored completely. Leaf is the hash of
	// the last of them.
	Stored   uint64    `json:"stored"`
	Leaf     []byte    `json:"leaf"`
	Newest   time.Time `json:"newest"`
	Logged   time.Time `json:"logged,omitzero"` // of the last log, by the box's clock
	Arrived  time.Time `json:"arrived"`
	Refused  *Refused  `json:"refused,omitempty"`
	Withdraw []string  `json:"withdraw,omitempty"` // logs that it withdrew, and that are to be withdrawn here once no legal hold keeps them
}

// read returns the state of a box. It is zero if nothing arrived yet.
func read(r kv.Reader, log string) (box, error) {
	b, err := kv.GetJSON[box](r.Bucket(bucketName), []byte(log))
	if err != nil {
		return b, fmt.Errorf("reading the state of the box %.100q: %w", log, err)
	}
	return b, nil
}

// stored is like read, in a snapshot of its own.
func (c *Centre) stored(log string) (box, error) {
	return engine.Read(c.store, func(snap *engine.Snapshot) (box, error) { return read(snap.KV(), log) })
}

func (b box) put(w kv.Writer, log string) error {
	bucket, err := w.Writable(bucketName)
	if err == nil {
		err = kv.PutJSON(bucket, []byte(log), b)
	}
	if err != nil {
		return fmt.Errorf("writing the state of the box %.100q: %w", log, err)
	}
	return nil
}

// state returns what packs of the box are verified with.
func (b box) state(log, configured string) (s pack.State, err error) {
	s = pack.State{Log: log, Key: cmp.Or(b.Key, configured)}
	if configured != b.Named {
		s.Named = configured
	}
	copy(s.Last[:], b.Last)
	s.Edge, err = tree.NewEdge(b.Size, b.Edge)
	return s, err
}

// Extension returns the engine's hooks for the boxes of a file.
func Extension() engine.Extension {
	return engine.Extension{Check: func(c *engine.Checker) error {
		for log := range kv.All(c.KV().Bucket(bucketName)) {
			b, err := read(c.KV(), string(log))
			if err == nil {
				_, err = b.state(string(log), b.Key)
			}
			if err != nil {
				return err
			}
		}
		_, err := placeIn(c.KV())
		return err
	}}
}

// A unit of work has entries until one of these is reached. It takes some milliseconds.
const (
	unitTriples = 400
	unitEntries = 50
)

// errLost says that a part of a pack is missing in the file.
var errLost = errors.New("an earlier part of the pack could not be stored")

// put stores the entries of a pack that are not stored yet, in units of work, and returns the box's state after the
// last one. It waits for all units that it has submitted, also after an error. The error is a *pack.Refusal if the pack contradicts what is stored.
func (c *Centre) put(ctx context.Context, before box, v *pack.Verified, at Place) (after box, err error) {
	first := v.Edge.Size() - uint64(len(v.Entries))
	known := min(max(before.Stored, first)-first, uint64(len(v.Entries))) // how many of its entries are stored
	short := first+known < before.Stored                                  // it ends before the last stored one
	if known > 0 && (short || !bytes.Equal(v.Entries[known-1].Hash[:], before.Leaf)) {
		is := "not the one that"
		if short {
			is = "missing, which"
		}
		return after, &pack.Refusal{Reason: pack.Fork, Index: before.Stored - 1, Signed: true,
			Detail: fmt.Sprintf("entry %d is %s a pack had before, and that pack was not stored completely: the box's file was rewritten, or forked", before.Stored-1, is)}
	}
	for i := range v.Entries {
		if k := &v.Entries[i]; !isID(k.Entry.LogID) || len(k.Entry.Action) > maxAction {
			return after, &pack.Refusal{Reason: pack.Malformed, Index: k.Index, Signed: true, Detail: fmt.Sprintf("entry %d has no UUID, or an unknown action", k.Index)}
		}
	}
	now, left := cmp.Or(at.Time, c.options.Now()).UTC(), v.Entries[known:]
	var waits []func() error
	for err == nil && (len(left) > 0 || len(waits) == 0) { // at least one unit, which confirms
		if err = c.store.GiveWay(ctx); err == nil && c.options.Admit != nil {
			err = c.options.Admit(ctx)
		}
		if err != nil {
			break
		}
		u := unit{log: v.Log, now: now, at: at, entries: left[:next(left)]}
		u.confirm = len(u.entries) == len(left)
		left = left[len(u.entries):]
		var wait func() error
		if wait, err = c.submit(ctx, &u, v, &after); err == nil {
			waits = append(waits, wait)
		}
	}
	for _, wait := range waits {
		err = errors.Join(err, wait())
	}
	if unfit, ok := errors.AsType[*journal.EntryError](err); ok { // so it would be the next time
		err = &pack.Refusal{Reason: pack.Malformed, Index: first + known, Signed: true, Detail: fmt.Sprintf("of the entries from %d, one can't be stored here: %v", first+known, unfit)}
	}
	return after, err
}

// unit is what one unit of work stores.
type unit struct {
	log     string // the name of the box's log
	now     time.Time
	at      Place
	entries []pack.Known
	ready   []journal.Entry // of logs, hashed before others have to wait
	confirm bool            // it is the last one of the pack
}

// next returns how many entries the next unit of work has. An observation and an erasure have one of their own.
func next(all []pack.Known) (n int) {
	for triples := 0; n < len(all) && n < unitEntries && triples < unitTriples; n++ {
		if isObserved(&all[n]) || all[n].Erasure != nil {
			return max(n, 1)
		}
		if d := all[n].Document; d != nil {
			triples += len(d.Quads)
		}
	}
	return n
}

func isObserved(k *pack.Known) bool { return k.Entry.Action == journal.Resolve && k.Content != nil }

// submit stores a unit, and sets after to the state of the box.
func (c *Centre) submit(ctx context.Context, u *unit, v *pack.Verified, after *box) (wait func() error, err error) {
	u.ready = make([]journal.Entry, len(u.entries))
	for i := range u.entries {
		if k := &u.entries[i]; k.Document != nil {
			commit(&u.ready[i], k.Content, k.Document)
		}
	}
	do := func(tx *engine.Tx, entered bool) (err error) {
		if *after, err = c.add(tx, u, entered); err != nil {
			return err
		}
		if u.confirm {
			c.confirm(after, v, u.now)
			if err := u.at.Put(tx); err != nil {
				return err
			}
		}
		return after.put(tx.KV(), u.log)
	}
	if len(u.entries) == 1 {
		if wait, err = c.act(ctx, u, do); wait != nil || err != nil {
			return wait, err
		}
	}
	t, err := c.store.SubmitAfter(ctx, nil, true, func(tx *engine.Tx) error { return do(tx, false) })
	if err != nil {
		return nil, err
	}
	return t.Wait, nil
}

// act resolves the observation, or carries out the erasure, that is the only entry of a unit. If the entry is neither,
// or this centre does not do that, wait and err are nil.
func (c *Centre) act(ctx context.Context, u *unit, do func(tx *engine.Tx, entered bool) error) (wait func() error, err error) {
	k := &u.entries[0]
	e := journal.Entry{Time: u.now, Actor: cmp.Or(k.Entry.Actor, journal.ErasedText), Claimed: k.Entry.Claimed, Box: u.log, BoxIndex: k.Index, BoxTime: k.Entry.Time}
	switch {
	case isObserved(k) && c.options.Observe != nil:
		e.Context = k.Entry.Context
		return c.options.Observe(ctx, k.Content, e, do)
	case k.Erasure != nil && c.options.Erase != nil:
		e.Action, e.Detail = journal.Erasure, k.Entry.Detail
		isLabel := func(name string) bool { return !rdf.IsIRI(name) }
		whom := &pack.Erasure{IRIs: slices.DeleteFunc(slices.Clone(k.Erasure.IRIs), isLabel), To: k.Erasure.To}
		err = c.options.Erase(ctx, whom, e, func(tx *engine.Tx) error { return do(tx, true) })
		if errors.Is(err, store.ErrShared) {
			err = &pack.Refusal{Reason: pack.Shared, Index: k.Index, Signed: true,
				Detail: fmt.Sprintf("entry %d erases what is no person's: with it, a predicate, a class or a term of the vocabulary would go", k.Index)}
		} else if _, held := errors.AsType[*store.UnfitError](err); held {
			err = &pack.Refusal{Reason: pack.Held, Index: k.Index, Signed: true,
				Detail: fmt.Sprintf("entry %d erases somebody whom a legal hold of this centre keeps; lift the hold, and the box goes on", k.Index)}
		}
		return func() error { return nil }, err
	}
	return nil, nil
}

// confirm changes the state of a box to that after a pack.
func (c *Centre) confirm(b *box, v *pack.Verified, now time.Time) {
	wasOrIsKey := b.Key == "" || v.Named == b.Key || v.Named == v.Key // before or after the pack
	if v.Named != "" && wasOrIsKey {
		b.Named = v.Named
	}
	b.Key, b.Size, b.Edge, b.Last, b.Arrived, b.Refused = v.Key, v.Edge.Size(), v.Edge.Hashes(), v.Last[:], now, nil
	b.Note = string(v.Checkpoint) + c.signer.Line([]byte(v.Text), now)
}

// add stores the entries of a unit, and returns the state of the box. entered says that its observation has an entry.
func (c *Centre) add(tx *engine.Tx, u *unit, entered bool) (b box, err error) {
	if b, err = read(tx.KV(), u.log); err != nil || len(u.entries) == 0 {
		return b, err
	}
	if b.Stored != u.entries[0].Index {
		return b, errLost
	}
	for i := range u.entries {
		k := &u.entries[i]
		if entered {
			b.Newest = k.Entry.Time
		} else if err := c.enter(tx, u.log, k, u.ready[i], u.now, &b); err != nil {
			return b, err
		}
		b.Stored, b.Leaf = k.Index+1, k.Hash[:]
	}
	return b, nil
}

// commit sets what an entry says of a document. content is nil if its bytes are unknown, or must not be recognized.
func commit(e *journal.Entry, content []byte, d *store.Document) {
	e.Triples = d.Distinct()
	store.Commit(e, content, d, pack.CanonSteps)
}

// enter stores an entry of a box, whose log has a name, and changes the box's state. e commits to the document of the entry,
// if it has one.
func (c *Centre) enter(tx *engine.Tx, name string, k *pack.Known, e journal.Entry, now time.Time, b *box) error {
	from := &k.Entry
	b.Newest = from.Time
	e.Time, e.Actor, e.Claimed, e.Detail = now, cmp.Or(from.Actor, journal.ErasedText), from.Claimed, from.Detail
	e.Box, e.BoxIndex, e.BoxTime = name, k.Index, from.Time
	if from.Action == journal.Insert {
		return c.enterLog(tx, name, k, e, b)
	}
	e.Action, e.BoxAction, e.Subject, e.Robot = journal.Forwarded, from.Action, from.Subject, from.Robot
	if from.Action == journal.Erasure && k.Erasure == nil {
		c.options.Log.Warn("an erasure of a box came without the names, which the box keeps no more; if the person is still here, erase by hand", "box", name, "log_index", k.Index)
	}
	if from.Action == journal.Withdraw && isID(from.Withdrawn) {
		e.Withdrawn = from.Withdrawn
		own, err := c.owns(tx.KV(), name, from.Withdrawn)
		if err != nil {
			return err
		}
		if own && c.options.Withdraw != nil && !slices.Contains(b.Withdraw, from.Withdrawn) { // no other action has an effect here
			b.Withdraw = append(b.Withdraw, from.Withdrawn)
		}
	}
	c.blank(&e)
	return tx.Journal(e)
}

// enterLog stores a log of a box. If the log arrived before under another name of the box, only that is stored, for owns. If
// another log has its id, it gets a new one.
func (c *Centre) enterLog(tx *engine.Tx, name string, k *pack.Known, e journal.Entry, b *box) error {
	from, d := &k.Entry, k.Document
	b.Logged = from.Time
	if d != nil && c.options.Term != nil {
		if changed, withheld := d.Map(c.options.Term, c.options.Sentences); changed != d {
			d, e.Withheld = changed, withheld
			commit(&e, nil, d) // not to the bytes that were sent, which name somebody who was erased
		}
	}
	known, taken, err := has(tx.KV(), name, k, d)
	if err != nil {
		return err
	}
	if known {
		again, err := tx.KV().Writable(againName)
		if err == nil {
			err = again.Put(againKey(name, from.LogID), []byte{})
		}
		return err
	}
	e.LogID, e.Action = from.LogID, journal.Insert
	if taken {
		e.LogID, e.Detail = journal.NewLogID(), "another log has its id "+from.LogID
	}
	c.blank(&e)
	if d == nil { // withdrawn before it was sent, or too large
		d = &store.Document{}
		commit(&e, nil, d)
	}
	if from.Part < 1 {
		return tx.AddLog(d, &e)
	}
	if !taken { // otherwise each part is a log of its own
		e.Part, e.Bytes = from.Part, from.Bytes
	}
	blanks := sha256.Sum256([]byte(name + "\n" + from.LogID)) // parts share their blank nodes, boxes don't
	return tx.AddPart(d, &e, hex.EncodeToString(blanks[:16]))
}

// blank takes people who were erased here out of what a box says in an entry.
func (c *Centre) blank(e *journal.Entry) {
	if c.options.Blank == nil {
		return
	}
	for _, text := range []*string{&e.Actor, &e.Claimed, &e.Subject, &e.Robot, &e.Detail} {
		whole := text == &e.Robot || text == &e.Subject && e.BoxAction != journal.Remark // remarks may be about cases and sessions
		*text = c.options.Blank(*text, whole)
	}
}

// maxAction limits the bytes of an action.
const maxAction = 32

// isID reports whether s is a UUID in the usual form.
func isID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

// Withdrawing returns Options.Withdraw: it withdraws logs with do, such as
// provenance.Provenance's WithdrawLogs, by entries of this file that name the box.
func Withdrawing(do func(ctx context.Context, logIDs []string, e journal.Entry, each func(store.WithdrawnLog)) error) func(context.Context, []string, string) error {
	return func(ctx context.Context, logIDs []string, box string) error {
		var failed error
		err := do(ctx, logIDs, journal.Entry{Action: journal.Withdraw, Actor: "segraph", Box: box, Detail: "its box withdrew it"}, func(w store.WithdrawnLog) {
			_, unfit := errors.AsType[*store.UnfitError](w.Refused)
			isGone := errors.Is(w.Refused, store.ErrNoLog) || errors.Is(w.Refused, store.ErrNotKept)
			if w.Refused != nil && !unfit && !isGone { // another attempt may succeed
				failed = errors.Join(failed, fmt.Errorf("log %s: %w", w.LogID, w.Refused))
			}
		})
		return errors.Join(err, failed)
	}
}
