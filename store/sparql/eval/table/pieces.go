package table

import "slices"

// Pieces keeps many records of one width. It grows by one piece at a time, so that it
// never copies records or leaves garbage.
type Pieces[T any] struct {
	Width, N int // elements of a record, and records
	list     [][]T
}

// A piece holds pieceSize records. The first piece grows like a slice, so that a few
// records take little memory.
const (
	pieceBits = 10
	pieceSize = 1 << pieceBits
)

// Add keeps a copy of a record. The first record sets the width.
func (p *Pieces[T]) Add(record []T) {
	at := p.N >> pieceBits
	if at == len(p.list) {
		var piece []T
		if at > 0 {
			piece = make([]T, 0, pieceSize*p.Width)
		}
		p.list = append(p.list, piece)
	}
	p.list[at] = append(p.list[at], record...)
	p.Width = len(record)
	p.N++
}

// Row returns record i.
func (p *Pieces[T]) Row(i int) []T {
	from := (i & (pieceSize - 1)) * p.Width
	return p.list[i>>pieceBits][from : from+p.Width : from+p.Width]
}

// Slice returns the elements of all records, one record after another.
func (p *Pieces[T]) Slice() []T { return slices.Concat(p.list...) }

// Cut keeps the first n records.
func (p *Pieces[T]) Cut(n int) {
	p.N = n
	p.list = p.list[:(n+pieceSize-1)>>pieceBits]
	if rest := n & (pieceSize - 1); rest > 0 {
		last := len(p.list) - 1
		p.list[last] = p.list[last][:rest*p.Width]
	}
}
