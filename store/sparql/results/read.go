package results

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Limits of what is read. Past one of them is a *SyntaxError that says which.
const (
	maxToken   = 16 << 20 // bytes of one name, IRI or literal in the text
	maxDepth   = 100      // of nesting in parts of JSON and XML that are skipped
	maxColumns = 4096     // variables
	maxHeld    = 64 << 20 // bytes of JSON rows whose head comes behind them
)

// Reader reads one answer. It holds a window of the text and one row. Two things it holds whole:
// Turtle, and rows of JSON that come before their head, up to 64 MiB. It is for one goroutine.
//
// Terms are read to the letter. Blank node labels are kept as they are, and mean something within
// the one answer only. From CSV, which loses the types of terms, every cell is a literal of type
// xsd:string, IRIs and labels ("_:b0") too, and a cell that is empty without quotes is unbound.
type Reader struct {
	vars      []string
	boolean   bool
	isBoolean bool
	rows      source
	row       []rdf.Term
	err       error
}

// source reads the rows behind a head.
type source interface {
	// next puts a row into row, which has the zero Term for every variable. The error at the
	// end is io.EOF, which it gives only if the whole text is well-formed.
	next(row []rdf.Term) error
}

const byteOrderMark = "\uFEFF"

// NewReader reads what comes before the rows: the head, or all of an answer to ASK. An error is a
// *SyntaxError where the text is not what the format wants, or wraps that of r.
//
// In CSV a text that is the one word true or false is an answer to ASK. As Turtle it takes both
// the form that Writer writes, whose variables come in the order in which they are first bound,
// and the result sets of the W3C's tests (see FromGraph).
func NewReader(r io.Reader, f Format) (*Reader, error) {
	buffered := bufio.NewReader(r)
	if f != Turtle {
		// A byte order mark is in none of the formats, but nobody who wrote it sees it.
		start, err := buffered.Peek(len(byteOrderMark))
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("reading results: %w", err)
		}
		if string(start) == byteOrderMark {
			_, _ = buffered.Discard(len(byteOrderMark)) // they are in the buffer
		}
	}
	out := &Reader{}
	var err error
	switch f {
	case JSON:
		err = out.openJSON(buffered)
	case XML:
		err = out.openXML(buffered)
	case CSV:
		err = out.openCSV(buffered)
	case TSV:
		err = out.openTSV(buffered)
	case Turtle:
		return readTurtle(buffered)
	default:
		err = fmt.Errorf("reading results: there is no %s", f)
	}
	if err != nil {
		return nil, err
	}
	out.row = make([]rdf.Term, len(out.vars))
	return out, nil
}

// Vars gives the variables, without their "?", in order. It is empty for an answer to ASK.
func (r *Reader) Vars() []string { return r.vars }

// Boolean gives the answer to ASK, if it is one.
func (r *Reader) Boolean() (value, isBoolean bool) { return r.boolean, r.isBoolean }

// Next gives the next row: a term for every variable, in the order of Vars, the zero Term where
// it is unbound. The slice is good until the next call. At the end of a well-formed answer,
// and at once if it is one to ASK, the error is io.EOF; it is a *SyntaxError where
// the text is not what the format wants, or breaks off. An error comes again.
func (r *Reader) Next() ([]rdf.Term, error) {
	if r.err == nil && r.isBoolean {
		r.err = io.EOF
	}
	if r.err == nil {
		clear(r.row)
		r.err = r.rows.next(r.row)
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.row, nil
}

// columns numbers the variables as a head names them.
type columns struct {
	vars  []string
	index map[string]int
}

// add takes the next variable, or says why not.
func (c *columns) add(name []byte) error {
	if len(c.vars) == maxColumns {
		return fmt.Errorf("more than %d variables", maxColumns)
	}
	if err := checkName(string(name)); err != nil {
		return err
	}
	if _, ok := c.index[string(name)]; ok {
		return fmt.Errorf("the variable %.80q comes twice", name)
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	c.index[string(name)] = len(c.vars)
	c.vars = append(c.vars, string(name))
	return nil
}

// cell finds where in row the value of a variable goes.
func (c *columns) cell(name []byte, row []rdf.Term) (*rdf.Term, error) {
	i, ok := c.index[string(name)]
	if !ok {
		return nil, fmt.Errorf("the variable %.80q is not in the head", name)
	}
	if !row[i].IsZero() {
		return nil, fmt.Errorf("the variable %.80q has two values in one row", name)
	}
	return &row[i], nil
}

// texts makes strings of bytes, and those that come again and again but once.
type texts struct {
	seed  maphash.Seed
	cache [1 << 10]string // by hash; one gives way to the next of the same place
}

// maxCached is how many bytes of a text are worth looking for.
const maxCached = 128

func newTexts() *texts { return &texts{seed: maphash.MakeSeed()} }

func (t *texts) text(b []byte) string {
	if len(b) > maxCached {
		return string(b)
	}
	place := &t.cache[maphash.Bytes(t.seed, b)%uint64(len(t.cache))]
	if *place != string(b) {
		*place = string(b)
	}
	return *place
}
