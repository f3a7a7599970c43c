// Package jsonld reads and writes JSON-LD 1.1 as RDF (W3C Recommendations JSON-LD 1.1 and
// JSON-LD 1.1 Processing Algorithms and API, 2020): expansion, deserialization to RDF, and
// serialization from RDF in expanded form. A string with a direction is a literal of RDF 1.2.
//
// It loads nothing from the network. A document's contexts are inline, or among those that
// the caller provides.
//
// A Reader streams. Its documentation says what it keeps in memory.
package jsonld

import (
	"fmt"
	"strings"
)

// Error reports that a document is not JSON-LD 1.1.
type Error struct {
	Code   string // such as "invalid term definition" (JSON-LD 1.1 API, section 9.6.2)
	Detail string // what is wrong
	// Line and Column are from 1; Column counts characters. An error of a Writer has
	// neither. Path is a normalized path of RFC 9535 (JSONPath), such as
	// $['@graph'][3]['name'].
	Line, Column int
	Path         string

	steps []any // of the path, from the inside out: names and indexes
}

func (e *Error) Error() string {
	if e.Line == 0 { // of a Writer
		return e.Message()
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message())
}

// Message returns the error without its line and column.
func (e *Error) Message() string {
	if e.Path == "" || e.Path == "$" {
		return e.Code + ": " + e.Detail
	}
	return e.Code + ": " + e.Detail + ", at " + e.Path
}

func errorf(code, format string, args ...any) error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Options configure a Reader. The zero Options suit most documents.
type Options struct {
	// Base is the base IRI of the document, or "". Without it, relative IRIs that no
	// @base resolves are dropped, as the standard requires.
	Base string
	// Context returns the text of the context with an IRI, which is absolute unless
	// Base is missing. If it returns an error, so does the Reader. If Context is nil, a
	// document that refers to a context by IRI is refused.
	Context func(iri string) ([]byte, error)
	Loaded  *Loaded // what Readers with these Options have loaded; may be nil
	Scope   string  // prepended to every blank node label: see turtle.Options
	// Strict refuses a document if the standard would silently drop a part of it, such
	// as a member that no context maps to an IRI, an IRI that is relative or invalid, or
	// the direction of a string without a language.
	Strict    bool
	MaxDepth  int // limit of nested objects and arrays; 0 means 500
	MaxString int // limit of a string in bytes; 0 means 16 MiB
}

// dropped is the code of errors that only Options.Strict returns.
const dropped = "dropped data"

// Limits on contexts.
const (
	defaultDepth   = 500
	defaultString  = 16 << 20
	maxLayers      = 64     // layers of an active context
	maxDefinitions = 10_000 // terms that one context may define
	maxContext     = 1 << 20
	maxLoaded      = 32 // depth of contexts that load one another

	maxValues = 200_000 // values that are read at once; each takes up to 700 bytes

	// A document may apply contexts of maxWork bytes in total, plus workPerByte for
	// each of its own bytes. A context that is applied twice counts twice, unless the
	// first result is still cached. The size of a context is itemWork, plus that of its
	// strings, memberWork for each member, and the base that its @base is relative to.
	// Each item of an array is a context.
	maxWork     = 16 << 20
	workPerByte = 4
	memberWork  = 16
	itemWork    = 256

	// Contexts make terms longer (@vocab, @base, prefixes, languages and datatypes).
	// The first freePart bytes that are added to a term are free. The others may be
	// maxExcess bytes in total, plus excessPerByte for each byte of the document. The
	// name of a member is expanded several times, and counts each time.
	freePart      = 96
	maxExcess     = 16 << 20
	excessPerByte = 16
)

// isKeyword reports whether s is a keyword (JSON-LD 1.1, section 1.7).
func isKeyword(s string) bool {
	switch s {
	case "@base", "@container", "@context", "@default", "@direction", "@embed", "@explicit", "@graph", "@id", "@import",
		"@included", "@index", "@json", "@language", "@list", "@nest", "@none", "@null", "@omitDefault", "@prefix",
		"@preserve", "@propagate", "@protected", "@requireAll", "@reverse", "@set", "@type", "@value", "@version", "@vocab":
		return true
	}
	return false
}

// likeKeyword reports whether s consists of @ and letters. Such words are reserved for
// keywords.
func likeKeyword(s string) bool {
	return len(s) > 1 && s[0] == '@' && strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// list returns v if it is an array, and otherwise an array with v as its only item.
func list(v any) []any {
	if a, ok := v.([]any); ok {
		return a
	}
	return []any{v}
}
