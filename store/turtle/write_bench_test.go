package turtle_test

import (
	"io"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// size counts bytes and discards them.
type size int64

func (s *size) Write(b []byte) (int, error) {
	*s += size(len(b))
	return len(b), nil
}

// benchmarkQuads returns the quads and prefixes of the benchmark's text.
func benchmarkQuads(b *testing.B) ([]rdf.Quad, []turtle.Prefix) {
	b.Helper()
	quads, err := turtle.Parse(suite.RobotLogs(b, 7000), turtle.Turtle, turtle.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return quads, []turtle.Prefix{
		{Label: "ex", Namespace: "http://example.org/id/"},
		{Label: "seg", Namespace: "http://example.org/seg#"},
		{Label: "prov", Namespace: "http://www.w3.org/ns/prov#"},
		{Label: "schema", Namespace: "http://schema.org/"},
		{Label: "xsd", Namespace: rdf.XSD},
	}
}

func benchmarkWrite(b *testing.B, triples int, write func(io.Writer) error) {
	b.ReportAllocs()
	var written size
	rounds := 0
	for b.Loop() {
		written = 0
		if err := write(&written); err != nil {
			b.Fatal(err)
		}
		rounds++
	}
	b.SetBytes(int64(written))
	b.ReportMetric(float64(triples*rounds)/b.Elapsed().Seconds(), "triples/s")
}

func BenchmarkWriteTurtle(b *testing.B) {
	quads, prefixes := benchmarkQuads(b)
	benchmarkWriter(b, quads, turtle.Turtle, prefixes)
}

func BenchmarkWriteNTriples(b *testing.B) {
	quads, _ := benchmarkQuads(b)
	benchmarkWriter(b, quads, turtle.NTriples, nil)
}

func benchmarkWriter(b *testing.B, quads []rdf.Quad, f turtle.Format, prefixes []turtle.Prefix) {
	benchmarkWrite(b, len(quads), func(out io.Writer) error {
		w := turtle.NewWriter(out, f, prefixes)
		for _, q := range quads {
			if err := w.Write(q); err != nil {
				return err
			}
		}
		return w.Close()
	})
}

// BenchmarkWriteGraph reads from a source in memory, so that only writing counts.
func BenchmarkWriteGraph(b *testing.B) {
	quads, prefixes := benchmarkQuads(b)
	source := turtle.NewMemorySource(triplesOf(quads))
	benchmarkWrite(b, len(quads), func(out io.Writer) error { return turtle.WriteGraph(out, source, prefixes) })
}
