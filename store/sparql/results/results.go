// Package results writes the answers of SELECT and ASK in the formats of SPARQL 1.1,
// which are JSON, XML, CSV and TSV, and in Turtle, as one resource per row. It reads
// JSON.
//
// Writers and readers stream, so memory does not grow with the number of rows. The
// exceptions are reading Turtle, and reading JSON rows that precede their head. Output
// is always well-formed. A term that a format can't represent is an error; it is never
// changed. Readers reject malformed text, with line and column.
package results

import (
	"errors"
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Format is a format of an answer.
type Format uint8

const (
	JSON   Format = iota // https://www.w3.org/TR/sparql11-results-json/
	XML                  // https://www.w3.org/TR/rdf-sparql-XMLres/
	CSV                  // https://www.w3.org/TR/sparql11-results-csv-tsv/, section 3: only values, without types
	TSV                  // the same, section 4: terms in Turtle's syntax
	Turtle               // one [] a ns:Result per row, only for SELECT; see ResultNamespace
)

// ResultNamespace is the namespace of the Turtle format. Each row is a resource of the
// class Result in this namespace, with a property for each variable, named after it. An
// unbound variable has no triple.
const ResultNamespace = "http://example.org/"

// formats holds, by Format, the name, the media type and alternative media types.
var formats = [...][]string{
	JSON:   {"json", "application/sparql-results+json", "application/json"},
	XML:    {"xml", "application/sparql-results+xml", "application/xml", "text/xml"},
	CSV:    {"csv", "text/csv"},
	TSV:    {"tsv", "text/tab-separated-values"},
	Turtle: {"ttl", "text/turtle"},
}

// String returns the format's short name: json, xml, csv, tsv or ttl.
func (f Format) String() string {
	if int(f) >= len(formats) {
		return fmt.Sprintf("format %d", uint8(f))
	}
	return formats[f][0]
}

// MediaType returns the format's media type, without parameters. Output is always UTF-8.
// Send a text type with the parameter charset=utf-8.
func (f Format) MediaType() string {
	if int(f) >= len(formats) {
		return ""
	}
	return formats[f][1]
}

// FormatOf returns the format of a media type, ignoring case and parameters. In addition
// to the results of MediaType, it accepts the general types of JSON and XML.
func FormatOf(mediaType string) (f Format, ok bool) {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.TrimSpace(mediaType)
	for f, names := range formats {
		for _, name := range names[1:] {
			if strings.EqualFold(name, mediaType) {
				return Format(f), true
			}
		}
	}
	return 0, false
}

// FormatNamed returns the format of a short name, as returned by String, in any case.
func FormatNamed(name string) (f Format, ok bool) {
	for f, names := range formats {
		if strings.EqualFold(names[0], name) {
			return Format(f), true
		}
	}
	return 0, false
}

// TermError reports a term that a format can't represent. JSON can represent every term
// whose text is valid UTF-8.
type TermError struct {
	Format   Format
	Variable string
	Term     rdf.Term
	Err      error // the reason
}

func (e *TermError) Error() string {
	return fmt.Sprintf("the value of ?%s can't be written as %s: %v", e.Variable, strings.ToUpper(e.Format.String()), e.Err)
}

func (e *TermError) Unwrap() error { return e.Err }

// ErrNoBoolean reports that a format can't represent the answer to ASK.
var ErrNoBoolean = errors.New("turtle can represent only rows: request the answer to ASK as JSON, XML, CSV or TSV")

// SyntaxError reports malformed text or an exceeded limit.
type SyntaxError struct {
	Line   int    // from 1
	Column int    // from 1, in characters (Unicode code points), not bytes
	Msg    string // what was expected, and what was found
	Err    error  // ErrNameless, or nil
}

func (e *SyntaxError) Unwrap() error { return e.Err }

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}
