package readers

import (
	"bufio"
	"bytes"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// tsvReader reads TSV (SPARQL 1.1 Query Results CSV and TSV Formats, section 4). It also
// accepts lines that end in CRLF.
type tsvReader struct {
	scan.Input
	scan.Columns
	terms termParser
}

func (r *answer) openTSV(in *bufio.Reader) error {
	t := &tsvReader{terms: termParser{texts: scan.NewTexts()}}
	t.Input = scan.NewInput(in, 0, 0, fault)
	if _, err := t.Peek(0); err == io.EOF {
		return t.Errorf(0, "expected a line with the variables' names, found the end of the text")
	} else if err != nil {
		return err
	}
	for last := false; !last; {
		var n int
		var err error
		if n, last, err = t.field(); err != nil {
			return err
		}
		b := t.Buf[t.Pos : t.Pos+n]
		switch {
		case n == 0 && last && len(t.Vars) == 0:
			// an empty line: no variables
		case n > 0 && (b[0] == '?' || b[0] == '$'):
			if err := t.Add(b[1:]); err != nil {
				return t.Errorf(0, "%v", err)
			}
		case last && len(t.Vars) == 0:
			return r.takeBoolean(t, n)
		default:
			return t.Errorf(0, `expected "?" and the name of a variable, found %.40q`, b)
		}
		t.leave(n)
	}
	r.vars, r.rows = t.Vars, t
	return nil
}

// takeBoolean reads a text of one line without "?", which can only be an answer to ASK.
func (r *answer) takeBoolean(t *tsvReader, n int) error {
	word := string(t.Buf[t.Pos : t.Pos+n])
	if word != "true" && word != "false" {
		return t.Errorf(0, `expected "?" and the name of a variable, or true or false, found %.40q`, word)
	}
	t.leave(n)
	if _, err := t.Peek(0); err != io.EOF {
		if err == nil {
			err = t.Errorf(0, "expected the end of the text, found %s", t.Found(0))
		}
		return err
	}
	r.boolean, r.isBoolean = word == "true", true
	return nil
}

func (t *tsvReader) next(row []rdf.Term) error {
	if _, err := t.Peek(0); err != nil {
		return err // io.EOF after a row is the end
	}
	for i := range max(len(row), 1) {
		n, last, err := t.field()
		if err != nil {
			return err
		}
		if last != (i >= len(row)-1) {
			return t.Errorf(n, "the row does not have as many fields as there are variables: %d", len(row))
		}
		if n > 0 {
			if len(row) == 0 {
				return t.Errorf(0, "a row with values, but there are no variables")
			}
			term, at, err := t.terms.parse(t.Buf[t.Pos : t.Pos+n])
			if err != nil {
				return t.Errorf(at, "%v", err)
			}
			row[i] = term
		}
		t.leave(n)
	}
	return nil
}

// field returns the length of the field at Pos, and whether it ends its row.
func (t *tsvReader) field() (n int, last bool, err error) {
	for {
		b := t.Buf[t.Pos+n : t.End]
		if i := bytes.IndexAny(b, "\t\n"); i >= 0 {
			n += i
			last = b[i] == '\n'
			break
		}
		n += len(b)
		if err := t.More(); err == io.EOF {
			last = true
			break
		} else if err != nil {
			return 0, false, err
		}
	}
	if err := t.CheckUTF8(n); err != nil {
		return 0, false, err
	}
	if last && n > 0 && t.Buf[t.Pos+n-1] == '\r' {
		n--
	}
	return n, last, nil
}

// leave takes the field of n bytes at Pos and its separator.
func (t *tsvReader) leave(n int) {
	t.Take(n)
	for _, c := range []byte("\t\r\n") {
		if t.Pos < t.End && t.Buf[t.Pos] == c {
			t.Take(1)
			if c == '\t' {
				return
			}
		}
	}
}
