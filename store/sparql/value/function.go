package value

import (
	"fmt"
	"strings"

	"golang.org/x/text/cases"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Context is what functions need to know of the query. It is for one goroutine at a time.
type Context struct {
	// Now is what NOW gives, the same all through a query. Unbound, it is an error.
	Now Value
	// Base resolves relative IRIs in IRI(); the zero BaseIRI is none.
	Base rdf.BaseIRI
	// Blanks makes the blank nodes of BNODE; nil makes it an error.
	Blanks BlankNodes
	// MaxLength bounds the strings that functions make, in bytes; 0 is no bound.
	MaxLength int
	// Stop is asked now and then in what takes long; an error ends the query. It may be
	// nil.
	Stop func() error

	cell         Cell // for what a function computes, so that nothing is allocated
	patterns     map[patternKey]compiled
	lastPattern  patternKey
	lastRegex    *Regex
	upper, lower *cases.Caser // nil until they are needed; they have a state
}

// BlankNodes makes blank nodes that are in no graph (SPARQL 1.1, section 17.4.2.9).
type BlankNodes interface {
	// New gives one that there was not before.
	New() rdf.Term
	// Labelled gives the same one for the same label within a solution, and others in
	// others.
	Labelled(label string) rdf.Term
}

// LimitError says that a query ran into a limit. It ends the query; it is no type error.
type LimitError struct {
	What  string // what is limited, such as "length of a string"
	Limit int    // in the unit of What
	Unit  string // such as "bytes"
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s would be over the limit of %d %s", e.What, e.Limit, e.Unit)
}

// checkLength is a LimitError for a string of more bytes than are allowed.
func checkLength(length, limit int) error {
	if limit > 0 && length > limit {
		return &LimitError{What: "the length of a string", Limit: limit, Unit: "bytes"}
	}
	return nil
}

// Function is a function of SPARQL, but for those that do not evaluate all their
// arguments or take errors (BOUND, IF, COALESCE, IN, EXISTS).
type Function struct {
	Name string // as the standard writes it; for casts and the like the IRI
	// Min and Max bound the number of arguments; Max is syntax.AnyNumber for no bound.
	Min, Max int
	// Volatile functions give something else every time, even for the same arguments, so
	// that they must be called once a solution.
	Volatile bool
	// Unary is the function on columns; nil for those that need more than cells tell of.
	Unary *Unary
	// test returns what tells of a string whether the function is true of it and of some
	// other arguments; nil where these are of the wrong type, or need more than its text.
	test func(c *Context, rest []Value) func(text string) (bool, error)

	call func(c *Context, args []Value) (Value, error)
}

// Accepts reports whether the function takes so many arguments.
func (f *Function) Accepts(args int) bool {
	return args >= f.Min && (f.Max < 0 || args <= f.Max)
}

// Call returns the function's value: a type error if an argument is an error or of the
// wrong type, or the number of arguments is not accepted. A Go error ends the query:
// *LimitError, or what Context.Stop returned. The result may share memory with the
// arguments.
func (f *Function) Call(c *Context, args []Value) (Value, error) {
	if !f.Accepts(len(args)) {
		return Error(), nil
	}
	for i := range args {
		if args[i].IsError() {
			return Error(), nil
		}
	}
	return f.call(c, args)
}

// Test returns a test of strings, which is the function with further arguments, as Call
// has it; nil if there is none.
func (f *Function) Test(c *Context, rest []Value) func(text string) (bool, error) {
	if f.test == nil || !f.Accepts(1+len(rest)) {
		return nil
	}
	return f.test(c, rest)
}

// Lookup finds a function by the keyword that the grammar has for it, in any case, or with
// iri by its IRI (SPARQL 1.1, section 17.6): the casts.
func Lookup(name string, iri bool) (*Function, bool) {
	if iri {
		return lookupCast(name)
	}
	f, ok := functions[strings.ToUpper(name)]
	return f, ok
}

// The kinds of function below let a table say what a function is without a closure for
// each.

func one(f func(v Value) Value) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return f(args[0]), nil }
}

func two(f func(a, b Value) Value) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return f(args[0], args[1]), nil }
}

func test(f func(v Value) bool) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return Boolean(f(args[0])), nil }
}

// unary is one for a function that cells tell of, mostly. For what they do not there is
// rest, nil if there is no such value.
func unary(name string, cells func(out, a *Cell) bool, rest func(Value) Value) *Function {
	return &Function{Name: name, Unary: &Unary{cells: cells, rest: rest}, call: func(c *Context, args []Value) (Value, error) {
		if !cells(&c.cell, &args[0].Cell) {
			return rest(args[0]), nil
		}
		return Value{Cell: c.cell}, nil
	}}
}

// ofQuotients says how a function of one value is computed of a / b.
func ofQuotients(f *Function, quotient *Binary) *Function {
	f.Unary.quotient = quotient
	return f
}

// functions are those that the grammar has keywords for, by name (SPARQL 1.1, section
// 17.4; SPARQL 1.2 for languages' directions). How many arguments they take, package
// syntax says. It is never changed.
var functions = byName(builtIn([]*Function{
	{Name: "STR", call: one(str)},
	{Name: "LANG", call: one(lang)},
	{Name: "LANGMATCHES", call: two(langMatches)},
	{Name: "DATATYPE", call: one(datatype)},
	{Name: "IRI", call: makeIRI},
	{Name: "URI", call: makeIRI},
	{Name: "BNODE", Volatile: true, call: makeBlank},
	{Name: "STRDT", call: two(strDT)},
	{Name: "STRLANG", call: two(strLang)},
	{Name: "UUID", Volatile: true, call: makeUUID},
	{Name: "STRUUID", Volatile: true, call: makeStrUUID},
	{Name: "SAMETERM", call: two(func(a, b Value) Value { return SameTerm(a, b).Value() })},
	{Name: "ISIRI", call: test(func(v Value) bool { return v.kind == KindIRI })},
	{Name: "ISURI", call: test(func(v Value) bool { return v.kind == KindIRI })},
	{Name: "ISBLANK", call: test(func(v Value) bool { return v.kind == KindBlank })},
	{Name: "ISLITERAL", call: test(Value.IsLiteral)},
	{Name: "ISNUMERIC", call: test(Value.IsNumeric)},
	{Name: "LANGDIR", call: one(langDir)},
	{Name: "HASLANG", call: test(func(v Value) bool { return v.kind == KindLangString })},
	{Name: "HASLANGDIR", call: test(hasLangDir)},
	{Name: "STRLANGDIR", call: strLangDir},

	{Name: "STRLEN", call: one(strLen)},
	{Name: "SUBSTR", call: subStr},
	{Name: "UCASE", call: upperCase},
	{Name: "LCASE", call: lowerCase},
	{Name: "STRSTARTS", call: two(strStarts), test: textTest(strings.HasPrefix)},
	{Name: "STRENDS", call: two(strEnds), test: textTest(strings.HasSuffix)},
	{Name: "CONTAINS", call: two(contains), test: textTest(strings.Contains)},
	{Name: "STRBEFORE", call: two(strBefore)},
	{Name: "STRAFTER", call: two(strAfter)},
	{Name: "ENCODE_FOR_URI", call: encodeForURI},
	{Name: "CONCAT", call: concat},
	{Name: "REGEX", call: regexMatch, test: regexTest},
	{Name: "REPLACE", call: regexReplace},

	unary("ABS", absCells, absLarge),
	ofQuotients(unary("CEIL", ceilCells, ceilLarge), ceilQuotient),
	ofQuotients(unary("FLOOR", floorCells, floorLarge), floorQuotient),
	ofQuotients(unary("ROUND", roundCells, roundLarge), roundQuotient),
	{Name: "RAND", Volatile: true, call: random},

	{Name: "NOW", call: func(c *Context, _ []Value) (Value, error) { return orError(c.Now), nil }},
	unary("YEAR", yearCells, nil),
	unary("MONTH", monthCells, nil),
	unary("DAY", dayCells, nil),
	unary("HOURS", hoursCells, nil),
	unary("MINUTES", minutesCells, nil),
	unary("SECONDS", secondsCells, fineSeconds),
	{Name: "TIMEZONE", call: one(timeZone)},
	{Name: "TZ", call: one(tz)},

	{Name: "MD5", call: one(hashMD5)},
	{Name: "SHA1", call: one(hashSHA1)},
	{Name: "SHA256", call: one(hashSHA256)},
	{Name: "SHA384", call: one(hashSHA384)},
	{Name: "SHA512", call: one(hashSHA512)},
}))

// builtIn sets how many arguments functions take.
func builtIn(list []*Function) []*Function {
	for _, f := range list {
		var ok bool
		if f.Min, f.Max, ok = syntax.Arity(syntax.Op(f.Name)); !ok {
			panic("package syntax does not know the function " + f.Name)
		}
	}
	return list
}

func byName(list []*Function) map[string]*Function {
	m := make(map[string]*Function, len(list))
	for _, f := range list {
		m[f.Name] = f
	}
	return m
}

// orError is v, and an error for no value.
func orError(v Value) Value {
	if v.kind == KindUnbound {
		return Error()
	}
	return v
}
