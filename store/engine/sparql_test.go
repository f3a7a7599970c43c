package engine

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// The dataset of a snapshot has the stored terms, their values, and their triples in
// every order.
func TestDatasetOfASnapshot(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	literals := []rdf.Term{
		rdf.NewString("text"), rdf.NewLang("chat", "fr"), rdf.NewLang("größer als", "de"), rdf.NewString(""),
		rdf.NewLiteral("-7", rdf.XSDInteger), rdf.NewLiteral("007", rdf.XSDInteger), rdf.NewLiteral("123456789012345678901234567890", rdf.XSDInteger),
		rdf.NewLiteral("1.50", rdf.XSDDecimal), rdf.NewLiteral("-0.000001", rdf.XSDDecimal), rdf.NewLiteral("3", rdf.XSDDecimal),
		rdf.NewLiteral("0.1", rdf.XSDDouble), rdf.NewLiteral("1.0E6", rdf.XSDDouble), rdf.NewLiteral("-2.5", rdf.XSDFloat),
		rdf.NewLiteral("16777217", rdf.XSDFloat), rdf.NewLiteral("72057594037.123457", rdf.XSDDouble),
		rdf.NewLiteral("true", rdf.XSDBoolean), rdf.NewLiteral("1", rdf.XSDBoolean),
		rdf.NewLiteral("2025-01-06T08:00:00.25Z", rdf.XSDDateTime), rdf.NewLiteral("1960-01-06T08:00:00.25+00:00", rdf.XSDDateTime),
		rdf.NewLiteral("2025-01-06T08:00:00", rdf.XSDDateTime), rdf.NewLiteral("2025-01-06", rdf.XSDDate),
		rdf.NewLiteral("0999-01-06Z", rdf.XSDDate), rdf.NewLiteral("2025-01-06+00:00", rdf.XSDDate), rdf.NewLiteral("2025-01-06-05:00", rdf.XSDDate),
		rdf.NewLiteral("x", "http://example/type"),
	}
	d := &store.Document{}
	for _, l := range literals {
		d.Add(rdf.Quad{S: rdf.NewIRI("x:s"), P: rdf.NewIRI("x:p"), O: l})
	}
	d.Add(rdf.Quad{S: rdf.NewBlank("b"), P: rdf.NewIRI("x:q"), O: rdf.NewIRI("x:s"), G: rdf.NewIRI("x:g")})
	if _, err := s.Add(context.Background(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	ds := snap.Dataset()

	for _, l := range literals {
		id, err := ds.ID(l)
		if err != nil || id == 0 {
			t.Fatalf("%s has no id: %v", l, err)
		}
		if term, err := ds.Term(id); term != l || err != nil {
			t.Errorf("%s comes back as %s, %v", l, term, err)
		}
		if ds.Kind(id) != rdf.KindLiteral || id >= source.LocalFirst {
			t.Errorf("%s: id %#x is a %v", l, uint64(id), ds.Kind(id))
		}
		got, err := ds.Value(id)
		want := value.FromTerm(l)
		if err != nil || got.Kind() != want.Kind() || value.Order(got, want) != 0 ||
			l.Datatype() != "http://example/type" && value.Equal(got, want) != value.True {
			t.Errorf("%s: the value is %v, %v", l, got.Term(), err)
		}
		cells := make([]value.Cell, 1)
		ds.Cells([]source.ID{id}, cells)
		if cells[0] != (value.Cell{}) && cells[0] != want.Cell {
			t.Errorf("%s: the cell is %v, want %v", l, cells[0], want.Cell)
		}
		isRounded := l.Value() == "72057594037.123457" || l.Value() == "16777217"
		if inline := id.Inline(); inline != (cells[0] != value.Cell{}) && !isRounded {
			t.Errorf("%s: inline is %v, and its cell is %v", l, inline, cells[0])
		}
	}

	id := func(t rdf.Term) source.ID {
		id, _ := ds.ID(t)
		return id
	}
	g, subject, p, q := id(rdf.NewIRI("x:g")), id(rdf.NewIRI("x:s")), id(rdf.NewIRI("x:p")), id(rdf.NewIRI("x:q"))
	if graphs := ds.Graphs(); len(graphs) != 1 || graphs[0] != g {
		t.Errorf("the named graphs are %v, want %v", graphs, g)
	}
	for _, tt := range []struct {
		graph, s, p, o source.ID
		want           int64
	}{{0, 0, 0, 0, int64(len(literals))}, {0, subject, p, 0, int64(len(literals))}, {g, 0, 0, subject, 1}, {g, subject, 0, 0, 0}, {g, 0, q, 0, 1}, {p, 0, 0, 0, 0}} {
		if n, err := ds.Count(tt.graph, tt.s, tt.p, tt.o); n != tt.want || err != nil {
			t.Errorf("%v: %d triples, %v", tt, n, err)
		}
	}
	for order, lo := range map[source.Order][3]uint64{source.SPO: {uint64(subject)}, source.POS: {uint64(p)}, source.OSP: {}} {
		n, scan := 0, ds.Scan(0, order)
		hi := [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}
		for scan.Seek(lo, hi); ; {
			tuples := scan.Next()
			if tuples == nil {
				break
			}
			n += len(tuples)
		}
		if n != len(literals) || scan.Err() != nil {
			t.Errorf("order %d: %d triples, %v", order, n, scan.Err())
		}
	}
	if none := ds.Scan(p, source.SPO); none.Next() != nil || none.Err() != nil {
		t.Error("a graph that does not exist has triples")
	}
}

// The evaluator's ids for computed terms differ from all ids that a dictionary assigns,
// including those reserved for triple terms.
func TestIdsOfComputedTermsAreNoOthers(t *testing.T) {
	t.Parallel()
	for tag := range dict.ID(16) {
		if last := tag<<60 | ids.MaxNumber; last >= source.LocalFirst {
			t.Errorf("the last number of tag %d is %#x, which the evaluator uses too", tag, uint64(last))
		}
	}
	for _, l := range []rdf.Term{rdf.NewLiteral("true", rdf.XSDBoolean), rdf.NewLiteral("9999-12-31", rdf.XSDDate), rdf.NewLiteral("2100-12-31T23:59:59Z", rdf.XSDDateTime)} {
		if id, ok := ids.Inline(l); !ok || id >= source.LocalFirst {
			t.Errorf("%v has the id %#x", l, uint64(id))
		}
	}
}
