package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// kind is a set of kinds of terms: those that a variable or an expression may have.
type kind uint32

// kinds is the number of kinds.
const kinds = 18

const (
	anInteger kind = 1 << iota
	aDecimal
	aDouble
	aFloat
	aBoolean
	aString
	aLangString
	aTime      // xsd:time with an offset
	aZonedTime // xsd:dateTime with an offset, in whole seconds
	aFineTime  // xsd:dateTime with an offset and fractional seconds
	aLocalTime // xsd:dateTime without an offset
	aDate      // xsd:date without an offset
	aZonedDate // xsd:date with an offset
	aDuration  // xsd:dayTimeDuration
	aYearMonth // xsd:yearMonthDuration
	anIRI
	aBlank
	another // NaN, an unknown datatype, or an invalid value

	aNumber   = anInteger | aDecimal | aDouble | aFloat
	inexact   = aDouble | aFloat
	aText     = aString | aLangString
	aNode     = anIRI | aBlank
	temporal  = aTime | aZonedTime | aFineTime | aLocalTime | aDate | aZonedDate | aDuration | aYearMonth
	something = aNumber | aBoolean | aText | temporal | aNode | another
)

// within reports whether k is a non-empty subset of set.
func (k kind) within(set kind) bool { return k != 0 && k&^set == 0 }

// properties holds the predicates of the data with the kinds of their objects.
var properties = []struct {
	name     string
	variable string // prefix of the variables for its objects
	kinds    kind
}{
	{":int", "i", anInteger},
	{":dec", "d", aDecimal},
	{":num", "n", aNumber},
	{":bool", "f", aBoolean},
	{":str", "a", aString},
	{":label", "l", aText},
	{":at", "z", aZonedTime},
	{":local", "y", aLocalTime},
	{":day", "c", aDate},
	{":clock", "k", aTime},
	{":for", "h", aDuration},
	{":class", "g", anIRI},
	{":mix", "m", something &^ (aLocalTime | aZonedDate)},
	{":knows", "s", aNode},
	{":part", "s", aNode},
	{":fine", "x", aFineTime | aZonedTime},
	{":int2", "i", anInteger},
	{":at2", "z", aZonedTime},
}

// oracleData generates the data. Literals are in canonical form, because Oxigraph stores
// values.
type oracleData struct {
	*rand.Rand
	subjects int
}

func (g *oracleData) pick(list ...string) string { return list[g.IntN(len(list))] }

// wide reports whether the data has enough rows for batches, columns and the index of
// texts.
func (g *oracleData) wide() bool { return g.subjects > 100 }

func (g *oracleData) subject() string {
	n := g.IntN(g.subjects)
	if n%17 == 16 {
		return fmt.Sprintf("_:b%d", n)
	}
	return fmt.Sprintf("<http://e/s%d>", n)
}

// quads returns the data as N-Quads without repeated lines.
func (g *oracleData) quads() string {
	seen := map[string]bool{}
	add := func(s, p, o string) {
		seen[fmt.Sprintf("%s <http://e/%s> %s .\n", s, p[1:], o)] = true
	}
	for range g.subjects * 5 / 2 {
		p := properties[g.IntN(len(properties))]
		add(g.subject(), p.name, g.value(p.kinds))
	}
	for i := range g.subjects { // gives rows to patterns of several properties
		s := fmt.Sprintf("<http://e/s%d>", i)
		for _, p := range properties[:10] {
			if g.IntN(3) > 0 {
				add(s, p.name, g.value(p.kinds))
			}
		}
		add(s, ":class", fmt.Sprintf("<http://e/c%d>", i%max(4, g.subjects/40)))
	}
	for _, graph := range []string{" <http://e/g1>", " <http://e/g2>"} {
		for range min(g.subjects, 60) {
			p := properties[g.IntN(len(properties))]
			triple := fmt.Sprintf("%s <http://e/%s> %s", g.subject(), p.name[1:], g.value(p.kinds))
			// FROM with two graphs merges them (SPARQL 1.1, 13.2.1). Oxigraph returns a
			// triple that is in both twice.
			if !seen[triple+" <http://e/g1> .\n"] {
				seen[triple+graph+" .\n"] = true
			}
		}
	}
	lines := make([]string, 0, len(seen))
	for line := range seen {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func typed(value, datatype string) string {
	return `"` + value + `"^^<http://www.w3.org/2001/XMLSchema#` + datatype + `>`
}

// value returns a term of one of the kinds in N-Triples.
func (g *oracleData) value(of kind) string {
	for {
		k := kind(1) << g.IntN(kinds)
		if of&k != 0 {
			return g.valueOf(k)
		}
	}
}

// near returns a small number, so that values coincide, or one from a larger range if
// there are many subjects.
func (g *oracleData) near(n int) int {
	if g.wide() && g.IntN(2) == 0 {
		n *= 50
	}
	return g.IntN(n)
}

func (g *oracleData) valueOf(k kind) string {
	second := func() string {
		return fmt.Sprintf("%02d:%02d:%02d", g.IntN(24), 10*g.IntN(6), g.pick1(0, 0, 0, 30, 59))
	}
	day := func() string { return fmt.Sprintf("20%02d-%02d-%02d", 24+g.IntN(3), 1+g.IntN(3), 1+g.near(28)%28) }
	quarter := func() string { return strings.TrimSuffix(fmt.Sprintf("%g", float64(g.near(40)-20)/4), ".0") }
	switch k {
	case anInteger:
		return typed(fmt.Sprint(g.near(14)-4), "integer")
	case aDecimal:
		return typed(quarter(), "decimal")
	case aDouble:
		return typed(g.pick(quarter(), quarter(), quarter(), quarter(), quarter(), "INF"), "double")
	case aFloat:
		return typed(quarter(), "float")
	case aBoolean:
		return typed(g.pick("true", "false"), "boolean")
	case aString:
		return `"` + g.text() + `"`
	case aLangString:
		return `"` + g.text() + `"@` + g.pick("en", "en", "de", "en-gb", "zh")
	case aTime:
		return typed(second()+g.pick("Z", "Z", "+05:30"), "time")
	case aZonedTime:
		return typed(day()+"T"+second()+g.pick("Z", "Z", "Z", "+01:00", "-05:30"), "dateTime")
	case aFineTime:
		return typed(day()+"T"+second()+g.pick(".5", ".123", ".000001")+g.pick("Z", "Z", "Z", "+01:00", "-05:30"), "dateTime")
	case aLocalTime:
		return typed(day()+"T"+second(), "dateTime")
	case aDate:
		return typed(day(), "date")
	case aZonedDate:
		return typed(day()+"Z", "date")
	case aDuration:
		return typed(g.pick("PT10M", "PT1H", "PT1H30M", "P1D", "-PT5M", "PT0S", "PT1S"), "dayTimeDuration")
	case aYearMonth:
		return typed(g.pick("P1Y", "P1M", "-P2M"), "yearMonthDuration")
	case aBlank:
		return fmt.Sprintf("_:b%d", g.IntN(g.subjects)/17*17+16)
	case another:
		return g.pick(typed("NaN", "double"), `"x"^^<http://e/type>`, `"y"^^<http://e/type>`, typed("x", "integer"), typed("x", "dateTime"))
	}
	return g.pick(g.subjectIRI(), g.subjectIRI(), g.subjectIRI(), fmt.Sprintf("<http://e/c%d>", g.IntN(4)))
}

func (g *oracleData) pick1(list ...int) int { return list[g.IntN(len(list))] }

func (g *oracleData) subjectIRI() string { return fmt.Sprintf("<http://e/s%d>", g.IntN(g.subjects)) }

var words = []string{"water", "Water", "robot", "ROBOT", "été", "Straße", "STRASSE", "ſtill", "still", "İzmir", "izmir", "Kelvin", "Kelvin", "kelvin", "水", "请给我水", "a.b", "(x", "x+y", "7", "-1.5", "2024-02-01", "true", "o'clock", "Ελλάς", "ΕΛΛΆΣ", "end", "😀"}

// text returns some words, a few letters, or "".
func (g *oracleData) text() string {
	switch g.IntN(8) {
	case 0:
		return g.pick("", "a", "b", "ab", "A", "水", "1")
	case 1, 2, 3:
		return g.pick(words...)
	}
	list := make([]string, 1+g.IntN(4))
	for i := range list {
		list[i] = g.pick(words...)
	}
	if g.wide() && g.IntN(3) > 0 {
		list = append(list, fmt.Sprint("no", g.IntN(g.subjects)))
	}
	return strings.Join(list, g.pick(" ", " ", " ", "", "\\n"))
}
