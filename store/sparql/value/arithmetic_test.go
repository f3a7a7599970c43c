package value

import "github.com/segraph/segraph/store/sparql/syntax"

// These compute with operators as columns do: on cells, and without allocations.

func Add(a, b Value) (sum Value) {
	return operate(&sum, addCells(&sum.Cell, &a.Cell, &b.Cell), a, b, addRest)
}

func Subtract(a, b Value) (difference Value) {
	return operate(&difference, subtractCells(&difference.Cell, &a.Cell, &b.Cell), a, b, subtractRest)
}

func Multiply(a, b Value) (product Value) {
	return operate(&product, multiplyCells(&product.Cell, &a.Cell, &b.Cell), a, b, multiplyRest)
}

func Divide(a, b Value) (quotient Value) {
	return operate(&quotient, divideCells(&quotient.Cell, &a.Cell, &b.Cell), a, b, divideRest)
}

func operate(out *Value, done bool, a, b Value, rest func(a, b Value) Value) Value {
	if done {
		return *out
	}
	return rest(a, b)
}

func Negate(v Value) Value { return Negation.Of(v) }

func Less(a, b Value) Truth { return Relations[syntax.OpLess].Of(a, b) }

func LessOrEqual(a, b Value) Truth { return Relations[syntax.OpLessEqual].Of(a, b) }
