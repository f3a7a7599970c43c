package eval

import (
	"errors"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
)

type (
	// Limits bounds what a query may use.
	Limits = budget.Limits
	// LimitError reports that a query was ended because it exceeded a limit.
	LimitError = budget.LimitError
)

// Processors is a set of processors that queries share.
type Processors = budget.Processors

// NewProcessors returns n processors, but not more than the program may use.
func NewProcessors(n int) *Processors { return budget.NewProcessors(n) }

// DefaultStringLength limits the bytes of a string if Limits sets no limit.
const DefaultStringLength = 16 << 20

// errDone says that no more rows are wanted. It never leaves the package.
var errDone = errors.New("no more rows are wanted")

const (
	idSize = 8
	// checkEvery is the number of rows, or tuples of an index, between two checks of the
	// context.
	checkEvery = 4096
	// expressionWork is the work per row of evaluating an expression of a few parts,
	// where 1 is the work of reading a tuple. It is high because some functions, such
	// as REGEX, take long.
	expressionWork = 64
	// partWork is the number of parts of expressions (operators, members of IN) that add
	// another expressionWork.
	partWork = 64
)

// workOf returns the work of evaluating expressions for one row.
func workOf(exprs ...algebra.Expr) int {
	parts := 0
	for _, e := range exprs {
		algebra.Walk(e, func(algebra.Expr) { parts++ })
	}
	return expressionWork * (1 + parts/partWork)
}
