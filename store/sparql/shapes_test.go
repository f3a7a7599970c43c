package sparql_test

import (
	"strconv"
	"strings"
)

// repeat repeats a part n times, with %i replaced by its number, %j by the next number,
// %h by the previous one, and %b by 0 or 1.
func repeat(n int, separator, part string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(separator)
		}
		number := strings.NewReplacer("%i", strconv.Itoa(i), "%j", strconv.Itoa(i+1), "%h", strconv.Itoa(max(0, i-1)), "%b", strconv.Itoa(i%2))
		_, _ = number.WriteString(&b, part)
	}
	return b.String()
}

// shapes holds queries of n parts, by the kind of part.
var shapes = map[string]func(n int) string{
	"path steps negated": func(n int) string {
		return "SELECT * { ?s " + repeat(n, "/", "!<p:%b>") + " ?o }"
	},
	"path steps": func(n int) string {
		return "SELECT * { ?s " + repeat(n, "/", ":p%b") + " ?o }"
	},
	"path star": func(n int) string {
		return "SELECT * { ?s (" + repeat(n, "/", ":p%b") + ")* ?o }"
	},
	"path repeated steps": func(n int) string {
		return "SELECT * { ?s " + repeat(n, "/", ":p%b*") + " ?o }"
	},
	"path alternatives": func(n int) string {
		return "SELECT * { ?s " + repeat(n, "|", ":p%i") + " ?o }"
	},
	"path optional steps": func(n int) string {
		return "SELECT * { ?s " + repeat(n, "/", "(:p|:q)") + " ?o }"
	},
	"negated set": func(n int) string {
		return "SELECT * { ?s !(" + repeat(n, "|", ":p%i") + ") ?o }"
	},
	"chain": func(n int) string {
		return "SELECT * { " + repeat(n, " . ", "?v%i :p ?v%j") + " }"
	},
	"star": func(n int) string {
		return "SELECT * { " + repeat(n, " . ", "?s :p%i ?v%i") + " }"
	},
	"star constants": func(n int) string {
		return "SELECT * { " + repeat(n, " . ", "?s :p %i") + " }"
	},
	"cross": func(n int) string {
		return "SELECT * { " + repeat(n, " . ", "?a%i :p ?b%i") + " }"
	},
	"distinct chain": func(n int) string {
		return "SELECT DISTINCT ?v0 { " + repeat(n, " . ", "?v%i :p ?v%j") + " }"
	},
	"list": func(n int) string { return "SELECT * { ?s :p (" + repeat(n, " ", "%i") + ") }" },
	"optionals": func(n int) string {
		return "SELECT * { ?s :p ?o " + repeat(n, " ", "OPTIONAL { ?s :p%i ?v%i }") + " }"
	},
	"optionals first": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "OPTIONAL { ?s :p%i ?v%i }") + " }"
	},
	"optionals of one": func(n int) string {
		return "SELECT * { ?s :p ?o " + repeat(n, " ", "OPTIONAL { ?s :p ?v }") + " }"
	},
	"optional chain": func(n int) string {
		return "SELECT * { ?s :p ?v0 " + repeat(n, " ", "OPTIONAL { ?v%i :p ?v%j FILTER(?v%i != 3) }") + " }"
	},
	"binds": func(n int) string {
		return "SELECT * { ?s :p ?v0 " + repeat(n, " ", "BIND(?v%i AS ?v%j)") + " }"
	},
	"binds of constants": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "BIND(%i AS ?v%j)") + " }"
	},
	"binds between": func(n int) string {
		return "SELECT * { ?v0 :p ?o " + repeat(n, " ", "BIND(STR(?v%i) AS ?w%i) ?v%i :p ?v%j .") + " }"
	},
	"minus": func(n int) string {
		return "SELECT * { ?s :p ?o " + repeat(n, " ", "MINUS { ?s :p%i ?o }") + " }"
	},
	"union arms": func(n int) string {
		return "SELECT * { " + repeat(n, " UNION ", "{ ?s :p%i ?v%i }") + " }"
	},
	"union arms joined": func(n int) string {
		return "SELECT * { ?s :p ?o . ?o :q ?z " + repeat(n, " UNION ", "{ ?s :p%i ?v%i . ?v%i :q ?z }") + " FILTER(?z > 4) }"
	},
	"unions": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "{ ?s :p%i ?v%i } UNION { ?s :q ?v%i }") + " }"
	},
	"values rows": func(n int) string {
		return "SELECT * { VALUES (?s ?o) { " + repeat(n, " ", "(:s%i %i)") + " } ?s :p ?o }"
	},
	"values blocks": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "VALUES ?v%i { %i }") + " ?s :p ?o }"
	},
	"values columns": func(n int) string {
		return "SELECT * { VALUES (" + repeat(n, " ", "?v%i") + ") { (" + repeat(n, " ", "%i") + ") } }"
	},
	"filters": func(n int) string {
		return "SELECT * { ?s :p ?o " + repeat(n, " ", "FILTER(?o != %i)") + " }"
	},
	"filters and": func(n int) string {
		return "SELECT * { ?s :p ?o . ?s :q ?z FILTER(" + repeat(n, " && ", "?o > %i") + ") }"
	},
	"filters or": func(n int) string {
		return "SELECT * { ?s :p ?o . ?s :q ?z FILTER(" + repeat(n, " || ", "?o = %i") + ") }"
	},
	"filters equal": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "?a%i :p ?b%i . FILTER(?a%i = ?b%h)") + " }"
	},
	"filters bound": func(n int) string {
		return "SELECT * { ?s :p ?o " + repeat(n, " ", "OPTIONAL { ?s :p%i ?v%i } FILTER(!BOUND(?v%i))") + " }"
	},
	"filters exists": func(n int) string {
		return "SELECT * { ?s :p ?o " + repeat(n, " ", "FILTER NOT EXISTS { ?s :p%i ?o }") + " }"
	},
	"exists in one": func(n int) string {
		return "SELECT * { ?s :p ?o FILTER(" + repeat(n, " || ", "EXISTS { ?s :p%i ?o }") + ") }"
	},
	"filters spread": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "?s :p%i ?v%i FILTER(?v%i > 5)") + " }"
	},
	"filters of two": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "?s :p%i ?v%i FILTER(?v%i > ?v%h)") + " }"
	},
	"in list": func(n int) string {
		return "SELECT * { ?s :p ?o FILTER(?o IN (" + repeat(n, ", ", "%i") + ")) }"
	},
	"group by": func(n int) string {
		return "SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY " + repeat(n, " ", "(?o + %i AS ?k%i)")
	},
	"group by variables": func(n int) string {
		return "SELECT (COUNT(*) AS ?n) { " + repeat(n, " . ", "?s :p ?v%i") + " } GROUP BY " + repeat(n, " ", "?v%i")
	},
	"order by": func(n int) string {
		return "SELECT * { ?s :p ?o } ORDER BY " + repeat(n, " ", "(?o + %i)")
	},
	"having": func(n int) string {
		return "SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s HAVING " + repeat(n, " ", "(COUNT(?o) > %i)")
	},
	"aggregates": func(n int) string {
		return "SELECT " + repeat(n, " ", "(SUM(?o + %i) AS ?v%i)") + " { ?s :p ?o } GROUP BY ?s"
	},
	"aggregates same": func(n int) string {
		return "SELECT " + repeat(n, " ", "(SUM(?o) AS ?v%i)") + " { ?s :p ?o } GROUP BY ?s"
	},
	"aggregates of others": func(n int) string {
		return "SELECT " + repeat(n, " ", "(SUM(?o%i) AS ?v%i)") + " { ?s :p ?o } GROUP BY ?s"
	},
	"count distinct": func(n int) string {
		return "SELECT " + repeat(n, " ", "(COUNT(DISTINCT *) AS ?n%i)") + " { " + repeat(n/3, " ", "?s :p ?o%i .") + " }"
	},
	"projection": func(n int) string {
		return "SELECT " + repeat(n, " ", "(?o + %i AS ?v%i)") + " { ?s :p ?o }"
	},
	"columns": func(n int) string {
		return "SELECT " + repeat(n, " ", "?v%i") + " { ?s :p ?o }"
	},
	"subqueries": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "{ SELECT ?s ?v%i { ?s :p ?v%i } LIMIT 3 }") + " }"
	},
	"subqueries star": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "{ SELECT * { ?s :p ?o } }") + " }"
	},
	"groups": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "{ ?s :p ?v%i OPTIONAL { ?s :q ?w%i } FILTER(?v%i > 3) }") + " }"
	},
	"graphs": func(n int) string {
		return "SELECT * { " + repeat(n, " ", "GRAPH ?g%i { ?s :p ?v%i }") + " }"
	},
	"from": func(n int) string {
		return "SELECT * " + repeat(n, " ", "FROM <g:%i>") + " { ?s ?p ?o }"
	},
	"from named": func(n int) string {
		return "SELECT * " + repeat(n, " ", "FROM NAMED <g:%i>") + " { GRAPH ?g { ?s ?p ?o } }"
	},
	"construct": func(n int) string {
		return "CONSTRUCT { " + repeat(n, " . ", "?s :p%i _:b%i") + " } { ?s :p ?o }"
	},
	"construct where": func(n int) string {
		return "CONSTRUCT WHERE { " + repeat(n, " . ", "?s :p%i ?o%i") + " }"
	},
	"describe": func(n int) string {
		return "DESCRIBE " + repeat(n, " ", ":d%i")
	},
	"describe variables": func(n int) string {
		return "DESCRIBE * { " + repeat(n, " . ", "?s :p%i ?o%i") + " }"
	},
	"prefixes": func(n int) string { // each declared twice
		p := repeat(n, "\n", "PREFIX p%i: <p:%i>")
		return p + "\n" + p + " SELECT * { ?s :p ?o }"
	},
	"concat": func(n int) string {
		return "SELECT (CONCAT(" + repeat(n, ", ", "'%i'") + ") AS ?v) { ?s :p ?o }"
	},
	"nested groups": func(n int) string { return "SELECT * " + strings.Repeat("{ ?s :p ?o . ", n) + strings.Repeat("}", n) },
	"nested optionals": func(n int) string {
		return "SELECT * { ?a :p ?b " + repeat(n, " ", "OPTIONAL { ?s%i :p ?b ") + strings.Repeat("}", n) + "}"
	},
	"nested subqueries": func(n int) string {
		n /= 2
		return "SELECT * { ?a :p ?b " + repeat(n, " ", "{ SELECT * { ?a :p ?b%i ") + strings.Repeat("} ORDER BY ?a LIMIT 10 }", n) + "}"
	},
	"nested exists": func(n int) string {
		return "SELECT * { ?a :p ?b " + repeat(n, " ", "FILTER EXISTS { ?a :p ?b%i ") + strings.Repeat("}", n) + "}"
	},
	"nested unions": func(n int) string {
		return "SELECT * { ?a :p ?b " + repeat(n, " ", "{ ?a :q ?c%i } UNION { ?a :p ?b%i . ") + strings.Repeat("}", n) + "}"
	},
	"nested minus": func(n int) string {
		return "SELECT * { ?a :p ?b " + repeat(n, " ", "MINUS { ?a :p ?b%i ") + strings.Repeat("}", n) + "}"
	},
	"nested brackets": func(n int) string {
		return "SELECT * { ?a :p ?b FILTER(" + strings.Repeat("!(", n) + "?a = ?b" + strings.Repeat(")", n) + ") }"
	},
}
