package engine

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Extension is what a package above the engine keeps in the same file: buckets of its
// own, which change in the transactions of the triples that they tell of. Every field may
// be left out.
type Extension struct {
	// Opened is called once the store is open, and before anything is written.
	Opened func(*Store) error
	// Touched is called at the end of each transaction that changed triples. The function
	// that it returns, which may be nil, is called once the transaction is on disk.
	Touched func(*Tx, *Touched) (done func(), err error)
	// Triples says that Touched needs to know each triple, in the transaction that
	// answers its write.
	Triples bool
	// Clear removes what goes with the shared contexts when all is deleted. What the
	// package above keeps beside the published graph (GraphPath) goes with that graph.
	Clear func(*Tx) error
	// Contributions keeps what each entry of the journal contributed. One extension at
	// most has it.
	Contributions Contributions
	// Check verifies what the extension keeps. An error is damage of the file, unless it
	// is an *UncheckedError.
	Check func(*Checker) error
}

// Touched is what a transaction did to triples.
type Touched struct {
	Emptied []rdf.Term // graphs; the zero Term is the published graph
	// Triples are those that were added or removed, or moved within the file, by graph,
	// as the index SPO has them. One may be there more than once. They are kept only for
	// an extension with Extension.Triples.
	Triples map[dict.ID][]index.Tuple
	// Forgotten says that the dictionary was emptied: ids of earlier transactions mean
	// nothing any more.
	Forgotten bool

	any bool
}

// Contributions keeps which entry of the journal contributed which triples.
type Contributions interface {
	// Keep keeps triples that an entry contributed to a graph, whether they were new or
	// not. They are sorted as in the index SPO, without repetition.
	Keep(tx *Tx, seq uint64, graph dict.ID, triples []index.Tuple) error
	// Large begins to keep what a large document contributes to the published graph.
	Large() LargeContribution
	// Tidy does some of what a large document left to be done in its scratch bucket, once
	// the document is stored, or will not be. It reports whether there was anything.
	Tidy(tx *Tx, scratch []string, stored bool) (more bool, err error)
}

// LargeContribution keeps what a large document contributes, in the many transactions in
// which the document is stored. It is given up without notice if the document is.
type LargeContribution interface {
	// Add adds a triple. They come in the order of the index SPO, without repetition.
	Add(tx *Tx, t index.Tuple) error
	// Flush is called before a transaction with an Add ends. scratch is the path of a
	// bucket for notes, which is there for as long as Tidy has something to do. end says
	// that no triple follows.
	Flush(tx *Tx, scratch []string, end bool) error
	// Publish is called in the transaction that stores the document, whose entry has the
	// number seq.
	Publish(tx *Tx, seq uint64) error
}

// UncheckedError reports that something could not be checked, and is not damaged for all
// that is known.
type UncheckedError struct{ Err error }

func (e *UncheckedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UncheckedError) Unwrap() error { return e.Err }

// wantTriples reports whether an extension needs to know each triple that is touched.
func (s *Store) wantTriples() bool {
	return slices.ContainsFunc(s.extensions, func(x Extension) bool { return x.Triples })
}

// contributions returns what keeps contributions, or nil.
func (tx *Tx) contributions() Contributions { return contributionsOf(tx.extensions) }

func contributionsOf(extensions []Extension) Contributions {
	for _, x := range extensions {
		if x.Contributions != nil {
			return x.Contributions
		}
	}
	return nil
}

// contribution is what an entry contributed to one graph, in the order of the index SPO
// and without repetition.
type contribution struct {
	graph   dict.ID
	triples []index.Tuple
}

// Journal appends the entry of a write, with what the write contributed, if the file has
// a journal.
func (tx *Tx) Journal(e journal.Entry) error {
	seq, err := journal.Append(tx.KV(), e)
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

// touchEmptied notes that a graph was emptied.
func (tx *Tx) touchEmptied(graph rdf.Term) {
	tx.touched.any = true
	if !slices.Contains(tx.touched.Emptied, graph) {
		tx.touched.Emptied = append(tx.touched.Emptied, graph)
	}
}

// touch notes what the transaction did to triples of a graph.
func (tx *Tx) touch(g dict.ID, spo []index.Tuple) {
	tx.touched.any = true
	if !tx.triples {
		return
	}
	if tx.touched.Triples == nil {
		tx.touched.Triples = map[dict.ID][]index.Tuple{}
	}
	tx.touched.Triples[g] = append(tx.touched.Triples[g], spo...)
}

// tellTouched tells the extensions what the transaction touched.
func (tx *Tx) tellTouched() error {
	if !tx.touched.any {
		return nil
	}
	told := false
	for _, x := range tx.extensions {
		if x.Touched == nil {
			continue
		}
		told = true
		done, err := x.Touched(tx, &tx.touched)
		if err != nil {
			return err
		}
		if done != nil {
			tx.done = append(tx.done, done)
		}
	}
	if told || tx.Untold() {
		return nil
	}
	meta, err := tx.KV().Writable(string(metaName))
	if err == nil {
		err = meta.Put(untoldKey, []byte{1})
	}
	if err != nil {
		return fmt.Errorf("noting a change: %w", err)
	}
	return nil
}

// untoldKey is there once triples were changed by a program that has no extension to tell
// of it.
var untoldKey = []byte("untold")

// Untold reports whether triples were changed by a program without an extension that is
// told of it: what such an extension keeps does not tell of all changes.
func (tx *Tx) Untold() bool { return tx.KV().Bucket(string(metaName)).Get(untoldKey) != nil }

// Untold is Tx.Untold for a snapshot.
func (s *Snapshot) Untold() bool { return s.KV().Bucket(string(metaName)).Get(untoldKey) != nil }

// ForgetUntold makes Untold false, until it happens again.
func (tx *Tx) ForgetUntold() error {
	meta, err := tx.KV().Writable(string(metaName))
	if err != nil {
		return fmt.Errorf("opening the file's own bucket: %w", err)
	}
	return meta.Delete(untoldKey)
}
