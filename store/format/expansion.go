package format

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Prefixes, bases, namespaces and inherited languages let a few bytes of text stand for
// long terms. The terms of a document may exceed freeTerm bytes each by maxExcess bytes
// in all, plus excessPerByte for each byte of the document. A term that repeats in the
// same place of the next quad counts once.
const (
	freeTerm      = 96
	maxExcess     = 4 << 20
	excessPerByte = 8
)

// boundedReader is a Reader that refuses a document whose terms are much longer than its
// text.
type boundedReader struct {
	Reader
	read   *countingReader
	last   [4]rdf.Term
	excess int64
}

func (b *boundedReader) Read() (rdf.Quad, error) {
	q, err := b.Reader.Read()
	if err != nil {
		return q, err
	}
	for i, t := range [4]rdf.Term{q.S, q.P, q.O, q.G} {
		if t != b.last[i] {
			b.last[i] = t
			b.excess += excess(t)
		}
	}
	if b.excess > maxExcess+excessPerByte*b.read.n {
		line, column := b.Place()
		return rdf.Quad{}, &turtle.SyntaxError{Line: line, Column: column,
			Msg: "prefixes, bases or languages make the terms of this document far longer than its text; use shorter ones"}
	}
	return q, nil
}

// excess returns by how many bytes a term exceeds freeTerm.
func excess(t rdf.Term) int64 {
	free := freeTerm
	if t.IsTriple() {
		free *= 4 // it has three terms, or more
	}
	n := len(t.Value()) + len(t.Tag())
	if t.IsLiteral() {
		n += len(t.Datatype())
	}
	return int64(max(0, n-free))
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
