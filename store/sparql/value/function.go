package value

import (
	"fmt"
	"strings"

	"golang.org/x/text/cases"

	"github.com/segraph/segraph/store/rdf"
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
	// Stop is asked now and then in what takes long; an error ends the query. It may be nil.
	Stop func() error

	patterns     map[patternKey]compiled
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

// Function is a function of SPARQL, but for those that do not evaluate all their arguments or take
// errors (BOUND, IF, COALESCE, IN, EXISTS).
type Function struct {
	Name string // as the standard writes it; for casts and the like the IRI
	// Min and Max bound the number of arguments; Max is -1 for no bound.
	Min, Max int
	// Volatile functions give something else every time, even for the same arguments, so that
	// they must be called once a solution.
	Volatile bool

	call func(c *Context, args []Value) (Value, error)
}

// Accepts tells whether the function takes so many arguments.
func (f *Function) Accepts(args int) bool {
	return args >= f.Min && (f.Max < 0 || args <= f.Max)
}

// Call gives the function's value: a type error if an argument is an error or of the wrong
// type, or the number of arguments is not accepted. A Go error ends the query: *LimitError, or what
// Context.Stop returned. The result may share memory with the arguments.
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

// Lookup finds a function by the keyword that the grammar has for it, in any case, or with
// iri by its IRI (SPARQL 1.1, section 17.6): the casts.
func Lookup(name string, iri bool) (*Function, bool) {
	if iri {
		return lookupCast(name)
	}
	f, ok := functions[strings.ToUpper(name)]
	return f, ok
}

// The kinds of function below let a table say what a function is without a closure for each.

func one(f func(v Value) Value) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return f(args[0]), nil }
}

func two(f func(a, b Value) Value) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return f(args[0], args[1]), nil }
}

func test(f func(v Value) bool) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return Boolean(f(args[0])), nil }
}

// functions are those that the grammar has keywords for, by name (SPARQL 1.1, section 17.4;
// SPARQL 1.2 for languages' directions). It is never changed.
var functions = byName([]*Function{
	{Name: "STR", Min: 1, Max: 1, call: one(str)},
	{Name: "LANG", Min: 1, Max: 1, call: one(lang)},
	{Name: "LANGMATCHES", Min: 2, Max: 2, call: two(langMatches)},
	{Name: "DATATYPE", Min: 1, Max: 1, call: one(datatype)},
	{Name: "IRI", Min: 1, Max: 1, call: makeIRI},
	{Name: "URI", Min: 1, Max: 1, call: makeIRI},
	{Name: "BNODE", Min: 0, Max: 1, Volatile: true, call: makeBlank},
	{Name: "STRDT", Min: 2, Max: 2, call: two(strDT)},
	{Name: "STRLANG", Min: 2, Max: 2, call: two(strLang)},
	{Name: "UUID", Volatile: true, call: makeUUID},
	{Name: "STRUUID", Volatile: true, call: makeStrUUID},
	{Name: "SAMETERM", Min: 2, Max: 2, call: two(func(a, b Value) Value { return SameTerm(a, b).Value() })},
	{Name: "ISIRI", Min: 1, Max: 1, call: test(func(v Value) bool { return v.kind == KindIRI })},
	{Name: "ISURI", Min: 1, Max: 1, call: test(func(v Value) bool { return v.kind == KindIRI })},
	{Name: "ISBLANK", Min: 1, Max: 1, call: test(func(v Value) bool { return v.kind == KindBlank })},
	{Name: "ISLITERAL", Min: 1, Max: 1, call: test(Value.IsLiteral)},
	{Name: "ISNUMERIC", Min: 1, Max: 1, call: test(Value.IsNumeric)},
	{Name: "LANGDIR", Min: 1, Max: 1, call: one(langDir)},
	{Name: "HASLANG", Min: 1, Max: 1, call: test(func(v Value) bool { return v.kind == KindLangString })},
	{Name: "HASLANGDIR", Min: 1, Max: 1, call: test(hasLangDir)},
	{Name: "STRLANGDIR", Min: 3, Max: 3, call: strLangDir},

	{Name: "STRLEN", Min: 1, Max: 1, call: one(strLen)},
	{Name: "SUBSTR", Min: 2, Max: 3, call: subStr},
	{Name: "UCASE", Min: 1, Max: 1, call: upperCase},
	{Name: "LCASE", Min: 1, Max: 1, call: lowerCase},
	{Name: "STRSTARTS", Min: 2, Max: 2, call: two(strStarts)},
	{Name: "STRENDS", Min: 2, Max: 2, call: two(strEnds)},
	{Name: "CONTAINS", Min: 2, Max: 2, call: two(contains)},
	{Name: "STRBEFORE", Min: 2, Max: 2, call: two(strBefore)},
	{Name: "STRAFTER", Min: 2, Max: 2, call: two(strAfter)},
	{Name: "ENCODE_FOR_URI", Min: 1, Max: 1, call: encodeForURI},
	{Name: "CONCAT", Max: -1, call: concat},
	{Name: "REGEX", Min: 2, Max: 3, call: regexMatch},
	{Name: "REPLACE", Min: 3, Max: 4, call: regexReplace},

	{Name: "ABS", Min: 1, Max: 1, call: one(abs)},
	{Name: "CEIL", Min: 1, Max: 1, call: one(ceil)},
	{Name: "FLOOR", Min: 1, Max: 1, call: one(floor)},
	{Name: "ROUND", Min: 1, Max: 1, call: one(round)},
	{Name: "RAND", Volatile: true, call: random},

	{Name: "NOW", call: func(c *Context, _ []Value) (Value, error) { return orError(c.Now), nil }},
	{Name: "YEAR", Min: 1, Max: 1, call: one(year)},
	{Name: "MONTH", Min: 1, Max: 1, call: one(month)},
	{Name: "DAY", Min: 1, Max: 1, call: one(day)},
	{Name: "HOURS", Min: 1, Max: 1, call: one(hours)},
	{Name: "MINUTES", Min: 1, Max: 1, call: one(minutes)},
	{Name: "SECONDS", Min: 1, Max: 1, call: one(seconds)},
	{Name: "TIMEZONE", Min: 1, Max: 1, call: one(timeZone)},
	{Name: "TZ", Min: 1, Max: 1, call: one(tz)},

	{Name: "MD5", Min: 1, Max: 1, call: one(hashMD5)},
	{Name: "SHA1", Min: 1, Max: 1, call: one(hashSHA1)},
	{Name: "SHA256", Min: 1, Max: 1, call: one(hashSHA256)},
	{Name: "SHA384", Min: 1, Max: 1, call: one(hashSHA384)},
	{Name: "SHA512", Min: 1, Max: 1, call: one(hashSHA512)},
})

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
