package engine

import (
	"unsafe"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/value"
)

// Dataset returns the snapshot as queries read it. Like the snapshot it is for one
// goroutine, and good until the snapshot is closed.
func (s *Snapshot) Dataset() sparql.Indexed { return sparql.FromIndex(snapshotDataset{s}) }

type snapshotDataset struct{ *Snapshot }

// No id of the dictionary is one of the evaluator's own, nor will be one of a triple term, or this does not compile.
const _ = uint64(eval.LocalFirst) - (dict.TagTriple<<60 + dict.MaxNumber) - 1

func (d snapshotDataset) Term(id eval.ID) (rdf.Term, error) { return d.Snapshot.Term(dict.ID(id)) }

func (d snapshotDataset) Kind(id eval.ID) rdf.Kind { return dict.ID(id).Kind() }

func (d snapshotDataset) Value(id eval.ID) (value.Value, error) {
	switch k := dict.ID(id); k.Tag() {
	case dict.TagBoolean:
		v, _ := k.Integer()
		return value.Boolean(v == 1), nil
	case dict.TagInteger:
		v, _ := k.Integer()
		return value.Integer(v), nil
	case dict.TagDecimal:
		v, _ := k.Millionths()
		return value.Decimal(v, 6), nil
	case dict.TagDouble:
		v, _ := k.Millionths()
		if exactInDouble(v) {
			return value.Double(float64(v) / 1e6), nil
		}
	case dict.TagDateTime:
		v, zoned, _ := k.Micros()
		seconds := v / 1e6
		if v%1e6 < 0 {
			seconds--
		}
		return value.DateTime(seconds, int(v-seconds*1e6)*1000, 0, zoned), nil
	}
	t, err := d.Term(id)
	return value.FromTerm(t), err
}

// exactInDouble tells whether dividing by a million rounds once, so that it gives what reading
// the number's digits would.
func exactInDouble(millionths int64) bool { return -1<<53 <= millionths && millionths <= 1<<53 }

func (d snapshotDataset) ID(t rdf.Term) (eval.ID, error) {
	id, _, err := d.Snapshot.ID(t)
	return eval.ID(id), err
}

// Graphs leaves out graphs that hold nothing any more.
func (d snapshotDataset) Graphs() []eval.ID {
	var out []eval.ID
	for _, g := range d.Snapshot.Graphs() {
		if n, err := d.Snapshot.Count(0, 0, 0, g); g != defaultGraph && (n > 0 || err != nil) {
			out = append(out, eval.ID(g))
		}
	}
	return out
}

// Census is that of the store.
func (d snapshotDataset) Census() *eval.Census { return d.Snapshot.census }

func (d snapshotDataset) Count(g, s, p, o eval.ID) (int64, error) {
	return d.Snapshot.Count(dict.ID(s), dict.ID(p), dict.ID(o), dict.ID(g))
}

func (d snapshotDataset) Scan(g eval.ID, o eval.Order) eval.Scan {
	return finder{d.Finder(dict.ID(g), Order(o))} // the orders have the same numbers
}

type finder struct{ *index.Finder }

func (f finder) Seek(lo, hi [3]uint64) { f.Finder.Seek(index.Tuple(lo), index.Tuple(hi)) }

// Next gives the finder's own tuples: a Tuple is a [3]uint64 by another name.
func (f finder) Next() [][3]uint64 {
	tuples := f.Finder.Next()
	return unsafe.Slice((*[3]uint64)(unsafe.SliceData(tuples)), len(tuples))
}
