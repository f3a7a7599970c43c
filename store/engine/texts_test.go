package engine

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/text"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// smallSteps makes many small segments.
var smallSteps = textSteps{least: 1, most: 1, merged: 200, byHand: true}

func openTexts(t testing.TB, path string, o Options) *Store {
	t.Helper()
	if o.textSteps == (textSteps{}) {
		o.textSteps = smallSteps
	}
	s, err := Open(path, withProvenance(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// step does one step of the indexer.
func step(t testing.TB, s *Store) (more bool) {
	t.Helper()
	more, err := s.indexStep()
	if err != nil {
		t.Fatal(err)
	}
	return more
}

// indexOf returns the list of segments.
func indexOf(t testing.TB, s *Store) (x indexedTexts) {
	t.Helper()
	err := s.file.DB.View(func(tx *bolt.Tx) (err error) { x, err = indexedIn(tx); return err })
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestTheTextIndexAnswersAsAScanDoes runs random queries on texts that are deferred,
// flushed, being indexed, and indexed.
func TestTheTextIndexAnswersAsAScanDoes(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(1, 15))
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	used, rows, merging := 0, 0, false
	ask := func(n int, when string) {
		u, m := agreeOnTexts(t, s, r, n, when)
		used, rows = used+u, rows+m
	}
	for range 3 {
		add(t, s, randomTexts(r, 200))
		ask(15, "deferred")
		flushed(t, s)
		ask(15, "flushed")
		for step(t, s) {
			merging = merging || slices.ContainsFunc(indexOf(t, s).list, func(x text.Segment) bool { return x.Unfinished })
			if r.IntN(8) == 0 {
				ask(5, "being indexed")
				mustCheck(t, s)
			}
		}
		ask(suite.Times(2000, 50), "indexed")
		mustCheck(t, s)
	}
	if used < 60 || rows < 200 || !merging {
		t.Errorf("%d queries used the index, there were %d rows, merging: %t", used, rows, merging)
	}
}

// TestIndexingResumesAfterAKill opens a copy of the file after each step, as a kill would
// leave it.
func TestIndexingResumesAfterAKill(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(2, 15))
	path := filepath.Join(t.TempDir(), "test.db")
	s := openTexts(t, path, Options{})
	add(t, s, randomTexts(r, 300))
	flushed(t, s)
	steps, resumed := 0, 0
	for more := true; more; steps++ {
		more = step(t, s)
		if steps%5 != 0 {
			continue
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := s.Compact(copied); err != nil {
			t.Fatal(err)
		}
		c := openTexts(t, copied, Options{})
		if !slices.Equal(indexOf(t, c).list, indexOf(t, s).list) {
			t.Fatal("the copy has another index")
		}
		if err := c.IndexTexts(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustCheck(t, c)
		agreeOnTexts(t, c, r, 5, "in a copy")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		resumed++
	}
	if resumed < 5 {
		t.Errorf("%d copies: too few for a test", resumed)
	}
	x := indexOf(t, s)
	if n := len(x.list); n == 0 || n > 40 {
		t.Errorf("there are %d segments: %+v", n, x.list)
	}
	size := func(tx *bolt.Tx) error {
		return tx.Bucket(trigramsName).ForEachBucket(func([]byte) error { x.next--; return nil })
	}
	x.next = uint64(len(x.list))
	if err := s.file.DB.View(size); err != nil || x.next != 0 {
		t.Errorf("there should be %d buckets: %v", int64(x.next), err)
	}
}

// TestTheTextIndexIsTurnedOff opens an indexed file with TextIndexOff, and then with
// TextIndexOn.
func TestTheTextIndexIsTurnedOff(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 15))
	path := filepath.Join(t.TempDir(), "test.db")
	s := openTexts(t, path, Options{})
	add(t, s, randomTexts(r, 300))
	flushed(t, s)
	reopen := func(o Options) {
		t.Helper()
		if err := s.IndexTexts(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustCheck(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openTexts(t, path, o)
	}
	size := func() int64 {
		t.Helper()
		n, err := s.TextIndexBytes()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := size(); n != 0 {
		t.Errorf("no index has %d bytes", n)
	}
	reopen(Options{TextIndex: TextIndexOff, ReadOnly: true})
	if n, page := size(), int64(s.file.DB.Info().PageSize); n < page || n%page != 0 || n > fileBytes(t, s)/2 {
		t.Errorf("the index has %d bytes, in a file of %d", n, fileBytes(t, s))
	}
	if used, _ := agreeOnTexts(t, s, r, 40, "off"); used != 0 || len(indexOf(t, s).list) == 0 {
		t.Errorf("%d queries used the index of %d segments", used, len(indexOf(t, s).list))
	}
	reopen(Options{TextIndex: TextIndexOff})
	reopen(Options{TextIndex: TextIndexOff})
	if x := indexOf(t, s); x.encoded != nil || size() != 0 {
		t.Errorf("it is still there: %+v", x)
	}
	add(t, s, randomTexts(r, 200)) // without the index
	flushed(t, s)
	reopen(Options{TextIndex: TextIndexOff})
	reopen(Options{})
	reopen(Options{})
	if used, _ := agreeOnTexts(t, s, r, 60, "on again"); used == 0 || len(indexOf(t, s).list) == 0 {
		t.Errorf("%d queries used the index of %d segments", used, len(indexOf(t, s).list))
	}
}

// TestTheTextIndexIsDeletedWithAll deletes everything, first with this program and then
// like a program that does not know the index.
func TestTheTextIndexIsDeletedWithAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 15))
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	add(t, s, randomTexts(r, 300))
	flushed(t, s)
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := map[string]map[string]string{} // the index, by bucket
	err := s.file.DB.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(trigramsName)
		return b.ForEachBucket(func(name []byte) error {
			kept[string(name)] = map[string]string{}
			return b.Bucket(name).ForEach(func(k, v []byte) error { kept[string(name)][string(k)] = string(v); return nil })
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	list := indexOf(t, s).encoded
	mustClear(t, s)
	if x := indexOf(t, s); len(x.list) > 0 {
		t.Errorf("the index is still there: %+v", x)
	}
	err = s.file.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(trigramsName)
		for name, pairs := range kept {
			in, err := b.CreateBucket([]byte(name))
			for _, k := range slices.Sorted(maps.Keys(pairs)) {
				if err == nil {
					err = in.Put([]byte(k), []byte(pairs[k]))
				}
			}
			if err != nil {
				return err
			}
		}
		return b.Put(text.ListKey, list)
	})
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	add(t, s, randomTexts(r, 300))
	flushed(t, s)
	mustCheck(t, s)
	agreeOnTexts(t, s, r, 20, "with an index of what was deleted")
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	if used, _ := agreeOnTexts(t, s, r, 40, "indexed again"); used == 0 {
		t.Error("the index is not used")
	}
	for _, x := range indexOf(t, s).list {
		if x.From == 0 {
			t.Errorf("%+v is of what was deleted", x)
		}
	}
}

// TestCheckFindsAWrongTextIndex replaces the content of a segment with other valid
// content.
func TestCheckFindsAWrongTextIndex(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 15))
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	add(t, s, randomTexts(r, 300))
	flushed(t, s)
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	err := s.file.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(trigramsName).Bucket(indexOf(t, s).list[0].Bucket())
		k, _ := b.Cursor().First()
		return b.Delete(bytes.Clone(k))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "trigrams") {
		t.Errorf("the check returns %v", err)
	}
}

// TestPostsDoNotWaitForTheIndexer posts and queries while the indexer works.
func TestPostsDoNotWaitForTheIndexer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 15))
	steps := smallSteps
	steps.byHand = false
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{textSteps: steps, logSize: 64 << 10})
	for range 20 {
		add(t, s, randomTexts(r, 30))
		agreeOnTexts(t, s, r, 2, "beside posts")
	}
	// A post ends while a step of the indexer holds all locks that it may hold.
	s.indexing.mu.Lock()
	s.storing.Lock()
	add(t, s, "<http://ex/last> <http://ex/p1> \"last\" .")
	s.storing.Unlock()
	s.indexing.mu.Unlock()
	flushed(t, s)
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	if x := indexOf(t, s); x.indexedEnd(ids.TagLang) == 0 {
		t.Errorf("no text is indexed: %+v", x)
	}
	agreeOnTexts(t, s, r, 40, "behind posts")
}

// TestTheTextIndexIsSmall compares the index with everything else that is stored for
// sentences of ordinary words, in scripts that folding shortens and lengthens.
func TestTheTextIndexIsSmall(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for script, syllables := range map[string][]string{
		"Latin":    {"ka", "lo", "min", "ne", "tu", "er", "sch", "on", "vi", "da", "pro", "qua", "xe", "ti"},
		"accents":  {"ká", "lö", "mín", "né", "tü", "e\u0301r", "šch", "ôn", "vı", "dà", "prô", "quã", "xé", "ti"},
		"Cyrillic": {"ка", "ло", "мин", "не", "ту", "ёр", "ш", "он", "ви", "да", "про", "ква", "хе", "ти"},
		"Hangul":   {"가", "로", "민", "네", "두", "얼", "시", "온", "비", "다", "프", "과", "세", "치"},
	} {
		t.Run(script, func(t *testing.T) { isSmall(t, syllables) })
	}
}

func isSmall(t *testing.T, syllables []string) {
	r := rand.New(rand.NewPCG(7, 15))
	words := make([]string, 3000)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += syllables[r.IntN(14)]
		}
	}
	var b strings.Builder
	for i := range 4000 {
		var sentence []string
		for range 4 + r.IntN(8) {
			sentence = append(sentence, words[min(r.IntN(len(words)), r.IntN(len(words)))])
		}
		fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/text> %q@en ; <http://ex/n> %d ; <http://ex/of> <http://ex/s%d> .\n", i, strings.Join(sentence, " "), i, r.IntN(4000))
	}
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{textSteps: usualTextSteps})
	add(t, s, b.String())
	flushed(t, s)
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	compact := func(o Options) int64 {
		path := filepath.Join(t.TempDir(), "compact.db")
		if err := s.Compact(path); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path, withProvenance(Options{ReadOnly: true}))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		m, err := c.Version()
		if err != nil {
			t.Fatal(err)
		}
		return m.Size - int64(c.file.Region().Size())
	}
	with := compact(Options{})
	if err := s.file.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(trigramsName) }); err != nil {
		t.Fatal(err)
	}
	without := compact(Options{})
	t.Logf("the file takes %d bytes with the index and %d without", with, without)
	if with-without > without/4 || with <= without {
		t.Errorf("the file takes %d bytes with the index and %d without", with, without)
	}
}

func TestContainingFindsIRIs(t *testing.T) {
	t.Parallel()
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	for i := range 5 {
		add(t, s, large(100*i, 100))
		if i == 2 {
			flushed(t, s)
			if err := s.IndexTexts(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if i == 3 {
			flushed(t, s)
		}
	}
	for part, want := range map[string]int{"EVENT12": 11, "event4": 111, "ex/event": 500, "xyz": 0} {
		list, more, err := s.Containing(t.Context(), rdf.KindIRI, part, 500)
		if err != nil || more && want < 500 || len(list) != want {
			t.Errorf("%s: %d IRIs, %t, %v; want %d", part, len(list), more, err, want)
		}
	}
	for part, want := range map[string]int{"event12": 10, "ev": 10, "t7": 700} { // two letters have no trigram
		list, more, err := s.Containing(t.Context(), rdf.KindIRI, part, want)
		if len(list) > want || more != (want == 10) || err != nil {
			t.Errorf("%s: %d IRIs, %t, %v; want %d", part, len(list), more, err, want)
		}
	}
}

// Texts of one fold are found by a part of any of them. Conditions of SPARQL stay exact.
func TestTheIndexFindsTextsOfOneFold(t *testing.T) {
	t.Parallel()
	s := openTexts(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	add(t, s, large(0, 600)) // enough for a segment
	names := []string{"josé", "jose\u0301", "JOSÉ", "jose", "joſe", "ＪＯＳＥ"}
	for i, name := range names {
		add(t, s, fmt.Sprintf("<http://ex/%s/%d> <http://ex/says> \"%s says\" .", name, i, name))
	}
	check := func(when string) {
		t.Helper()
		for _, part := range names {
			for _, kind := range []rdf.Kind{rdf.KindIRI, rdf.KindLiteral} {
				list, more, err := s.Containing(t.Context(), kind, part, 50)
				if err != nil || more || len(list) != len(names) {
					t.Errorf("%s: a search for %q finds %v, %t, %v", when, part, list, more, err)
				}
			}
			rows, _ := answers(t, s, fmt.Sprintf(`SELECT ?o { ?s ?p ?o FILTER(CONTAINS(?o, "%s")) }`, part), false)
			want := 0
			for _, name := range names {
				if strings.Contains(name, part) {
					want++
				}
			}
			if len(rows) != want || !strings.Contains(strings.Join(rows, ""), part) {
				t.Errorf("%s: CONTAINS %q finds %q", when, part, rows)
			}
		}
	}
	flushed(t, s)
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("indexed")
	add(t, s, large(600, 10))
	check("with newer terms")
}

func mustClear(t testing.TB, s *Store) {
	t.Helper()
	if _, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
}

// Texts that the background takes out of the dictionary stay in the index, which then still finds all others, and is whole.
// An index that is made again after they were removed has only the others, even if a step has read them before.
func TestTheTextIndexSurvivesACollection(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a.db"), Options{textSteps: smallSteps})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w := s.Writer(journal.Entry{})
	var gone, all []rdf.Quad
	for i := range 4 * text.BlockSize {
		q := rdf.Quad{S: rdf.NewIRI("http://ex/s"), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString(fmt.Sprint("sentence ", i*7919, " of a person"))}
		if all = append(all, q); i%3 == 0 {
			gone = append(gone, q)
		}
	}
	if _, err := w.Add(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	flushed(t, s)
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Remove(t.Context(), gone...); err != nil {
		t.Fatal(err)
	}
	if n, err := s.collectAll(t.Context(), true); err != nil || n != len(gone) {
		t.Fatalf("%d terms were removed, want %d: %v", n, len(gone), err)
	}
	if len(indexOf(t, s).list) == 0 {
		t.Fatal("nothing is indexed")
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := w.Remove(t.Context(), all[1]); err != nil {
		t.Fatal(err)
	}
	seen, do, err := s.readIndex()
	if err != nil {
		t.Fatal(err)
	}
	if do == nil { // the index is complete: as the step that made its first segment
		do = &change{list: seen.list, next: seen.next + 1}
	}
	if _, err := s.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.writeIndex(&seen, do); err != nil {
		t.Fatal(err)
	}
	if x := indexOf(t, s); len(x.list) > 0 {
		t.Errorf("a step that had read removed texts wrote %v", x.list)
	}
	if err := errors.Join(s.IndexTexts(t.Context()), s.Check(t.Context())); err != nil {
		t.Error(err)
	}
}

// TestASearchForTextsReturnsFewBytes has long literals, stored and deferred.
func TestASearchForTextsReturnsFewBytes(t *testing.T) {
	s := openStore(t)
	for i := range 12 {
		add(t, s, fmt.Sprintf(`<http://e/s> <http://e/p> "x%d%s" .`, i, strings.Repeat("x", 1<<20)))
		if i == 3 {
			flushed(t, s)
		}
	}
	found, more, err := s.Containing(t.Context(), rdf.KindLiteral, "xxx", 1000)
	beginning, err2 := s.TermsWithPrefix(rdf.KindLiteral, "x", 1000)
	if len(found) != 3 || !more || len(beginning) != 3 || err != nil || err2 != nil {
		t.Errorf("%d terms contain it, more: %v, and %d begin with it; %v, %v", len(found), more, len(beginning), err, err2)
	}
}
