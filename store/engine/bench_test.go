package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// million is the number of events that make about a million triples of robot logs.
const million = 70_000 // events

func loadBench(b *testing.B, s *Store, text []byte) LoadResult {
	b.Helper()
	res, err := s.Load(b.Context(), bytes.NewReader(text), turtle.Turtle, turtle.Options{}, journal.Entry{Action: journal.Insert}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return res
}

func fileBytes(t testing.TB, s *Store) int64 {
	t.Helper()
	info, err := os.Stat(s.file.Path())
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// BenchmarkLoad stores 1 M triples of Turtle. It includes parsing twice: to check and to
// store.
func BenchmarkLoad(b *testing.B) {
	text := suite.RobotLogs(b, million)
	var triples, bytesOnDisk int64
	for b.Loop() {
		b.StopTimer()
		s := reopen(b, filepath.Join(b.TempDir(), "bench.db"))
		b.StartTimer()
		triples += loadBench(b, s, text).Quads
		bytesOnDisk += fileBytes(b, s)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(triples)/b.Elapsed().Seconds(), "triples/s")
	b.ReportMetric(float64(bytesOnDisk)/float64(triples), "B/triple")
}

// BenchmarkLoadAgain stores the same 1 M triples once more, as robots do.
func BenchmarkLoadAgain(b *testing.B) {
	text := suite.RobotLogs(b, million)
	s := openStore(b)
	loadBench(b, s, text)
	before := fileBytes(b, s)
	var triples int64
	for b.Loop() {
		triples += loadBench(b, s, text).Quads
	}
	b.ReportMetric(float64(triples)/b.Elapsed().Seconds(), "triples/s")
	b.ReportMetric(float64(fileBytes(b, s))/float64(before), "file-growth")
}

// posts returns documents of one event each.
func posts(b *testing.B, text []byte) []*store.Document {
	b.Helper()
	var out []*store.Document
	for _, event := range suite.Events(text) {
		out = append(out, document(b, turtle.Turtle, string(event)))
	}
	return out
}

// BenchmarkAdd stores documents of about 14 triples, each answered after its sync, in a
// file of 1 M triples. "again" sends documents that are already stored.
func BenchmarkAdd(b *testing.B) {
	all := posts(b, suite.RobotLogs(b, 2*million))
	s := openStore(b)
	var first strings.Builder
	w := turtle.NewWriter(&first, turtle.NTriples, nil)
	for _, d := range all[:million] {
		for i := range d.Quads {
			if err := w.Write(d.Quad(i)); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Load(b.Context(), strings.NewReader(first.String()), turtle.NTriples, turtle.Options{}, journal.Entry{}, nil); err != nil {
		b.Fatal(err)
	}
	next := million
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) { next = addBench(b, s, all, next, writers) })
	}
	b.Run("again", func(b *testing.B) { addBench(b, s, all, 0, 1) })
}

func addBench(b *testing.B, s *Store, docs []*store.Document, next, writers int) int {
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	jobs := make(chan *store.Document)
	for range writers {
		wg.Go(func() {
			for d := range jobs {
				start := time.Now()
				if _, err := s.Add(context.Background(), d, journal.Entry{Action: journal.Insert, Actor: "robot", LogID: "8d1f8a3e", Triples: len(d.Quads)}); err != nil {
					b.Error(err)
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		})
	}
	for b.Loop() {
		jobs <- docs[next%len(docs)]
		next++
	}
	close(jobs)
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "posts/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	return next
}

// BenchmarkMatch looks up the objects of a subject and a predicate among 1 M triples.
func BenchmarkMatch(b *testing.B) {
	s := openStore(b)
	loadBench(b, s, suite.RobotLogs(b, million))
	withSnapshot(b, s, func(snap *Snapshot) {
		var subjects []uint64
		p, _, err := snap.ID(rdf.NewIRI("http://www.w3.org/ns/prov#startedAtTime"))
		if err != nil {
			b.Fatal(err)
		}
		scan := snap.Match(0, p, 0, 0)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, t := range batch {
				subjects = append(subjects, t[2])
			}
		}
		spo := snap.Match(0, 0, 0, 0)
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			i = (i + 7919) % len(subjects)
			lo, hi := index.Prefix(subjects[i], uint64(p))
			spo.Seek(lo, hi)
			if len(spo.Next()) != 1 {
				b.Fatal("no triple")
			}
		}
	})
}

// BenchmarkScan reads 1 M triples in order.
func BenchmarkScan(b *testing.B) {
	s := openStore(b)
	loadBench(b, s, suite.RobotLogs(b, million))
	withSnapshot(b, s, func(snap *Snapshot) {
		n := 0
		for b.Loop() {
			scan := snap.Match(0, 0, 0, 0)
			for batch := scan.Next(); batch != nil; batch = scan.Next() {
				n += len(batch)
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
	})
}

// BenchmarkExport writes 1 M triples.
func BenchmarkExport(b *testing.B) {
	s := openStore(b)
	loadBench(b, s, suite.RobotLogs(b, million))
	for f, name := range map[turtle.Format]string{turtle.Turtle: "turtle", turtle.NTriples: "ntriples"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e, err := s.Export(b.Context(), rdf.Term{}, f)
				if err != nil {
					b.Fatal(err)
				}
				n, err := e.WriteTo(io.Discard)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(n)
				e.Close()
			}
		})
	}
}

// BenchmarkOpen opens a file of 1 M triples.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.db")
	s := reopen(b, path)
	loadBench(b, s, suite.RobotLogs(b, million))
	s.Close()
	for b.Loop() {
		reopen(b, path).Close()
	}
}
