package results

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
)

// columns numbers the variables of a head.
type columns struct {
	vars   []string
	byName map[string]int
}

// add adds the next variable. It returns an error for an invalid or repeated name.
func (c *columns) add(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if _, ok := c.byName[name]; ok {
		return fmt.Errorf("the variable %.80q occurs twice", name)
	}
	if c.byName == nil {
		c.byName = map[string]int{}
	}
	c.byName[name] = len(c.vars)
	c.vars = append(c.vars, name)
	return nil
}

// cell returns the element of row for a variable's value.
func (c *columns) cell(name []byte, row []rdf.Term) (*rdf.Term, error) {
	i, ok := c.byName[string(name)]
	if !ok {
		return nil, fmt.Errorf("the variable %.80q is not in the head", name)
	}
	if !row[i].IsZero() {
		return nil, fmt.Errorf("the variable %.80q has two values in one row", name)
	}
	return &row[i], nil
}
