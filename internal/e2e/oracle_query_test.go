package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// aQuery is a query and the properties of its answer that it determines.
type aQuery struct {
	text    string
	graph   bool     // it returns a graph
	sorted  []string // columns that determine the order of rows
	total   bool     // sorted lists all columns
	limited bool     // it returns only some of the rows
	reduced bool     // the number of repetitions of a row is open
	byValue bool     // the choice among equal terms is open
}

// oracleQuery generates queries over the data of oracleData. A variable's name starts
// with the prefix of its property, so that patterns join.
type oracleQuery struct {
	oracleData
	vars   map[string]expression // possible values of each variable
	scope  []string              // variables bound by the preceding pattern
	exists bool                  // inside EXISTS
	graph  bool                  // inside GRAPH with a variable
	loose  bool                  // variables for subjects may be literals, because paths bind them
	tied   bool                  // MIN or MAX may choose among several terms
	fresh  int
}

func (g *oracleQuery) query() aQuery {
	g.vars = map[string]expression{"p": {kinds: anIRI}, "s3": {kinds: aNode}, "gr": {kinds: anIRI}, "v": {kinds: something}}
	for _, p := range properties {
		for _, n := range []string{"1", "2"} {
			g.vars[p.variable+n] = expression{kinds: p.kinds | g.vars[p.variable+n].kinds}
		}
	}
	if g.loose = g.IntN(4) == 0 && !g.wide(); g.loose {
		for _, name := range []string{"s1", "s2", "s3"} {
			g.vars[name] = expression{kinds: something}
		}
	}
	g.scope, g.fresh, g.exists, g.graph, g.tied = nil, 0, false, false, false
	var body string
	if g.wide() {
		body = g.wideGroup()
	} else {
		body = g.group(3, 4)
	}
	slices.Sort(g.scope)
	g.scope = slices.Compact(g.scope)
	if len(g.scope) == 0 {
		return aQuery{text: "ASK " + g.dataset() + body}
	}
	switch n := g.IntN(24); {
	case n == 0:
		return aQuery{text: "ASK " + g.dataset() + body}
	case n < 3 && !g.wide():
		return aQuery{text: "CONSTRUCT { " + g.template() + " } " + g.dataset() + "WHERE " + body, graph: true}
	case n < 8 || g.wide() && n < 14:
		return g.grouped(body)
	case n < 14:
		return g.sorted(body)
	}
	return g.plain(body)
}

func (g *oracleQuery) dataset() string {
	if g.IntN(10) > 0 || g.wide() {
		return ""
	}
	return g.pick("FROM <http://e/g1> ", "FROM <http://e/g1> FROM <http://e/g2> FROM NAMED <http://e/g1> ", "FROM NAMED <http://e/g2> ", "FROM <http://e/none> FROM NAMED <http://e/g1> FROM NAMED <http://e/g2> ")
}

func (g *oracleQuery) template() string {
	var b strings.Builder
	for range 1 + g.IntN(2) {
		fmt.Fprintf(&b, "%s %s %s . ", g.pick(g.variable(), g.variable(), "<http://e/x>"), g.pick(g.variable(), ":made", ":made"), g.pick(g.variable(), g.variable(), "7"))
	}
	return strings.ReplaceAll(b.String(), ":made", "<http://e/made>")
}

// variable returns a variable that may be bound.
func (g *oracleQuery) variable() string {
	if len(g.scope) == 0 || g.IntN(20) == 0 {
		return "?" + g.pick("i1", "s1", "a2", "m1")
	}
	return "?" + g.scope[g.IntN(len(g.scope))]
}

func (g *oracleQuery) new(e expression) string {
	g.fresh++
	name := fmt.Sprint("b", g.fresh)
	e.text = ""
	g.vars[name] = e
	return name
}

// columns returns some variables of the scope, without repetition.
func (g *oracleQuery) columns() []string {
	list := slices.Compact(slices.Sorted(slices.Values(g.scope)))
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+g.IntN(min(len(list), 4))]
}

func names(list []string) string { return "?" + strings.Join(list, " ?") }

func (g *oracleQuery) plain(body string) aQuery {
	var q aQuery
	head := names(g.columns())
	switch g.IntN(8) {
	case 0:
		head = "*"
	case 1, 2:
		head = "DISTINCT " + head
	case 3:
		head, q.reduced = "REDUCED "+head, true
	case 4, 5:
		e := g.expr(3, g.kindOf())
		head += " (" + e.text + " AS ?e)"
	}
	q.text = "SELECT " + head + " " + g.dataset() + "WHERE " + body
	if g.IntN(12) == 0 {
		q.text, q.limited = q.text+fmt.Sprintf(" LIMIT %d", g.IntN(20)), true
	}
	if g.IntN(12) == 0 && strings.HasPrefix(head, "?") {
		q.text += " " + g.values()
	}
	return q
}

// grouped returns a query with GROUP BY, or with aggregates over all rows.
func (g *oracleQuery) grouped(body string) aQuery {
	var head, keys []string
	for range g.IntN(3) {
		if g.IntN(3) > 0 {
			if v := g.scope[g.IntN(len(g.scope))]; !slices.Contains(keys, "?"+v) && !g.vars[v].free {
				keys, head = append(keys, "?"+v), append(head, "?"+v)
			}
			continue
		}
		if e := g.formed(2, g.kindOf()); e.text[0] != '?' { // Oxigraph refuses GROUP BY (?x AS ?y)
			name := g.new(expression{})
			keys, head = append(keys, "("+e.text+" AS ?"+name+")"), append(head, "?"+name)
		}
	}
	var aggregates []string
	for range 1 + g.IntN(3) {
		aggregates = append(aggregates, g.aggregate())
	}
	for _, a := range aggregates {
		head = append(head, "("+a+" AS ?"+g.new(expression{})+")")
	}
	text := "SELECT " + strings.Join(head, " ") + " " + g.dataset() + "WHERE " + body
	if len(keys) > 0 {
		text += " GROUP BY " + strings.Join(keys, " ")
	}
	if g.IntN(4) == 0 {
		text += " HAVING(" + g.pick("COUNT(*)", "COUNT(*)", aggregates[0]) + g.pick(" > 1", " < 3", " >= 2", " != 4") + ")"
	}
	return aQuery{text: text, byValue: g.tied}
}

func (g *oracleQuery) aggregate() string {
	distinct := g.pick("", "", "DISTINCT ")
	switch g.IntN(9) {
	case 0:
		return "COUNT(*)"
	case 1, 2:
		return "COUNT(" + distinct + g.variable() + ")"
	case 3, 4:
		return g.pick("SUM(", "AVG(") + distinct + g.formed(1, aNumber).text + ")"
	case 5, 6:
		for range 20 {
			if e := g.formed(1, g.kindOf()); sortable(e.kinds) && (!e.kinds.within(aNumber) || len(bits(e.kinds)) == 1) { // either of 1 and 1.0 is the least
				g.tied = g.tied || ties(e.kinds)
				return g.pick("MIN(", "MAX(") + distinct + e.text + ")"
			}
		}
	case 7:
		return "STRLEN(GROUP_CONCAT(" + distinct + "STR(" + g.formed(1, something).text + ")" + g.pick("", `; SEPARATOR="--"`, `; SEPARATOR=""`) + "))"
	}
	if g.loose { // Oxigraph also distinguishes solutions by the nodes between two steps of a path
		return "COUNT(*)"
	}
	return "COUNT(DISTINCT *)"
}

// sortable reports whether the standard orders all values of these kinds (SPARQL 1.1,
// 15.1).
func sortable(k kind) bool {
	return k.within(aNumber) || k.within(aString) || k.within(aZonedTime|aFineTime) || k.within(aLocalTime) || k.within(anIRI) || k.within(aDate)
}

// ties reports whether different terms of these kinds can be equal.
func ties(k kind) bool {
	return k&(aZonedTime|aFineTime) != 0 || k.within(aNumber) && len(bits(k)) > 1
}

// sorted returns a query with ORDER BY.
func (g *oracleQuery) sorted(body string) aQuery {
	q := aQuery{total: true}
	var head, keys []string
	for _, v := range g.columns() {
		head = append(head, "?"+v)
		if sortable(g.vars[v].kinds) && g.vars[v].kinds&aDouble == 0 {
			keys = append(keys, g.pick("?"+v, "ASC(?"+v+")", "DESC(?"+v+")"))
			q.sorted = append(q.sorted, v)
			q.total = q.total && !ties(g.vars[v].kinds)
		} else {
			q.total = false
		}
	}
	for range 10 {
		e := g.expr(2, g.kindOf())
		if !sortable(e.kinds) || e.kinds&aDouble != 0 || e.free {
			continue
		}
		name := g.new(e)
		head = append(head, "("+e.text+" AS ?"+name+")")
		place := g.IntN(len(keys) + 1)
		keys = slices.Insert(keys, place, g.pick("?"+name, "DESC(?"+name+")", g.pick("DESC", "")+"("+e.text+")"))
		q.sorted = slices.Insert(q.sorted, place, name)
		q.total = q.total && !ties(e.kinds)
		break
	}
	q.text = "SELECT " + g.pick("", "", "DISTINCT ") + strings.Join(head, " ") + " " + g.dataset() + "WHERE " + body
	if len(keys) == 0 {
		q.total = false
		return q
	}
	q.text += " ORDER BY " + strings.Join(keys, " ")
	if g.IntN(3) > 0 {
		q.text, q.limited = q.text+fmt.Sprintf(" LIMIT %d", 1+g.near(12)), true
	}
	if g.IntN(3) == 0 {
		q.text, q.limited = q.text+fmt.Sprintf(" OFFSET %d", g.near(12)), true
	}
	return q
}
