package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
	"github.com/segraph/segraph/store/turtle"
)

// Expressions have the results, including errors, that an evaluation of one operator after
// another has: in SELECT, FILTER, ORDER BY, keys and arguments of aggregates, over values of
// all types and unbound variables.
func TestExpressionsAgreeWithNaiveOnes(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	const pattern, rest = "{ ?s :p ?a OPTIONAL { ?s :q ?b } OPTIONAL { ?s :r ?c } ", " }"
	variables := []string{"s", "a", "b", "c"}
	rows, unbound := 0, 0
	seeds, queries := suite.Times(100, 3), 40
	for seed := range uint64(seeds) {
		g := &expressions{values{generator{rand.New(rand.NewPCG(seed, 13))}}}
		datasets := datasetsOf(t, g.data())
		for n := range queries {
			e := g.expr(1 + n%4)
			if strings.Contains(e, "EXISTS") {
				continue
			}
			ds, text := datasets[n%len(datasets)], "SELECT ?s ?a ?b ?c ("+e+" AS ?x) "+pattern+rest
			all := answerOf(t, ds, text, strategies.Planned).rows
			want := naively(t, ds, text, variables, all)
			var pass []string
			groups := map[string]int{}
			for i, row := range all {
				if got := row[4]; got.IsZero() != want[i].IsError() || !got.IsZero() && !got.EqualFold(want[i].Term()) {
					t.Fatalf("seed %d: %s\nis %s for %v, want %s", seed, e, got, row[:4], want[i].Term())
				}
				if want[i].Truth() == value.True {
					pass = append(pass, fmt.Sprint(row[:4]))
				}
				groups[fmt.Sprint(row[4])]++
				if rows++; row[4].IsZero() {
					unbound++
				}
			}
			var got []string
			for _, row := range answerOf(t, ds, "SELECT ?s ?a ?b ?c "+pattern+"FILTER("+e+")"+rest, strategies.Planned).rows {
				got = append(got, fmt.Sprint(row))
			}
			slices.Sort(pass)
			if slices.Sort(got); !slices.Equal(got, pass) {
				t.Fatalf("seed %d: FILTER(%s) keeps\n%s\nwant\n%s", seed, e, got, pass)
			}
			for _, row := range answerOf(t, ds, "SELECT ?k (COUNT(*) AS ?n) (COUNT("+e+") AS ?m) (COUNT(DISTINCT "+e+") AS ?d) (SAMPLE("+e+") AS ?one) "+pattern+rest+" GROUP BY ("+e+" AS ?k)", strategies.Planned).rows {
				n, m, d := groups[fmt.Sprint(row[0])], "0", "0"
				if !row[0].IsZero() {
					m, d = row[1].Value(), "1"
				}
				if row[1].Value() != fmt.Sprint(n) || row[2].Value() != m || row[3].Value() != d || row[4] != row[0] {
					t.Fatalf("seed %d: the group of %s has %v, want %d rows", seed, e, row, n)
				}
				delete(groups, fmt.Sprint(row[0]))
			}
			if len(groups) > 0 {
				t.Fatalf("seed %d: no groups of %s for %v", seed, e, groups)
			}
			sorted := answerOf(t, ds, "SELECT ?s ?a ?b ?c ("+e+" AS ?x) "+pattern+rest+" ORDER BY "+g.pick("", "DESC")+"("+e+")", strategies.Planned)
			keys := naively(t, ds, text, variables, sorted.rows)
			if up := func(a, b value.Value) int { return value.Order(a, b) }; !slices.IsSortedFunc(keys, up) {
				slices.Reverse(keys)
				if !slices.IsSortedFunc(keys, up) || len(keys) != len(all) {
					t.Fatalf("seed %d: ORDER BY %s gives\n%s", seed, e, sorted)
				}
			}
		}
	}
	t.Logf("%d rows, %d of them with an error", rows, unbound)
	if rows < seeds*queries*5 || unbound < rows/10 || unbound > rows*9/10 {
		t.Errorf("%d rows, %d of them with an error: too few to tell anything", rows, unbound)
	}
}

// Texts too long for columns of many rows are evaluated for fewer rows at a time, at once
// and in later rows.
func TestLongTextsAreEvaluatedRight(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	var b strings.Builder
	long := strings.Repeat("long", 4000)
	for i := range 1200 {
		fmt.Fprintf(&b, ":s%d :p %d ; :q \"%s%d\" ; :r \"%s%d\" . ", i, i, long, i%40, long, i%39)
	}
	ds := datasetsOf(t, b.String())[0]
	counted, less, texts := 0, 0, map[string]bool{}
	for i := range 1200 {
		counted += len(long) + len(fmt.Sprint(i%40))
		if fmt.Sprint(i%40) < fmt.Sprint(i%39) && i > 50 {
			less++
		}
		texts[fmt.Sprint(i%40)] = true
	}
	for text, want := range map[string]string{
		"SELECT (COUNT(IF(?n >= 0, UCASE(?a), ?n)) AS ?x) { ?s :p ?n ; :q ?a }":                           "1200",
		"SELECT (SUM(IF(?n >= 0, STRLEN(LCASE(?a)), COALESCE(LCASE(?a), 1))) AS ?x) { ?s :p ?n ; :q ?a }": fmt.Sprint(counted),
		"SELECT (COUNT(*) AS ?x) { ?s :p ?n ; :q ?a ; :r ?b FILTER(?a < ?b && ?n * 2 > 100) }":            fmt.Sprint(less),
		"SELECT (COUNT(DISTINCT ?x) AS ?z) { ?s :p ?n ; :q ?a BIND(UCASE(?a) AS ?x) }":                    fmt.Sprint(len(texts)),
		"SELECT (MAX(COALESCE(IF(?n > 600, UCASE(?a), ?unbound), ?n + 1)) AS ?x) { ?s :p ?n ; :q ?a }":    strings.ToUpper(long) + "9",
	} {
		if got := answerOf(t, ds, text, strategies.Planned); len(got.rows) != 1 || got.rows[0][0].Value() != want {
			t.Errorf("%s gives\n%.500s\nwant %.500s", text, got, want)
		}
	}
}

// An id that a query gives to a computed term is given to another once the term is
// forgotten. Results that are kept by id do not outlive it.
func TestKeptResultsOfForgottenTerms(t *testing.T) {
	suite.NotShort(t)
	var b strings.Builder
	want := map[string]int{}
	for i := range 100_000 {
		n := fmt.Sprint(i)
		fmt.Fprintf(&b, ":s%d :n \"%s\" . ", i, n)
		if strings.HasSuffix(n, "0") {
			five := strings.Contains(n, "5")
			want[fmt.Sprint("value ", five)]++
			want[fmt.Sprint("identity ", five)]++
			if five {
				want["test true"]++
			}
		}
	}
	ds, got := datasetsOf(t, b.String())[1], map[string]int{}
	for name, use := range map[string]string{
		"test":     `FILTER(CONTAINS(?y, "5")) BIND(true AS ?k)`,
		"value":    `BIND(STRLEN(REPLACE(?y, "[^5]", "")) > 0 AS ?k)`,
		"identity": `BIND(IF(CONTAINS(?y, "5"), true, false) AS ?k)`,
	} {
		for _, row := range answerOf(t, ds, `SELECT ?y ?k { ?s :n ?n FILTER(STRENDS(?n, "0")) BIND(CONCAT(?n, "x") AS ?y) `+use+" }", strategies.Planned).rows {
			got[name+" "+row[1].Value()]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func answerOf(t *testing.T, ds sparql.Dataset, text string, s strategies.Strategy) *answer {
	t.Helper()
	q, err := sparql.Prepare(t.Context(), scriptPrefixes+text, sparql.Options{Plan: s.Plan})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	got, err := run(t.Context(), q, ds, budget.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}

// datasetsOf returns the data in two kinds of Dataset, one of them the engine's.
func datasetsOf(t *testing.T, text string) []sparql.Dataset {
	t.Helper()
	var d documents
	d.read(t, scriptPrefixes+text, turtle.TriG, "", rdf.Term{})
	all := d.datasets(t)
	return []sparql.Dataset{all["engine"], all["engine"], all["memory"]}
}

// MIN and MAX are the same in the engine, whose ids order many values, and in memory,
// where ids order none.
func TestLeastAndGreatestDoNotDependOnIDs(t *testing.T) {
	suite.OneGoroutine(t)
	const text = "SELECT ?k (MIN(?v) AS ?least) (MAX(?v) AS ?most) (MAX(DISTINCT ?v) AS ?same) { ?s :k ?k ; :v ?v } GROUP BY ?k"
	for seed := range uint64(suite.Times(100, 3)) {
		g := &expressions{values{generator{rand.New(rand.NewPCG(seed, 19))}}}
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, ":s%d :k %d . ", i, i)
			usual, datatype := g.column(), g.pick("decimal", "double", "float")
			switch i % 3 { // often several terms of one value
			case 0:
				usual = func() string {
					return fmt.Sprintf(`"%d.%d%s"^^xsd:%s`, g.IntN(2), g.IntN(2), g.pick("", "0", "00"), datatype)
				}
			case 1:
				usual = func() string {
					return fmt.Sprintf(`"2025-01-0%dT08:00:00%s%s"^^xsd:dateTime`, 1+g.IntN(2), g.pick("", ".0"), g.pick("", "Z", "+00:00"))
				}
			}
			for range 1 + g.IntN(8) {
				v := usual()
				if g.IntN(30) == 0 {
					v = g.term()
				}
				fmt.Fprintf(&b, ":s%d :v %s . ", i, v)
			}
		}
		all := datasetsOf(t, strings.ReplaceAll(b.String(), "_:b", ":b")) // labels differ
		got, want := answerOf(t, all[0], text, strategies.Planned), answerOf(t, all[2], text, strategies.Planned)
		if len(want.rows) != 100 || !sameRows(got, want) {
			t.Fatalf("seed %d: in the engine\n%s\nin memory\n%s", seed, got, want)
		}
	}
}

// Computed keys of ORDER BY give the same order whichever processor computes them.
func TestComputedKeysOnAnyNumberOfProcessors(t *testing.T) {
	for seed := range uint64(suite.Times(40, 3)) {
		g := &expressions{values{generator{rand.New(rand.NewPCG(seed, 23))}}}
		ds := datasetsOf(t, g.data())[0]
		for range 8 {
			text := fmt.Sprintf("SELECT ?s ?a { ?s :p ?a } ORDER BY %s(%s) STR(?a) DESC(?s)%s", g.pick("", "DESC"), strings.NewReplacer("?b", "?a", "?c", "?s").Replace(g.expr(3)), g.pick("", " LIMIT 20", " OFFSET 10 LIMIT 30"))
			q, err := sparql.Prepare(t.Context(), scriptPrefixes+text, sparql.Options{})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			sameOnProcessors(t, q, ds, answerOf(t, ds, text, strategies.Planned), 32, 2, 8)
		}
	}
}

// expressions generates data, and random expressions over it.
type expressions struct{ values }

// data returns more subjects than the least batch for columns, with values of each type,
// and most of one type.
func (g *expressions) data() string {
	var b strings.Builder
	usual := func() string { return "1" }
	for i := range 150 {
		if i%30 == 0 {
			usual = g.column()
		}
		fmt.Fprintf(&b, ":s%d :p %s . ", i, g.pick(usual(), usual(), g.term()))
		if g.IntN(4) > 0 {
			fmt.Fprintf(&b, ":s%d :q %s . ", i, g.pick(usual(), usual(), g.term()))
		}
		if g.IntN(3) > 0 {
			fmt.Fprintf(&b, ":s%d :r %s . ", i, g.term())
		}
	}
	return b.String()
}

// column returns a generator of values of one type.
func (g *expressions) column() func() string {
	switch g.IntN(5) {
	case 0:
		return func() string { return fmt.Sprint(g.IntN(200) - 100) }
	case 1:
		return func() string { return fmt.Sprintf("%d.%02d", g.IntN(20)-10, g.IntN(100)) }
	case 2:
		return func() string {
			return fmt.Sprintf(`"20%02d-%02d-%02dT%02d:%02d:%02d.%d%s"^^xsd:dateTime`, g.IntN(100), 1+g.IntN(12), 1+g.IntN(28), g.IntN(24), g.IntN(60), g.IntN(60), g.IntN(1000), g.pick("Z", "Z", "", "+05:30"))
		}
	case 3:
		return func() string { return fmt.Sprintf(`"%d.5"^^xsd:%s`, g.IntN(100)-50, g.pick("double", "float")) }
	}
	return func() string {
		return fmt.Sprintf(`"%s %s %d"%s`, g.pick("Water", "water", "robot", "été"), g.pick("please", "HELP", "ſtraße"), g.IntN(30), g.pick("", "@en", "@EN", "@de"))
	}
}

// term returns a value of any kind, including the limits of 64 bits and of inline ids.
func (g *expressions) term() string {
	if g.IntN(2) == 0 {
		return g.value()
	}
	return g.pick("9223372036854775807", "-9223372036854775808", "576460752303423488", "99999999999999999999", "0.000001", "-0.0000001", "123456789.123456789",
		"72057594037.5", `"INF"^^xsd:double`, `"-INF"^^xsd:float`, `"1e400"^^xsd:double`, `"0.1"^^xsd:float`, `"0.1"^^xsd:double`, `"01"^^xsd:integer`, `"7"^^xsd:byte`,
		`"300"^^xsd:byte`, `"1.50"^^xsd:decimal`, `"2024-02-29"^^xsd:date`, `"0999-12-31Z"^^xsd:date`, `"2024-02-29+00:00"^^xsd:date`, `"2024-02-29-11:00"^^xsd:date`,
		`"23:59:59.999Z"^^xsd:time`, `"24:00:00"^^xsd:time`, `"2024-12-31T24:00:00"^^xsd:dateTime`, `"1969-12-31T23:59:59.999999Z"^^xsd:dateTime`, `"0001-01-01T00:00:00+14:00"^^xsd:dateTime`,
		`"2024"^^xsd:gYear`, `"P1Y"^^xsd:duration`, `"-PT0.5S"^^xsd:dayTimeDuration`, `"yes"^^xsd:boolean`, `"a.b"^^xsd:decimal`, `"x"^^:type`, `"12"`, `"1.5e3"`, `"true"`,
		`"2024-02-29T12:00:00Z"`, "_:b", `""`, `""@en`, "true", "false")
}

func (g *expressions) expr(depth int) string {
	if depth == 0 || g.IntN(8) == 0 {
		switch g.IntN(8) {
		case 0:
			return g.pick("1", "2", "0", "-7", "0.5", "1e1", "60", "3600", `"a"`, `"en"`, "true")
		case 1:
			if v := g.term(); v != "_:b" {
				return v
			}
		}
		return g.pick("?a", "?a", "?a", "?b", "?b", "?c", "?unbound")
	}
	sub := func() string { return g.expr(depth - 1) }
	switch g.IntN(22) {
	case 0, 1, 2, 3:
		return "(" + sub() + g.pick(" + ", " - ", " * ", " / ") + sub() + ")"
	case 4, 5:
		return "(" + sub() + g.pick(" = ", " != ", " < ", " <= ", " > ", " >= ") + sub() + ")"
	case 6:
		return "(" + sub() + g.pick(" && ", " || ") + sub() + ")"
	case 7:
		return g.pick("!", "-", "+") + "(" + sub() + ")"
	case 8, 9, 10:
		return g.pick("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "ABS", "CEIL", "FLOOR", "ROUND") + "(" + sub() + ")"
	case 11, 12:
		return g.pick("xsd:integer", "xsd:decimal", "xsd:double", "xsd:float", "xsd:boolean", "xsd:string", "xsd:dateTime", "xsd:date", "xsd:byte", "xsd:dayTimeDuration") + "(" + sub() + ")"
	case 13, 14:
		if g.IntN(3) == 0 {
			return g.pick("LANG(?a)", "DATATYPE(?a)", "LANG(?b)", "STRLEN(?a)", "STRLEN(STR(?b))", `(LANG(?a) = "en")`, "(DATATYPE(?b) = xsd:integer)", "STRDT(\"\", IRI(STR(?a)))")
		}
		return g.pick("STR", "LANG", "DATATYPE", "HASLANG", "LANGDIR", "STRLEN", "UCASE", "LCASE", "isIRI", "isBlank", "isLiteral", "isNumeric", "TZ", "TIMEZONE", "ENCODE_FOR_URI", "MD5", "IRI") + "(" + sub() + ")"
	case 15:
		return "IF(" + sub() + ", " + sub() + ", " + sub() + ")"
	case 16:
		return "COALESCE(" + sub() + ", " + sub() + ")"
	case 17:
		return "(" + sub() + g.pick(" IN (", " NOT IN (") + g.pick(sub()+", "+sub(), sub(), "", ":s1, "+sub()) + "))"
	case 18:
		return g.pick("STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES", "sameTerm", "CONCAT", "STRDT", "STRLANG") + "(" + sub() + ", " + sub() + ")"
	case 19:
		return g.pick(`REGEX(STR(?a), "wat.*p|1", "i")`, `REGEX(?a, "r", "q")`, `STRSTARTS(?a, "Water")`, `STRENDS(?b, "1")`, `CONTAINS(?a, "e")`, `CONTAINS(?a, "e"@en)`, `REGEX(`+sub()+`, "[0-9]+")`, `REGEX("water", `+sub()+`)`, `REPLACE(STR(?b), "[a-e]", "x")`, `REPLACE(`+sub()+`, "1", "2")`)
	case 20:
		return "SUBSTR(" + g.pick("STR(?a)", sub()) + ", " + sub() + g.pick("", ", 3") + ")"
	}
	return g.pick("BOUND(?b)", "BOUND(?unbound)", "EXISTS { ?s :r ?c }", "NOT EXISTS { ?s :q ?z FILTER(?z > ?a) }", "SUBSTR(STR(?a), 1, 10)", `LANGMATCHES(LANG(?a), "en")`, `CONTAINS(LCASE(STR(?b)), "water")`)
}
