package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/turtle"
)

// A large document is stored in many short transactions, between those of others:
//
//  1. Its terms get ids (numbering.go). The ids of its triples are sorted in memory, packed.
//  2. Triples that the published graph lacks go to a part in the bucket "staged", one
//     order after the other. Nothing reads them there. The log's contribution is recorded too.
//  3. One short transaction moves the part to the graph and writes the journal entry. It
//     stores all or nothing, and its length does not depend on the document.
//
// Others write meanwhile. Triples that the graph gains are removed from the part. If the
// graph loses triples, or the dictionary is emptied, the document starts again. If a
// document is not stored in the end, because of an error or a kill, the tidier removes
// its bucket.
var (
	stagedName = []byte("staged")
	madeName   = []byte("made") // scratch bucket of LargeContribution
)

const (
	// stepTime is about how long a step may take, without its sync. Other writers wait
	// for it.
	stepTime = 5 * time.Millisecond
	// stepTuples limits the memory of a step.
	stepTuples = 1 << 15
	// maxParts is the largest number of parts of a graph. Each part slows down reading.
	maxParts = 4
	// maxBegun is how often a document is started before it fails.
	maxBegun = 5
	// maxDeclared is how many prefixes of a document are examined.
	maxDeclared = 4 * maxPrefixes
)

// staged is a large document that is being stored in the published graph.
type staged struct {
	store *Store
	ctx   context.Context
	text  *store.Text

	sorter      *index.Sorter
	prefixes    []turtle.Prefix
	numbered    bool              // terms may have ids that nothing uses
	key         []byte            // of its bucket; nil before that exists
	triples     int               // number of distinct triples
	added       int               // how many of them are in the part
	contributes LargeContribution // nil if contributions are not recorded

	// Owned by the write that has entered.
	watching bool          // record changes of the graph
	gained   []index.Tuple // triples added to the graph since watching
	lost     bool          // the document must start again
}

// errLost means that a document must start again.
var errLost = errors.New("the graph lost triples while a document was being stored")

// AddText implements store.Graph.
func (s *Store) AddText(ctx context.Context, t *store.Text, e journal.Entry) (journal.Entry, error) {
	for n := 1; ; n++ {
		d := s.newStaged(ctx, t)
		err := d.add(&e)
		if errors.Is(err, errLost) && n < maxBegun {
			if n == 1 {
				s.restarted.Add(1)
				defer s.restarted.Add(-1)
			}
			continue
		}
		if errors.Is(err, errLost) {
			err = &store.UnreadyError{Detail: "triples were removed repeatedly while the document was being stored; send it again"}
		}
		if err != nil {
			return e, fmt.Errorf("storing the document: %w", err)
		}
		return e, nil
	}
}

// newStaged returns what stores a large document.
func (s *Store) newStaged(ctx context.Context, t *store.Text) *staged {
	d := &staged{store: s, ctx: ctx, text: t, sorter: &index.Sorter{}}
	if c := contributionsOf(s.extensions); c != nil && s.journaled {
		d.contributes = c.Large()
	}
	return d
}

// add stores a document as a part of the graph, in many short transactions, so that other writes need not wait: it
// numbers the terms, writes one index after the other, and publishes all at once. Only the last step changes what
// readers see.
func (d *staged) add(e *journal.Entry) (err error) {
	if err := d.store.documents.Acquire(d.ctx, 1); err != nil {
		return err
	}
	defer d.store.documents.Release(1)
	defer func() {
		if err != nil {
			d.giveUp()
		}
	}()
	announce := func(*Tx) error { d.store.turn.staging[d] = true; return nil } // see notifyStaged
	if err := d.step(announce); err != nil {
		return err
	}
	if err := d.number(); err != nil {
		return err
	}
	select {
	case d.store.publishing <- struct{}{}:
		defer func() { <-d.store.publishing }()
	case <-d.ctx.Done():
		return d.ctx.Err()
	}
	if err := d.begin(); err != nil {
		return err
	}
	if err := d.compare(); err != nil {
		return err
	}
	for _, o := range orders.Others {
		if err := d.reorder(o); err != nil {
			return err
		}
	}
	return d.publish(e)
}

// step runs do in a transaction of its own.
func (d *staged) step(do func(*Tx) error) error { return d.stepThen(do, nil) }

// stepThen is like step. after, unless nil, runs once the transaction is on the disk, before the next write begins.
func (d *staged) stepThen(do func(*Tx) error, after func()) error {
	return d.store.direct(d.ctx, directly{do: func(tx *Tx) error {
		if d.lost {
			return errLost
		}
		return do(tx)
	}, after: after})
}

// giveUp leaves the document's data to the tidier, or to the next start if the store is closing.
func (d *staged) giveUp() {
	turn := &d.store.turn
	select {
	case turn.taken <- struct{}{}:
	case <-d.store.closing:
		return
	}
	defer turn.end()
	delete(turn.staging, d)
	if d.numbered {
		turn.abandoned = append(turn.abandoned, d.key)
		d.store.wantTidying()
	}
}

// begin creates the document's bucket once the graph has few enough parts. From then on,
// notifyStaged records the graph's changes in d.
func (d *staged) begin() error {
	var key []byte
	for key == nil {
		err := d.stepThen(func(tx *Tx) error {
			g, err := tx.graph(defaultGraph)
			if err != nil {
				return err
			}
			if len(g.parts) >= maxParts {
				_, err := tx.moveFor(stepTime)
				return err
			}
			b, err := tx.bolt.CreateBucketIfNotExists(stagedName)
			if err != nil {
				return fmt.Errorf("opening the bucket of documents being stored: %w", err)
			}
			n, err := b.NextSequence()
			if err != nil {
				return fmt.Errorf("opening the bucket of documents being stored: %w", err)
			}
			key = idKey(dict.ID(n))
			_, err = openStaged(tx, key)
			return err
		}, func() { d.key, d.watching = key, key != nil }) // not before: another document may get the number
		if err != nil {
			return err
		}
	}
	return nil
}

// openStaged opens the part of the document with a key.
func openStaged(tx *Tx, key []byte) (part indexed, err error) {
	b, err := tx.bolt.Bucket(stagedName).CreateBucketIfNotExists(key)
	if err != nil {
		return part, fmt.Errorf("opening a document being stored: %w", err)
	}
	if part, err = openIndexed(b); err == nil {
		for _, b := range part.indexes {
			b.FillPercent = 1 // written in order
		}
	}
	return part, err
}

// inSteps passes the sorted tuples to do, in as many transactions as it takes. In each,
// before runs first and returns do, and after runs last.
func (d *staged) inSteps(sorter *index.Sorter, before func(*Tx) (do func([]index.Tuple) error, err error), after func(*Tx) error) error {
	for more := true; more; {
		err := d.step(func(tx *Tx) error {
			do, err := before(tx)
			if err != nil {
				return err
			}
			begin := time.Now()
			for n := 0; n < stepTuples && time.Since(begin) < stepTime; {
				batch := sorter.Next()
				if batch == nil {
					more = false
					break
				}
				if err := do(batch); err != nil {
					return err
				}
				n += len(batch)
			}
			if err := sorter.Err(); err != nil {
				return err
			}
			return after(tx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compare writes the triples that the graph lacks to the SPO index of the part, and
// records the log's contribution.
func (d *staged) compare() error {
	sorter := d.sorter
	d.sorter = nil
	err := d.inSteps(sorter, func(tx *Tx) (func([]index.Tuple) error, error) {
		part, err := openStaged(tx, d.key)
		if err != nil {
			return nil, err
		}
		g, err := tx.graph(defaultGraph)
		if err != nil {
			return nil, err
		}
		there := index.NewFinder(g.all(SPO)...)
		return func(batch []index.Tuple) error {
			d.triples += len(batch)
			if d.contributes != nil {
				for _, t := range batch {
					if err := d.contributes.Add(tx, t); err != nil {
						return err
					}
				}
			}
			fresh, err := inParts(there, batch, false)
			if err != nil {
				return err
			}
			d.added += len(fresh)
			return tx.editor.Insert(part.indexes[SPO], fresh, nil)
		}, nil
	}, func(tx *Tx) error { return d.flush(tx, false) })
	if err != nil {
		return err
	}
	return d.step(func(tx *Tx) error { return d.flush(tx, true) })
}

// flush writes out the recorded contribution. end reports whether it is complete.
func (d *staged) flush(tx *Tx, end bool) error {
	if d.contributes == nil {
		return nil
	}
	return d.contributes.Flush(tx, scratchOf(d.key), end)
}

// reorder writes index o of the part from its SPO index and, for POS, the counts.
func (d *staged) reorder(o Order) error {
	sorter := &index.Sorter{}
	if err := d.each(func(t index.Tuple) { sorter.Add(o.Tuple(SPO.Triple(t))) }); err != nil {
		return err
	}
	return d.inSteps(sorter, func(tx *Tx) (func([]index.Tuple) error, error) {
		part, err := openStaged(tx, d.key)
		return func(batch []index.Tuple) error {
			if o == POS {
				if err := part.countPOS(batch, 1); err != nil {
					return err
				}
			}
			return tx.editor.Insert(part.indexes[o], batch, nil)
		}, err
	}, func(*Tx) error { return nil })
}

// each calls f with the triples of the part in order. It reads in short transactions,
// because a long one would make the file grow.
func (d *staged) each(f func(index.Tuple)) error {
	lo, hi := index.Prefix()
	for more := true; more; {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		err := d.store.Guard(func() error {
			tx, err := d.store.file.Begin(false)
			if err != nil {
				return err
			}
			defer d.store.file.End(tx)
			scan := index.NewScan(tx.Bucket(stagedName).Bucket(d.key).Bucket(indexNames[SPO]))
			scan.Seek(lo, hi)
			for n := 0; n < stepTuples; {
				batch := scan.Next()
				if batch == nil {
					more = false
					break
				}
				for _, t := range batch {
					f(t)
				}
				n += len(batch)
				lo = batch[len(batch)-1]
				lo[2]++ // no id is that large
			}
			return scan.Err()
		})
		if err != nil {
			return fmt.Errorf("reading a document being stored: %w", err)
		}
	}
	return nil
}
