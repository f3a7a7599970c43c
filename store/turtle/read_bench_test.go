package turtle_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/turtle"
)

// readAll reads a text without keeping anything, like a bulk load.
func readAll(b *testing.B, text []byte, f turtle.Format) (n int) {
	r := turtle.NewReader(bytes.NewReader(text), f, turtle.Options{})
	for {
		_, err := r.Read()
		if err == io.EOF {
			return n
		}
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
}

func benchmarkRead(b *testing.B, text []byte, f turtle.Format) {
	var before, after runtime.MemStats
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	triples, rounds := 0, 0
	runtime.ReadMemStats(&before)
	for b.Loop() {
		triples += readAll(b, text, f)
		rounds++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(triples), "allocs/triple")
	b.ReportMetric(float64(triples)/b.Elapsed().Seconds(), "triples/s")
}

func BenchmarkReadTurtle(b *testing.B) { benchmarkRead(b, suite.RobotLogs(b, 7000), turtle.Turtle) }

func BenchmarkReadNTriples(b *testing.B) {
	quads, err := turtle.Parse(suite.RobotLogs(b, 7000), turtle.Turtle, turtle.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	for _, q := range quads {
		text = append(q.AppendNQuads(text), '\n')
	}
	benchmarkRead(b, text, turtle.NTriples)
}

// BenchmarkReadPost reads a typical document of a robot: prefixes and 14 triples.
func BenchmarkReadPost(b *testing.B) {
	text := []byte(`@prefix ex: <http://example.org/id/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a1 a prov:Activity , ex:Listening ;
    prov:startedAtTime "2025-01-06T10:52:56.308Z"^^xsd:dateTime ;
    prov:endedAtTime "2025-01-06T10:53:00.575Z"^^xsd:dateTime ;
    prov:wasAssociatedWith ex:r5 ; schema:location ex:p13 ; ex:confidence 0.64 ;
    prov:generated ex:m3 .
ex:m3 a prov:Entity , ex:Message ;
    schema:text "la ayuda por noticias agua buenos."@es ;
    schema:inLanguage "es" ; schema:sender ex:h463 ; prov:wasDerivedFrom ex:m2 .
`)
	if n := readAll(b, text, turtle.Turtle); n != 14 {
		b.Fatalf("%d triples", n)
	}
	benchmarkRead(b, text, turtle.Turtle)
}
