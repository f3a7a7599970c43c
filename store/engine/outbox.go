package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// Buckets of the outbox. A note is a name and its value; a change is in change.go.
var (
	outboxName  = []byte("outbox")
	changesName = []byte("changes") // number -> change and checksum
	notesName   = []byte("notes")   // name -> value and checksum
	trimmedKey  = []byte("trimmed") // the note that says up to which number changes are gone
	staleKey    = []byte("stale")   // the note that changes were made which are not in the outbox
)

// Outbox says what changed in the published graph and in the graph of contexts, for a second store
// that follows this one. It is kept where Options.Outbox is set: every transaction then says what it
// touched, in the same transaction. What was written without it leaves the outbox stale.
//
// A change tells which triples were touched, and not what was done to them: a reader gets those that
// are there now, to be added, and those that are not, to be removed. So the same change may be
// read and carried out any number of times, also after later ones, and comes to what is true.
type Outbox struct{ store *Store }

// Outbox gives the store's outbox.
func (s *Store) Outbox() Outbox { return Outbox{s} }

// Change is what a second store has to do, in this order.
type Change struct {
	Last   uint64     // the number of the last change that is in this one
	Reset  []rdf.Term // graphs to be emptied; the zero Term is the published graph
	Remove []rdf.Quad
	Add    []rdf.Quad
}

// Changed receives after a transaction that left a change. One receiver is told of many at once.
func (o Outbox) Changed() <-chan struct{} { return o.store.changed }

// Span tells which changes are there: those after the first number, up to and with the last. stale
// says that changes were made which are not among them, or that there never was an outbox.
func (o Outbox) Span() (trimmed, last uint64, stale bool, err error) {
	err = o.view(func(b *bolt.Bucket) error {
		if b == nil {
			stale = true
			return nil
		}
		text, err := note(b, staleKey)
		if err != nil {
			return err
		}
		stale = text != nil
		if trimmed, err = numberNoted(b, trimmedKey); err != nil {
			return err
		}
		last = b.Bucket(changesName).Sequence()
		return nil
	})
	return trimmed, last, stale, err
}

// Unmoved reports whether the published graph has triples of large documents whose changes are still to come: they
// come as those are moved to where they belong.
func (o Outbox) Unmoved() (unmoved bool, err error) {
	err = o.store.View(func(s *Snapshot) error {
		if indexes := s.view(defaultGraph).indexes[SPO]; len(indexes) > 1 {
			scan := index.NewScan(indexes[1:]...)
			scan.Seek(index.Prefix())
			unmoved, err = scan.Next() != nil, scan.Err()
		}
		return err
	})
	return unmoved, err
}

// Begin empties the outbox, and it is not stale any more: whoever gets all triples after this (All)
// misses nothing. It returns the number of the last change that is gone.
func (o Outbox) Begin(ctx context.Context) (last uint64, err error) {
	if _, last, _, err = o.Span(); err != nil {
		return 0, err
	}
	if err := o.Trim(ctx, last); err != nil { // most of it, without holding up a post
		return 0, err
	}
	err = o.update(ctx, func(b *bolt.Bucket) error {
		last = b.Bucket(changesName).Sequence()
		if err := trim(b, last); err != nil {
			return err
		}
		return b.Bucket(notesName).Delete(staleKey)
	})
	return last, err
}

// trimAtOnce is how many changes one transaction forgets: posts wait for it.
const trimAtOnce = 5000

// Trim forgets the changes up to a number.
func (o Outbox) Trim(ctx context.Context, upTo uint64) error {
	for more := true; more; {
		err := o.update(ctx, func(b *bolt.Bucket) error {
			part := upTo
			if k, _ := b.Bucket(changesName).Cursor().First(); len(k) == 8 {
				part = min(upTo, binary.BigEndian.Uint64(k)+trimAtOnce-1)
			}
			more = part < upTo
			return trim(b, part)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Note gives what was noted under a name, nil if nothing was.
func (o Outbox) Note(name string) (value []byte, err error) {
	err = o.view(func(b *bolt.Bucket) error {
		if b == nil {
			return nil
		}
		v, err := note(b, []byte(name))
		value = append([]byte(nil), v...)
		return err
	})
	return value, err
}

// SetNote notes a value under a name; nil removes it.
func (o Outbox) SetNote(ctx context.Context, name string, value []byte) error {
	return o.update(ctx, func(b *bolt.Bucket) error {
		if value == nil {
			return b.Bucket(notesName).Delete([]byte(name))
		}
		return b.Bucket(notesName).Put([]byte(name), kv.Seal([]byte(name), value))
	})
}

func note(b *bolt.Bucket, name []byte) ([]byte, error) {
	v := b.Bucket(notesName).Get(name)
	if v == nil {
		return nil, nil
	}
	return kv.Unseal(name, v)
}

func numberNoted(b *bolt.Bucket, name []byte) (uint64, error) {
	v, err := note(b, name)
	if err != nil || len(v) != 8 {
		return 0, err
	}
	return binary.BigEndian.Uint64(v), nil
}

// trim removes changes up to a number, and notes that.
func trim(b *bolt.Bucket, upTo uint64) error {
	c := b.Bucket(changesName).Cursor()
	for k, _ := c.First(); len(k) == 8 && binary.BigEndian.Uint64(k) <= upTo; k, _ = c.Next() {
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return b.Bucket(notesName).Put(trimmedKey, kv.Seal(trimmedKey, binary.BigEndian.AppendUint64(nil, upTo)))
}

// view runs do on the outbox, which is nil where there is none.
func (o Outbox) view(do func(*bolt.Bucket) error) error {
	return o.store.View(func(s *Snapshot) error { return do(s.bolt.Bucket(outboxName)) })
}

// update runs do on the outbox, which is made where there is none.
func (o Outbox) update(ctx context.Context, do func(*bolt.Bucket) error) error {
	err := o.store.update(ctx, &write{do: func(tx *Tx, _ int) error {
		b, err := openOutbox(tx.bolt)
		if err != nil {
			return err
		}
		return do(b)
	}})
	if err != nil {
		return fmt.Errorf("writing the outbox: %w", err)
	}
	return nil
}

func openOutbox(tx *bolt.Tx) (*bolt.Bucket, error) {
	b, err := tx.CreateBucketIfNotExists(outboxName)
	if err != nil {
		return nil, err
	}
	for _, name := range [][]byte{changesName, notesName} {
		if _, err := b.CreateBucketIfNotExists(name); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// touched is what a transaction did to the graphs that a second store has too.
type touched struct {
	untold  bool     // something, in a store that keeps no outbox
	reset   []string // graphs that were emptied, by name
	tuples  map[dict.ID][]index.Tuple
	forgets bool // all terms are gone, so earlier changes mean nothing any more
}

// touchReset keeps that a transaction emptied a graph.
func (tx *Tx) touchReset(name string) {
	if !slices.Contains(tx.touched.reset, name) {
		tx.touched.reset = append(tx.touched.reset, name)
	}
	tx.touched.untold = !tx.outbox
}

// touch keeps what a transaction did to graph g.
func (tx *Tx) touch(g dict.ID, spo []index.Tuple) {
	if !tx.outbox {
		tx.touched.untold = true
		return
	}
	if tx.touched.tuples == nil {
		tx.touched.tuples = map[dict.ID][]index.Tuple{}
	}
	tx.touched.tuples[g] = append(tx.touched.tuples[g], spo...)
}

// putChange puts what was touched into the outbox, or says there that it is stale, where it is not kept.
func (tx *Tx) putChange() error {
	if tx.touched.untold {
		return tx.makeStale()
	}
	if len(tx.touched.tuples) == 0 && len(tx.touched.reset) == 0 {
		return nil
	}
	b, err := openOutbox(tx.bolt)
	if err != nil {
		return fmt.Errorf("opening the outbox: %w", err)
	}
	changes := b.Bucket(changesName)
	if tx.touched.forgets {
		if err := trim(b, changes.Sequence()); err != nil {
			return fmt.Errorf("emptying the outbox: %w", err)
		}
	}
	text, err := tx.encodeTouched()
	if err != nil || text == nil {
		return err
	}
	n, err := changes.NextSequence()
	if err == nil {
		key := binary.BigEndian.AppendUint64(nil, n)
		err = changes.Put(key, kv.Seal(key, text))
	}
	if err != nil {
		return fmt.Errorf("writing the outbox: %w", err)
	}
	tx.told = true
	return nil
}

// makeStale says in the outbox, if there is one, that it does not tell of all.
func (tx *Tx) makeStale() error {
	b := tx.bolt.Bucket(outboxName)
	if b == nil {
		return nil
	}
	err := trim(b, b.Bucket(changesName).Sequence())
	if err == nil {
		err = b.Bucket(notesName).Put(staleKey, kv.Seal(staleKey, []byte{1}))
	}
	if err != nil {
		return fmt.Errorf("writing the outbox: %w", err)
	}
	return nil
}
