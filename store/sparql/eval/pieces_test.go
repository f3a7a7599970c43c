package eval

import "testing"

func TestPiecesKeepRecordsWhereTheyAre(t *testing.T) {
	var p pieces[ID]
	for i := range 5 * pieceSize {
		p.add([]ID{ID(i), ID(i * i)})
	}
	first := &p.row(pieceSize)[0]
	for i := range 5 * pieceSize {
		p.add([]ID{ID(i), 0})
		if row := p.row(i); len(row) != 2 || cap(row) != 2 || row[0] != ID(i) || row[1] != ID(i*i) {
			t.Fatalf("record %d is %v", i, row)
		}
	}
	if p.n != 10*pieceSize || &p.row(pieceSize)[0] != first {
		t.Errorf("%d records, and they moved: %v", p.n, &p.row(pieceSize)[0] != first)
	}
}
