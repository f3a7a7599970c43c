// Package turtle reads and writes RDF 1.1 as text: Turtle, TriG, N-Triples and N-Quads.
//
// Readers stream: memory does not grow with the input's size or nesting, and an error says
// line, column and what was expected. Writers write what any reader takes.
package turtle

import "fmt"

// Format is one of the four text forms of RDF 1.1.
type Format uint8

const (
	Turtle   Format = iota // https://www.w3.org/TR/turtle/
	NTriples               // https://www.w3.org/TR/n-triples/
	TriG                   // https://www.w3.org/TR/trig/
	NQuads                 // https://www.w3.org/TR/n-quads/
)

// Prefix is a label, without its colon, and the namespace that it stands for.
type Prefix struct{ Label, Namespace string }

// SyntaxError says where a text is not what its format wants.
type SyntaxError struct {
	Line   int    // from 1
	Column int    // from 1, in characters (Unicode code points), not bytes
	Msg    string // what was expected, and what was found

	Undeclared string // the prefix, with its colon, of which the declaration is missing; "" where all are there
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}
