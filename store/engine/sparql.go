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

// No id of the dictionary is one of the evaluator's own, nor will be one of a triple
// term, or this does not compile.
const _ = uint64(eval.LocalFirst) - (dict.TagTriple<<60 + dict.MaxNumber) - 1

func (d snapshotDataset) Term(id eval.ID) (rdf.Term, error) { return d.Snapshot.Term(dict.ID(id)) }

func (d snapshotDataset) Kind(id eval.ID) rdf.Kind { return dict.ID(id).Kind() }

func (d snapshotDataset) Value(id eval.ID) (value.Value, error) {
	if c, ok := cell(dict.ID(id)); ok {
		return value.Of(c, rdf.Term{}), nil
	}
	t, err := d.Term(id)
	return value.FromTerm(t), err
}

func (d snapshotDataset) Cells(ids []eval.ID, cells []value.Cell) {
	for i, id := range ids {
		if c, ok := cell(dict.ID(id)); ok {
			cells[i] = c
		}
	}
}

func (d snapshotDataset) Terms(ids []eval.ID, terms []rdf.Term, texts []byte, most int) (n int, all []byte, err error) {
	for size := 0; n < len(ids) && size <= most; n++ {
		if texts, terms[n], err = d.Snapshot.Append(texts, dict.ID(ids[n])); err != nil {
			break
		}
		size += len(terms[n].Value())
	}
	return n, texts, err
}

func (d snapshotDataset) Like(ids []eval.ID, like []uint64) (err error) {
	for i, id := range ids {
		if like[i], err = d.Snapshot.Like(dict.ID(id)); err != nil {
			return err
		}
	}
	return nil
}

// cell returns the value of an id that is one.
func cell(id dict.ID) (value.Cell, bool) {
	switch id.Tag() {
	case dict.TagBoolean:
		v, _ := id.Integer()
		return value.Boolean(v == 1).Cell, true
	case dict.TagInteger:
		v, _ := id.Integer()
		return value.Integer(v).Cell, true
	case dict.TagDecimal:
		v, _ := id.Millionths()
		return value.Decimal(v, 6).Cell, true
	case dict.TagDouble:
		v, _ := id.Millionths()
		return value.Double(float64(v) / 1e6).Cell, exactQuotient(v, 53)
	case dict.TagFloat:
		v, _ := id.Millionths()
		return value.Float(float32(v) / 1e6).Cell, exactQuotient(v, 24)
	case dict.TagDateTime:
		v, zoned, _ := id.Micros()
		seconds := v / 1e6
		if v%1e6 < 0 {
			seconds--
		}
		return value.DateTime(seconds, int(v-seconds*1e6)*1000, 0, zoned).Cell, true
	case dict.TagDate:
		v, zoned, _ := id.Days()
		return value.Date(v, zoned).Cell, true
	}
	return value.Cell{}, false
}

// exactQuotient reports whether dividing by a million rounds once, so that it gives what
// reading the number's digits would, in a floating-point number of so many bits.
func exactQuotient(millionths int64, bits int) bool {
	return -1<<bits <= millionths && millionths <= 1<<bits
}

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

// Next returns the finder's own tuples: a Tuple is a [3]uint64 by another name.
func (f finder) Next() [][3]uint64 {
	tuples := f.Finder.Next()
	return unsafe.Slice((*[3]uint64)(unsafe.SliceData(tuples)), len(tuples))
}
