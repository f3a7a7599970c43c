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

// Dataset returns the snapshot as a dataset for queries. Like the snapshot, it may be
// used by one goroutine at a time, until the snapshot is closed.
func (s *Snapshot) Dataset() sparql.Indexed { return sparql.FromIndex(snapshotDataset{s}) }

// snapshotDataset implements eval.Dataset and optional interfaces of package eval on a
// snapshot.
type snapshotDataset struct{ *Snapshot }

// This does not compile if an id of the dictionary, including those reserved for triple
// terms, could be one of the evaluator's own.
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

func (d snapshotDataset) Terms(ids []eval.ID, terms []rdf.Term, texts []byte, limit int) (n int, all []byte, err error) {
	for size := 0; n < len(ids) && size <= limit; n++ {
		if texts, terms[n], err = d.Snapshot.Append(texts, dict.ID(ids[n])); err != nil {
			break
		}
		size += len(terms[n].Value())
	}
	return n, texts, err
}

func (d snapshotDataset) Lengths(ids []eval.ID, lengths []int, limit int) (n int, err error) {
	for size := 0; n < len(ids) && size <= limit; n++ {
		text, ok, err := d.Snapshot.String(dict.ID(ids[n]))
		if err != nil {
			return n, err
		}
		if lengths[n] = -1; ok {
			lengths[n] = value.Characters(text)
		}
		size += len(text)
	}
	return n, nil
}

func (d snapshotDataset) Like(ids []eval.ID, like []uint64) (err error) {
	for i, id := range ids {
		if like[i], err = d.Snapshot.Like(dict.ID(id)); err != nil {
			return err
		}
	}
	return nil
}

// cell returns the value that an id holds inline. It reports false if the id holds none.
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

// exactQuotient reports whether dividing by a million rounds only once. Then the quotient
// equals the number that its digits denote, in a floating-point format with the given
// bits of precision.
func exactQuotient(millionths int64, bits int) bool {
	return -1<<bits <= millionths && millionths <= 1<<bits
}

func (d snapshotDataset) ID(t rdf.Term) (eval.ID, error) {
	id, _, err := d.Snapshot.ID(t)
	return eval.ID(id), err
}

// Graphs returns the named graphs that hold at least one triple.
func (d snapshotDataset) Graphs() []eval.ID {
	var out []eval.ID
	for _, g := range d.Snapshot.Graphs() {
		if n, err := d.Snapshot.Count(0, 0, 0, g); g != defaultGraph && (n > 0 || err != nil) {
			out = append(out, eval.ID(g))
		}
	}
	return out
}

// Nodes returns the ids of all blank nodes and IRIs, which come before those of other
// terms.
func (d snapshotDataset) Nodes() eval.IDRange {
	first, _ := dict.Range(dict.TagBlank)
	_, last := dict.Range(dict.TagIRI)
	return eval.IDRange{First: eval.ID(first), Last: eval.ID(last), Exact: true}
}

// Census returns the census that all snapshots of the store share.
func (d snapshotDataset) Census() *eval.Census { return d.Snapshot.census }

func (d snapshotDataset) Count(g, s, p, o eval.ID) (int64, error) {
	return d.Snapshot.Count(dict.ID(s), dict.ID(p), dict.ID(o), dict.ID(g))
}

func (d snapshotDataset) Scan(g eval.ID, o eval.Order) eval.Scan {
	return finder{d.Finder(dict.ID(g), Order(o))} // the orders have the same numbers
}

type finder struct{ *index.Finder }

func (f finder) Seek(lo, hi [3]uint64) { f.Finder.Seek(index.Tuple(lo), index.Tuple(hi)) }

// Sift implements eval.Sifter.
func (f finder) Sift(first eval.ID, bits []uint64) bool { return f.Finder.Sift(uint64(first), bits) }

// Next returns the finder's own tuples without a copy: a Tuple is a [3]uint64.
func (f finder) Next() [][3]uint64 {
	tuples := f.Finder.Next()
	return unsafe.Slice((*[3]uint64)(unsafe.SliceData(tuples)), len(tuples))
}
