package engine

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func TestPrefixesAreExportedAsPublished(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, "@prefix schema1: <http://schema.org/> . @prefix amor: <http://robot/1/> . @prefix : <http://ex/> . :a schema1:name amor:x .")
	add(t, s, "@prefix amor: <http://robot/2/> . @prefix again: <http://ex/> . again:b again:p amor:y .")
	text := exported(t, s, turtle.Turtle)
	for _, want := range []string{"@prefix schema: <http://schema.org/>", "@prefix amor: <http://robot/1/>", "@prefix amor2: <http://robot/2/>", "@prefix : <http://ex/>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestExportsOfManyPairsStayComplete exports a subject with more triples than are sorted
// in memory.
func TestExportsOfManyPairsStayComplete(t *testing.T) {
	t.Parallel()
	suite.OneGoroutine(t)
	s := openStore(t)
	var text strings.Builder
	const n = maxSorted + 5000
	for i := range n {
		fmt.Fprintf(&text, "<http://ex/a> <http://ex/p> %d .\n", i)
	}
	text.WriteString("<http://ex/a> <http://ex/q> 7 , 8 ; a <http://ex/T> .")
	add(t, s, text.String())
	got := exported(t, s, turtle.NTriples)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	slices.Sort(lines)
	if len(slices.Compact(lines)) != n+3 {
		t.Errorf("%d lines, want %d", len(lines), n+3)
	}
	if first, _, _ := strings.Cut(got, "\n"); !strings.Contains(first, rdf.RDFType) {
		t.Errorf("the type does not come first: %s", first)
	}
}

// A subject with few long literals is not sorted in memory either, and is exported completely.
func TestExportsHoldFewBytesOfASubject(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	want := ""
	for i := range 6 {
		want += fmt.Sprintf("<http://ex/a> <http://ex/p> \"%d%s\" .\n", i, strings.Repeat("x", 1<<20))
	}
	add(t, s, want)
	withSnapshot(t, s, func(snap *Snapshot) {
		x := newExportedGraph(t.Context(), snap, defaultGraph)
		lo, hi := index.Prefix()
		x.scan.Seek(lo, hi)
		yields := func(pair) bool { t.Error("a pair is yielded"); return false }
		if x.few(x.scan, x.scan.Next(), yields) || x.spare[0][:1][0] != (pair{}) {
			t.Error("all pairs are held in memory")
		}
	})
	if exported(t, s, turtle.NTriples) != want {
		t.Error("the export differs")
	}
}

// TestExportSaysWhatItCannotWrite exports literals as subjects, which
// EditOptions.AnyTerms allows.
func TestExportSaysWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	d := &store.Document{}
	d.Add(rdf.Quad{S: rdf.NewString("literal"), P: rdf.NewIRI("http://ex/p"), O: rdf.NewIRI("http://ex/a")})
	if _, err := s.Add(t.Context(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples} {
		e, err := s.Export(t.Context(), rdf.Term{}, f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), "1 triples have a literal as their subject") {
			t.Errorf("format %d: %v", f, err)
		}
		e.Close()
	}
}

// Few subjects with long IRIs are not held in memory either, and are exported in their order.
func TestExportsHoldFewBytesOfSubjects(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	want := ""
	for i := range maxSubjectBytes>>20 + 1 {
		line := fmt.Sprintf("<http://ex/%02d%s> <http://ex/p> 1 .\n", i, strings.Repeat("x", 1<<20))
		add(t, s, line)
		want += strings.Replace(line, " 1 .", ` "1"^^<`+rdf.XSDInteger+`> .`, 1)
	}
	withSnapshot(t, s, func(snap *Snapshot) {
		subjects, few, err := newExportedGraph(t.Context(), snap, defaultGraph).subjects()
		if few || err != nil {
			t.Errorf("%d subjects are held in memory: %v", len(subjects), err)
		}
	})
	if exported(t, s, turtle.NTriples) != want {
		t.Error("the export differs")
	}
}
