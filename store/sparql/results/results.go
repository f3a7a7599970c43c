// Package results writes the answers of SELECT and ASK in the formats that SPARQL 1.1 has
// for them: JSON, XML, CSV and TSV; and in Turtle, one resource a row. It reads JSON;
// package readers reads the other formats.
//
// Writers and readers stream: a row is written as soon as it is given and read when it is
// asked for, so memory does not grow with the number of rows. (Two kinds of text are
// held: Turtle, and rows of JSON that come before their head.) What is written is always
// well-formed: a term that a format can't carry is an error that says so, never a changed
// term. Readers refuse what is malformed, with line and column.
package results

import (
	"errors"
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Format is one of the forms that the answer to a query may have.
type Format uint8

const (
	JSON   Format = iota // https://www.w3.org/TR/sparql11-results-json/
	XML                  // https://www.w3.org/TR/rdf-sparql-XMLres/
	CSV                  // https://www.w3.org/TR/sparql11-results-csv-tsv/, section 3: values alone, types are lost
	TSV                  // the same, section 4: terms in Turtle's syntax
	Turtle               // one [] a ns:Result a row: rows of SELECT alone; see ResultNamespace
)

// ResultNamespace is the namespace of the Turtle form. A row is a resource of the class
// Result of this namespace, with the variables' names as properties. An unbound variable
// has no triple.
const ResultNamespace = "http://example.org/"

// formats says by Format: its name, its media type, and other media types that it goes by.
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

// MediaType returns the format's media type, without parameters. Everything written is
// UTF-8; a text type is best sent with the parameter charset=utf-8.
func (f Format) MediaType() string {
	if int(f) >= len(formats) {
		return ""
	}
	return formats[f][1]
}

// FormatOf tells the format of a media type, without regard to case and parameters. Besides
// those that MediaType gives it knows the general types of JSON and XML.
func FormatOf(mediaType string) (Format, bool) {
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

// FormatNamed tells the format of a short name, as String gives it, in whatever case.
func FormatNamed(name string) (Format, bool) {
	for f, names := range formats {
		if strings.EqualFold(names[0], name) {
			return Format(f), true
		}
	}
	return 0, false
}

// TermError says that a format has no way to carry a term. JSON carries every term whose
// text is UTF-8.
type TermError struct {
	Format   Format
	Variable string
	Term     rdf.Term
	Err      error // what it is about the term
}

func (e *TermError) Error() string {
	return fmt.Sprintf("the value of ?%s can't be written as %s: %v", e.Variable, strings.ToUpper(e.Format.String()), e.Err)
}

func (e *TermError) Unwrap() error { return e.Err }

// ErrNoBoolean says that a format has no form for the answer to ASK.
var ErrNoBoolean = errors.New("turtle has rows alone: ask for the answer of ASK as JSON, XML, CSV or TSV")

// SyntaxError says where a text is not what its format wants, or is past a limit.
type SyntaxError struct {
	Line   int    // from 1; 0 where the fault has no place, which is so in Turtle that parses
	Column int    // from 1, in characters (Unicode code points), not bytes
	Msg    string // what was expected, and what was found
	Err    error  // the cause that callers tell apart, ErrNameless; else nil
}

func (e *SyntaxError) Unwrap() error { return e.Err }

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}
