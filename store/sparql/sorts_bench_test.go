package sparql_test

import "testing"

type benchQuery struct{ name, text string }

// sorts lists queries that sort a large number of rows.
var sorts = []benchQuery{
	{"deep page by three keys", `SELECT ?event ?kind ?robot ?start {
		?event a prov:Activity ; a ?kind ; prov:wasAssociatedWith ?robot ; prov:startedAtTime ?start FILTER(?kind != prov:Activity)
		} ORDER BY ?kind ?robot DESC(?start) OFFSET 50000 LIMIT 50`},
	{"deep page by numbers", `SELECT ?event ?place ?confidence ?start {
		?event schema:location ?place ; seg:confidence ?confidence ; prov:startedAtTime ?start
		} ORDER BY DESC(?confidence) ?place ?start OFFSET 40000 LIMIT 50`},
	{"deep page by texts", `SELECT ?m ?text ?lang { ?m schema:text ?text ; schema:inLanguage ?lang } ORDER BY ?lang ?text DESC(?m) OFFSET 20000 LIMIT 50`},
	{"deep page by a computed key", `SELECT ?event ?start {
		?event prov:startedAtTime ?start ; prov:endedAtTime ?end } ORDER BY HOURS(?start) DESC(?end) ?event OFFSET 30000 LIMIT 50`},
	{"first page by three keys", `SELECT ?event ?robot ?confidence ?start {
		?event prov:wasAssociatedWith ?robot ; seg:confidence ?confidence ; prov:startedAtTime ?start
		} ORDER BY ?robot DESC(?confidence) ?start LIMIT 20`},
	{"all rows by three keys", `SELECT ?event ?robot ?confidence ?start {
		?event prov:wasAssociatedWith ?robot ; seg:confidence ?confidence ; prov:startedAtTime ?start
		} ORDER BY ?robot DESC(?confidence) ?start`},
	{"all rows unsorted", `SELECT ?event ?robot ?confidence ?start {
		?event prov:wasAssociatedWith ?robot ; seg:confidence ?confidence ; prov:startedAtTime ?start }`},
}

// BenchmarkSorts sorts rows of the store of BenchmarkRobotLogs. The last query does not
// sort, for comparison.
func BenchmarkSorts(b *testing.B) { benchEach(b, sorts) }

// benchEach runs queries over the store of BenchmarkRobotLogs.
func benchEach(b *testing.B, queries []benchQuery) {
	snap, err := benchStore(b).Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	const prefixes = `PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX seg: <http://example.org/seg#> PREFIX schema: <http://schema.org/> `
	for _, q := range queries {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.ReportMetric(float64(benchRun(b, prefixes+q.text, snap.Dataset())), "rows")
			}
		})
	}
}
