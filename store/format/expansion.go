package format

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// boundedReader is a Reader that refuses a document whose terms are much longer than
// its text. A term that is repeated in the same position of the next quad counts once, as does one that only short terms
// separate from its repetition, up to maxKept bytes.
type boundedReader struct {
	Reader
	read   *countingReader
	last   [4]rdf.Term // the last ones that count
	excess turtle.Excess
}

// maxKept limits the work for a term that is repeated without being repeated in the text.
const maxKept = 4 << 10

// Read returns the next quad. It fails once all quads together are too much longer than the text that it has read.
func (b *boundedReader) Read() (rdf.Quad, error) {
	q, err := b.Reader.Read()
	if err != nil {
		return q, err
	}
	for i, t := range [4]rdf.Term{q.S, q.P, q.O, q.G} {
		switch excess := excessOf(t); {
		case excess == 0 && b.last[i].IsZero(): // as most are
		case excess == 0 && len(b.last[i].Value()) > maxKept:
			b.last[i] = rdf.Term{}
		case excess == 0: // such as a blank node in brackets, after which the last subject may go on
		case t != b.last[i]:
			b.last[i] = t
			if !b.excess.Add(excess, b.read.n) {
				line, column := b.Place()
				return rdf.Quad{}, &turtle.SyntaxError{Line: line, Column: column, Msg: turtle.TooLong}
			}
		}
	}
	return q, nil
}

// excessOf returns by how many bytes a term is longer than terms may be.
func excessOf(t rdf.Term) turtle.Excess {
	terms := 1
	if t.IsTriple() {
		terms = 4 // it has three, or more
	}
	n := len(t.Value()) + len(t.Tag())
	if t.IsLiteral() {
		n += len(t.Datatype())
	}
	return turtle.ExcessOf(terms, n)
}

// countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}
