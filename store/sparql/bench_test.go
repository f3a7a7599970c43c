package sparql_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// BenchmarkRobotLogs runs the benchmark's 34 queries, including parsing, over 7,000
// events (100,000 triples), or over the data named by SEGRAPH_BENCH_DATA.
// SEGRAPH_BENCH_STORE may name a file for the store, which is kept and reused.
func BenchmarkRobotLogs(b *testing.B) {
	queries, err := filepath.Glob(filepath.Join(suite.Shared(b, "bench", "queries"), "*.rq"))
	if err != nil || len(queries) == 0 {
		b.Fatalf("%d queries, %v", len(queries), err)
	}
	snap, err := benchStore(b).Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	for _, path := range queries {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".rq"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.ReportMetric(float64(benchRun(b, string(text), snap.Dataset())), "rows")
			}
		})
	}
}

func benchStore(b *testing.B) *engine.Store {
	path := os.Getenv("SEGRAPH_BENCH_STORE")
	if path == "" {
		path = filepath.Join(b.TempDir(), "bench.db")
	}
	_, err := os.Stat(path)
	s, openErr := engine.Open(path, engine.Options{})
	if openErr != nil {
		b.Fatal(openErr)
	}
	b.Cleanup(func() { _ = s.Close() })
	if err != nil {
		text := suite.RobotLogs(b, 7000)
		if _, err := s.Load(context.Background(), bytes.NewReader(text), turtle.Turtle, turtle.Options{}, journal.Entry{}, nil); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// benchRun returns the number of rows or triples. It discards the terms.
func benchRun(b *testing.B, text string, ds sparql.Dataset) int {
	q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var n counting
	if f := q.Form().String(); f == "construct" || f == "describe" {
		for _, err = range q.Graph(b.Context(), ds, budget.Limits{}) {
			n++
		}
	} else {
		err = q.Run(b.Context(), ds, budget.Limits{}, &n)
	}
	if err != nil {
		b.Fatal(err)
	}
	return int(n)
}

type counting int

func (c *counting) Head([]string) error  { return nil }
func (c *counting) Row([]rdf.Term) error { *c++; return nil }
func (c *counting) Boolean(bool) error   { *c++; return nil }
