package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/results"
)

// TestRandomTripleTerms compares the answers to random queries with triple terms with
// those of pyoxigraph 0.5 or later. It uses the environment variables of
// TestRandomQueries.
func TestRandomTripleTerms(t *testing.T) {
	seed, queries := oracleNumber(t, "SEGRAPH_SEED", int(time.Now().Unix())), oracleNumber(t, "SEGRAPH_QUERIES", oracleUsual()/5)
	t.Logf("seed %d", seed)
	o := &oracle{t: t, worker: oracleWorker(t), counts: map[string]int{}}
	for n := uint64(0); o.counts["compared"] < queries && o.counts["different"] < 20; n++ {
		o.terms(&termQueries{rand.New(rand.NewPCG(uint64(seed), n))}, fmt.Sprintf("seed %d, dataset %d", seed, n))
	}
	t.Logf("seed %d: %v", seed, o.counts)
	if o.counts["rows"] < queries {
		t.Errorf("%d rows in the answers to %d queries: too few for a test", o.counts["rows"], queries)
	}
}

// terms compares the answers to some queries over one dataset.
func (o *oracle) terms(g *termQueries, name string) {
	quads := g.quads()
	ds, end := termsDataset(o.t, quads, g.IntN(2) == 0)
	defer end()
	var data strings.Builder
	for _, q := range quads {
		fmt.Fprintln(&data, q)
	}
	o.send(map[string]any{"load": data.String()})
	if line, err := o.worker.line(time.Minute); err != nil || line != "ready\n" {
		o.t.Fatalf("%s: loading: %q, %v", name, line, err)
	}
	var list []asked
	var texts []string
	for range 200 {
		a := asked{aQuery: aQuery{text: g.query()}, parallel: g.IntN(2) == 0}
		a.strategy = []strategies.Strategy{strategies.Planned, strategies.Planned, strategies.InMemory, strategies.InOrder}[g.IntN(4)]
		list, texts = append(list, a), append(texts, a.text)
	}
	o.send(map[string]any{"ask": texts})
	answer := func(a asked) (line string) {
		line, err := o.worker.line(time.Minute)
		if err != nil {
			o.t.Fatalf("%s: %s\n%v", name, a.text, err)
		}
		return line
	}
	type doubt struct {
		asked
		got []string
	}
	var doubts []doubt
	for _, a := range list {
		own, err := a.run(ds)
		if err != nil {
			o.t.Fatalf("%s: %s\n%v", name, a.text, err)
		}
		line := answer(a)
		if why, refused := strings.CutPrefix(line, "!"); refused {
			if o.counts["refused"]++; o.counts["refused"] < 5 {
				o.t.Logf("%s: %s\nOxigraph refuses it: %s", name, a.text, why)
			}
			continue
		}
		o.counts["compared"]++
		got := termRows(o.t, string(own))
		o.counts["rows"] += len(got) - 1
		if !slices.Equal(got, termRows(o.t, line)) {
			doubts = append(doubts, doubt{a, got})
		}
	}
	for _, d := range doubts {
		o.send(map[string]any{"ask": []string{isolated(d.text)}})
		want := termRows(o.t, answer(d.asked))
		if slices.Equal(d.got, want) {
			o.counts["isolated"]++
			continue
		}
		o.counts["different"]++
		o.t.Errorf("%s, strategy %d: %s\nsegraph:\n%s\nOxigraph, isolated:\n%s\ndata:\n%s", name, d.strategy, d.text, strings.Join(d.got, "\n"), strings.Join(want, "\n"), &data)
	}
}

// termsDataset returns a dataset of the quads, in a file or without one.
func termsDataset(t *testing.T, quads []rdf.Quad, file bool) (ds sparql.Dataset, end func()) {
	if !file {
		return memory.New(quads), func() {}
	}
	path := filepath.Join(t.TempDir(), "terms.db")
	s, err := engine.Open(path, engine.Options{NoJournal: true})
	if err != nil {
		t.Fatal(err)
	}
	d := &store.Document{}
	for _, q := range quads {
		d.Add(q)
	}
	if _, err := s.Add(context.Background(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return snap.Dataset(), func() {
		snap.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// termRows returns the rows of an answer in JSON, sorted, after the sorted variables.
func termRows(t *testing.T, text string) (rows []string) {
	t.Helper()
	r, err := results.NewReader(strings.NewReader(text))
	if err != nil {
		var boolean struct{ Boolean bool }
		if json.Unmarshal([]byte(text), &boolean) == nil {
			return []string{"", fmt.Sprint(boolean.Boolean)}
		}
		t.Fatalf("%v in %.300s", err, text)
	}
	if is, ok := r.Boolean(); ok {
		return []string{"", fmt.Sprint(is)}
	}
	vars := slices.Sorted(slices.Values(r.Vars()))
	for {
		row, err := r.Next()
		if err == io.EOF {
			slices.Sort(rows)
			return append([]string{strings.Join(vars, " ")}, rows...)
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
		var b strings.Builder
		for _, name := range vars {
			fmt.Fprintf(&b, "%s | ", row[slices.Index(r.Vars(), name)])
		}
		rows = append(rows, b.String())
	}
}

// termQueries makes small datasets with reifiers and triple terms, and queries about them.
// It writes IRIs in full, and literals in canonical form, because Oxigraph stores values.
type termQueries struct{ *rand.Rand }

func (g *termQueries) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *termQueries) node() string     { return g.pick("<x:a>", "<x:b>", "<x:c>", "<x:d>") }
func (g *termQueries) property() string { return g.pick("<x:p>", "<x:q>") }

func (g *termQueries) value() string {
	return g.pick(g.node(), g.node(), `"1"^^<`+rdf.XSDInteger+">", `"2"^^<`+rdf.XSDInteger+">", `"1.5"^^<`+rdf.XSDDecimal+">", `"x"`, `"x"@en`, `"x"@he--rtl`)
}

// parsed returns the term of a text in N-Triples.
func parsed(text string) rdf.Term {
	lexical, tag, isLiteral := strings.Cut(strings.TrimPrefix(text, `"`), `"`)
	switch {
	case !isLiteral:
		return rdf.NewIRI(strings.Trim(text, "<>"))
	case tag == "":
		return rdf.NewString(lexical)
	case tag[0] == '@':
		return rdf.NewLang(lexical, tag[1:])
	}
	return rdf.NewLiteral(lexical, strings.Trim(tag, "^<>"))
}

func (g *termQueries) quads() (out []rdf.Quad) {
	seen := map[rdf.Quad]bool{}
	add := func(s, p string, o rdf.Term) {
		q := rdf.Quad{S: rdf.NewIRI(s), P: rdf.NewIRI(p), O: o}
		if g.IntN(6) == 0 {
			q.G = rdf.NewIRI("x:g")
		}
		if !seen[q] {
			seen[q], out = true, append(out, q)
		}
	}
	triple := func() rdf.Triple {
		return rdf.Triple{S: parsed(g.node()), P: parsed(g.property()), O: parsed(g.value())}
	}
	for i := range 20 + g.IntN(30) {
		t := triple()
		if g.IntN(4) == 0 {
			t.O = rdf.NewTripleTerm(triple())
		}
		if g.IntN(2) == 0 {
			add(t.S.Value(), t.P.Value(), t.O)
		}
		r := fmt.Sprint("x:r", i/(1+g.IntN(2)))
		if g.IntN(4) > 0 {
			add(r, rdf.RDFReifies, rdf.NewTripleTerm(t))
			add(r, "x:by", parsed(g.node()))
		}
	}
	return out
}

// part returns an object in a pattern: a variable, or a value. Subjects have other
// variables: if a literal is the value of the subject of a triple term, Oxigraph refuses
// the query, or finds an EXISTS true (SPARQL 1.2, section 18.6, has no match).
func (g *termQueries) part(value string) string {
	if g.IntN(3) > 0 {
		return g.pick("?c", "?d")
	}
	return value
}

func (g *termQueries) subject() string { return g.pick("?a", "?b", "?a", "?b", g.node()) }

func (g *termQueries) term(depth int) string {
	object := g.part(g.value())
	if depth < 2 && g.IntN(4) == 0 {
		object = g.term(depth + 1)
	}
	return "<<( " + g.stated(object) + " )>>"
}

// stated returns a subject, a predicate and the given object.
func (g *termQueries) stated(object string) string {
	return g.subject() + " " + g.pick(g.property(), g.property(), "?p") + " " + object
}

func (g *termQueries) pattern() string {
	const reifies = "<" + rdf.RDFReifies + ">"
	object := g.part(g.value())
	if g.IntN(5) == 0 {
		object = g.term(1)
	}
	switch g.IntN(8) {
	case 0, 1:
		return g.pick("?r", "?r", "?s", "?a") + " " + reifies + " " + g.term(0) + " . "
	case 2:
		return "<< " + g.stated(object) + g.pick("", " ~ ?r", " ~ ?s") + " >> <x:by> " + g.part(g.node()) + " . "
	case 3:
		return g.stated(object) + g.pick(" {| <x:by> ?d |}", " ~ ?r", " ~ ?r {| <x:by> ?c |}") + " . "
	case 4:
		return "?r " + reifies + " ?t . "
	case 5:
		return "?r <x:by> " + g.part(g.node()) + " . "
	case 6:
		return "?s ?p ?t . "
	}
	return g.stated(object) + " . "
}

func (g *termQueries) element(depth int) string {
	if depth == 0 {
		return g.pattern()
	}
	switch g.IntN(16) {
	case 0:
		return "OPTIONAL { " + g.group(depth-1) + " } "
	case 1:
		return "{ " + g.group(depth-1) + " } UNION { " + g.group(depth-1) + " } "
	case 2:
		return "MINUS { " + g.pattern() + " } "
	case 3:
		return "FILTER " + g.pick("EXISTS", "NOT EXISTS") + " { " + g.pattern() + " } "
	case 4:
		return "GRAPH " + g.pick("<x:g>", "?g") + " { " + g.pattern() + g.pattern() + "} "
	case 5:
		return "VALUES ?t { <<( " + g.node() + " " + g.property() + " " + g.value() + " )>> <<( <x:a> <x:p> <x:b> )>> } "
	case 6:
		return "{ SELECT ?r (COUNT(*) AS ?n" + strconv.Itoa(g.IntN(1e6)) + ") { " + g.pattern() + " } GROUP BY ?r } "
	case 7:
		e := g.pick("TRIPLE(?a, ?p, ?b)", "<<( ?a ?p ?c )>>", "SUBJECT(?t)", "OBJECT(?t)", "PREDICATE(?t)", "isTRIPLE(?b)", "?t = <<( <x:a> <x:p> 1 )>>", "LANGDIR(OBJECT(?t))", "sameTerm(?t, <<( ?a ?p ?b )>>)")
		return "BIND(" + e + " AS ?e" + strconv.Itoa(g.IntN(1e6)) + ") "
	case 8:
		return "FILTER(" + g.pick("isTRIPLE(?t)", "!isTRIPLE(?b)", "?a = ?b", "SUBJECT(?t) = ?a", "sameTerm(?a, ?c)", "?t != <<( <x:a> <x:p> <x:b> )>>", "OBJECT(?t) = 1", "?t IN (<<( <x:a> <x:p> ?b )>>)", "isTRIPLE(OBJECT(?t))", "BOUND(?r)") + ") "
	}
	return g.pattern()
}

func (g *termQueries) group(depth int) string {
	var b strings.Builder
	b.WriteString(g.pattern())
	for range g.IntN(3) {
		b.WriteString(g.element(depth))
	}
	return b.String()
}

func (g *termQueries) query() string {
	body := " { " + g.group(2) + "}"
	switch g.IntN(8) {
	case 0:
		return "ASK" + body
	case 1:
		return "SELECT DISTINCT ?a ?t" + body
	case 2:
		return "SELECT ?t (COUNT(*) AS ?n) (COUNT(DISTINCT ?a) AS ?m)" + body + " GROUP BY ?t"
	case 3:
		return "SELECT (COUNT(DISTINCT ?t) AS ?n)" + body
	}
	return "SELECT *" + body
}
