package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

func load(t testing.TB, s *Store, f turtle.Format, text string) LoadResult {
	t.Helper()
	res, err := s.Load(t.Context(), strings.NewReader(text), f, turtle.Options{}, journal.Entry{Action: journal.Insert, Actor: "loader"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func dumped(t testing.TB, s *Store, f turtle.Format) string {
	t.Helper()
	var b strings.Builder
	if err := s.Dump(t.Context(), &b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const dataset = `@prefix ex: <http://ex/> .
ex:a ex:p _:x , [ ex:q 1 ] .
ex:g { ex:a ex:p _:x . ex:b ex:p ( 1 2 ) }
_:h { ex:c ex:p "x"@en }`

func TestADumpLoadsAsTheSameDataset(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.TriG, dataset)
	want := quads(t, turtle.TriG, dataset)
	for _, f := range []turtle.Format{turtle.TriG, turtle.NQuads} {
		text := dumped(t, s, f)
		if !canon.Isomorphic(quads(t, f, text), want) {
			t.Errorf("format %d gives another dataset:\n%s", f, text)
		}
		other := openStore(t)
		load(t, other, f, text)
		if !canon.Isomorphic(quads(t, turtle.NQuads, dumped(t, other, turtle.NQuads)), want) {
			t.Errorf("loaded from format %d, another dataset", f)
		}
		mustCheck(t, other)
	}
	if text := dumped(t, s, turtle.Turtle); strings.Contains(text, "ex:c") || !strings.Contains(text, "ex:a") {
		t.Errorf("the default graph as Turtle:\n%s", text)
	}
}

// smallChunk is large enough that two goroutines sort a chunk.
const smallChunk = 20_000

// manyTriples returns a text of n triples with blank nodes that occur in several chunks.
func manyTriples(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "<http://ex/%d> <http://ex/p> _:shared%d .\n", i, i%10)
	}
	return b.Bytes()
}

func TestALongTextIsStoredInPartsThatShareBlankNodes(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openStore(t)
	s.chunk = smallChunk
	text := manyTriples(smallChunk + 5_000)
	var progress []int64
	res, err := s.Load(t.Context(), bytes.NewReader(text), turtle.NTriples, turtle.Options{}, journal.Entry{LogID: "long"}, func(n int64) { progress = append(progress, n) })
	if err != nil || res.Quads != smallChunk+5_000 || res.Added != res.Quads {
		t.Fatalf("%+v, %v", res, err)
	}
	if len(progress) != 3 || progress[0] != 0 || progress[2] != res.Quads {
		t.Errorf("progress: %v", progress)
	}
	blanks := map[string]bool{}
	for line := range strings.Lines(exported(t, s, turtle.NTriples)) {
		blanks[strings.Fields(line)[2]] = true
	}
	if len(blanks) != 10 {
		t.Errorf("%d blank nodes, want 10", len(blanks))
	}
	es := entries(t, s)
	if len(es) != 2 || es[0].Part != 1 || es[1].Part != 2 || es[0].Added+es[1].Added != int(res.Added) || len(es[0].SHA256) != 64 {
		t.Errorf("journal: %+v", es)
	}
}

// A chunk of long texts ends early.
func TestAChunkHasFewBytes(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{Deferred: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "<http://ex/a> <http://ex/p> \"%d%s\" .\n", i, strings.Repeat("x", 100_000))
	}
	chunks := 0
	res, err := s.Load(t.Context(), strings.NewReader(text.String()), turtle.NTriples, turtle.Options{}, journal.Entry{LogID: "long"}, func(stored int64) {
		if stored > 0 {
			chunks++
		}
	})
	if err != nil || res.Added != 40 || chunks != 4 {
		t.Errorf("%+v in %d chunks, %v", res, chunks, err)
	}
}

// TestEachChunkCommitsToItsBytesAndToWhatItSays computes both hashes of each chunk again.
// The lines of its texts are canonical already.
func TestEachChunkCommitsToItsBytesAndToWhatItSays(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for i := range 2500 {
		fmt.Fprintf(&text, "<http://ex/%04d> <http://ex/p> \"%d\"@EN <http://ex/g> .\n", i, i)
		fmt.Fprintf(&text, "<http://ex/%04d> <http://ex/q> <http://ex/%d> .\n", i, i)
		fmt.Fprintf(&text, "<http://ex/%04d> <http://ex/q> <http://ex/%d> .\n", i, i)
	}
	s := openStore(t)
	s.chunk = 3000
	res, err := s.Load(t.Context(), bytes.NewReader(text.Bytes()), turtle.NQuads, turtle.Options{}, journal.Entry{}, nil)
	if err != nil || res.Quads != 7500 || res.Added != 5000 {
		t.Fatalf("%+v, %v", res, err)
	}
	lines := slices.Collect(strings.Lines(strings.ReplaceAll(text.String(), "@EN", "@en")))
	rest := text.Bytes()
	for i, e := range entries(t, s) {
		var from, size int
		if _, err := fmt.Sscanf(e.Bytes, "%d+%d", &from, &size); err != nil || from != text.Len()-len(rest) {
			t.Fatalf("chunk %d has the bytes %q: %v", e.Part, e.Bytes, err)
		}
		sum := sha256.Sum256(rest[:size])
		said := slices.Compact(slices.Sorted(slices.Values(lines[i*3000 : min(len(lines), (i+1)*3000)])))
		var kept journal.Entry // entries leaves out the secret
		if err := s.View(func(snap *Snapshot) (err error) { kept, err = journal.Get(snap.KV(), uint64(i+1)); return err }); err != nil {
			t.Fatal(err)
		}
		salt, _ := kept.Salted.Salt(journal.Content)
		if e.SHA256 != hex.EncodeToString(sum[:]) || e.Commitment != salt.Commit(rest[:size]) || e.Graph != salt.Commit([]byte(strings.Join(said, ""))) ||
			e.Part != i+1 || e.Triples != len(said) || e.Canon != "rdfc-1.0" {
			t.Errorf("%+v", e)
		}
		rest = rest[size:]
	}
	if len(rest) > 0 {
		t.Errorf("%d bytes are in no chunk", len(rest))
	}
}

// A reader of JSON-LD seeks in the text. The hash is that of the text all the same.
func TestAJSONLDFileIsHashedAsItIs(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var text bytes.Buffer
	text.WriteString(`xx{"@graph": [{}`)
	for i := range 4000 {
		fmt.Fprintf(&text, ",\n{\"e:p\": [\"año %d\"], \"@id\": \"e:%d\"}", i, i)
	}
	text.WriteString(`], "@context": {"e": "http://e/"}}`)
	in := bytes.NewReader(text.Bytes())
	if _, err := in.Seek(2, io.SeekStart); err != nil { // a text may begin anywhere
		t.Fatal(err)
	}
	res, err := s.Load(t.Context(), in, turtle.JSONLD, turtle.Options{}, journal.Entry{}, nil)
	if err != nil || res.Added != 4000 || text.Len() < 1<<17 {
		t.Fatalf("%+v, %v, from %d bytes", res, err, text.Len())
	}
	if sum := sha256.Sum256(text.Bytes()[2:]); entries(t, s)[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the hash is %s, want %x", entries(t, s)[0].SHA256, sum)
	}
}

func TestAnErrorAtTheEndOfAFileStoresNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	text := append(manyTriples(1000), "<http://ex/a> oops"...)
	_, err := s.Load(t.Context(), bytes.NewReader(text), turtle.NTriples, turtle.Options{}, journal.Entry{}, nil)
	var syntax *turtle.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 1001 {
		t.Errorf("%v", err)
	}
	if text := exported(t, s, turtle.NTriples); text != "" || len(entries(t, s)) != 0 {
		t.Errorf("stored: %s", text)
	}
}

// TestATextIsOmittedWithANameInAnotherChunk loads a message before and after the links of its activity to a person.
func TestATextIsOmittedWithANameInAnotherChunk(t *testing.T) {
	t.Parallel()
	gone, from := rdf.NewIRI("http://ex/maria"), rdf.NewIRI("http://ex/saidIn")
	o := withProvenance(Options{Sentences: store.Sentences{Texts: []rdf.Term{rdf.NewIRI("http://ex/text")}, From: []rdf.Term{from}},
		Becomes: func(term rdf.Term) rdf.Term {
			if term == gone {
				return rdf.Term{}
			}
			return term
		}})
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.chunk = 3
	lines := []string{
		`<http://ex/1> <http://ex/text> "Maria words" .`,
		`_:b <http://ex/text> "Maria activity" .`,
		`<http://ex/3> <http://ex/text> "others" .`,
		`<http://ex/1> <http://ex/saidIn> _:b .`,
		`<http://ex/4> <http://ex/p> <http://ex/5> .`,
		`<http://ex/5> <http://ex/p> <http://ex/6> .`,
		`<http://ex/1> <http://ex/to> <http://ex/maria> .`,
	}
	for range 2 { // the second time backwards
		res, err := s.Load(t.Context(), strings.NewReader(strings.Join(lines, "\n")), turtle.NTriples, turtle.Options{}, journal.Entry{}, nil)
		if text := exported(t, s, turtle.NTriples); err != nil || res.Withheld != 3 || strings.Contains(text, "Maria") || !strings.Contains(text, "others") {
			t.Errorf("%+v, %v:\n%s", res, err, text)
		}
		slices.Reverse(lines)
	}
}

// TestACancelledLoadSaysSo also cancels a load between two chunks.
func TestACancelledLoadSaysSo(t *testing.T) {
	t.Parallel()
	if !suite.Race { // whose only run in CI has -short
		suite.NotShort(t)
	}
	text := manyTriples(3 * smallChunk)
	for range suite.Size(3, 1) {
		s := openStore(t)
		s.chunk = smallChunk
		ctx, cancel := context.WithCancel(t.Context())
		res, err := s.Load(ctx, bytes.NewReader(text), turtle.NTriples, turtle.Options{}, journal.Entry{}, func(stored int64) {
			if stored > 0 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || res.Quads == 0 || res.Quads == 3*smallChunk {
			t.Errorf("%+v, %v", res, err)
		}
		s.Close()
	}
}

// TestManyGraphsAreDumpedByName checks that a dump of many graphs is fast, and sorted
// whatever the order of insertion.
func TestManyGraphsAreDumpedByName(t *testing.T) {
	var text strings.Builder
	const n = 3000
	for i := range n {
		fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p> \"x\" <http://ex/g%d> .\n", i, i*7919%n)
	}
	s := openStore(t)
	load(t, s, turtle.NQuads, text.String())
	start := time.Now()
	got := dumped(t, s, turtle.NQuads)
	if d := time.Since(start); d > 5*time.Second && d.Seconds() > 5*suite.Slowness() {
		t.Errorf("took %v", d)
	}
	var names []string
	for line := range strings.Lines(got) {
		names = append(names, strings.Trim(strings.Fields(line)[3], "<>"))
	}
	if len(names) != n || !slices.IsSorted(names) {
		t.Errorf("%d lines, by name: %v", len(names), slices.IsSorted(names))
	}
}

func TestAnEmptyTextLoads(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if res := load(t, s, turtle.Turtle, "# nothing\n"); res.Quads != 0 || len(entries(t, s)) != 1 {
		t.Errorf("%+v", res)
	}
}

// Blank nodes beyond those that are remembered are the same in all parts, with and without labels.
func TestPartsShareMoreBlankNodesThanAreRemembered(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{NoJournal: true, Deferred: 64 << 10 / labelShare})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const n = 3000
	var text strings.Builder
	for round := range 2 {
		for i := range n {
			fmt.Fprintf(&text, "_:x%d <http://ex/p> %d . ", i, round)
		}
	}
	depth := strings.Repeat("[ <http://ex/q> ", n) // each node has its other triple after all that are in it
	text.WriteString(depth + "0" + strings.Repeat("; <http://ex/p> 1 ]", n) + " .\n")
	s.chunk = 500
	res, err := s.Load(t.Context(), strings.NewReader(text.String()), turtle.Turtle, turtle.Options{MaxDepth: 2 * n}, journal.Entry{}, nil)
	if err != nil || res.Quads != 4*n {
		t.Fatalf("%+v, %v", res, err)
	}
	subjects := map[string]int{}
	for line := range strings.Lines(exported(t, s, turtle.NTriples)) {
		subjects[strings.Fields(line)[0]]++
	}
	for node, triples := range subjects {
		if triples != 2 {
			t.Errorf("%s has %d triples", node, triples)
		}
	}
	if len(subjects) != 2*n {
		t.Errorf("%d nodes, want %d", len(subjects), 2*n)
	}
	named := 0
	err = s.View(func(snap *Snapshot) error {
		return snap.dictionary(nil).Texts(rdf.KindBlank, "", func(dict.ID) (bool, error) { named++; return true, nil })
	})
	if err != nil || named < n/2 || named > n {
		t.Errorf("%d nodes are named in the dictionary: %v", named, err)
	}
	mustCheck(t, s)
}
