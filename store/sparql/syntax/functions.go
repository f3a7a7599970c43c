package syntax

import "slices"

// Those built-in functions that other packages name (SPARQL 1.1, section 17.4; SPARQL 1.2).
const (
	OpBound    Op = "BOUND"
	OpIf       Op = "IF"
	OpCoalesce Op = "COALESCE"
	OpSameTerm Op = "SAMETERM"

	OpIsIRI     Op = "ISIRI"
	OpIsBlank   Op = "ISBLANK"
	OpIsLiteral Op = "ISLITERAL"
	OpIsNumeric Op = "ISNUMERIC"
	OpStr       Op = "STR"
	OpLang      Op = "LANG"
	OpDatatype  Op = "DATATYPE"
	OpIRI       Op = "IRI"

	OpStrLen      Op = "STRLEN"
	OpUCase       Op = "UCASE"
	OpLCase       Op = "LCASE"
	OpStrStarts   Op = "STRSTARTS"
	OpStrEnds     Op = "STRENDS"
	OpContains    Op = "CONTAINS"
	OpStrAfter    Op = "STRAFTER"
	OpConcat      Op = "CONCAT"
	OpLangMatches Op = "LANGMATCHES"
	OpRegex       Op = "REGEX"
	OpReplace     Op = "REPLACE"

	OpAbs   Op = "ABS"
	OpRound Op = "ROUND"
	OpCeil  Op = "CEIL"
	OpFloor Op = "FLOOR"

	OpNow     Op = "NOW"
	OpYear    Op = "YEAR"
	OpMonth   Op = "MONTH"
	OpDay     Op = "DAY"
	OpHours   Op = "HOURS"
	OpMinutes Op = "MINUTES"
	OpSeconds Op = "SECONDS"

	// Functions of SPARQL 1.2.
	OpLangDir    Op = "LANGDIR"
	OpHasLang    Op = "HASLANG"
	OpHasLangDir Op = "HASLANGDIR"
	OpTriple     Op = "TRIPLE"
	OpSubject    Op = "SUBJECT"
	OpPredicate  Op = "PREDICATE"
	OpObject     Op = "OBJECT"
	OpIsTriple   Op = "ISTRIPLE"
)

// AnyNumber means that a function takes any number of arguments.
const AnyNumber = -1

// arity is the smallest and the largest number of arguments of a function.
type arity struct{ least, most int }

// functions maps the upper-case name of each built-in function to its arity. BOUND, the
// aggregates, EXISTS and IN have their own syntax.
var functions = map[Op]arity{
	OpIf: {3, 3}, OpCoalesce: {0, AnyNumber}, OpSameTerm: {2, 2},
	OpIsIRI: {1, 1}, "ISURI": {1, 1}, OpIsBlank: {1, 1}, OpIsLiteral: {1, 1}, OpIsNumeric: {1, 1},
	OpStr: {1, 1}, OpLang: {1, 1}, OpDatatype: {1, 1}, OpIRI: {1, 1}, "URI": {1, 1}, "BNODE": {0, 1},
	"STRDT": {2, 2}, "STRLANG": {2, 2}, "UUID": {0, 0}, "STRUUID": {0, 0},
	OpStrLen: {1, 1}, "SUBSTR": {2, 3}, OpUCase: {1, 1}, OpLCase: {1, 1},
	OpStrStarts: {2, 2}, OpStrEnds: {2, 2}, OpContains: {2, 2}, "STRBEFORE": {2, 2}, OpStrAfter: {2, 2},
	"ENCODE_FOR_URI": {1, 1}, OpConcat: {0, AnyNumber}, OpLangMatches: {2, 2}, OpRegex: {2, 3}, OpReplace: {3, 4},
	OpAbs: {1, 1}, OpRound: {1, 1}, OpCeil: {1, 1}, OpFloor: {1, 1}, "RAND": {0, 0},
	OpNow: {0, 0}, OpYear: {1, 1}, OpMonth: {1, 1}, OpDay: {1, 1}, OpHours: {1, 1}, OpMinutes: {1, 1},
	OpSeconds: {1, 1}, "TIMEZONE": {1, 1}, "TZ": {1, 1},
	"MD5": {1, 1}, "SHA1": {1, 1}, "SHA256": {1, 1}, "SHA384": {1, 1}, "SHA512": {1, 1},
	OpLangDir: {1, 1}, OpHasLang: {1, 1}, OpHasLangDir: {1, 1}, "STRLANGDIR": {3, 3},
	OpTriple: {3, 3}, OpSubject: {1, 1}, OpPredicate: {1, 1}, OpObject: {1, 1}, OpIsTriple: {1, 1},
}

// Arity returns the smallest and the largest number of arguments of a built-in
// function. most may be AnyNumber. ok is false if the function does not exist.
func Arity(op Op) (least, most int, ok bool) {
	a, ok := functions[op]
	return a.least, a.most, ok
}

// Functions returns the names of the built-in functions, in alphabetical order.
func Functions() []string {
	names := []string{string(OpBound)}
	for op := range functions {
		names = append(names, string(op))
	}
	slices.Sort(names)
	return names
}

func isAggregate(op Op) bool {
	return slices.Contains([]Op{OpCount, OpSum, OpMin, OpMax, OpAvg, OpSample, OpGroupConcat}, op)
}
