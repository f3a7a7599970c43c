package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// wideGroup returns a pattern whose answer stays small although the data is large: a
// star, perhaps joined with the star of another subject by computed values.
func (g *oracleQuery) wideGroup() string {
	g.scope = nil
	var b strings.Builder
	b.WriteString("{ ")
	if g.IntN(5) < 2 {
		b.WriteString(g.joined())
	} else {
		b.WriteString(g.star("1", 1+g.IntN(3)))
	}
	for range g.IntN(3) {
		switch g.IntN(7) {
		case 0:
			b.WriteString("OPTIONAL { " + g.star("1", 1) + "} ")
		case 1:
			outer := slices.Clone(g.scope)
			b.WriteString("MINUS { " + g.star("1", 1) + g.pick("", "FILTER("+g.condition(2)+") ") + "} ")
			g.scope = outer
		case 2:
			e := g.expr(3, g.kindOf())
			name := g.new(e)
			g.scope = append(g.scope, name)
			b.WriteString("BIND(" + e.text + " AS ?" + name + ") ")
		case 3:
			b.WriteString("FILTER " + g.pick("EXISTS { ", "NOT EXISTS { ") + "?s1 <http://e/" + g.pick("int2", "at2", "knows", "label") + "> ?x } ")
		default:
			b.WriteString("FILTER(" + g.condition(3) + ") ")
		}
	}
	return b.String() + "}"
}

// star returns triples of one subject whose objects are variables that end in n.
func (g *oracleQuery) star(n string, triples int) string {
	var b strings.Builder
	for range triples {
		p := properties[g.IntN(len(properties))]
		v := p.variable + n
		if v == "s"+n {
			v = "v"
		}
		fmt.Fprintf(&b, "?s%s <http://e/%s> ?%s . ", n, p.name[1:], v)
		g.scope = append(g.scope, "s"+n, v)
	}
	return b.String()
}

// joined returns two stars, the first of few subjects, and a condition that compares
// values of both.
func (g *oracleQuery) joined() string {
	p := properties[g.pick1(0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 12)]
	x, y := p.variable+"1", p.variable+"2"
	text := fmt.Sprintf("?s1 <http://e/class> <http://e/c%d> . ?s1 <http://e/%s> ?%s . ?s2 <http://e/%s> ?%s . ", g.IntN(6), p.name[1:], x, p.name[1:], y)
	g.scope = append(g.scope, "s1", "s2", x, y)
	if g.IntN(3) == 0 {
		text += "?s2 <http://e/class> ?g2 . "
		g.scope = append(g.scope, "g2")
	}
	a, b := "?"+x, "?"+y
	if p.kinds&another != 0 { // of all kinds
		return text + "FILTER(" + g.pick("STR("+a+") = STR("+b+")", "sameTerm("+a+", "+b+")", "DATATYPE("+a+") = DATATYPE("+b+") && ?s1 = ?s2", "LCASE(STR("+a+")) = LCASE(STR("+b+")) && ?s1 != ?s2") + ") "
	}
	var condition string
	step := "1"
	if p.kinds&temporal != 0 {
		step = g.value(aDuration)
	}
	function := ""
	switch p.kinds {
	case aZonedTime, aLocalTime:
		function = g.pick("HOURS", "MINUTES", "DAY", "MONTH", "YEAR", "TZ")
	case aDate:
		function, step = g.pick("DAY", "MONTH", "STR"), ""
	case aTime:
		function, step = g.pick("HOURS", "MINUTES", "STR"), ""
	case aString, aText:
		function, step = g.pick("LCASE", "UCASE", "STRLEN", "STR", "LANG", "MD5"), ""
	case aBoolean:
		function, step = "STR", ""
	case aDuration:
		function = "STR"
	default:
		function = g.pick("FLOOR", "ABS", "ROUND", "STR", "DATATYPE")
	}
	equal := function + "(" + a + ") = " + function + "(" + b + ")"
	less := g.pick(" < ", " <= ")
	switch band := step != "" && p.kinds&aBoolean == 0; {
	case g.IntN(3) == 0:
		condition = equal
	case band && g.IntN(2) == 0:
		condition = b + g.pick(" > ", " >= ") + a + " && " + b + less + a + " + " + step
	case band && g.IntN(2) == 0:
		condition = b + " - " + step + less + a + " && " + a + less + b + " + " + step
	case p.kinds.within(aString|aZonedTime|aDate) && g.IntN(2) == 0:
		length := fmt.Sprint(g.IntN(4) * 3)
		condition = "SUBSTR(STR(" + a + "), 1, " + length + "1) = SUBSTR(STR(" + b + "), 1, " + length + "1)"
	case undecided("<", p.kinds, p.kinds) == "" && g.IntN(2) == 0:
		condition = a + less + b + " && " + equal
	default:
		condition = a + " = " + b
	}
	if g.IntN(3) == 0 {
		condition += " && ?s1 != ?s2"
	}
	return text + "FILTER(" + condition + ") "
}
