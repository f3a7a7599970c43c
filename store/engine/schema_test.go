package engine

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// TestEverySchemaThereEverWasOpens opens the files in testdata, one of each schema. A
// program of that schema wrote each file from sample and dataset. The files are
// compressed, because bbolt lets files grow in large steps. When the schema number
// increases, add a file of the new schema with SEGRAPH_WRITE_SCHEMA=1. Never change an
// older file.
func TestEverySchemaThereEverWasOpens(t *testing.T) {
	if os.Getenv("SEGRAPH_WRITE_SCHEMA") == "1" {
		writeSchema(t)
	}
	for n := 1; n <= file.Schema; n++ {
		path := filepath.Join(t.TempDir(), "old.db")
		unpack(t, filepath.Join("testdata", fmt.Sprintf("schema%d.db.gz", n)), path)
		s := reopen(t, path)
		mustCheck(t, s)
		want := append(quads(t, turtle.TriG, dataset), relabelled(quads(t, turtle.Turtle, sample))...)
		if got := quads(t, turtle.NQuads, dumped(t, s, turtle.NQuads)); !canon.Isomorphic(got, want) {
			t.Errorf("schema %d holds another dataset:\n%s", n, dumped(t, s, turtle.NQuads))
		}
		if es := entries(t, s); len(es) != 2 || es[0].Actor != "test" || es[1].Actor != "loader" {
			t.Errorf("schema %d: journal %+v", n, es)
		}
		if n := add(t, s, "<http://ex/new> <http://ex/p> 1 ."); n != 1 {
			t.Errorf("schema %d can't be written to", n)
		}
		mustCheck(t, s)
	}
}

// relabelled returns the quads with blank nodes that no other document here has.
func relabelled(in []rdf.Quad) []rdf.Quad {
	fresh := func(x rdf.Term) rdf.Term {
		if x.IsBlank() {
			return rdf.NewBlank("other" + x.Value())
		}
		return x
	}
	for i, q := range in {
		in[i] = rdf.Quad{S: fresh(q.S), P: q.P, O: fresh(q.O), G: fresh(q.G)}
	}
	return in
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeSchema(t *testing.T) {
	t.Helper()
	to := filepath.Join("testdata", fmt.Sprintf("schema%d.db.gz", file.Schema))
	if _, err := os.Stat(to); err == nil {
		t.Fatalf("%s is there already", to)
	}
	path := filepath.Join(t.TempDir(), "new.db")
	s := reopen(t, path)
	add(t, s, sample)
	load(t, s, turtle.TriG, dataset)
	s.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
