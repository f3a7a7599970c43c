package results

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// Reader reads one answer. It must be used by one goroutine. It keeps a window of the
// text and one row in memory, and up to 64 MiB of JSON rows that precede their head.
//
// Terms are read exactly as written. Blank node labels are kept; they are only meaningful
// within one answer.
type Reader struct {
	vars      []string
	boolean   bool
	isBoolean bool
	next      func(row []rdf.Term) error
	row       []rdf.Term
	err       error
}

// NewReader returns a Reader of an answer in JSON. It reads the head, or all of an answer
// to ASK. The error is a *SyntaxError for malformed text, or wraps that of r.
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

func fault(line, column int, msg string) error {
	return &SyntaxError{Line: line, Column: column, Msg: msg}
}

// Vars returns the variables, without "?", in order. It is empty for an answer to ASK.
func (r *Reader) Vars() []string { return r.vars }

// Boolean returns the answer to ASK. isBoolean is false if the answer consists of rows.
func (r *Reader) Boolean() (value, isBoolean bool) { return r.boolean, r.isBoolean }

// Next returns the next row: a term for each variable, in the order of Vars, or the zero
// Term if unbound. The slice is valid until the next call. The error is io.EOF at the end
// of a well-formed answer, and at once for an answer to ASK. It is a *SyntaxError if the
// text is malformed or truncated. After an error, Next returns it again.
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
