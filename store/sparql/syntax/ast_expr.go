package syntax

// Expr is an expression: *Var, *Term, *Call, *Aggregate, *In or *Exists (SPARQL 1.1,
// section 17).
type Expr interface{ Position() Pos }

// Call is an operator or a function with its arguments. Its position is that of the name
// or sign.
type Call struct {
	Pos
	Op       Op     // OpFunction if Function is set
	Function string // an IRI: a cast such as xsd:integer(…), or an extension
	// Args holds the operands of an operator (two or more for OpAnd and OpOr), or the
	// arguments of a function, as many as Arity allows.
	Args []Expr
	// Distinct is set if DISTINCT precedes the arguments of a Function. Function must
	// then be a custom aggregate (section 19.8, note 14).
	Distinct bool
}

// Aggregate is a built-in aggregate (section 11.5).
type Aggregate struct {
	Pos
	Op        Op // OpCount to OpGroupConcat
	Distinct  bool
	Arg       Expr   // nil for COUNT(*)
	Separator string // of GROUP_CONCAT; a space by default
}

// In is Expr IN (List) and Expr NOT IN (List).
type In struct {
	Pos
	Not  bool
	Expr Expr
	List []Expr // may be empty
}

// Exists is EXISTS { … } and NOT EXISTS { … }.
type Exists struct {
	Pos
	Not   bool
	Group *Group
}

// Op names an operator, a built-in function or an aggregate. Function names are in upper
// case, as in OpStr. URI becomes OpIRI, and isURI becomes OpIsIRI.
type Op string

// Operators (section 17.3).
const (
	OpFunction     Op = "" // see Call.Function
	OpOr           Op = "||"
	OpAnd          Op = "&&"
	OpEqual        Op = "="
	OpNotEqual     Op = "!="
	OpLess         Op = "<"
	OpGreater      Op = ">"
	OpLessEqual    Op = "<="
	OpGreaterEqual Op = ">="
	OpAdd          Op = "+"
	OpSubtract     Op = "-"
	OpMultiply     Op = "*"
	OpDivide       Op = "/"
	OpNot          Op = "!"
	OpUnaryPlus    Op = "unary +"
	OpUnaryMinus   Op = "unary -"
)

// Aggregates (section 11.5).
const (
	OpCount       Op = "COUNT"
	OpSum         Op = "SUM"
	OpMin         Op = "MIN"
	OpMax         Op = "MAX"
	OpAvg         Op = "AVG"
	OpSample      Op = "SAMPLE"
	OpGroupConcat Op = "GROUP_CONCAT"
)
