package engine

import (
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/statistics"
	"github.com/segraph/segraph/store/sparql/value"
)

// Dataset returns the snapshot as a dataset for queries. Like the snapshot, it may be
// used by one goroutine at a time, until the snapshot is closed.
func (s *Snapshot) Dataset() source.Reader { return snapshotDataset{s} }

// snapshotDataset implements source.Reader on a snapshot.
type snapshotDataset struct{ *Snapshot }

// This does not compile if an id of the dictionary, including those reserved for triple
// terms, could be one of the evaluator's own.
const _ = uint64(source.LocalFirst) - (ids.TagTriple<<60 + ids.MaxNumber) - 1

func (d snapshotDataset) Kind(id ids.ID) rdf.Kind { return id.Kind() }

func (d snapshotDataset) Value(id ids.ID) (value.Value, error) {
	if c, ok := cell(id); ok {
		return value.Of(c, rdf.Term{}), nil
	}
	t, err := d.Term(id)
	return value.FromTerm(t), err
}

// Cells sets the cells of those ids that hold their values.
func (d snapshotDataset) Cells(ids []ids.ID, cells []value.Cell) {
	for i, id := range ids {
		if c, ok := cell(id); ok {
			cells[i] = c
		}
	}
}

// Terms implements source.Reader: it reads terms until their texts have more than limit bytes.
func (d snapshotDataset) Terms(ids []ids.ID, terms []rdf.Term, texts []byte, limit int) (n int, all []byte, err error) {
	for size := 0; n < len(ids) && size <= limit; n++ {
		if texts, terms[n], err = d.Snapshot.Append(texts, ids[n]); err != nil {
			break
		}
		size += len(terms[n].Value())
	}
	return n, texts, err
}

// Like implements source.Reader.
func (d snapshotDataset) Like(ids []ids.ID, like []uint64) (err error) {
	for i, id := range ids {
		if like[i], err = d.Snapshot.Like(id); err != nil {
			return err
		}
	}
	return nil
}

// cell returns the value that an id holds inline. It reports false if the id holds none, or a float that would be
// rounded twice.
func cell(id dict.ID) (c value.Cell, ok bool) {
	switch id.Tag() {
	case ids.TagBoolean:
		v, _ := id.Integer()
		return value.Boolean(v == 1).Cell, true
	case ids.TagInteger:
		v, _ := id.Integer()
		return value.Integer(v).Cell, true
	case ids.TagDecimal:
		v, _ := id.Millionths()
		return value.Decimal(v, 6).Cell, true
	case ids.TagDouble:
		v, _ := id.Millionths()
		return value.Double(float64(v) / 1e6).Cell, exactQuotient(v, 53)
	case ids.TagFloat:
		v, _ := id.Millionths()
		return value.Float(float32(v) / 1e6).Cell, exactQuotient(v, 24)
	case ids.TagDateTime:
		v, zoned, _ := id.Micros()
		seconds := v / 1e6
		if v%1e6 < 0 {
			seconds--
		}
		return value.DateTime(seconds, int(v-seconds*1e6)*1000, 0, zoned).Cell, true
	case ids.TagDate:
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

func (d snapshotDataset) ID(t rdf.Term) (ids.ID, error) {
	id, _, err := d.Snapshot.ID(t)
	return id, err
}

// Graphs returns the named graphs that hold at least one triple.
func (d snapshotDataset) Graphs() []ids.ID {
	var out []ids.ID
	for _, g := range d.Snapshot.Graphs() {
		if g != defaultGraph && d.view(g).count(0) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Nodes returns the ids of all blank nodes and IRIs, which come before those of other
// terms.
func (d snapshotDataset) Nodes() source.IDRange {
	first, _ := ids.Range(ids.TagBlank)
	_, last := ids.Range(ids.TagIRI)
	return source.IDRange{First: first, Last: last, Exact: true}
}

// Census returns the census that all snapshots of the store share.
func (d snapshotDataset) Census() *statistics.Census { return d.Snapshot.census }

func (d snapshotDataset) Count(g, s, p, o ids.ID) (int64, error) {
	return d.Snapshot.Count(s, p, o, g)
}

func (d snapshotDataset) Scan(g ids.ID, o source.Order) source.Scan {
	return d.Finder(g, o)
}
