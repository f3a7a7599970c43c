// Package readers reads the answers of SELECT and ASK in every format of package results.
// For JSON alone, use results.NewReader.
//
// Its tests are in package results, where they read what a Writer has written.
package readers

import (
	"bufio"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// New returns a Reader of an answer in format f. It reads the head, or all of an answer
// to ASK. The error is a *results.SyntaxError for malformed text, or wraps that of r.
//
// CSV loses the types of terms: every cell, also of an IRI or a label ("_:b0"), is read
// as a literal of type xsd:string, and an empty cell without quotes is unbound. A CSV
// text that is the single word true or false is an answer to ASK. Turtle is held in
// memory. It has the form that results.Writer writes, with variables in the order in
// which they are first bound, or is a result set of the W3C's tests (see FromGraph).
func New(r io.Reader, f results.Format) (*results.Reader, error) {
	var open func(*answer, *bufio.Reader) error
	switch f {
	case results.JSON:
		return results.NewReader(r)
	case results.Turtle:
		return readTurtle(r)
	case results.XML:
		open = (*answer).openXML
	case results.CSV:
		open = (*answer).openCSV
	case results.TSV:
		open = (*answer).openTSV
	default:
		return nil, fmt.Errorf("reading results: there is no %s", f)
	}
	in, err := scan.Begin(r)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := open(&a, in); err != nil {
		return nil, err
	}
	if a.isBoolean {
		return results.NewBoolean(a.boolean), nil
	}
	return results.NewRows(a.vars, a.rows.next), nil
}

// answer is the head of an answer and the source of its rows.
type answer struct {
	vars      []string
	boolean   bool
	isBoolean bool
	rows      source
}

// source reads the rows after a head.
type source interface {
	// next is as in results.NewRows. It returns io.EOF only if the whole text is
	// well-formed.
	next(row []rdf.Term) error
}

func fault(line, column int, msg string) error {
	return &results.SyntaxError{Line: line, Column: column, Msg: msg}
}
