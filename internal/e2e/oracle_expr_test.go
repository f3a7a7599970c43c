package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// expression is the text of an expression and the possible kinds of its value. The value
// may also be an error.
type expression struct {
	text  string
	kinds kind
	// free means that the value may be a number with several lexical forms, such as 2.0E0
	// and 2, and the standard does not prescribe one.
	free bool
}

// expr returns an expression that often has a value of one of the wanted kinds.
func (g *oracleQuery) expr(depth int, want kind) (e expression) {
	for range 5 {
		if e = g.anyExpr(depth, want); e.kinds&want != 0 && (e.kinds&^want == 0 || g.IntN(3) == 0) {
			break
		}
	}
	return e
}

// formed returns an expression with a determined lexical form.
func (g *oracleQuery) formed(depth int, want kind) (e expression) {
	for {
		if e = g.expr(depth, want); !e.free {
			return e
		}
		depth = max(0, depth-1)
	}
}

// condition returns an expression for an effective boolean value.
func (g *oracleQuery) condition(depth int) string {
	for {
		if e := g.expr(depth, aBoolean|aBoolean<<g.IntN(2)); undecided("boolean", e.kinds, 0) == "" {
			return e.text
		}
	}
}

func (g *oracleQuery) leaf(want kind) expression {
	if g.IntN(4) == 0 {
		k := want
		if g.IntN(6) == 0 {
			k = something
		}
		if k &^= aBlank; k != 0 {
			for {
				if one := kind(1) << g.IntN(kinds); k&one != 0 {
					return expression{text: g.valueOf(one), kinds: one}
				}
			}
		}
	}
	names := g.scope
	if len(names) == 0 || g.IntN(12) == 0 {
		names = []string{"i1", "n1", "a1", "m1", "z1", "s1"}
	}
	name := names[g.IntN(len(names))]
	for range 6 { // prefer one that fits
		if g.vars[name].kinds&want != 0 {
			break
		}
		name = names[g.IntN(len(names))]
	}
	v := g.vars[name]
	return expression{"?" + name, v.kinds, v.free}
}

func (g *oracleQuery) anyExpr(depth int, want kind) expression {
	if depth <= 0 || g.IntN(7) == 0 {
		return g.leaf(want)
	}
	d := depth - 1
	text := func() string { return g.formed(d, aText).text }
	switch n := g.IntN(30); {
	case n < 4 && want&(aNumber|temporal) != 0:
		return g.arithmetic(d, want)
	case n < 10 && want&aBoolean != 0:
		return g.comparison(d)
	case n < 12 && want&aBoolean != 0:
		return expression{text: "(" + g.condition(d) + g.pick(" && ", " || ") + g.condition(d) + ")", kinds: aBoolean}
	case n < 14 && want&aBoolean != 0:
		return g.member(d)
	case n < 18 && want&aBoolean != 0:
		return expression{text: g.test(d), kinds: aBoolean}
	case n == 18:
		a, b := g.expr(d, want), g.expr(d, want)
		return expression{"IF(" + g.condition(d) + ", " + a.text + ", " + b.text + ")", a.kinds | b.kinds, a.free || b.free}
	case n == 19:
		a, b := g.expr(d, want), g.expr(d, want)
		return expression{"COALESCE(" + a.text + ", " + b.text + ")", a.kinds | b.kinds, a.free || b.free}
	case n < 23 && want&aNumber != 0:
		return g.number(d)
	case n < 25:
		return g.cast(d, want)
	case want&aText != 0:
		return g.string(d, text)
	case want&aBoolean != 0:
		return expression{text: "!" + g.condition(d), kinds: aBoolean}
	}
	return g.leaf(want)
}

func (g *oracleQuery) arithmetic(d int, want kind) expression {
	for range 20 {
		second := want
		if want&(aZonedTime|aLocalTime) != 0 {
			second |= aDuration
		}
		a, b := g.expr(d, want), g.expr(d, second)
		op := g.pick("+", "-", "*", "/", "+", "-")
		result, ok := arithmeticOf(a.kinds, op, b.kinds)
		if op == "+" && a.kinds&(aZonedTime|aLocalTime) != 0 && b.kinds&aDuration != 0 && b.text[0] != '"' {
			continue // see theirText
		}
		if (op == "*" || op == "/") && (a.free || b.free) {
			continue // Oxigraph's decimals have 18 digits after the point, and 38 in all
		}
		if op == "/" && b.kinds&aDecimal != 0 && (a.text[0] != '"' || strings.HasPrefix(a.text, `"0"`)) {
			continue // Oxigraph can't divide 0 by a decimal below 1
		}
		if ok {
			return expression{"(" + a.text + " " + op + " " + b.text + ")", result, a.free || b.free || op == "/" || result&inexact != 0}
		}
	}
	return g.leaf(want)
}

// arithmeticOf returns the kinds of the result, and whether the operation is determined.
func arithmeticOf(a kind, op string, b kind) (result kind, ok bool) {
	for _, x := range bits(a & (aNumber | temporal)) {
		for _, y := range bits(b & (aNumber | temporal)) {
			switch {
			case (x | y).within(aNumber):
				r := max(x, y) // the order of promotion, except that float comes before double
				if (x|y)&aDouble != 0 {
					r = aDouble
				}
				if op == "/" && r == anInteger {
					r = aDecimal
				}
				result |= r
			case (x|y)&aNumber != 0: // an error
			default:
				r, ok := timeArithmetic[fmt.Sprint(x, op, y)]
				if !ok {
					return 0, false
				}
				result |= r
			}
		}
	}
	return result, true
}

// timeArithmetic lists operators of XPath that SPARQL does not prescribe but both engines
// implement.
var timeArithmetic = map[string]kind{
	fmt.Sprint(aZonedTime, "-", aZonedTime): aDuration,
	fmt.Sprint(aLocalTime, "-", aLocalTime): aDuration,
	fmt.Sprint(aZonedTime, "+", aDuration):  aZonedTime,
	fmt.Sprint(aZonedTime, "-", aDuration):  aZonedTime,
	fmt.Sprint(aLocalTime, "+", aDuration):  aLocalTime,
	fmt.Sprint(aLocalTime, "-", aDuration):  aLocalTime,
	fmt.Sprint(aDuration, "+", aDuration):   aDuration,
	fmt.Sprint(aDuration, "-", aDuration):   aDuration,
	fmt.Sprint(aDate, "-", aDate):           aDuration,
}

// bits returns the single kinds of a set.
func bits(k kind) (out []kind) {
	for one := kind(1); one <= k; one <<= 1 {
		if k&one != 0 {
			out = append(out, one)
		}
	}
	return out
}

func (g *oracleQuery) comparison(d int) expression {
	want := g.kindOf()
	for range 20 {
		a, b := g.expr(d, want), g.expr(d, want)
		op := g.pick("=", "=", "!=", "<", "<=", ">", ">=")
		if undecided(op, a.kinds, b.kinds) == "" {
			return expression{text: "(" + a.text + " " + op + " " + b.text + ")", kinds: aBoolean}
		}
	}
	return expression{text: "BOUND(" + g.variable() + ")", kinds: aBoolean}
}

// kindOf returns kinds that are worth comparing.
func (g *oracleQuery) kindOf() kind {
	list := []kind{aNumber, anInteger, aString, aText, aZonedTime, aZonedTime | aFineTime, aDate, aTime, aDuration, anIRI, aNode, aBoolean, aLocalTime, something, aDecimal}
	return list[g.IntN(len(list))]
}

func (g *oracleQuery) member(d int) expression {
	want := g.kindOf()
	a := g.expr(d, want)
	var list []string
	for n := 1 + g.IntN(3); len(list) < n; {
		if b := g.expr(d, want); undecided("=", a.kinds, b.kinds) == "" {
			list = append(list, b.text)
		} else if len(list) == 0 {
			a = g.expr(d, want)
		}
	}
	return expression{text: "(" + a.text + g.pick(" IN (", " NOT IN (") + strings.Join(list, ", ") + "))", kinds: aBoolean}
}

// test returns an expression that is true or false.
func (g *oracleQuery) test(d int) string {
	switch g.IntN(12) {
	case 0:
		return g.pick("BOUND(", "!BOUND(") + g.variable() + ")"
	case 1:
		return g.pick("isIRI", "isBlank", "isLiteral", "isNumeric", "isURI") + "(" + g.expr(d, something).text + ")"
	case 2:
		return "sameTerm(" + g.formed(d, something).text + ", " + g.formed(d, something).text + ")"
	case 3:
		return "LANGMATCHES(LANG(" + g.expr(d, aText).text + "), " + g.pick(`"en"`, `"EN"`, `"*"`, `"de"`, `"en-GB"`, `"e"`) + ")"
	case 4, 5:
		return "REGEX(" + g.subject1(d) + ", " + g.pattern() + g.pick("", "", `, "i"`, `, "i"`, `, "s"`, `, "m"`, `, "x"`, `, "is"`, `, ""`) + ")"
	case 6:
		if !g.exists {
			g.exists = true
			defer func() { g.exists = false }()
			return g.pick("EXISTS ", "NOT EXISTS ") + g.existsGroup()
		}
	}
	f := g.pick("CONTAINS", "CONTAINS", "STRSTARTS", "STRENDS")
	needle := g.needle()
	if g.IntN(4) == 0 {
		needle = g.formed(d, aText).text
	}
	return f + "(" + g.subject1(d) + ", " + needle + ")"
}

// subject1 returns the text to search: a variable, its other case, or any text.
func (g *oracleQuery) subject1(d int) string {
	switch v := g.formed(0, aText).text; g.IntN(6) {
	case 0:
		return "LCASE(" + v + ")"
	case 1:
		return "UCASE(" + v + ")"
	case 2:
		return "STR(" + g.formed(0, something).text + ")"
	case 3:
		return g.formed(d, aText).text
	default:
		return v
	}
}

func (g *oracleQuery) needle() string {
	return `"` + g.pick(g.word(), g.word(), g.word()+" ", "at", "wat", "o", "S", "ss", "i", "no1", "http", "", "水", "给我水", "ST", "elvi") + `"` + g.pick("", "", "", "", "@en")
}

func (g *oracleQuery) word() string { return words[g.IntN(len(words))] }

// pattern returns a regular expression.
func (g *oracleQuery) pattern() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.pick("water", "Water", "rob", "ot", "st", "k", "K", "K", "ſ", "s", "İ", "i", "水", "é", "a", "o", "[a-e]", "[^a-e]", "[0-9]", "[k-t]", "\\\\d", "\\\\s", "\\\\.", ".", "(ro|wa)", "(te|水)", "x+", "l?", "o*", ".*", "[A-Z]+", "no[0-9]{2}", "e{1,2}", "(a|e)+t", " "))
	}
	p := b.String()
	return `"` + g.pick("", "", "^") + p + g.pick("", "", "$") + `"`
}

func (g *oracleQuery) number(d int) expression {
	switch g.IntN(8) {
	case 0, 1:
		f, k := g.pick("YEAR", "MONTH", "DAY"), aZonedTime|aLocalTime|aDate
		return expression{text: f + "(" + g.expr(d, k).text + ")", kinds: anInteger}
	case 2:
		return expression{text: g.pick("HOURS", "MINUTES") + "(" + g.expr(d, aZonedTime|aFineTime|aLocalTime|aTime).text + ")", kinds: anInteger}
	case 3:
		return expression{text: "SECONDS(" + g.expr(d, aZonedTime|aFineTime|aLocalTime|aTime).text + ")", kinds: aDecimal}
	case 4:
		return expression{text: "STRLEN(" + g.formed(d, aText).text + ")", kinds: anInteger}
	case 5:
		if e := g.expr(d, aNumber); undecided("-", e.kinds, 0) == "" {
			return expression{"-(" + e.text + ")", e.kinds & aNumber, e.free || e.kinds&inexact != 0}
		}
	}
	e := g.expr(d, aNumber)
	return expression{g.pick("ABS", "CEIL", "FLOOR", "ROUND") + "(" + e.text + ")", e.kinds & aNumber, e.free || e.kinds&inexact != 0}
}

func (g *oracleQuery) cast(d int, want kind) expression {
	casts := []struct {
		name string
		from kind
		to   kind
	}{
		{"integer", aNumber | aString | aBoolean, anInteger}, {"decimal", aNumber | aString | aBoolean, aDecimal}, {"double", aNumber | aString | aBoolean, aDouble},
		{"float", aNumber | aString | aBoolean, aFloat}, {"boolean", aNumber | aString | aBoolean, aBoolean}, {"string", something, aString},
		{"dateTime", aString | aZonedTime | aLocalTime, aZonedTime | aFineTime | aLocalTime},
	}
	casts = slices.DeleteFunc(casts, func(c struct {
		name string
		from kind
		to   kind
	}) bool {
		return c.to&want == 0
	})
	if len(casts) == 0 {
		return g.leaf(want)
	}
	c := casts[g.IntN(len(casts))]
	e := g.formed(d, c.from)
	return expression{"<http://www.w3.org/2001/XMLSchema#" + c.name + ">(" + e.text + ")", c.to, c.to&inexact != 0}
}

func (g *oracleQuery) string(d int, text func() string) expression {
	switch g.IntN(20) {
	case 0, 1, 2:
		return expression{text: "STR(" + g.formed(d, something).text + ")", kinds: aString}
	case 3:
		return expression{text: "LANG(" + g.expr(d, something).text + ")", kinds: aString}
	case 4:
		return expression{text: "DATATYPE(" + g.expr(d, something).text + ")", kinds: anIRI}
	case 5, 6:
		return expression{text: g.pick("UCASE(", "LCASE(") + text() + ")", kinds: aText}
	case 7, 8:
		return expression{text: "SUBSTR(" + text() + ", " + g.pick("1", "2", "0", "-1", "3", g.expr(d, anInteger).onlyInteger()) + g.pick("", ", 1", ", 4", ", 0", ", "+g.expr(d, anInteger).onlyInteger()) + ")", kinds: aText}
	case 9:
		return expression{text: g.pick("STRBEFORE(", "STRAFTER(") + text() + ", " + g.pick(g.needle(), text()) + ")", kinds: aText}
	case 10:
		return expression{text: "CONCAT(" + g.pick("", text(), text()+", "+text(), text()+", \"-\", "+text()) + ")", kinds: aText}
	case 11:
		return expression{text: "ENCODE_FOR_URI(" + text() + ")", kinds: aString}
	case 12:
		return expression{text: g.pick("MD5", "SHA1", "SHA256", "SHA384", "SHA512") + "(" + text() + ")", kinds: aString}
	case 13:
		return expression{text: "REPLACE(" + text() + ", " + g.pick(`"a"`, `"[a-e]"`, `"(o)(t)"`, `"wat"`, `"水"`, `"[ks]"`, `"\\."`, `" "`, `"^."`, `".$"`) + ", " + g.pick(`"x"`, `""`, `"水"`, `"[$0]"`) + g.pick("", `, "i"`) + ")", kinds: aText}
	case 14:
		return expression{text: g.pick("TZ(", "TZ(") + g.expr(d, aZonedTime|aFineTime|aLocalTime).text + ")", kinds: aString}
	case 15:
		return expression{text: "STRLANG(" + text() + ", " + g.pick(`"en"`, `"de"`) + ")", kinds: aLangString}
	case 16:
		return expression{text: "STRDT(" + text() + ", <http://e/type>)", kinds: another}
	case 17:
		return expression{text: "IRI(CONCAT(\"http://e/\", ENCODE_FOR_URI(" + text() + ")))", kinds: anIRI}
	case 18:
		return expression{text: g.pick("STR(TIMEZONE(", "STR(TIMEZONE(") + g.expr(d, aZonedTime|aFineTime|aLocalTime).text + "))", kinds: aString}
	}
	return expression{text: g.pick("DATATYPE(NOW())", "IRI(\"http://e/s1\")", "STRLEN(STRUUID())", "isBlank(BNODE())", "isIRI(UUID())", "(RAND() < 1)", "(NOW() = NOW())"), kinds: anIRI | anInteger | aBoolean}
}

// onlyInteger returns the expression if its value is an integer, and 2 otherwise.
func (e expression) onlyInteger() string {
	if e.kinds == anInteger {
		return e.text
	}
	return "2"
}
