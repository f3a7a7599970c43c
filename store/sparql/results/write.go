package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Writer writes one answer. Call Head once and then Row for every solution, or call
// Boolean once. Then call Close. It must be used by one goroutine.
//
// A Writer writes to the io.Writer in pieces of about 64 KiB, and on Flush and Close.
// So an error in a small answer occurs before its first byte is written. After an
// error, every call returns that error and writes nothing more: neither half a row nor
// an ending that would make the answer look complete. Truncated JSON and XML are
// malformed. But CSV, TSV and Turtle look complete after any row, so a server must
// break the connection.
type Writer struct {
	// Guard protects spreadsheets from CSV cells that they would run as formulas: cells
	// that begin with = + - or @ or the full-width form of one of these, perhaps after
	// white space. The Writer puts ' before such a cell unless it is a number. This
	// changes values, which the standard does not allow, so use it for files that
	// people download, not for programs. It assumes that cells are separated by commas.
	// Set it before Head. Other formats ignore it.
	Guard bool

	out    io.Writer
	format Format
	enc    encoder
	buf    []byte
	columns
	state state
	err   error
}

type state uint8

const (
	begun          state = iota // before Head and Boolean
	rows                        // after Head
	booleanWritten              // after Boolean
	closed                      // after Close
)

// encoder appends the parts of an answer to b. After an error, the caller drops what was
// appended.
type encoder interface {
	head(b []byte, vars []string) ([]byte, error)
	// row appends a row with a term for every variable. column is the index of the term
	// that caused an error.
	row(b []byte, terms []rdf.Term) (_ []byte, column int, err error)
	boolean(b []byte, value bool) ([]byte, error)
	end(b []byte, isBoolean bool) []byte
}

// bufferSize is the size in bytes of the pieces written to the io.Writer.
const bufferSize = 64 << 10

// NewWriter returns a Writer that writes to w in format f.
func NewWriter(w io.Writer, f Format) *Writer { return &Writer{out: w, format: f} }

// Head writes the variables of a SELECT, without "?", in order. It copies them. It
// returns an error if a name is empty, repeated, not UTF-8, or contains white space or
// control characters. It accepts names that SPARQL's grammar (VARNAME) excludes, because
// other services use them.
func (w *Writer) Head(vars []string) error {
	if !w.expect(begun, "Head") {
		return w.err
	}
	for _, name := range vars {
		if err := w.add(name); err != nil {
			return w.fail(err)
		}
	}
	w.start()
	if w.err == nil {
		w.state = rows
		var err error
		w.buf, err = w.enc.head(w.buf, w.vars)
		w.fail(err)
	}
	return w.err
}

// Row writes a solution: a term for every variable of Head, in order, or the zero Term if
// unbound. It does not keep terms. For a term that the format can't represent, it returns
// a *TermError.
func (w *Writer) Row(terms []rdf.Term) error {
	if !w.expect(rows, "Row") {
		return w.err
	}
	if len(terms) != len(w.vars) {
		return w.fail(fmt.Errorf("a row of %d terms for %d variables", len(terms), len(w.vars)))
	}
	had := len(w.buf)
	b, column, err := w.enc.row(w.buf, terms)
	if err != nil {
		w.buf = b[:had]
		return w.fail(&TermError{Format: w.format, Variable: w.vars[column], Term: terms[column], Err: err})
	}
	if w.buf = b; len(w.buf) >= bufferSize {
		w.send()
	}
	return w.err
}

// Boolean writes the answer to ASK. The standard defines how for JSON and XML. In CSV
// and TSV, Boolean writes the word true or false on a line. In Turtle, it returns
// ErrNoBoolean.
func (w *Writer) Boolean(value bool) error {
	if !w.expect(begun, "Boolean") {
		return w.err
	}
	w.start()
	if w.err == nil {
		w.state = booleanWritten
		var err error
		w.buf, err = w.enc.boolean(w.buf, value)
		w.fail(err)
	}
	return w.err
}

// Flush writes all buffered text to the io.Writer.
func (w *Writer) Flush() error {
	w.send()
	return w.err
}

// Close ends the answer and flushes. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.err != nil || w.state == closed {
		return w.err
	}
	if w.state == begun {
		return w.fail(errors.New("Close was called before Head or Boolean"))
	}
	w.buf = w.enc.end(w.buf, w.state == booleanWritten)
	w.state = closed
	w.send()
	return w.err
}

// start chooses the encoder. Writer's fields must be set before.
func (w *Writer) start() {
	switch w.format {
	case JSON:
		w.enc = &jsonEncoder{}
	case XML:
		w.enc = &xmlEncoder{}
	case CSV:
		w.enc = &csvEncoder{guard: w.Guard}
	case TSV:
		w.enc = tsvEncoder{}
	case Turtle:
		w.enc = &turtleEncoder{}
	default:
		w.fail(fmt.Errorf("there is no %s", w.format))
	}
}

// expect reports whether the state is s. If not, it records an error about call.
func (w *Writer) expect(s state, call string) bool {
	if w.err == nil && w.state != s {
		w.fail(fmt.Errorf("%s was called out of order: call Head and then Row, or only Boolean", call))
	}
	return w.err == nil
}

// fail records err if it is the first error, and returns the first error.
func (w *Writer) fail(err error) error {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("writing results: %w", err)
	}
	return w.err
}

func (w *Writer) send() {
	if w.err == nil && len(w.buf) > 0 {
		_, err := w.out.Write(w.buf)
		w.fail(err)
	}
	if cap(w.buf) > 16*bufferSize {
		w.buf = nil // don't keep the memory of one long literal
	}
	w.buf = w.buf[:0]
}

var errNotUTF8 = errors.New("its text is not UTF-8")
