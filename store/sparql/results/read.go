package results

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Reader reads one answer. It must be used by one goroutine. It keeps a window of the
// text and one row in memory, and up to 64 MiB of JSON rows that precede their head.
//
// Terms are read exactly as written. Blank node labels are kept; they are only meaningful
// within one answer.
type Reader struct {
	jsonLexer
	columns

	seenHead, seenRows, seenBoolean bool
	boolean                         bool

	first bool  // no row was read yet
	held  int64 // offset of the rows if they precede the head; then they are read again
	row   []rdf.Term
	err   error
}

// NewReader returns a Reader of an answer in JSON. It reads the head, or all of an answer
// to ASK. It skips unknown members. The error is a *SyntaxError for malformed text, or wraps
// that of r.
func NewReader(r io.Reader) (*Reader, error) {
	j := &Reader{jsonLexer: newJSONLexer(r), first: true}
	if err := j.open(); err != nil {
		return nil, j.syntax(err)
	}
	if j.seenBoolean {
		j.vars = nil
	}
	j.row = make([]rdf.Term, len(j.vars))
	return j, nil
}

// Vars returns the variables, without "?", in order. It is empty for an answer to ASK.
func (r *Reader) Vars() []string { return r.vars }

// Boolean returns the answer to ASK. isBoolean is false if the answer consists of rows.
func (r *Reader) Boolean() (value, isBoolean bool) { return r.boolean, r.seenBoolean }

// Next returns the next row: a term for each variable, in the order of Vars, or the zero
// Term if unbound. The slice is valid until the next call. The error is io.EOF at the end
// of a well-formed answer, and at once for an answer to ASK. It is a *SyntaxError if the
// text is malformed or truncated. After an error, Next returns it again.
func (r *Reader) Next() ([]rdf.Term, error) {
	if r.err == nil && r.seenBoolean {
		r.err = io.EOF
	}
	if r.err == nil {
		clear(r.row)
		r.err = r.syntax(r.next(r.row))
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.row, nil
}
