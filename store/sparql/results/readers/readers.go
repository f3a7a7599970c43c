// Package readers reads the answers of SELECT and ASK in every format of package results.
// A program that reads JSON alone needs results.NewReader only.
//
// The tests are those of package results, where what is written is read.
package readers

import (
	"bufio"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// New reads what comes before the rows: the head, or all of an answer to ASK. An error is a
// *results.SyntaxError where the text is not what the format wants, or wraps that of r.
//
// From CSV, which loses the types of terms, every cell is a literal of type xsd:string,
// IRIs and labels ("_:b0") too, and a cell that is empty without quotes is unbound. In
// CSV a text that is the one word true or false is an answer to ASK. Turtle is held in
// memory. It may have the form that results.Writer writes, whose variables come in the
// order in which they are first bound, or be a result set of the W3C's tests (see
// FromGraph).
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

// answer is what is known of an answer before its rows.
type answer struct {
	vars      []string
	boolean   bool
	isBoolean bool
	rows      source
}

// source reads the rows behind a head.
type source interface {
	// next is as in results.NewRows. It gives io.EOF only if the whole text is well-formed.
	next(row []rdf.Term) error
}

func fault(line, column int, msg string) error {
	return &results.SyntaxError{Line: line, Column: column, Msg: msg}
}
