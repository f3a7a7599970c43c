package sparql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// Warning describes a construct of a query that may not do what its author expects.
type Warning struct {
	Name    string `json:"name"`    // its subject, as written: a function, a pattern, \b or (?i), a graph
	Message string `json:"message"` // a sentence
	Line    int    `json:"line"`    // from 1; 0 if it has no position in the text
	Column  int    `json:"column"`  // from 1, in characters
}

// CheckError reports a query that can never find anything, because an unknown function or
// an invalid regular expression would drop every solution. It wraps a *syntax.Error for
// the first such construct.
type CheckError struct {
	Warnings []Warning // all findings, in text order

	first *syntax.Error
}

func (e *CheckError) Error() string { return e.first.Error() }
func (e *CheckError) Unwrap() error { return e.first }

// check searches for errors that evaluation would silently ignore, within b. It returns
// all findings as warnings, also beside a *CheckError.
func check(q *syntax.Query, b *budget.Budget) ([]Warning, error) {
	c := checker{budget: b, seen: map[[3]string]bool{}}
	q.Walk(c.expr)
	q.Queries(c.having)
	if c.err != nil {
		return nil, c.err
	}
	slices.SortStableFunc(c.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var warnings []Warning
	var first *syntax.Error
	for _, f := range c.found {
		warnings = append(warnings, f.Warning)
		if f.refused && first == nil {
			first = &syntax.Error{Line: f.Line, Column: f.Column, Msg: strings.TrimSuffix(f.Message, ".")}
		}
	}
	if first != nil {
		return warnings, &CheckError{Warnings: warnings, first: first}
	}
	return warnings, nil
}

type checker struct {
	budget *budget.Budget
	err    error // from the budget
	found  []finding
	seen   map[[3]string]bool // operators, patterns and flags without a finding
}

// compileWork is the work charged for compiling a regular expression, which takes a few
// milliseconds at worst.
const compileWork = 1024

type finding struct {
	Warning
	refused bool
}

// maxWarnings limits the warnings about one query.
const maxWarnings = 100

// Arguments of add: whether the query is refused.
const refuse, warn = true, false

func (c *checker) add(refused bool, at syntax.Pos, name, format string, args ...any) {
	if len(c.found) < maxWarnings {
		c.found = append(c.found, finding{Warning{name, fmt.Sprintf(format, args...), at.Line, at.Column}, refused})
	}
}

// expr checks one expression, without its arguments: a function must be known, and the pattern
// and flags of REGEX and REPLACE must be valid if they are constant. The flags are argument 2 or 3.
// algebra.Translate refuses a call with DISTINCT.
func (c *checker) expr(e syntax.Expr) {
	call, ok := e.(*syntax.Call)
	switch {
	case !ok: // not a call
	case call.Op == syntax.OpFunction && !call.Distinct:
		c.function(call)
	case call.Op == syntax.OpRegex:
		c.regex(call, 2)
	case call.Op == syntax.OpReplace:
		c.regex(call, 3)
	}
}

// having warns of each variable in HAVING that has its value from SELECT: the standard evaluates SELECT later.
func (c *checker) having(q *syntax.Query) {
	set := map[string]bool{}
	for _, item := range q.Projection {
		set[item.Var.Name] = set[item.Var.Name] || item.Expr != nil
	}
	q.InHaving(func(v *syntax.Var) {
		if set[v.Name] {
			c.add(warn, v.Pos, "?"+v.Name, "HAVING comes before SELECT, so ?%s has no value there; write its expression instead.", v.Name)
		}
	})
}

// function checks that a function exists and takes that many arguments.
func (c *checker) function(call *syntax.Call) {
	f, ok := value.LookupCast(call.Function)
	switch {
	case !ok:
		c.add(refuse, call.Pos, call.Function, "there is no function <%s>; use a function of SPARQL or a cast of XML Schema, such as xsd:integer.", call.Function)
	case !f.Accepts(len(call.Args)):
		c.add(refuse, call.Pos, call.Function, "the function <%s> takes one argument, not %d.", call.Function, len(call.Args))
	}
}

// regex checks the pattern of a call if it and its flags are constant. flagsAt is the
// index of the flags, which may be missing.
func (c *checker) regex(call *syntax.Call, flagsAt int) {
	pattern, at, ok := constant(call.Args, 1)
	if !ok {
		return
	}
	flags, _, ok := constant(call.Args, flagsAt)
	if !ok && len(call.Args) > flagsAt {
		return
	}
	replacement, replacementAt, replaces := constant(call.Args, 2)
	replaces = replaces && call.Op == syntax.OpReplace // argument 2 of REGEX is its flags
	key := [3]string{string(call.Op), pattern, flags}
	if replaces {
		key[0] += " " + replacement
	}
	if c.seen[key] || c.err != nil {
		return
	}
	if c.err = c.budget.Tick(compileWork); c.err != nil {
		return
	}
	r, err := value.CompileRegex(pattern, flags)
	if err != nil {
		c.add(refuse, at, pattern, "%v.", err)
		return
	}
	if call.Op == syntax.OpReplace && r.MatchesEmpty() {
		c.add(refuse, at, pattern, "regular expression %q: it matches the empty text, so REPLACE fails for every text; let it match at least one character (.+ for .*), or match the whole text with ^ and $.", pattern)
		return
	}
	if replaces {
		if err := r.CheckReplacement(replacement); err != nil {
			c.add(refuse, replacementAt, replacement, "%v.", err)
			return
		}
	}
	c.seen[key] = len(r.Foreign()) == 0 // each place of a doubtful pattern gets its warnings
	for i, name := range r.Foreign() {
		if slices.Contains(r.Foreign()[:i], name) {
			continue
		}
		advice := "it matches between an ASCII letter, digit or _ and any other character"
		if strings.HasPrefix(name, "(") {
			advice = "write flags as the last argument of " + string(call.Op)
		}
		c.add(warn, at, name, "the pattern has %s, which SPARQL's regular expressions lack and other engines may refuse; %s.", name, advice)
	}
}

// constant returns the argument at an index, and its position, if it is a constant
// string.
func constant(args []syntax.Expr, at int) (text string, place syntax.Pos, ok bool) {
	if at >= len(args) {
		return "", place, false
	}
	t, ok := args[at].(*syntax.Term)
	if !ok || !t.IsLiteral() || t.Datatype() != rdf.XSDString {
		return "", place, false
	}
	return t.Value(), t.Pos, true
}
