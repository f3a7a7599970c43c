package value

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"strings"

	"golang.org/x/text/cases"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Context holds what functions need from the query. Only one goroutine may use it at a
// time.
type Context struct {
	// Now is the value of NOW, the same throughout a query. If it is unbound, so is NOW.
	Now Value
	// Base resolves relative IRIs in IRI(). The zero BaseIRI resolves none.
	Base rdf.BaseIRI
	// Blanks makes the blank nodes of BNODE. If it is nil, BNODE is an error.
	Blanks BlankNodes
	// MaxLength limits the strings that functions make, in bytes. 0 means no limit.
	MaxLength int
	// Stop is called from time to time during long work. Its error ends the query. It may
	// be nil.
	Stop func() error
	// Grow is called with the number of bytes that compiled patterns take, and with a negative
	// number when they are dropped. It may be nil.
	Grow func(bytes int64)

	patterns     map[patternKey]compiled
	patternBytes int64        // that Grow was called with
	upper, lower *cases.Caser // nil until first used; a Caser has state
}

// BlankNodes makes blank nodes that are in no graph (SPARQL 1.1, section 17.4.2.9).
type BlankNodes interface {
	// New returns a new blank node.
	New() rdf.Term
	// Labelled returns the blank node for a label: the same one within a solution, and
	// a different one in every other solution.
	Labelled(label string) rdf.Term
}

// checkLength returns a *budget.LimitError if a string of length bytes is longer than limit.
func checkLength(length, limit int) error {
	if limit > 0 && length > limit {
		return &budget.LimitError{Limit: "string length", Detail: fmt.Sprintf("%d bytes", limit)}
	}
	return nil
}

// Function is a SPARQL function that evaluates all its arguments and accepts no errors.
// BOUND, IF, COALESCE, IN and EXISTS are not functions in this sense. Those that depend only
// on ids of terms, such as isIRI and SUBJECT, are not in this package.
type Function struct {
	Name string // as the standard spells it; the IRI of a cast
	// Min and Max limit the number of arguments. Max is syntax.AnyNumber if there is no
	// limit.
	Min, Max int
	// Volatile functions return a different value on every call, even for the same
	// arguments. They must be called once per solution.
	Volatile bool
	// Unary computes the function for columns. It is nil if the function has no such
	// form.
	Unary *Unary
	// test returns a predicate of a text: whether the function is true of a string with
	// that text and the arguments rest. It returns nil if rest has the wrong types or
	// if the text alone does not decide.
	test func(c *Context, rest []Value) func(text string) (bool, error)

	call func(c *Context, args []Value) (Value, error)
}

// Accepts reports whether the function accepts that number of arguments.
func (f *Function) Accepts(args int) bool {
	return args >= f.Min && (f.Max < 0 || args <= f.Max)
}

// Call returns the function's value. The value is a type error if an argument is an
// error or of the wrong type, or if there are too few or too many arguments. A Go error
// ends the query; it is a *budget.LimitError or the error of Context.Stop, and the value
// beside it means nothing. The value may share memory with the arguments.
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

// Test returns the function as a predicate on the text of its first argument, a string,
// with rest as the other arguments. It returns nil if the function has no such form.
func (f *Function) Test(c *Context, rest []Value) func(text string) (bool, error) {
	if f.test == nil || !f.Accepts(1+len(rest)) {
		return nil
	}
	return f.test(c, rest)
}

// Lookup returns the function whose keyword in the grammar is name, in upper or lower case.
// For casts see LookupCast.
func Lookup(name string) (f *Function, ok bool) {
	f, ok = functions[strings.ToUpper(name)]
	return f, ok
}

// The adapters below turn Go functions into entries of the table.

func one(f func(v Value) Value) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return f(args[0]), nil }
}

func two(f func(a, b Value) Value) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return f(args[0], args[1]), nil }
}

func test(f func(v Value) bool) func(*Context, []Value) (Value, error) {
	return func(_ *Context, args []Value) (Value, error) { return Boolean(f(args[0])), nil }
}

// unary returns a function that cells computes for most values, and rest for the
// others. rest is nil if there are no others.
func unary(name string, cells func(out, a *Cell) bool, rest func(Value) Value) *Function {
	u := &Unary{cells: cells, rest: rest}
	return &Function{Name: name, Unary: u, call: one(u.Of)}
}

// ofQuotients sets the operator that computes a function of a / b. See Unary.Quotient.
func ofQuotients(f *Function, quotient *Binary) *Function {
	f.Unary.quotient = quotient
	return f
}

// functions maps keywords of the grammar to functions (SPARQL 1.1, section 17.4; SPARQL
// 1.2 for base directions and triple terms). Package syntax has the numbers of
// arguments. The map never changes.
var functions = byName(builtIn([]*Function{
	{Name: "STR", call: one(str)},
	{Name: "LANG", call: one(lang)},
	{Name: "LANGMATCHES", call: two(langMatches)},
	{Name: "DATATYPE", call: one(datatype)},
	{Name: "IRI", call: makeIRI},
	{Name: "BNODE", Volatile: true, call: makeBlank},
	{Name: "STRDT", call: two(strDT)},
	{Name: "STRLANG", call: two(strLang)},
	{Name: "UUID", Volatile: true, call: makeUUID},
	{Name: "STRUUID", Volatile: true, call: makeStrUUID},
	{Name: "ISNUMERIC", call: test(Value.IsNumeric)},
	{Name: "LANGDIR", call: one(langDir)},
	{Name: "HASLANG", call: test(func(v Value) bool { return v.kind == KindLangString })},
	{Name: "HASLANGDIR", call: test(hasLangDir)},
	{Name: "STRLANGDIR", call: strLangDir},
	{Name: "TRIPLE", call: makeTriple},

	{Name: "STRLEN", call: one(strLen)},
	{Name: "SUBSTR", call: subStr},
	{Name: "UCASE", call: upperCase},
	{Name: "LCASE", call: lowerCase},
	textTest("STRSTARTS", strings.HasPrefix),
	textTest("STRENDS", strings.HasSuffix),
	textTest("CONTAINS", strings.Contains),
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

	{Name: "NOW", call: func(c *Context, _ []Value) (Value, error) { return c.Now, nil }},
	unary("YEAR", yearCells, nil),
	unary("MONTH", monthCells, nil),
	unary("DAY", dayCells, nil),
	unary("HOURS", hoursCells, nil),
	unary("MINUTES", minutesCells, nil),
	unary("SECONDS", secondsCells, fineSeconds),
	{Name: "TIMEZONE", call: one(timeZone)},
	{Name: "TZ", call: one(tz)},

	{Name: "MD5", call: hashed(md5.New)},
	{Name: "SHA1", call: hashed(sha1.New)},
	{Name: "SHA256", call: hashed(sha256.New)},
	{Name: "SHA384", call: hashed(sha512.New384)},
	{Name: "SHA512", call: hashed(sha512.New)},
}))

// builtIn sets the Min and Max of each function, and returns list.
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
