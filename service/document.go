package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// What a document may have to be held in memory, where a triple takes some 300 bytes. One
// with more is read as often as that is needed.
const (
	heldTriples = 4096
	heldBytes   = 1 << 20 // of the texts of its terms
)

// reading is a document that was read to its end, and is right.
type reading struct {
	text   store.Text
	read   int             // triples, repeated ones too
	labels int             // mentions of blank nodes that have a label
	held   *store.Document // what it says; nil where it is too large
	odd    oddIRIs
}

// oddIRIs are the IRIs and language tags of a document that others may refuse: the first
// ones, and how many there are.
type oddIRIs struct {
	first []turtle.Warning
	total int
}

// detail returns what the journal says of them; "" where there are none.
func (o oddIRIs) detail() string {
	if o.total == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d IRIs or language tags that other programs may refuse", semcheck.IRISyntax, o.total)
}

// readDocument reads a document once with these options. The error is a
// *turtle.SyntaxError, or ctx's.
func readDocument(ctx context.Context, content []byte, f turtle.Format, o turtle.Options) (*reading, error) {
	d := &reading{
		text: store.Text{Content: content, Format: f, Options: turtle.Options{MaxDepth: MaxNesting}},
		held: &store.Document{},
	}
	o.MaxDepth = MaxNesting
	for r := turtle.NewReader(bytes.NewReader(content), f, o); ; d.read++ {
		if d.read%4096 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("read a document: %w", ctx.Err())
		}
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			d.odd.first, d.odd.total = r.Warnings()
			if d.held != nil {
				d.held.Prefixes = r.Prefixes()
			}
			return d, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a document: %w", err)
		}
		for _, t := range [2]rdf.Term{q.S, q.O} {
			if _, anonymous := turtle.Anonymous(t.Value()); t.IsBlank() && !anonymous {
				d.labels++
			}
		}
		if d.held == nil {
			continue
		}
		if d.held.Add(q); len(d.held.Quads) > heldTriples || d.held.Size() > heldBytes {
			d.held = nil
		}
	}
}
