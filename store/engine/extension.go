package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Extension is data that a package above the engine keeps in the same file. It has its
// own buckets and changes in the same transactions as the triples. Every field is
// optional.
type Extension struct {
	// Opened is called once the store is open, before anything is written.
	Opened func(*Store) error
	// Touched is called at the end of each transaction that changed triples. It returns a
	// function to call once the transaction is on disk, or nil.
	Touched func(*Tx, *Touched) (done func(), err error)
	// Triples makes the engine collect each changed triple for Touched.
	Triples bool
	// Clear removes the data that belongs to the shared contexts, when everything is
	// deleted. Data in a graph's bucket (GraphPath) is removed with the graph.
	Clear func(*Tx) error
	// Entered is called after a write has appended its journal entry, which has the number
	// seq. It returns a function to call once the transaction is on disk, or nil.
	Entered func(tx *Tx, seq uint64, e *journal.Entry) (done func(), err error)
	// Contributions records what each journal entry contributed. At most one extension
	// may set it.
	Contributions Contributions
	// Uses calls use with each id of a term that the extension's data in a snapshot names. Terms of the file are
	// collected only by programs that set as many Uses as any before.
	Uses func(ctx context.Context, snap *Snapshot, use func(dict.ID)) error
	// Check verifies the extension's data. An error means damage of the file, unless it
	// is an *UncheckedError.
	Check func(*Checker) error
}

// Touched describes the changes of triples in a transaction.
type Touched struct {
	Emptied []rdf.Term // cleared graphs; the zero Term means the published graph
	// Triples are the triples that were added, removed or moved within the file, by
	// graph, in SPO order. A triple may occur more than once. They are collected only for
	// extensions with Extension.Triples.
	Triples map[dict.ID][]index.Tuple
	// Renumbered means that the dictionary was emptied: ids of earlier transactions are
	// invalid.
	Renumbered bool

	any bool
}

// Contributions records which journal entry contributed which triples.
type Contributions interface {
	// Keep records the triples that an entry contributed to a graph, whether they were
	// new or not. They are distinct and in SPO order.
	Keep(tx *Tx, seq uint64, graph dict.ID, triples []index.Tuple) error
	// Unpublished returns the numbers of the entries that contributed to any of the
	// graphs, but nothing to the published one.
	Unpublished(tx *Tx, graphs []dict.ID) []uint64
	// Large returns a recorder for the contribution of a large document to the published
	// graph.
	Large() LargeContribution
	// Tidy does part of the work that a large document left in its scratch bucket, once
	// the document is stored or abandoned. It reports whether it found any.
	Tidy(tx *Tx, scratch []string, stored bool) (more bool, err error)
}

// LargeContribution records the contribution of a large document in the transactions that
// store the document. If the document is abandoned, the engine just stops calling it.
type LargeContribution interface {
	// Add adds a triple. Triples are distinct and in SPO order.
	Add(tx *Tx, t index.Tuple) error
	// Flush is called before a transaction with an Add ends. scratch is the path of a
	// bucket for temporary data, which exists until Tidy finds no more work. end reports
	// that no triple follows.
	Flush(tx *Tx, scratch []string, end bool) error
	// Publish is called in the transaction that stores the document, with the number of
	// its journal entry.
	Publish(tx *Tx, seq uint64) error
}

// UncheckedError means that something could not be checked. It is not evidence of damage.
type UncheckedError struct{ Err error }

func (e *UncheckedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UncheckedError) Unwrap() error { return e.Err }

// wantTriples reports whether an extension needs each touched triple.
func (s *Store) wantTriples() bool {
	return slices.ContainsFunc(s.extensions, func(x Extension) bool { return x.Triples })
}

// contributions returns the extension that records contributions, or nil.
func (tx *Tx) contributions() Contributions { return contributionsOf(tx.extensions) }

// contributionsOf returns the Contributions of the extension that has them, or nil.
func contributionsOf(extensions []Extension) Contributions {
	for _, x := range extensions {
		if x.Contributions != nil {
			return x.Contributions
		}
	}
	return nil
}

// contribution holds what an entry contributed to one graph: distinct triples in SPO
// order.
type contribution struct {
	graph   dict.ID
	triples []index.Tuple
}

// Journal appends the journal entry of a write and records the write's contribution. It
// does nothing in a file without a journal.
func (tx *Tx) Journal(e journal.Entry) error {
	seq, err := tx.enter(e)
	if err != nil {
		return err
	}
	if seq == 0 {
		tx.contributed = nil
	}
	for _, c := range tx.contributed {
		if err := tx.contributions().Keep(tx, seq, c.graph, c.triples); err != nil {
			return err
		}
	}
	tx.contributed = nil
	return nil
}

// enter appends a journal entry and calls the Entered functions of the extensions. It returns the entry's number, 0 in a
// file without a journal.
func (tx *Tx) enter(e journal.Entry) (seq uint64, err error) {
	e = e.Complete()
	if seq, err = journal.Append(tx.KV(), e); err != nil || seq == 0 {
		return seq, err
	}
	for _, x := range tx.extensions {
		if x.Entered == nil {
			continue
		}
		done, err := x.Entered(tx, seq, &e)
		if err != nil {
			return seq, err
		}
		if done != nil {
			tx.done = append(tx.done, done)
		}
	}
	return seq, nil
}

// touchEmptied records that a graph was emptied.
func (tx *Tx) touchEmptied(graph rdf.Term) {
	tx.touched.any = true
	if !slices.Contains(tx.touched.Emptied, graph) {
		tx.touched.Emptied = append(tx.touched.Emptied, graph)
	}
}

// touch collects changed triples of a graph for the extensions, if any of them needs them.
func (tx *Tx) touch(g dict.ID, spo []index.Tuple) {
	tx.touched.any = true
	if !tx.wantTriples {
		return
	}
	if tx.touched.Triples == nil {
		tx.touched.Triples = map[dict.ID][]index.Tuple{}
	}
	tx.touched.Triples[g] = append(tx.touched.Triples[g], spo...)
}

// callTouched tells the extensions which triples have changed. If none of them wants to know, it marks the file, so
// that outbox notices later.
func (tx *Tx) callTouched() error {
	if !tx.touched.any {
		return nil
	}
	called := false
	for _, x := range tx.extensions {
		if x.Touched == nil {
			continue
		}
		called = true
		done, err := x.Touched(tx, &tx.touched)
		if err != nil {
			return err
		}
		if done != nil {
			tx.done = append(tx.done, done)
		}
	}
	if called || tx.Unrecorded() {
		return nil
	}
	meta, err := tx.KV().Writable(string(metaName))
	if err == nil {
		err = meta.Put(unrecordedKey, []byte{1})
	}
	if err != nil {
		return fmt.Errorf("noting a change: %w", err)
	}
	return nil
}

// unrecordedKey is set once a program without a Touched function has changed triples.
var unrecordedKey = []byte("untold")

// Unrecorded reports whether triples were changed by a program without an extension that
// sets Touched. Such changes are missing from what an extension recorded.
func (tx *Tx) Unrecorded() bool { return tx.KV().Bucket(string(metaName)).Get(unrecordedKey) != nil }

// ClearUnrecorded resets Unrecorded to false.
func (tx *Tx) ClearUnrecorded() error {
	meta, err := tx.KV().Writable(string(metaName))
	if err != nil {
		return fmt.Errorf("opening the file's own bucket: %w", err)
	}
	return meta.Delete(unrecordedKey)
}
