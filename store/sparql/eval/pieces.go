package eval

// pieces keeps many records of one width. It grows by one piece at a time, so that it
// never copies records or leaves garbage.
type pieces[T any] struct {
	width, n int
	list     [][]T
}

// A piece holds pieceSize records. The first piece grows like a slice, so that a few
// records take little memory.
const (
	pieceBits = 10
	pieceSize = 1 << pieceBits
)

// add keeps a copy of a record. The first record sets the width.
func (p *pieces[T]) add(record []T) {
	at := p.n >> pieceBits
	if at == len(p.list) {
		var piece []T
		if at > 0 {
			piece = make([]T, 0, pieceSize*p.width)
		}
		p.list = append(p.list, piece)
	}
	p.list[at] = append(p.list[at], record...)
	p.width = len(record)
	p.n++
}

func (p *pieces[T]) row(i int) []T {
	from := (i & (pieceSize - 1)) * p.width
	return p.list[i>>pieceBits][from : from+p.width : from+p.width]
}

// cut keeps the first n records.
func (p *pieces[T]) cut(n int) {
	p.n = n
	p.list = p.list[:(n+pieceSize-1)>>pieceBits]
	if rest := n & (pieceSize - 1); rest > 0 {
		last := len(p.list) - 1
		p.list[last] = p.list[last][:rest*p.width]
	}
}
