package eval

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// sifting is a dataset whose scans can drop tuples. It counts the dropped ones.
type sifting struct {
	*memory
	dropped int
}

type siftingScan struct {
	source.Scan
	ds    *sifting
	wants func(id source.ID) bool
}

func (d *sifting) Scan(g source.ID, o source.Order) source.Scan {
	return &siftingScan{Scan: d.memory.Scan(g, o), ds: d}
}

func (s *siftingScan) Sift(first uint64, bits []uint64) bool {
	set := &table.IDs{First: source.ID(first), Bits: bits}
	s.wants = set.Has
	return true
}

func (s *siftingScan) Next() []source.Tuple {
	for {
		tuples := s.Scan.Next()
		if s.wants == nil || len(tuples) == 0 {
			return tuples
		}
		for _, t := range tuples { // not dropped if a neighbour is wanted
			if s.wants(source.ID(t[2])) {
				return tuples
			}
		}
		s.ds.dropped += len(tuples)
	}
}

// If rows are few and their subjects far apart, a pattern is read once, and most of it is
// dropped. Otherwise subjects are looked up.
func TestSubjectsFarApartAreNotLookedUp(t *testing.T) {
	suite.NotShort(t)
	const n, apart, rows = 8000, 40, 200
	var quads []rdf.Quad
	for i := range n {
		s := fmt.Sprint("s", i)
		quads = append(quads, quad(s, "q", fmt.Sprint("o", i), ""), quad(s, "kind", fmt.Sprint(i%apart), ""))
		if i%apart == 0 {
			quads = append(quads, quad("all", "has", s, ""), quad(s, "q", fmt.Sprint("o", i+apart), ""))
		}
		if i < rows {
			quads = append(quads, quad(s, "kind", "near", ""))
		}
		if i < 20 {
			quads = append(quads, quad(s, "kind", "rare", ""))
		}
	}
	for _, tt := range []struct {
		name, text string
		memory     int64
		rows       int
		sifts      bool
	}{
		{name: "subjects", text: "{ ?s :kind :0 . ?s :q ?o }", rows: 2 * rows, sifts: true},
		{name: "objects", text: "{ :all :has ?s . ?s :q ?o }", rows: 2 * rows, sifts: true},
		{name: "one value each", text: "{ ?s :kind :1 . ?s :q ?o }", rows: rows, sifts: true},
		{name: "subjects close together", text: "{ ?s :kind :near . ?s :q ?o }", rows: rows + rows/apart},
		{name: "few subjects", text: "{ ?s :kind :rare . ?s :q ?o }", rows: 21},
		{name: "fewer after a filter", text: "{ { ?s :kind :1 FILTER(?s != :s1) } ?s :q ?o }", rows: rows - 1},
		{name: "some rows wanted", text: "{ ?s :kind :0 . ?s :q ?o } LIMIT 150", rows: 150},
		{name: "no room", text: "{ ?s :kind :0 . ?s :q ?o }", memory: 300 << 10, rows: 2 * rows},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ds := &sifting{memory: newMemory(quads...)}
			got, err := rowsWithin(t, ds, "SELECT ?s ?o "+tt.text, budget.Limits{Memory: tt.memory})
			if err != nil || len(got) != tt.rows {
				t.Errorf("%d rows, %v; want %d", len(got), err, tt.rows)
			}
			for _, row := range got {
				var s, o int
				_, _ = fmt.Sscanf(row[0].Value()+row[1].Value(), "x:s%dx:o%d", &s, &o)
				if s != o && (s%apart != 0 || s+apart != o) {
					t.Errorf("%s has %s", row[0], row[1])
				}
			}
			if sifts := ds.dropped > n/2; sifts != tt.sifts || tt.sifts && ds.seeks > 100 {
				t.Errorf("%d seeks, %d tuples dropped", ds.seeks, ds.dropped)
			}
		})
	}
}
