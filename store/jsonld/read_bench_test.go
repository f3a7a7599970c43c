package jsonld_test

import (
	"io"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
)

func BenchmarkRead(b *testing.B) {
	text := `{"@context":{"a":"http://e/a"},"@graph":[` + nodes(1<<20) + "]}"
	for name, reader := range map[string]func() io.Reader{
		"a file": func() io.Reader { return strings.NewReader(text) },
		"a pipe": func() io.Reader { return once{strings.NewReader(text)} },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := jsonld.Read(reader(), jsonld.Options{Strict: true}, func(rdf.Quad) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
