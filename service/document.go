package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Limits of a document that is held in memory, at about 300 bytes per triple. A larger
// one is parsed again each time it is needed.
const (
	maxParsedTriples = 4096
	maxParsedBytes   = 1 << 20 // total length of its terms
)

// maxIRI limits the bytes of an IRI of a document: one that is written once may be in millions of triples.
const maxIRI = 64 << 10

// canonSteps limits the steps that labelling the blank nodes of a document takes, to
// about 10 ms.
const canonSteps = 20_000

// reading is a document that was parsed to its end without an error.
type reading struct {
	text   store.Text
	read   int             // including repeated triples
	labels int             // mentions of labelled blank nodes
	parsed *store.Document // the parsed document; nil if it is too large
	odd    oddIRIs
}

// oddIRIs counts the IRIs and language tags of a document that other programs may refuse,
// and keeps the first few.
type oddIRIs struct {
	first []turtle.Warning
	total int
	terms semcheck.Terms // unknown terms and ill-typed times

	swallowed *semcheck.Issue // see Publication.swallowed
}

// warned returns the first warnings about a document that fit into room bytes, which it takes from room.
func (o oddIRIs) warned(room *int) Warned {
	all, count := append(semcheck.OfIRIs(o.first, semcheck.Warning), o.terms.First...), o.total+o.terms.Total
	if o.swallowed != nil {
		all, count = append([]semcheck.Issue{*o.swallowed}, all...), count+1
	}
	return Warned{semcheck.Fit(all, room), count}
}

// detail returns the journal's note about them, or "" if there are none.
func (o oddIRIs) detail() string {
	if o.total == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d IRIs or language tags that other programs may refuse", semcheck.IRISyntax, o.total)
}

// readDocument parses a document once. The error is a *turtle.SyntaxError, or ctx's.
func readDocument(ctx context.Context, content []byte, f turtle.Format, o turtle.Options) (*reading, error) {
	o.MaxDepth = MaxNesting
	return readAll(ctx, content, f, o, format.NewReader(bytes.NewReader(content), f, o))
}

// readAll reads content with r, which the caller made. It keeps the parsed document only if that is small.
func readAll(ctx context.Context, content []byte, f turtle.Format, o turtle.Options, r format.Reader) (*reading, error) {
	d := &reading{
		text:   store.Text{Content: content, Format: f, Options: turtle.Options{MaxDepth: MaxNesting, Context: o.Context}},
		parsed: &store.Document{},
	}
	d.parsed.Grow(min(len(content)/32, 64)) // most documents are small
	for place := r.Place; ; d.read++ {
		if d.read%4096 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("read a document: %w", ctx.Err())
		}
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			d.odd.first, d.odd.total = r.Warnings()
			if d.parsed != nil {
				d.parsed.Prefixes = r.Prefixes()
			}
			return d, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a document: %w", err)
		}
		if !q.G.IsZero() {
			line, column := place()
			return nil, &turtle.SyntaxError{Line: line, Column: column, Msg: "a log has no named graph, found " + q.G.String()}
		}
		for _, t := range [3]rdf.Term{q.S, q.P, q.O} {
			if t.IsIRI() && len(t.Value()) > maxIRI || len(t.Datatype()) > maxIRI {
				line, column := place()
				return nil, &turtle.SyntaxError{Line: line, Column: column, Msg: fmt.Sprintf("an IRI is longer than %d bytes; shorten it", maxIRI)}
			}
		}
		d.odd.terms.Add(q, place)
		for _, t := range [2]rdf.Term{q.S, q.O} {
			if _, anonymous := turtle.Anonymous(t.Value()); t.IsBlank() && !anonymous {
				d.labels++
			}
		}
		if d.parsed == nil {
			continue
		}
		if d.parsed.Add(q); len(d.parsed.Quads) > maxParsedTriples || d.parsed.Size() > maxParsedBytes {
			d.parsed = nil
		}
	}
}
