// Package eval evaluates SPARQL's algebra over a Dataset: it takes a tree of package
// algebra and gives solutions.
//
// Solutions are rows of ids, one place for every variable of the query, 0 where it is
// unbound. They go in batches through a chain of operators, each of which hands what it
// makes on to the next (see sink). Pattern operators extend rows by looking up an index;
// so a join is one pattern behind another wherever that gives what the standard's
// evaluation from the bottom up gives (algebra.Variables.TakesBindings), and a hash join elsewhere.
// Terms are made for what is written, and for what an expression wants to know.
//
// Rules: the package imports no store. Every operator stops soon after the query's
// context ends, and accounts for the memory that it keeps (budget). A query belongs to
// one goroutine. Others help it only within parallel, which waits for them, and touch
// neither the Dataset nor the Budget but for Check.
package eval

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// ID stands for a term. Of its bits the evaluator knows that 0 is no term, and that ids
// from LocalFirst on are its own, for terms that it computed and the dataset does not know.
// Equal terms have equal ids.
type ID uint64

// LocalFirst is the first of the ids that a Dataset must not use: those whose first five
// bits are set.
const LocalFirst ID = 31 << 59

// Dataset is the evaluator's whole view of a store: one moment of it, for one goroutine.
type Dataset interface {
	// Term gives the term of an id that the dataset gave.
	Term(id ID) (rdf.Term, error)
	// Kind tells what kind of term it is, without looking for the term.
	Kind(id ID) rdf.Kind
	// Value gives what the term means. It need not keep the term's lexical form, so that
	// numbers and times can be had from the id alone.
	Value(id ID) (value.Value, error)
	// ID returns the id of a stored term, 0 for one that is not stored. Terms whose
	// language tags differ in case alone are one term.
	ID(t rdf.Term) (ID, error)
	// Graphs gives the named graphs.
	Graphs() []ID
	// Count gives the number of triples of graph g, 0 being the default graph, with the
	// given ids, of which 0 matches any.
	Count(g, s, p, o ID) (int64, error)
	// Estimate gives about how many tuples of an index of graph g lie in [lo, hi], which
	// begin with the same id. What it does has a bound, and where they are few it is
	// right.
	Estimate(g ID, o Order, lo, hi [3]uint64) (int64, error)
	// Scan gives a walk over an index of graph g, which may be one that does not exist.
	Scan(g ID, o Order) Scan
	// Backwards gives one from the last tuple of a range to the first.
	Backwards(g ID, o Order) Scan
	// Ranges gives, in order and apart, ranges of ids outside of which there is none
	// whose value x has x op v, for op =, <, <=, > or >=. It may not know.
	Ranges(op syntax.Op, v value.Value) (ranges []IDRange, ok bool)
	// Ordered gives, in order and apart, ranges of ids in which of two ids the lower one
	// never has the value that comes behind (value.Precedes). There may be none.
	Ordered() []IDRange
}

// Columnar is a Dataset that tells what it can of ids without making terms.
type Columnar interface {
	Dataset
	// Cells sets the cells of those ids that are values themselves, and leaves those of
	// others. A cell tells what Value does.
	Cells(ids []ID, cells []value.Cell)
	// Terms sets terms to those of ids. Their texts may be in the memory of texts, to which
	// it appends them, and are good until the caller uses that again. It ends early when
	// the texts of these terms have more than most bytes, and returns how many terms it set.
	// Ids in their order are read fastest.
	Terms(ids []ID, terms []rdf.Term, texts []byte, most int) (n int, all []byte, err error)
	// Like sets like to numbers, below LocalFirst, by id. Terms that share one are of the
	// same kind, and literals of the same datatype and language.
	Like(ids []ID, like []uint64) error
}

// columnar returns ds, or the dataset that FROM chose graphs of, if it is Columnar, else
// nil.
func columnar(ds Dataset) Columnar {
	if m, ok := ds.(*merged); ok {
		ds = m.Dataset
	}
	c, _ := ds.(Columnar)
	return c
}

// IDRange is the ids from First to Last.
type IDRange struct {
	First, Last ID
	Exact       bool // what is asked for is true of all of them
}

// Scan walks a range of an index. It is used again and again, often for many short ranges
// one after another in the index's order.
type Scan interface {
	// Seek places the scan before the first tuple in [lo, hi].
	Seek(lo, hi [3]uint64)
	// Next gives the next tuples, at least one, valid until the next call; nil at the end.
	Next() [][3]uint64
	// Err is what ended the scan early, if anything did.
	Err() error
}
