package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// group returns a group of elements. The variables that it binds are added to the scope.
func (g *oracleQuery) group(depth, limit int) string {
	outer := g.scope
	g.scope = nil
	var b strings.Builder
	b.WriteString("{ ")
	if g.graph { // Oxigraph forgets the graph in a group without a triple
		b.WriteString(g.triple())
	}
	for range 1 + g.IntN(limit) {
		b.WriteString(g.element(depth-1) + " ")
	}
	if g.IntN(4) == 0 {
		b.WriteString("FILTER(" + g.condition(3) + ") ")
	}
	g.scope = append(g.scope, outer...)
	return b.String() + "}"
}

// inner returns a group that adds no variables to the scope.
func (g *oracleQuery) inner(depth, limit int) string {
	outer := slices.Clone(g.scope)
	text := g.group(depth, limit)
	g.scope = outer
	return text
}

// existsGroup returns the group of an EXISTS: triples and a filter, some in a subquery
// with a LIMIT, which in GRAPH Oxigraph applies to all graphs together. The standard does not
// define the meaning of an outer variable that is
// selected under another name, in VALUES or in BIND. The group also
// has no variables of other groups: in nested groups, Oxigraph gives them their outer
// values, against SPARQL 1.1, 18.2.2.2 and 18.6.
func (g *oracleQuery) existsGroup() string {
	outer := slices.Clone(g.scope)
	text := "{ " + g.triple()
	if g.IntN(3) == 0 {
		text += g.triple()
	}
	for _, name := range g.scope {
		if !slices.Contains(outer, name) {
			g.vars[name+"e"] = g.vars[name]
			text = regexp.MustCompile(`\?`+name+`\b`).ReplaceAllString(text, "?"+name+"e")
		}
	}
	for i, name := range g.scope {
		if !slices.Contains(outer, name) {
			g.scope[i] += "e"
		}
	}
	if g.IntN(3) == 0 {
		text += "FILTER(" + g.condition(1) + ") "
	}
	g.scope = outer
	if used := slices.Compact(slices.Sorted(slices.Values(regexp.MustCompile(`\?\w+`).FindAllString(text, -1)))); len(used) > 0 && !g.graph && g.IntN(4) == 0 {
		text = "{ SELECT " + strings.Join(used, " ") + " WHERE " + text + "} LIMIT 1" + g.pick("", "", " OFFSET 1")
	}
	return text + "}"
}

func (g *oracleQuery) element(depth int) string {
	if depth <= 0 {
		return g.triples()
	}
	switch g.IntN(22) {
	case 0, 1:
		return "OPTIONAL " + g.group(depth, 2)
	case 2:
		return g.group(depth, 2) + " UNION " + g.group(depth, 2)
	case 3:
		if !g.graph { // in Oxigraph both parts contain the variable of GRAPH, so they always share one
			return "MINUS " + g.inner(depth, 2)
		}
	case 4:
		return g.group(depth, 2)
	case 5:
		graph := g.pick("?gr", "<http://e/g1>", "<http://e/g2>")
		before := g.graph
		g.graph = graph == "?gr"
		defer func() { g.graph = before }()
		text := g.group(depth, 2)
		if !g.graph { // Oxigraph checks FROM NAMED only for a triple
			text = "{ " + g.triple() + text + " }"
		}
		text = "GRAPH " + graph + " " + text
		if graph == "?gr" {
			g.scope = append(g.scope, "gr")
		}
		return text
	case 6:
		return g.values()
	case 7, 8:
		e := g.expr(3, g.kindOf())
		name := g.new(e)
		g.scope = append(g.scope, name)
		return "BIND(" + e.text + " AS ?" + name + ")"
	case 9:
		if !g.graph { // Oxigraph evaluates it over all graphs
			return g.subquery(depth)
		}
	case 10:
		return "FILTER(" + g.condition(2) + ")"
	case 11:
		if !g.exists {
			g.exists = true
			defer func() { g.exists = false }()
			return "FILTER " + g.pick("EXISTS ", "NOT EXISTS ") + g.existsGroup()
		}
	case 12:
		return g.both()
	case 13, 14:
		if g.loose {
			return g.path()
		}
	}
	return g.triples()
}

// both returns two groups that compute the same variable.
func (g *oracleQuery) both() string {
	outer := g.scope
	name := g.new(expression{kinds: anInteger | aString | anIRI | aBoolean})
	computed := func() string {
		g.scope = nil
		triples := g.triples()
		for {
			if e := g.expr(2, anInteger|aString|anIRI); e.kinds.within(anInteger | aString | anIRI | aBoolean) {
				outer = append(outer, g.scope...)
				return "{ " + triples + "BIND(" + e.text + " AS ?" + name + ") }"
			}
		}
	}
	text := computed() + g.pick(" UNION ", " ", " OPTIONAL ") + computed()
	g.scope = append(outer, name)
	return text
}

func (g *oracleQuery) subquery(depth int) string {
	outer := g.scope
	g.scope = nil
	body := g.group(depth, 2)
	if len(g.scope) == 0 {
		g.scope = outer
		return body
	}
	var text string
	switch columns := g.columns(); g.IntN(7) {
	case 0: // which rows a LIMIT leaves is open, but not how many
		some := fmt.Sprintf("{ SELECT %s WHERE %s LIMIT %d }", names(columns), body, g.near(12))
		name := g.new(expression{kinds: anInteger})
		text = "{ SELECT (COUNT(*) AS ?" + name + ") WHERE { " + some + g.pick(" UNION "+some, " UNION "+body, "") + " } }"
		outer = append(outer, name)
	case 1, 2:
		key := columns[0]
		name := g.new(expression{kinds: anInteger})
		text = "{ SELECT ?" + key + " (COUNT(" + g.pick("*", "*", "DISTINCT "+g.variable()) + ") AS ?" + name + ") WHERE " + body + " GROUP BY ?" + key + " }"
		again, others := g.again(text, []string{key, name})
		switch g.IntN(6) {
		case 0:
			text += again
			outer = append(outer, others...)
		case 1:
			most := g.new(expression{kinds: anInteger})
			text = again + "{ SELECT ?" + key + " (MAX(?" + name + ") AS ?" + most + ") WHERE { " + text + " } GROUP BY ?" + key + " }"
			name = most
			outer = append(outer, others...)
		}
		outer = append(outer, key, name)
	default:
		text = "{ SELECT " + g.pick("DISTINCT ", "") + names(columns) + " WHERE " + body + g.pick("", "", " LIMIT 1000000000", " ORDER BY ?"+columns[0]) + " }"
		outer = append(outer, columns...)
		if g.IntN(4) == 0 {
			again, others := g.again(text, columns)
			text += g.pick(" ", " UNION ", " OPTIONAL ") + again
			outer = append(outer, others...)
		}
	}
	g.scope = outer
	return text
}

// again returns an equal subquery in which some columns have other names, and the names
// of its columns.
func (g *oracleQuery) again(text string, columns []string) (string, []string) {
	others := slices.Clone(columns)
	for i, name := range columns {
		if g.IntN(2) == 0 {
			others[i] = g.new(g.vars[name])
			text = regexp.MustCompile(`\?`+name+`\b`).ReplaceAllString(text, "?"+others[i])
		}
	}
	return text, others
}

func (g *oracleQuery) values() string {
	p := properties[g.IntN(len(properties))]
	s, o := g.pick("s1", "s2"), p.variable+g.pick("1", "2")
	if s == o {
		o = "i1"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "VALUES (?%s ?%s) { ", s, o)
	for range 1 + g.IntN(3) {
		b.WriteString("(" + g.pick("UNDEF", g.subjectIRI(), g.subjectIRI()) + " ")
		if v := g.valueOf(bits(g.vars[o].kinds &^ aBlank)[0]); g.IntN(3) > 0 {
			b.WriteString(v + ") ")
		} else {
			b.WriteString("UNDEF) ")
		}
	}
	g.scope = append(g.scope, s, o)
	return b.String() + "}"
}

func (g *oracleQuery) triples() string {
	var b strings.Builder
	for range 1 + g.IntN(2) {
		b.WriteString(g.triple())
	}
	return b.String()
}

func (g *oracleQuery) triple() string {
	p := properties[g.IntN(len(properties))]
	if g.IntN(3) == 0 {
		p = properties[g.pick1(0, 4, 8, 13, 13, 14)]
	}
	s := g.pick("s1", "s1", "s1", "s2", "s3")
	subject, predicate, object := "?"+s, "<http://e/"+p.name[1:]+">", ""
	g.scope = append(g.scope, s)
	if g.IntN(25) == 0 {
		subject = g.subjectIRI()
	}
	switch {
	case p.kinds&^aBlank != 0 && g.IntN(14) == 0:
		object = g.value(p.kinds &^ aBlank)
	case g.IntN(15) == 0:
		predicate, object = "?p", "?v"
		g.scope = append(g.scope, "p", "v")
	default:
		v := p.variable + g.pick("1", "1", "2")
		object = "?" + v
		g.scope = append(g.scope, v)
	}
	return subject + " " + predicate + " " + object + " . "
}

func (g *oracleQuery) path() string {
	step := func() string {
		return g.pick("<http://e/knows>", "<http://e/part>", "<http://e/knows>", "^<http://e/knows>", "<http://e/class>", "!<http://e/knows>", "(<http://e/knows>|<http://e/part>)", "<http://e/int>")
	}
	path, s, o := step(), g.pick("?s1", "?s2", g.subjectIRI()), g.pick("?s1", "?s2", "?v", g.subjectIRI())
	switch g.IntN(8) {
	case 0, 1:
		path = "(" + g.pick(path, path, "!(<http://e/knows>|^<http://e/part>)", "!(^<http://e/class>)") + ")*" // alone, it may repeat a solution, which Oxigraph returns once
	case 2, 3:
		path = "(" + path + ")+"
	case 4:
		path = "(" + path + ")?"
	case 5:
		path += "/" + step()
	case 6:
		path = "(" + path + "/" + step() + ")" + g.pick("", "*", "+")
	case 7:
		path = "(" + path + "|" + step() + "/" + step() + ")+" // alone, it may repeat a solution, which Oxigraph returns once
	}
	if strings.ContainsAny(path, "*?") { // Oxigraph finds no empty path at a term outside the graph
		s, o = g.pick("?s1", "?s2"), g.pick("?s1", "?s2", "?v")
	}
	for _, end := range []string{s, o} {
		if end[0] == '?' {
			g.scope = append(g.scope, end[1:])
		}
	}
	return s + " " + path + " " + o + " . "
}
