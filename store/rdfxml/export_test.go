package rdfxml

import (
	"bytes"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Parse returns the triples of a whole document.
func Parse(text []byte, o Options) ([]rdf.Triple, error) {
	r := NewReader(bytes.NewReader(text), o)
	var triples []rdf.Triple
	for {
		t, err := r.Read()
		if err == io.EOF {
			return triples, nil
		}
		if err != nil {
			return nil, err
		}
		triples = append(triples, t)
	}
}
