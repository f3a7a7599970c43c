package readers

import (
	"bufio"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// csvReader reads CSV (RFC 4180). It also accepts lines that end in LF.
type csvReader struct {
	scan.Input
	scan.Columns
	texts   *scan.Texts
	scratch []byte // holds cells with doubled quotes replaced
}

func (r *answer) openCSV(in *bufio.Reader) error {
	c := &csvReader{texts: scan.NewTexts()}
	c.Input = scan.NewInput(in, 0, 0, fault)
	if _, err := c.Peek(0); err == io.EOF {
		return c.Errorf(0, "expected a line with the variables' names, found the end of the text")
	} else if err != nil {
		return err
	}
	for last := false; !last; {
		var b []byte
		var quoted bool
		var err error
		if b, quoted, last, err = c.field(); err != nil {
			return err
		}
		if len(b) == 0 && !quoted && last && len(c.Vars) == 0 {
			break // an empty line: no variables
		}
		if err := c.Add(b); err != nil {
			return c.Errorf(-1, "%v", err)
		}
	}
	r.vars, r.rows = c.Vars, c
	return r.lookForBoolean(&c.Input)
}

// lookForBoolean treats a text that consists only of the head true or false as an answer
// to ASK.
func (r *answer) lookForBoolean(in *scan.Input) error {
	if len(r.vars) != 1 || r.vars[0] != "true" && r.vars[0] != "false" {
		return nil
	}
	if _, err := in.Peek(0); err != io.EOF {
		return err
	}
	r.boolean, r.isBoolean, r.vars = r.vars[0] == "true", true, nil
	return nil
}

func (c *csvReader) next(row []rdf.Term) error {
	if _, err := c.Peek(0); err != nil {
		return err // io.EOF after a row is the end
	}
	if len(row) == 0 {
		if b, quoted, last, err := c.field(); err != nil {
			return err
		} else if !last || quoted || len(b) > 0 {
			return c.Errorf(-1, "a row with values, but there are no variables")
		}
		return nil
	}
	for i := range row {
		b, quoted, last, err := c.field()
		if err != nil {
			return err
		}
		if last != (i == len(row)-1) {
			return c.Errorf(-1, "the row does not have as many cells as there are variables: %d", len(row))
		}
		if len(b) > 0 || quoted {
			row[i] = rdf.NewString(c.texts.Text(b))
		}
	}
	return nil
}

// field takes a cell and its separator, and returns its value, which is valid until the
// next call. last reports whether it ends its row.
func (c *csvReader) field() (b []byte, quoted, last bool, err error) {
	first, err := c.Peek(0)
	if err != nil && err != io.EOF {
		return nil, false, false, err
	}
	n, from, to := 0, 0, 0
	doubled := false
	if quoted = first == '"'; quoted {
		if n, doubled, err = c.quoted(); err != nil {
			return nil, false, false, err
		}
		from, to = 1, n-1
	} else if n, err = c.plain(); err != nil {
		return nil, false, false, err
	} else {
		to = n
	}
	size, last, err := c.separator(n)
	if err == nil {
		err = c.CheckUTF8(n)
	}
	if err != nil {
		return nil, false, false, err
	}
	b = c.Take(n + size)[from:to]
	if doubled {
		c.scratch = c.scratch[:0]
		for i := 0; i < len(b); i++ {
			if c.scratch = append(c.scratch, b[i]); b[i] == '"' {
				i++
			}
		}
		b = c.scratch
	}
	return b, quoted, last, nil
}

// plain returns the length of the cell at Pos, which is not in quotes.
func (c *csvReader) plain() (int, error) {
	for n := 0; ; n++ {
		d, err := c.Peek(n)
		switch {
		case err == io.EOF || err == nil && (d == ',' || d == '\n' || d == '\r'):
			return n, nil
		case err != nil:
			return 0, err
		case d == '"':
			return 0, c.Errorf(n, "a quote inside a cell that does not begin with one")
		}
	}
}

// quoted returns the length of the quoted cell at Pos, and whether it contains doubled
// quotes.
func (c *csvReader) quoted() (n int, doubled bool, err error) {
	for n = 1; ; n++ {
		d, err := c.Peek(n)
		if err == io.EOF {
			return 0, false, c.Errorf(0, "the cell that begins here has no closing quote")
		}
		if err != nil {
			return 0, false, err
		}
		if d != '"' {
			continue
		}
		n++
		if d, err = c.Peek(n); err != nil && err != io.EOF {
			return 0, false, err
		}
		if err == io.EOF || d != '"' {
			return n, doubled, nil
		}
		doubled = true
	}
}

// separator returns the length of the separator at offset n from Pos.
func (c *csvReader) separator(n int) (size int, last bool, err error) {
	d, err := c.Peek(n)
	switch {
	case err == io.EOF:
		return 0, true, nil
	case err != nil:
		return 0, false, err
	case d == ',':
		return 1, false, nil
	case d == '\n':
		return 1, true, nil
	case d == '\r':
		if d, err = c.Peek(n + 1); err == nil && d == '\n' {
			return 2, true, nil
		}
		if err != nil && err != io.EOF {
			return 0, false, err
		}
	}
	return 0, false, c.Errorf(n, "expected a comma or the end of the line after the cell, found %s", c.Found(n))
}
