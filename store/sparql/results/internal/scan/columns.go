package scan

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

const byteOrderMark = "\uFEFF"

// Begin returns r behind a byte order mark, if there is one: it is in none of the
// formats, but nobody who wrote it sees it.
func Begin(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	start, err := in.Peek(len(byteOrderMark))
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	if string(start) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // they are in the buffer
	}
	return in, nil
}

// Limits of what is read. Past one of them is a *SyntaxError that says which.
const (
	MaxToken   = 16 << 20 // bytes of one name, IRI or literal in the text
	MaxDepth   = 100      // of nesting in parts of JSON and XML that are skipped
	maxColumns = 4096     // variables
)

// Columns numbers the variables as a head names them.
type Columns struct {
	Vars  []string
	Index map[string]int
}

// Add takes the next variable, or says why not.
func (c *Columns) Add(name []byte) error {
	if len(c.Vars) == maxColumns {
		return fmt.Errorf("more than %d variables", maxColumns)
	}
	if err := CheckName(string(name)); err != nil {
		return err
	}
	if _, ok := c.Index[string(name)]; ok {
		return fmt.Errorf("the variable %.80q comes twice", name)
	}
	if c.Index == nil {
		c.Index = map[string]int{}
	}
	c.Index[string(name)] = len(c.Vars)
	c.Vars = append(c.Vars, string(name))
	return nil
}

// Cell finds where in row the value of a variable goes.
func (c *Columns) Cell(name []byte, row []rdf.Term) (*rdf.Term, error) {
	i, ok := c.Index[string(name)]
	if !ok {
		return nil, fmt.Errorf("the variable %.80q is not in the head", name)
	}
	if !row[i].IsZero() {
		return nil, fmt.Errorf("the variable %.80q has two values in one row", name)
	}
	return &row[i], nil
}

// Texts makes strings of bytes, and those that come again and again but once.
type Texts struct {
	seed  maphash.Seed
	cache [1 << 10]string // by hash; one gives way to the next of the same place
}

// maxCached is how many bytes of a text are worth looking for.
const maxCached = 128

// NewTexts returns an empty Texts.
func NewTexts() *Texts { return &Texts{seed: maphash.MakeSeed()} }

// Text returns b as a string.
func (t *Texts) Text(b []byte) string {
	if len(b) > maxCached {
		return string(b)
	}
	place := &t.cache[maphash.Bytes(t.seed, b)%uint64(len(t.cache))]
	if *place != string(b) {
		*place = string(b)
	}
	return *place
}
