// Package turtle reads and writes RDF 1.2 as text: Turtle, TriG, N-Triples and N-Quads.
//
// Readers stream: their memory does not grow with the size of the input. Errors have a
// line, a column and what was expected. Writers write text that conforms to the
// standards.
package turtle

import (
	"errors"
	"fmt"
)

// Format is a text format of RDF. This package reads and writes the first four, and
// returns an error for the others; package format has them all.
type Format uint8

const (
	Turtle   Format = iota // https://www.w3.org/TR/turtle/
	NTriples               // https://www.w3.org/TR/n-triples/
	TriG                   // https://www.w3.org/TR/trig/
	NQuads                 // https://www.w3.org/TR/n-quads/
	RDFXML                 // https://www.w3.org/TR/rdf-syntax-grammar/, in package rdfxml
	JSONLD                 // https://www.w3.org/TR/json-ld11/, in package jsonld
)

// known returns an error for a format of another package.
func (f Format) known() error {
	if f > NQuads {
		return errors.New("package turtle has only Turtle, TriG, N-Triples and N-Quads: use package format")
	}
	return nil
}

// Prefix is a label, without its colon, and its namespace.
type Prefix struct{ Label, Namespace string }

// Declarable reports whether Turtle can declare p. Other formats allow more labels, and namespaces that are no IRIs.
func (p Prefix) Declarable() bool { return isPrefixLabel(p.Label) && CheckIRI(p.Namespace) == nil }

// SyntaxError reports a syntax error and its position.
type SyntaxError struct {
	Line   int    // from 1
	Column int    // from 1, in characters (Unicode code points), not bytes
	Msg    string // expected and found

	Undeclared string // the undeclared prefix, with its colon, or ""
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}
