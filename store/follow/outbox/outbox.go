// Package outbox records the changes that other stores, which follow the file, have not
// received yet.
//
// Each transaction of the engine records which triples it touched in the published graph
// and in the graph of contexts. It does not record whether it added or removed them. A
// reader gets the touched triples that exist now, to be added, and the others, to be
// removed. So a change may be applied any number of times, even after later ones, with a
// correct result.
//
// Each follower has a name and a position, the number of the last change that it surely
// has. The file keeps the changes after the lowest position. A follower without a position
// needs all triples: it is new, or changes that it lacks were not recorded or are gone.
package outbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// Buckets of the outbox. A note is a named value. For changes see change.go.
const (
	name    = "outbox"
	changes = "changes" // number -> change and checksum
	notes   = "notes"   // name -> value and checksum
)

var contextsGraph = rdf.NewIRI(store.ContextsGraph)

// published is the id of the published graph.
const published = dict.ID(0)

// Outbox is the outbox of a file.
type Outbox struct {
	store  *engine.Store // nil until it is open
	follow bool
	empty  bool // it has no positions and no changes; only the write in progress uses the field

	mu      sync.Mutex
	changed []chan struct{}

	summing sync.Mutex
	kept    sum // for keptBytes
}

// New returns an outbox for a store that is opened with its Extension. If follow, it
// records all changes. Otherwise it records none, and the first change takes all followers'
// positions.
func New(follow bool) *Outbox { return &Outbox{follow: follow} }

// Extension returns the engine's hooks for the outbox.
func (o *Outbox) Extension() engine.Extension {
	return engine.Extension{
		Opened:  func(s *engine.Store) error { o.store = s; return nil },
		Touched: o.touched,
		Triples: o.follow,
		Uses:    uses,
		Check:   check,
	}
}

// Change is what a second store must do: clear graphs, remove quads and add quads, in
// this order.
type Change struct {
	Last   uint64     // number of the last change included
	Reset  []rdf.Term // graphs to clear; the zero Term means the published graph
	Remove []rdf.Quad
	Add    []rdf.Quad
}

// Changed returns a channel that receives a value after later transactions with changes. One
// value may stand for several transactions. Each receiver needs a channel of its own.
func (o *Outbox) Changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := make(chan struct{}, 1)
	o.changed = append(o.changed, c)
	return c
}

// Span returns the range of recorded changes: those after trimmed, up to and including
// last.
func (o *Outbox) Span() (trimmed, last uint64, err error) {
	err = o.store.View(func(s *engine.Snapshot) error { trimmed, last = span(s.KV()); return nil })
	return trimmed, last, err
}

// span returns the numbers of the last change that is gone and of the last change.
func span(r kv.Reader) (trimmed, last uint64) {
	b := r.Bucket(name, changes)
	last = b.Sequence()
	if k, _ := b.Cursor().First(); len(k) == 8 {
		return binary.BigEndian.Uint64(k) - 1, last
	}
	return last, last
}

// Unmoved reports whether triples of large documents in the published graph are yet to be
// moved to the graph's own indexes. Moving them records their changes.
func (o *Outbox) Unmoved() (bool, error) {
	return engine.Read(o.store, (*engine.Snapshot).Unmoved)
}

// drainedAgain is the wait before Drain looks again.
const drainedAgain = 100 * time.Millisecond

// Drain waits until every follower with a position has the changes recorded before, and they
// are removed. If the store was opened without followers, it removes them.
func (o *Outbox) Drain(ctx context.Context) error {
	trimmed, last, err := o.Span()
	if !o.follow && trimmed < last && err == nil {
		return o.update(ctx, func(tx *engine.Tx) error { _, err := forget(tx.KV()); return err })
	}
	for ; trimmed < last && err == nil; trimmed, _, err = o.Span() {
		if err := o.trim(ctx); err != nil { // what only followers lack that must get everything
			return err
		}
		select {
		case <-time.After(drainedAgain):
		case <-ctx.Done():
			return fmt.Errorf("waiting for the graph store: %w", ctx.Err())
		}
	}
	return err
}

// Note returns the value of a note, nil if it is not set.
func (o *Outbox) Note(name string) ([]byte, error) {
	return engine.Read(o.store, func(s *engine.Snapshot) ([]byte, error) {
		v, err := note(s.KV(), []byte(name))
		return append([]byte(nil), v...), err
	})
}

// SetNote sets the value of a note. A nil value removes it.
func (o *Outbox) SetNote(ctx context.Context, name string, value []byte) error {
	return o.update(ctx, func(tx *engine.Tx) error { return setNote(tx.KV(), []byte(name), value) })
}

func note(r kv.Reader, key []byte) ([]byte, error) {
	return kv.GetSealed(r.Bucket(name, notes), key)
}

// setNote stores a note, or removes it if value is nil.
func setNote(w kv.Writer, key, value []byte) error {
	b, err := w.Writable(name, notes)
	if err != nil {
		return err
	}
	if value == nil {
		return b.Delete(key)
	}
	return b.Put(key, kv.Seal(key, value))
}

func key(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// remove removes the changes up to and including upTo.
func remove(w kv.Writer, upTo uint64) error {
	b, err := w.Writable(name, changes)
	if err != nil {
		return err
	}
	var removed [][]byte
	for k := range kv.All(b) {
		if len(k) != 8 || binary.BigEndian.Uint64(k) > upTo {
			break
		}
		removed = append(removed, k)
	}
	for _, k := range removed {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// update runs do in a transaction.
func (o *Outbox) update(ctx context.Context, do func(*engine.Tx) error) error {
	err := o.store.Update(ctx, func(tx *engine.Tx) error {
		o.empty = false // do may fill it
		return do(tx)
	})
	if err != nil {
		return fmt.Errorf("writing the outbox: %w", err)
	}
	return nil
}

// touched records the change of a transaction. If the outbox does not follow, it takes all
// followers' positions instead.
func (o *Outbox) touched(tx *engine.Tx, t *engine.Touched) (done func(), err error) {
	switch {
	case o.follow:
		done, err = o.put(tx, t)
	case !o.empty:
		var some bool
		some, err = forget(tx.KV())
		o.empty = !some && err == nil
	}
	if err != nil {
		return nil, fmt.Errorf("writing the outbox: %w", err)
	}
	return done, nil
}

// put records the change of a transaction.
func (o *Outbox) put(tx *engine.Tx, t *engine.Touched) (done func(), err error) {
	if len(t.Triples) == 0 && len(t.Emptied) == 0 {
		return nil, nil
	}
	b, err := tx.KV().Writable(name, changes)
	if err != nil {
		return nil, err
	}
	if t.Renumbered {
		if err := remove(tx.KV(), b.Sequence()); err != nil {
			return nil, err
		}
	}
	text, err := encode(tx, t)
	if err != nil || text == nil {
		return nil, err
	}
	n, err := b.NextSequence()
	if err != nil {
		return nil, err
	}
	return o.notify, b.Put(key(n), kv.Seal(key(n), text))
}

// notify sends on the channels of Changed.
func (o *Outbox) notify() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.changed {
		select {
		case c <- struct{}{}:
		default: // the receiver already has a value waiting
		}
	}
}
