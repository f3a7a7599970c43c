package engine

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// BenchmarkTexts searches texts of robot logs, 100 of which have the word "Zebrafinch",
// with the index and without. SEGRAPH_BENCH_DATA names a file of other logs.
func BenchmarkTexts(b *testing.B) {
	logs := bytes.Split(suite.RobotLogs(b, million), []byte(`schema:text "`))
	for i := 1; i <= 100; i++ {
		part := &logs[i*(len(logs)-1)/100]
		*part = append([]byte("Zebrafinch "), *part...)
	}
	path := filepath.Join(b.TempDir(), "bench.db")
	s := reopen(b, path)
	loadBench(b, s, bytes.Join(logs, []byte(`schema:text "`)))
	if err := s.IndexTexts(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for _, index := range []struct {
		name string
		TextIndex
	}{{"index", TextIndexAsIs}, {"scan", TextIndexOff}} {
		s, err := Open(path, Options{ReadOnly: true, TextIndex: index.TextIndex})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		for _, tt := range []struct {
			name, pattern string
			rows          int
		}{
			{"word", `?m schema:text ?t FILTER(CONTAINS(?t, "Zebrafinch"))`, 100},
			{"any case", `?m schema:text ?t FILTER(CONTAINS(LCASE(STR(?t)), "zebrafinch"))`, 100},
			{"regex", `?m schema:text ?t FILTER(REGEX(?t, "zebraf[ai]n", "i"))`, 100},
			{"begins", `?m schema:text ?t FILTER(STRSTARTS(?t, "Zebraf"))`, 100},
			{"none", `?m schema:text ?t FILTER(CONTAINS(LCASE(?t), "xylophone"))`, 0},
			{"none of frequent trigrams", `?m schema:text ?t FILTER(CONTAINS(LCASE(?t), "plehelp"))`, 0},
			{"middle of a label", `VALUES ?p { schema:name schema:givenName schema:text } ?m ?p ?t FILTER(CONTAINS(LCASE(STR(?t)), "ebrafin"))`, 100},
		} {
			b.Run(tt.name+"/"+index.name, func(b *testing.B) {
				for b.Loop() {
					q, err := sparql.Prepare(b.Context(), "PREFIX schema: <http://schema.org/> SELECT * { "+tt.pattern+" }", sparql.Options{})
					if err != nil {
						b.Fatal(err)
					}
					rows := 0
					if err := s.Query(b.Context(), q, budget.Limits{}, counter{&rows}, nil); err != nil || rows != tt.rows {
						b.Fatalf("%d rows, want %d, %v", rows, tt.rows, err)
					}
				}
			})
		}
	}
}

// counter counts the rows of an answer.
type counter struct{ rows *int }

func (counter) Head([]string) error    { return nil }
func (c counter) Row([]rdf.Term) error { *c.rows++; return nil }
func (counter) Boolean(bool) error     { return nil }
