package scan

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

const byteOrderMark = "\uFEFF"

// Begin returns r after an optional byte order mark. None of the formats allows one,
// but editors write it without showing it.
func Begin(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	start, err := in.Peek(len(byteOrderMark))
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	if string(start) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // buffered, so this can't fail
	}
	return in, nil
}

// Limits on input. Exceeding one is a *SyntaxError.
const (
	MaxToken   = 16 << 20 // bytes of one name, IRI or literal
	MaxDepth   = 100      // nesting in skipped parts
	maxColumns = 4096     // variables
)

// Columns numbers the variables of a head.
type Columns struct {
	Vars  []string
	Index map[string]int
}

// Add adds the next variable. It returns an error for an invalid or repeated name.
func (c *Columns) Add(name []byte) error {
	if len(c.Vars) == maxColumns {
		return fmt.Errorf("more than %d variables", maxColumns)
	}
	if err := CheckName(string(name)); err != nil {
		return err
	}
	if _, ok := c.Index[string(name)]; ok {
		return fmt.Errorf("the variable %.80q occurs twice", name)
	}
	if c.Index == nil {
		c.Index = map[string]int{}
	}
	c.Index[string(name)] = len(c.Vars)
	c.Vars = append(c.Vars, string(name))
	return nil
}

// Cell returns the element of row for a variable's value.
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

// Texts converts bytes to strings, and shares the memory of recently repeated ones.
type Texts struct {
	seed  maphash.Seed
	cache [1 << 10]string // by hash; a new text replaces the old one
}

// maxCached is the largest number of bytes of a text that is cached.
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
