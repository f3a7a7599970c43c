package results

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// Reader reads one answer. It holds a window of the text and one row, and rows of JSON
// that come before their head, up to 64 MiB. It is for one goroutine.
//
// Terms are read to the letter. Blank node labels are kept as they are, and mean
// something within the one answer only.
type Reader struct {
	vars      []string
	boolean   bool
	isBoolean bool
	next      func(row []rdf.Term) error
	row       []rdf.Term
	err       error
}

// NewReader reads what an answer as JSON has before the rows: the head, or all of an
// answer to ASK. An error is a
// *SyntaxError where the text is not what the format wants, or wraps that of r. Package readers reads the other formats.
func NewReader(r io.Reader) (*Reader, error) {
	in, err := scan.Begin(r)
	if err != nil {
		return nil, err
	}
	out := &Reader{}
	if err := out.openJSON(in); err != nil {
		return nil, err
	}
	out.row = make([]rdf.Term, len(out.vars))
	return out, nil
}

// NewRows returns a Reader of the rows that next puts into row, which has the zero Term
// for every variable. The error at the end is io.EOF.
func NewRows(vars []string, next func(row []rdf.Term) error) *Reader {
	return &Reader{vars: vars, next: next, row: make([]rdf.Term, len(vars))}
}

// NewBoolean returns a Reader of an answer to ASK.
func NewBoolean(value bool) *Reader { return &Reader{boolean: value, isBoolean: true} }

func fault(line, column int, msg string) error {
	return &SyntaxError{Line: line, Column: column, Msg: msg}
}

// Vars returns the variables, without their "?", in order. It is empty for an answer to
// ASK.
func (r *Reader) Vars() []string { return r.vars }

// Boolean returns the answer to ASK, if it is one.
func (r *Reader) Boolean() (value, isBoolean bool) { return r.boolean, r.isBoolean }

// Next returns the next row: a term for every variable, in the order of Vars, the zero
// Term where it is unbound. The slice is good until the next call. At the end of a
// well-formed answer, and at once if it is one to ASK, the error is io.EOF; it is a
// *SyntaxError where the text is not what the format wants, or breaks off. An error comes
// again.
func (r *Reader) Next() ([]rdf.Term, error) {
	if r.err == nil && r.isBoolean {
		r.err = io.EOF
	}
	if r.err == nil {
		clear(r.row)
		r.err = r.next(r.row)
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.row, nil
}
