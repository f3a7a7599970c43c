package engine

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/turtle"
)

// testdata/variants.db.gz was written by a program with schema 1, in which language tags
// that differ in case made different terms. It stored the logs of variantLogs, one after
// another, and then loaded variantGraph.
func variantLogs() []string {
	long := strings.Repeat("long ", 200)
	many := func(tag string, from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "ex:c%d ex:p \"text %d\"@%s , %d .\n", i, i%50, tag, i)
		}
		return b.String()
	}
	return []string{
		"ex:a ex:l \"tea\"@en-GB , \"only\"@EN . ex:a ex:long \"" + long + "\"@en .",
		"ex:a ex:l \"tea\"@EN-gb . ex:b ex:l \"tea\"@EN-gb , \"tea\"@en . ex:b ex:long \"" + long + "\"@EN .",
		"ex:a ex:l \"tea\"@En-Gb , \"tea\"@en-GB . ex:a ex:m \"tea\"@EN-gb .",
		many("de", 0, 300),
		many("DE", 0, 300) + many("De", 280, 320),
	}
}

const (
	exPrefix     = "@prefix ex: <http://ex/> .\n"
	variantGraph = exPrefix + "ex:g { ex:a ex:l \"tea\"@EN-GB , \"tea\"@En-gB . ex:d ex:l \"TEA\"@en-gb }"
)

// variantsFile unpacks the file and returns its quads, each once and as it was first
// sent.
func variantsFile(t *testing.T) (path string, want []rdf.Quad) {
	path = filepath.Join(t.TempDir(), "old.db")
	unpack(t, "testdata/variants.db.gz", path)
	var all []rdf.Quad
	for _, log := range variantLogs() {
		all = append(all, quads(t, turtle.Turtle, exPrefix+log)...)
	}
	return path, firstSent(append(all, quads(t, turtle.TriG, variantGraph)...))
}

// firstSent drops the quads that differ from earlier ones only in the case of a language
// tag, and gives equal terms the tag of the first.
func firstSent(all []rdf.Quad) (out []rdf.Quad) {
	terms, seen := map[rdf.Term]rdf.Term{}, map[rdf.Quad]bool{}
	for _, q := range all {
		key := q.Fold()
		if _, ok := terms[key.O]; !ok {
			terms[key.O] = q.O
		}
		if q.O = terms[key.O]; !seen[key] {
			seen[key] = true
			out = append(out, q)
		}
	}
	return out
}

func openVariants(t *testing.T, path string, o Options) *Store {
	t.Helper()
	o.keepsTags = true
	s, err := Open(path, withProvenance(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fold does one step of folding and reports whether there is more to do.
func fold(t *testing.T, s *Store) bool {
	t.Helper()
	var left []dict.ID
	err := s.direct(t.Context(), directly{
		do:    func(tx *Tx) (err error) { left, err = s.foldTags(tx, 0, 3); return err },
		after: func() { s.foldedTo(left) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(left) > 0
}

// readsAs verifies that every way to read the store returns exactly the given quads.
func readsAs(t *testing.T, s *Store, want []rdf.Quad) {
	t.Helper()
	lines := func(qs []rdf.Quad) []string {
		var out []string
		for _, q := range qs {
			out = append(out, fmt.Sprint(q.G, q.S, q.P, q.O))
		}
		slices.Sort(out)
		return out
	}
	if got := quads(t, turtle.NQuads, dumped(t, s, turtle.NQuads)); !slices.Equal(lines(got), lines(want)) {
		t.Errorf("the dump has %d quads, want %d", len(got), len(want))
	}
	var published []rdf.Quad
	predicates, subjects := map[rdf.Term]int64{}, map[rdf.Term]int64{}
	for _, q := range want {
		if q.G.IsZero() {
			published = append(published, q)
			predicates[q.P]++
			subjects[q.O]++
		}
	}
	for _, f := range []turtle.Format{turtle.NTriples, turtle.Turtle} {
		if got := quads(t, f, exported(t, s, f)); !slices.Equal(lines(got), lines(published)) {
			t.Errorf("the export has %d triples, want %d", len(got), len(published))
		}
	}
	err := s.View(func(snap *Snapshot) error {
		got := map[rdf.Term]int64{}
		for p, n := range snap.Predicates(defaultGraph) {
			term, err := snap.Term(p)
			if err != nil {
				return err
			}
			got[term] = n
		}
		if !maps.Equal(got, predicates) {
			t.Errorf("the counts of predicates are %v, want %v", got, predicates)
		}
		for o, n := range subjects {
			id, _, err := snap.ID(o)
			if err != nil {
				return err
			}
			if count, err := snap.Count(0, 0, id, defaultGraph); count != n || err != nil {
				t.Errorf("%d triples with %.40v, want %d: %v", count, o, n, err)
			}
		}
		if n, err := snap.Count(0, 0, 0, defaultGraph); n != int64(len(published)) || err != nil {
			t.Errorf("%d triples, want %d: %v", n, len(published), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for query, rows := range map[string]int{
		"SELECT * { ?s <http://ex/l> ?l . ?t <http://ex/m> ?l }":                                            2,
		"SELECT DISTINCT ?l { ?s <http://ex/p> ?l FILTER(isLiteral(?l) && LANG(?l) != '') }":                50,
		"SELECT * { VALUES ?l { 'tea'@EN-GB 'TEA'@EN 'only'@en } ?s <http://ex/l> ?l }":                     3,
		"SELECT ?l (COUNT(*) AS ?n) { ?s <http://ex/long> ?l } GROUP BY ?l":                                 1,
		"SELECT * { ?s <http://ex/l> ?l GRAPH <http://ex/g> { ?t <http://ex/l> ?l } }":                      2,
		"SELECT * { ?s ?p ?l FILTER(?l = 'tea'@eN-gB) }":                                                    3,
		"SELECT * { ?s <http://ex/l> ?l MINUS { VALUES ?l { 'tea'@EN-GB } } }":                              2,
		"SELECT * { ?s <http://ex/p> ?l FILTER(sameTerm(?l, 'text 7'@dE)) }":                                7,
		"SELECT * { ?s <http://ex/p> ?l FILTER(?l IN ('text 7'@DE, 'text 8'@de)) }":                         14,
		"SELECT * { ?s ?p ?l BIND(STRLANG(STR(?l), 'EN-GB') AS ?k) FILTER EXISTS { ?s <http://ex/l> ?k } }": 4,
	} {
		if got := len(rowsOf(t, s, query)); got != rows {
			t.Errorf("%s has %d rows, want %d", query, got, rows)
		}
	}
	if list, err := s.TermsWithPrefix(rdf.KindLiteral, "tea", 9); len(list) != 2 || err != nil {
		t.Errorf("%v begin with tea: %v", list, err)
	}
}

func rowsOf(t *testing.T, s *Store, query string) (out []sparql.Solution) {
	t.Helper()
	q, err := sparql.Prepare(t.Context(), query, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(func(snap *Snapshot) error {
		for row, err := range q.Select(t.Context(), snap.Dataset(), sparql.Limits{}) {
			if err != nil {
				return err
			}
			out = append(out, row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(query, err)
	}
	return out
}

// A file of schema 1 reads as if its language tags were folded: before, during and after
// the work, wherever that is interrupted. A full check finds no errors.
func TestVariantsReadAsOneTermBeforeDuringAndAfterFolding(t *testing.T) {
	suite.OneGoroutine(t)
	path, want := variantsFile(t)
	t.Run("read-only", func(t *testing.T) {
		s := openVariants(t, path, Options{ReadOnly: true})
		readsAs(t, s, want)
		mustCheck(t, s)
		s.Close()
	})
	s := openVariants(t, path, Options{})
	for step := 0; fold(t, s); step++ {
		if step%7 == 0 {
			readsAs(t, s, want)
			mustCheck(t, s)
		}
		if step%20 == 19 {
			s.Close()
			s = openVariants(t, path, Options{})
		}
	}
	readsAs(t, s, want)
	mustCheck(t, s)
	s.Close()
	s = reopen(t, path)
	readsAs(t, s, want)
	mustCheck(t, s)
	if state := stateOf(t, s); state != hadVariants {
		t.Errorf("the state is %d", state)
	}
	if n := variantsLeft(t, s); n != 0 {
		t.Errorf("%d variants are left", n)
	}
}

func stateOf(t *testing.T, s *Store) (state byte) {
	t.Helper()
	if err := s.View(func(snap *Snapshot) error { state = foldState(snap.KV()); return nil }); err != nil {
		t.Fatal(err)
	}
	return state
}

func variantsLeft(t *testing.T, s *Store) (n int) {
	t.Helper()
	err := s.View(func(snap *Snapshot) error {
		ids, err := dict.Variants(snap.bolt.Bucket(dictName))
		n = len(ids)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An idle store folds language tags in the background.
func TestAnIdleWriterFoldsLanguageTags(t *testing.T) {
	path, want := variantsFile(t)
	s := reopen(t, path)
	for stateOf(t, s) == 0 {
		// A write waits for the current step, if any.
		if err := s.direct(t.Context(), directly{do: func(*Tx) error { return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	readsAs(t, s, want)
	mustCheck(t, s)
}

// A new file without variants counts as folded. So does one whose writes differ only in
// the case of language tags, because these no longer make variants.
func TestFilesWithoutVariantsAreFolded(t *testing.T) {
	s := openStore(t)
	if state := stateOf(t, s); state != neverVaried {
		t.Errorf("the state of a new file is %d", state)
	}
	add(t, s, "<http://ex/a> <http://ex/p> \"x\"@en , \"x\"@EN .")
	if n := variantsLeft(t, s); n != 0 {
		t.Errorf("%d variants in a new file", n)
	}
}

// A write that meets variants before they are folded adds nothing twice, and removes all
// variants of a triple.
func TestWritesMeetVariants(t *testing.T) {
	suite.OneGoroutine(t)
	for _, steps := range []int{0, 3, 40, 1000} {
		path, want := variantsFile(t)
		s := openVariants(t, path, Options{})
		for range steps {
			if !fold(t, s) {
				break
			}
		}
		remove := func(q rdf.Quad) {
			t.Helper()
			if err := s.Apply(t.Context(), []Edit{{Quad: q, Remove: true}}, EditOptions{}, journal.Entry{Action: journal.Insert, Actor: "test"}); err != nil {
				t.Error(err)
			}
			want = slices.DeleteFunc(want, func(w rdf.Quad) bool { return w.Fold() == q.Fold() })
		}
		iri := func(name string) rdf.Term { return rdf.NewIRI("http://ex/" + name) }
		remove(rdf.Quad{S: iri("a"), P: iri("l"), O: rdf.NewLang("tea", "eN-Gb")})
		remove(rdf.Quad{S: iri("c3"), P: iri("p"), O: rdf.NewLang("text 3", "de")})
		remove(rdf.Quad{S: iri("c310"), P: iri("p"), O: rdf.NewLang("text 10", "DE")})
		add(t, s, exPrefix+"ex:new ex:l \"tea\"@EN-GB , \"TEA\"@EN-GB . ex:c5 ex:p \"text 5\"@DE .")
		want = firstSent(append(want, quads(t, turtle.Turtle, exPrefix+"ex:new ex:l \"tea\"@en-GB , \"TEA\"@en-gb .")...))
		check := func() {
			t.Helper()
			if got := quads(t, turtle.NQuads, dumped(t, s, turtle.NQuads)); !canon.Isomorphic(got, want) {
				t.Errorf("after %d steps the dump has %d quads, want %d", steps, len(got), len(want))
			}
			mustCheck(t, s)
		}
		check()
		for fold(t, s) {
		}
		check()
		s.Close()
	}
}

// After folding, contributions of logs show the terms that exist now. A log can be
// withdrawn: triples that another log contributed in another case stay.
func TestContributionsSurviveFolding(t *testing.T) {
	suite.OneGoroutine(t)
	for _, steps := range []int{0, 30, 1000} {
		path, want := variantsFile(t)
		s := openVariants(t, path, Options{})
		for range steps {
			if !fold(t, s) {
				break
			}
		}
		iri := func(name string) rdf.Term { return rdf.NewIRI("http://ex/" + name) }
		logsOf := func(q rdf.Quad) (ids []string) {
			t.Helper()
			page, err := provenanceOf(s).Logs(t.Context(), journal.Filter{Limit: 10, Look: 100}, &q)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Entries {
				ids = append(ids, e.LogID)
			}
			return ids
		}
		tea := rdf.Quad{S: iri("a"), P: iri("l"), O: rdf.NewLang("tea", "EN-GB")}
		if got := logsOf(tea); !slices.Equal(got, []string{"log3", "log2", "log1"}) {
			t.Errorf("after %d steps tea is a contribution of %v", steps, got)
		}
		if got := logsOf(rdf.Quad{S: iri("c7"), P: iri("p"), O: rdf.NewLang("text 7", "de")}); !slices.Equal(got, []string{"log5", "log4"}) {
			t.Errorf("after %d steps text 7 is a contribution of %v", steps, got)
		}
		log, err := provenanceOf(s).Log(t.Context(), "log2", 10)
		if err != nil || !log.Kept || len(log.Quads) != 4 {
			t.Fatalf("log2: %v, %v", log, err)
		}
		for _, q := range log.Quads {
			if !slices.Contains(want, q) {
				t.Errorf("after %d steps log2 contributed %.80v, which is not in the graph", steps, q)
			}
		}
		withdraw := func(id string, removed int) {
			t.Helper()
			out, err := provenanceOf(s).Withdraw(context.Background(), id, journal.Entry{Action: journal.Withdraw, Actor: "test"})
			if err != nil || out.Removed != removed {
				t.Errorf("after %d steps withdrawing %s removed %d, want %d: %v", steps, id, out.Removed, removed, err)
			}
			mustCheck(t, s)
		}
		withdraw("log1", 2)
		withdraw("log2", 3)
		if n := len(rowsOf(t, s, "SELECT * { <http://ex/a> <http://ex/l> 'tea'@en-gb }")); n != 1 {
			t.Error("tea of log3 is gone")
		}
		withdraw("log3", 2)
		withdraw("log4", 0)
		withdraw("log5", 640)
		for fold(t, s) {
		}
		mustCheck(t, s)
		if text := exported(t, s, turtle.NTriples); text != "" {
			t.Errorf("after %d steps this is left: %.300s", steps, text)
		}
		s.Close()
	}
}
