package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// Writer writes one answer: Head once and Row for every solution, or Boolean; then Close.
// It is for one goroutine.
//
// Text goes to the io.Writer in pieces of some 64 KiB, on Flush and on Close; so an error
// in a small answer comes before its first byte is out. After an error every call gives
// it again, and nothing more is written: neither half a row nor what would make the
// answer look whole. JSON and XML that break off are malformed; CSV, TSV and Turtle look
// whole at the end of any row, so a server must break the connection.
type Writer struct {
	// Guard makes CSV harmless to spreadsheets, which take a cell for a formula that
	// begins with = + - or @ (or with their wide forms, or with white space before them):
	// such a cell gets a ' in front, unless it is a number. That changes the values,
	// which the standard does not allow; so it is for files that people download, not for
	// programs. It is set before Head, has no effect in other formats, and holds for
	// programs that split cells at commas.
	Guard bool

	out    io.Writer
	format Format
	enc    encoder
	buf    []byte
	vars   []string
	state  state
	err    error
}

type state uint8

const (
	begun  state = iota // nothing is written
	rows                // Head is written
	told                // Boolean is written
	closed              // all is written
)

// encoder appends the parts of an answer to b. What was appended with an error is dropped.
type encoder interface {
	head(b []byte, vars []string) ([]byte, error)
	// row has a term for every variable. The error is that of the term at the place that it
	// gives besides.
	row(b []byte, terms []rdf.Term) (_ []byte, column int, err error)
	boolean(b []byte, value bool) ([]byte, error)
	end(b []byte, isBoolean bool) []byte
}

// bufferSize is what is written to the io.Writer at a time, in bytes.
const bufferSize = 64 << 10

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer, f Format) *Writer { return &Writer{out: w, format: f} }

// Head writes the variables that SELECT gives, without their "?", in order. They are
// copied. It is an error if one is empty, comes twice, is not UTF-8, or has white space
// or control characters in it. Other names than SPARQL's grammar has (VARNAME) are taken,
// as other services answer with them.
func (w *Writer) Head(vars []string) error {
	if !w.expect(begun, "Head") {
		return w.err
	}
	if err := checkNames(vars); err != nil {
		return w.fail(err)
	}
	w.vars = append([]string(nil), vars...)
	w.start()
	if w.err == nil {
		w.state = rows
		var err error
		w.buf, err = w.enc.head(w.buf, w.vars)
		w.fail(err)
	}
	return w.err
}

// Row writes a solution: a term for every variable of Head, in its order, the zero Term
// where the variable is unbound. terms is not kept. A term that the format can't carry is
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

// Boolean writes the answer to ASK. The standard has it in JSON and XML; in CSV and TSV
// it is the word alone on a line; in Turtle it is ErrNoBoolean.
func (w *Writer) Boolean(value bool) error {
	if !w.expect(begun, "Boolean") {
		return w.err
	}
	w.start()
	if w.err == nil {
		w.state = told
		var err error
		w.buf, err = w.enc.boolean(w.buf, value)
		w.fail(err)
	}
	return w.err
}

// Flush hands what is written so far to the io.Writer.
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
		return w.fail(errors.New("neither Head nor Boolean came before Close"))
	}
	w.buf = w.enc.end(w.buf, w.state == told)
	w.state = closed
	w.send()
	return w.err
}

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

// expect reports whether a call may come now.
func (w *Writer) expect(s state, call string) bool {
	if w.err == nil && w.state != s {
		w.fail(fmt.Errorf("%s out of turn: Head comes first and then rows, or Boolean alone", call))
	}
	return w.err == nil
}

// fail keeps the first error, if err is one, and gives it.
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
		w.buf = nil // one long literal should not cost its memory for ever
	}
	w.buf = w.buf[:0]
}

func checkNames(vars []string) error {
	seen := make(map[string]bool, len(vars))
	for _, name := range vars {
		if err := scan.CheckName(name); err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("the variable %.80q comes twice", name)
		}
		seen[name] = true
	}
	return nil
}

var errNotUTF8 = errors.New("its text is not UTF-8")
