package eval

import (
	"errors"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
)

// Limits bound what a query may use, and LimitError says that it was ended because it
// would have used more.
type (
	Limits     = budget.Limits
	LimitError = budget.LimitError
)

// Processors are what queries share to run on.
type Processors = budget.Processors

// NewProcessors returns n processors, or as many as the program may use if those are fewer.
func NewProcessors(n int) *Processors { return budget.NewProcessors(n) }

// DefaultStringLength bounds strings where Limits does not.
const DefaultStringLength = 16 << 20

// errDone says that no more rows are wanted. It never leaves the package.
var errDone = errors.New("no more rows are wanted")

const (
	idSize = 8
	// checkEvery is after how much work the context is looked at: rows, or tuples of an
	// index.
	checkEvery = 4096
	// expressionWork is how much work expressions of a few parts are taken for, per row:
	// some, like regular expressions, take long.
	expressionWork = 64
	// partWork is how many parts of expressions are another unit of it: operators, and
	// members of IN.
	partWork = 64
)

// workOf returns how much work expressions are taken for, per row.
func workOf(exprs ...algebra.Expr) int {
	parts := 0
	for _, e := range exprs {
		algebra.Walk(e, func(algebra.Expr) { parts++ })
	}
	return expressionWork * (1 + parts/partWork)
}
