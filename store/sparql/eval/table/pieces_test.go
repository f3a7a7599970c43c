package table

import (
	"testing"

	"github.com/segraph/segraph/store/sparql/source"
)

func TestPiecesKeepRecordsWhereTheyAre(t *testing.T) {
	var p Pieces[source.ID]
	for i := range 5 * pieceSize {
		p.Add([]source.ID{source.ID(i), source.ID(i * i)})
	}
	first := &p.Row(pieceSize)[0]
	for i := range 5 * pieceSize {
		p.Add([]source.ID{source.ID(i), 0})
		if row := p.Row(i); len(row) != 2 || cap(row) != 2 || row[0] != source.ID(i) || row[1] != source.ID(i*i) {
			t.Fatalf("record %d is %v", i, row)
		}
	}
	if p.N != 10*pieceSize || &p.Row(pieceSize)[0] != first {
		t.Errorf("%d records, and they moved: %v", p.N, &p.Row(pieceSize)[0] != first)
	}
}
