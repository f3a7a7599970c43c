package sparql_test

import "testing"

// computing lists queries that compute values for each of a large number of rows.
var computing = []benchQuery{
	{"mean durations by kind", `SELECT ?kind (AVG(HOURS(?end)*3600+MINUTES(?end)*60+SECONDS(?end)-HOURS(?start)*3600-MINUTES(?start)*60-SECONDS(?start)) AS ?mean) { ?event a prov:Activity ; a ?kind ; prov:startedAtTime ?start ; prov:endedAtTime ?end FILTER(?kind != prov:Activity) } GROUP BY ?kind`},
	{"groups by language", `SELECT ?lang (COUNT(*) AS ?n) (AVG(STRLEN(?text)) AS ?length) { ?m schema:text ?text } GROUP BY (LANG(?text) AS ?lang)`},
	{"by the day of a timestamp", `SELECT ?day (COUNT(*) AS ?n) { ?event prov:startedAtTime ?start } GROUP BY (SUBSTR(STR(?start), 1, 10) AS ?day)`},
	{"regex", `SELECT ?m ?text { ?m schema:text ?text FILTER(REGEX(?text, "help.*please|please.*help", "i")) }`},
	{"regex without plain text", `SELECT (COUNT(*) AS ?n) { ?m schema:text ?text FILTER(REGEX(?text, "^[A-Z][a-z]+ [a-z]+ing ")) }`},
	{"contains in lower case", `SELECT (COUNT(*) AS ?n) { ?m schema:text ?text FILTER(CONTAINS(LCASE(STR(?text)), "water")) }`},
	{"numbers filtered", `SELECT (COUNT(*) AS ?n) { ?event seg:confidence ?c FILTER(?c * 100 - 50 > 25 && ?c < 0.9) }`},
	{"sums of products", `SELECT (SUM(?c * ?c) AS ?n) (MAX(ROUND(?c*10)) AS ?m) (COUNT(DISTINCT FLOOR(?c*10)) AS ?d) { ?event seg:confidence ?c }`},
	{"working hours", `SELECT (COUNT(*) AS ?n) { ?event prov:startedAtTime ?start FILTER(HOURS(?start) >= 8 && HOURS(?start) < 18 && MINUTES(?start) IN (0, 15, 30, 45)) }`},
	{"subtract times", `SELECT (MAX(?d) AS ?longest) { ?event prov:startedAtTime ?start ; prov:endedAtTime ?end BIND(?end - ?start AS ?d) }`},
	{"join by minute", `SELECT (COUNT(*) AS ?n) { ?a prov:wasAssociatedWith <http://example.org/id/r1> ; prov:startedAtTime ?s . ?b prov:wasAssociatedWith <http://example.org/id/r2> ; prov:startedAtTime ?t FILTER(YEAR(?s) = YEAR(?t) && MONTH(?s) = MONTH(?t) && DAY(?s) = DAY(?t) && HOURS(?s) = HOURS(?t) && MINUTES(?s) = MINUTES(?t)) }`},
}

// BenchmarkExpressions computes values over the store of BenchmarkRobotLogs.
func BenchmarkExpressions(b *testing.B) { benchEach(b, computing) }
