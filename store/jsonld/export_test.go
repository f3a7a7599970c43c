package jsonld

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Read reads a document and calls emit with each quad. It stops at the first error, of
// the document (an *Error), of r, or of emit.
func Read(r io.Reader, o Options, emit func(rdf.Quad) error) error {
	in := NewReader(r, o)
	for {
		q, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = emit(q)
		}
		if err != nil {
			return err
		}
	}
}
