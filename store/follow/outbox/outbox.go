// Package outbox records the changes that a second store, which follows the file, has not
// received yet.
//
// Each transaction of the engine records which triples it touched in the published graph
// and in the graph of contexts. It does not record whether it added or removed them. A
// reader gets the touched triples that exist now, to be added, and the others, to be
// removed. So a change may be applied any number of times, even after later ones, with a
// correct result.
package outbox

import (
	"context"
	"encoding/binary"
	"fmt"
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

// Notes of the outbox itself.
var (
	trimmedKey = []byte("trimmed") // number up to which changes were trimmed
	staleKey   = []byte("stale")   // set if the outbox lacks changes
)

var contextsGraph = rdf.NewIRI(store.ContextsGraph)

// published is the id of the published graph.
const published = dict.ID(0)

// Outbox is the outbox of a file.
type Outbox struct {
	store   *engine.Store // nil until it is open
	follow  bool
	changed chan struct{}
	absent  bool // the file has no outbox; only the write in progress uses the field
}

// New returns an outbox for a store that is opened with its Extension. If follow, it
// records all changes. Otherwise it records none, and the first change makes it stale.
func New(follow bool) *Outbox { return &Outbox{follow: follow, changed: make(chan struct{}, 1)} }

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

// Changed returns a channel that receives a value after transactions with changes. One
// value may stand for several transactions. Only one goroutine may receive.
func (o *Outbox) Changed() <-chan struct{} { return o.changed }

// Span returns the range of recorded changes: those after trimmed, up to and including
// last. stale reports that changes are missing, or that the file never had an outbox.
func (o *Outbox) Span() (trimmed, last uint64, stale bool, err error) {
	err = o.store.View(func(s *engine.Snapshot) error {
		if !exists(s.KV()) {
			stale = true
			return nil
		}
		text, err := note(s.KV(), staleKey)
		if err != nil {
			return err
		}
		stale = text != nil || s.Unrecorded()
		if trimmed, err = numberNoted(s.KV(), trimmedKey); err != nil {
			return err
		}
		last = s.KV().Bucket(name, changes).Sequence()
		return nil
	})
	return trimmed, last, stale, err
}

// exists reports whether the file has an outbox. Its first change or note creates it.
func exists(r kv.Reader) bool {
	k, _ := r.Bucket(name, notes).Cursor().First()
	return k != nil || r.Bucket(name, changes).Sequence() > 0
}

// Unmoved reports whether triples of large documents in the published graph are yet to be
// moved to the graph's own indexes. Moving them records their changes.
func (o *Outbox) Unmoved() (unmoved bool, err error) {
	err = o.store.View(func(s *engine.Snapshot) error {
		unmoved, err = s.Unmoved()
		return err
	})
	return unmoved, err
}

// Begin empties the outbox and makes it not stale. A reader that then gets all triples
// with All misses nothing. Begin returns the number of the last trimmed change.
func (o *Outbox) Begin(ctx context.Context) (last uint64, err error) {
	if _, last, _, err = o.Span(); err != nil {
		return 0, err
	}
	if err := o.Trim(ctx, last); err != nil { // in small steps, so that posts do not wait
		return 0, err
	}
	err = o.update(ctx, func(tx *engine.Tx) error {
		last = tx.KV().Bucket(name, changes).Sequence()
		if err := trim(tx.KV(), last); err != nil {
			return err
		}
		if err := tx.ClearUnrecorded(); err != nil {
			return err
		}
		return setNote(tx.KV(), staleKey, nil)
	})
	return last, err
}

// trimAtOnce is how many changes one transaction removes. Posts wait for it.
const trimAtOnce = 5000

// Trim removes the changes up to and including upTo.
func (o *Outbox) Trim(ctx context.Context, upTo uint64) error {
	for more := true; more; {
		err := o.update(ctx, func(tx *engine.Tx) error {
			part := upTo
			if k, _ := tx.KV().Bucket(name, changes).Cursor().First(); len(k) == 8 {
				part = min(upTo, binary.BigEndian.Uint64(k)+trimAtOnce-1)
			}
			more = part < upTo
			return trim(tx.KV(), part)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// drainedAgain is the wait before Drain looks again.
const drainedAgain = 100 * time.Millisecond

// Drain waits until the changes recorded before are trimmed. If no graph store follows, it trims them.
func (o *Outbox) Drain(ctx context.Context) error {
	trimmed, last, _, err := o.Span()
	if !o.follow && trimmed < last && err == nil {
		return o.Trim(ctx, last)
	}
	for ; trimmed < last && err == nil; trimmed, _, _, err = o.Span() {
		select {
		case <-time.After(drainedAgain):
		case <-ctx.Done():
			return fmt.Errorf("waiting for the graph store: %w", ctx.Err())
		}
	}
	return err
}

// Note returns the value of a note, nil if it is not set.
func (o *Outbox) Note(name string) (value []byte, err error) {
	err = o.store.View(func(s *engine.Snapshot) error {
		v, err := note(s.KV(), []byte(name))
		value = append([]byte(nil), v...)
		return err
	})
	return value, err
}

// SetNote sets the value of a note. A nil value removes it.
func (o *Outbox) SetNote(ctx context.Context, name string, value []byte) error {
	return o.update(ctx, func(tx *engine.Tx) error { return setNote(tx.KV(), []byte(name), value) })
}

func note(r kv.Reader, key []byte) ([]byte, error) {
	v := r.Bucket(name, notes).Get(key)
	if v == nil {
		return nil, nil
	}
	return kv.Unseal(key, v)
}

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

func numberNoted(r kv.Reader, key []byte) (uint64, error) {
	v, err := note(r, key)
	if err != nil || len(v) != 8 {
		return 0, err
	}
	return binary.BigEndian.Uint64(v), nil
}

func key(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// trim removes the changes up to and including upTo, and records that number.
func trim(w kv.Writer, upTo uint64) error {
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
	return setNote(w, trimmedKey, key(upTo))
}

// update runs do in a transaction.
func (o *Outbox) update(ctx context.Context, do func(*engine.Tx) error) error {
	err := o.store.Update(ctx, func(tx *engine.Tx) error {
		o.absent = false // do may create it
		return do(tx)
	})
	if err != nil {
		return fmt.Errorf("writing the outbox: %w", err)
	}
	return nil
}

// touched records the change of a transaction or, if the outbox does not follow, makes
// the outbox stale.
func (o *Outbox) touched(tx *engine.Tx, t *engine.Touched) (done func(), err error) {
	switch {
	case o.follow:
		done, err = o.put(tx, t)
	case !o.absent:
		if o.absent = !exists(tx.KV()); !o.absent {
			err = makeStale(tx.KV())
		}
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
		if err := trim(tx.KV(), b.Sequence()); err != nil {
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

// notify sends on the channel of Changed.
func (o *Outbox) notify() {
	select {
	case o.changed <- struct{}{}:
	default: // the receiver already has a value waiting
	}
}

// makeStale empties the outbox and marks it as incomplete.
func makeStale(w kv.Writer) error {
	if err := trim(w, w.Bucket(name, changes).Sequence()); err != nil {
		return err
	}
	return setNote(w, staleKey, []byte{1})
}
