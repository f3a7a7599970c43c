package results_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
)

// log returns rows like those of a query over robots' logs.
func log(rows int) answer {
	a := answer{vars: []string{"event", "time", "robot", "text", "score"}}
	for i := range rows {
		a.rows = append(a.rows, []rdf.Term{
			rdf.NewIRI(fmt.Sprintf("http://example.org/robot/log/event-%08d", i)),
			rdf.NewLiteral(fmt.Sprintf("2025-03-04T05:%02d:%02d.%03dZ", i/60%60, i%60, i%1000), rdf.XSDDateTime),
			rdf.NewIRI("http://example.org/robot/7"),
			rdf.NewLang(fmt.Sprintf("The robot said: \"it is number %d\", and nobody answered it.", i), "en"),
			rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger),
		})
	}
	return a
}

var everyFormat = []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.Turtle}

func BenchmarkWrite(b *testing.B) {
	a := log(1000)
	for _, f := range everyFormat {
		b.Run(f.String(), func(b *testing.B) {
			b.SetBytes(int64(len(mustWrite(b, a, f)) / len(a.rows)))
			b.ReportAllocs()
			w := results.NewWriter(io.Discard, f)
			if err := w.Head(a.vars); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if err := w.Row(a.rows[i%len(a.rows)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	a := log(1000)
	text := mustWrite(b, a, results.JSON)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := results.NewReader(strings.NewReader(text))
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
