// Package storetest holds helpers for the tests of stores: they parse documents and
// export graphs as text. It imports no implementation of a store, so the tests of every
// store can use it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Sample is a small graph with several forms of numbers, a language tag, blank nodes and
// a list.
const Sample = `@prefix ex: <http://ex/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a a ex:Event ; ex:score 1.50 , "01"^^xsd:integer ; ex:text "hé\nllo"@en-GB ; ex:parts ( 1 [ ex:x 0.5 ] "three" ) .`

// Large returns a document about n subjects, numbered from first.
func Large(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "<http://ex/event%d> a <http://ex/Event> ; <http://ex/n> %d ; <http://ex/part> [ <http://ex/x> %d ] .\n", i, i, i)
	}
	return b.String()
}

// Document parses a document.
func Document(t testing.TB, f turtle.Format, text string) *store.Document {
	t.Helper()
	d := &store.Document{}
	for r := turtle.NewReader(strings.NewReader(text), f, turtle.Options{}); ; {
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			d.Prefixes = r.Prefixes()
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Add(q)
	}
}

// Quads parses a document and returns its quads.
func Quads(t testing.TB, f turtle.Format, text string) []rdf.Quad {
	t.Helper()
	d := Document(t, f, text)
	out := make([]rdf.Quad, len(d.Quads))
	for i := range out {
		out[i] = d.Quad(i)
	}
	return out
}

// Add stores a Turtle document and returns how many of its triples were new.
func Add(t testing.TB, s store.Graph, text string) int {
	t.Helper()
	n, err := s.Add(t.Context(), Document(t, turtle.Turtle, text), journal.Entry{Action: journal.Insert, Actor: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Publish stores a Turtle document as one log and returns the log's id.
func Publish(t testing.TB, s store.Graph, text string) string {
	t.Helper()
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: "ari"}
	d := Document(t, turtle.Turtle, text)
	e.Triples = d.Distinct()
	if _, err := s.Add(t.Context(), d, e); err != nil {
		t.Fatal(err)
	}
	return e.LogID
}

// Exported returns the published graph as text.
func Exported(t testing.TB, s store.Graph, f turtle.Format) string {
	t.Helper()
	e, err := s.Export(t.Context(), rdf.Term{}, f)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var b strings.Builder
	if _, err := e.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Check fails the test if the store's own check finds damage.
func Check(t testing.TB, s interface{ Check(context.Context) error }) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Entries verifies a journal and returns its entries, oldest first.
func Entries(r kv.Reader) (out []journal.Entry, err error) {
	err = journal.Verify(r, func(h journal.Head, _ []byte) error {
		e, err := journal.Get(r, h.Seq)
		e.Salted = journal.Salted{} // tests compare the rest
		out = append(out, e)
		return err
	})
	return out, err
}
