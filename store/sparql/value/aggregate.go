package value

import (
	"math"
	"strings"
)

// Aggregate computes an aggregate over the values of one group (SPARQL 1.1, section
// 18.5.1). Callers add one value for each solution, including errors and unbound
// values, which make the result an error. Callers implement DISTINCT. Package eval
// implements COUNT, MIN, MAX and SAMPLE. The zero values of the types in this file are ready to use.
type Aggregate interface {
	// Add adds a value. An error ends the query.
	Add(v Value) error
	// AddOf adds the value of a row of c.
	AddOf(c *Column, row int32) error
	// Value returns the aggregate of the values added so far.
	Value() Value
	// Size returns the number of bytes that the aggregate takes beyond its fixed size.
	Size() int
}

// Sum is SUM, or AVG if Mean is set. Both are 0 for an empty group (18.5.1.3 and 18.5.1.4).
type Sum struct {
	Mean  bool
	sum   Value
	count int64
}

// Add adds a value. Anything but a number makes the sum an error.
func (a *Sum) Add(v Value) error {
	if a.count++; a.count == 1 {
		a.sum = Integer(0)
	}
	switch {
	case a.sum.IsError(): // an error stays one
	case v.IsNumeric():
		a.sum = Addition.Of(a.sum, v)
	default:
		a.sum = Error()
	}
	return nil
}

// AddOf adds the value of a row, without making a Value of a small one.
func (a *Sum) AddOf(c *Column, row int32) error {
	switch cell := c.at(row); {
	case a.sum.kind == KindDouble && cell.kind == KindDouble: // as addCells would
		sum, more := math.Float64frombits(uint64(a.sum.num)), math.Float64frombits(uint64(cell.num))
		a.sum.num = int64(math.Float64bits(sum + more))
	case addCells(&a.sum.Cell, &a.sum.Cell, cell): // the sum fits in its cell
	default:
		return a.Add(c.At(row))
	}
	a.count++
	return nil
}

// Value returns the sum or, with a.Mean, the average. Both are 0 for no values.
func (a *Sum) Value() Value {
	switch {
	case a.count == 0:
		return Integer(0)
	case a.Mean:
		return Division.Of(a.sum, Integer(a.count))
	}
	return a.sum
}

func (a *Sum) Size() int { return 0 }

// GroupConcat is GROUP_CONCAT: the STR of each value, joined by a separator into an
// xsd:string (18.5.1.7).
type GroupConcat struct {
	Separator string // a space if the query names none
	MaxLength int    // in bytes; 0 for no limit

	text   strings.Builder
	more   bool
	failed bool
}

// Add adds a value. It returns a *budget.LimitError if the text gets too long.
func (a *GroupConcat) Add(v Value) error {
	if a.failed {
		return nil
	}
	text := str(v)
	if v.IsError() || text.IsError() {
		a.failed = true
		a.text.Reset()
		return nil
	}
	s := text.text()
	if err := checkLength(a.text.Len()+len(a.Separator)+len(s), a.MaxLength); err != nil {
		return err
	}
	if a.more {
		a.text.WriteString(a.Separator)
	}
	a.more = true
	a.text.WriteString(s)
	return nil
}

func (a *GroupConcat) AddOf(c *Column, row int32) error { return a.Add(c.At(row)) }

func (a *GroupConcat) Value() Value {
	if a.failed {
		return Error()
	}
	return String(a.text.String())
}

func (a *GroupConcat) Size() int { return a.text.Cap() }
