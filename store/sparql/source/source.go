// Package source defines what a store offers so that queries can read it by ids, and
// restricts it to the graphs of FROM and FROM NAMED.
package source

import (
	"iter"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
	"github.com/segraph/segraph/store/trigram"
)

// ID identifies a term. Equal terms have equal ids. 0 is not a term. Ids from
// LocalFirst on belong to the evaluator: they stand for terms that the dataset does not
// have.
type ID = ids.ID

// Tuple holds three ids in the order of an index.
type Tuple = ids.Tuple

// LocalFirst is the first id that a Reader must not use. Ids from here on have their
// five highest bits set.
const LocalFirst ID = 31 << 59

// Reader is what the evaluator sees of a store: one read snapshot, for one goroutine.
type Reader interface {
	// Term returns the term of an id that the dataset returned.
	Term(id ID) (rdf.Term, error)
	// Kind returns the kind of the term without reading the term.
	Kind(id ID) rdf.Kind
	// Value returns the value of the term. The value need not keep the term's lexical
	// form, so that numbers and times can be computed from the id alone.
	Value(id ID) (value.Value, error)
	// ID returns the id of a stored term, or 0 if the term is not stored. Terms that
	// differ only in the case of language tags are one term.
	ID(t rdf.Term) (ID, error)
	// Graphs returns the named graphs.
	Graphs() []ID
	// Count returns the number of triples in graph g with the given ids. g = 0 is the
	// default graph; 0 for s, p or o matches any term.
	Count(g, s, p, o ID) (int64, error)
	// Estimate returns roughly how many tuples of an index of graph g lie in [lo, hi]. lo
	// and hi begin with the same id. Its work is bounded. Small results are exact.
	Estimate(g ID, o Order, lo, hi Tuple) (int64, error)
	// Scan returns a scan of an index of graph g. The graph need not exist.
	Scan(g ID, o Order) Scan
	// Backwards returns a scan from the last tuple of a range to the first.
	Backwards(g ID, o Order) Scan
	// Ranges returns disjoint ranges of ids, in ascending order. Every id whose value x
	// satisfies x op v is in one of them. op is =, <, <=, > or >=. ok is false if the
	// dataset cannot tell.
	Ranges(op syntax.Op, v value.Value) (ranges []IDRange, ok bool)
	// Ordered returns the disjoint ranges, in ascending order, within which ids are in
	// the order of their values. There may be none.
	Ordered() []OrderedRange
	// TripleParts returns the ids of the subject, predicate and object of a triple
	// term. ok is false for the id of another kind of term.
	TripleParts(id ID) (spo [3]ID, ok bool, err error)
	// TripleTerms yields all triple terms with the given parts, in any order, without
	// duplicates. 0 for s, p or o matches any term. The terms belong to no graph, and a
	// term may no longer be part of any triple. TripleTerms reads an index, so its work
	// grows with the number of results. It ends after the first error.
	TripleTerms(s, p, o ID) iter.Seq2[TripleTerm, error]
	// EachTripleTerm calls f with the ids of the same terms, in batches. f must neither
	// use the dataset nor keep the slice. EachTripleTerm ends after the first error and
	// returns it.
	EachTripleTerm(s, p, o ID, f func(ids []ID) error) error
	// Cells sets cells[i] for each ids[i] that encodes its value, and leaves the other
	// cells unchanged. A cell is the same as that of Value.
	Cells(ids []ID, cells []value.Cell)
	// Terms sets terms to the terms of ids. It may append their texts to texts, and
	// returns the longer slice as all. The terms are valid until the caller reuses that
	// memory. Terms stops early if the texts exceed limit bytes. n is the number of
	// terms set. Sorted ids are read fastest.
	Terms(ids []ID, terms []rdf.Term, texts []byte, limit int) (n int, all []byte, err error)
	// Like sets like[i] to a number below LocalFirst for ids[i]. Terms with the same
	// number have the same kind, and literals also the same datatype and language.
	Like(ids []ID, like []uint64) error
	// TextRanges returns disjoint ranges of ids, in ascending order. Every term whose
	// text satisfies q is in one of them. If strings is set, only strings count, with
	// or without a language; otherwise all terms that STR accepts. ok is false if there
	// is no index of texts, or if it cannot tell.
	TextRanges(q *trigram.Query, strings bool) (ranges []IDRange, ok bool, err error)
	// Nodes returns a range of ids that only IRIs and blank nodes have. If it has not all
	// of them, some joins are slower.
	Nodes() IDRange
	// Fork returns the same data for use by another goroutine, or nil if that is not
	// possible. The fork is valid as long as the Reader is.
	Fork() Reader
	// Guard runs do, which reads a fork. If it panics because data cannot be read, Guard
	// returns that as an error.
	Guard(do func() error) error
}

// TripleTerm is a triple term of a dataset, and its subject, predicate and object.
type TripleTerm struct {
	ID    ID
	Parts [3]ID
}

// OrderedRange is the ids from First to Last, inclusive. The value of a higher id never
// precedes that of a lower one (value.Precedes). If the ids differ by Apart or more, it
// comes after it.
type OrderedRange struct {
	First, Last, Apart ID
}

// IDRange is the ids from First to Last, inclusive.
type IDRange struct {
	First, Last ID
	Exact       bool // every id in the range matches; otherwise test each
}

// Scan walks ranges of an index. It is reused, often for many short ranges in the order
// of the index.
type Scan interface {
	// Seek starts the scan of the tuples in [lo, hi].
	Seek(lo, hi Tuple)
	ids.Stream
}

// Sifter is a Scan that can drop most tuples early.
type Sifter interface {
	Scan
	// Sift makes the scan drop tuples whose last id is not in a set. Bit i of bits
	// stands for the id first + i. The scan may still return some of these tuples. Sift
	// reports whether the scan drops any.
	Sift(first uint64, bits []uint64) bool
}

// Unknown is the id of a term that is in no triple. It is the last local id, which is
// never used.
const Unknown = ^ID(0)
