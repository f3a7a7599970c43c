package persist

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/store/turtle"
)

const (
	personA = "http://example.org/id/markerA"
	other   = "http://example.org/id/other"
)

// markers are what says something of the person: the IRI, her name, a sentence in a log, the
// text of an observation, also in lower case, as contexts have it, what only a long document has, an entry's request, and a signed body.
var markers = []string{"markerA", "markerB", "markerC", "markerD", "markerd", "markerL", "markerE", "markerS"}

// marked returns a store that knows a person everywhere, with its resolver.
func marked(t *testing.T) (*Store, ResolvedGraph) {
	t.Helper()
	s := openStore(t)
	g, r := resolved(t, s)
	long := &strings.Builder{}
	for i := range 300 {
		fmt.Fprintf(long, "<%s/%d> <http://ex/p> \"markerL %d\" . <http://ex/s%d> <http://ex/p> %d .\n", personA, i, i, i, i)
	}
	for _, text := range []string{
		fmt.Sprintf(`@prefix p: <%s#> . @prefix s: <http://schema.org/> . <%[1]s> s:name "markerB" ; s:knows <%s> .
			<http://ex/message> s:sender <%[1]s> ; s:text "markerC" ; s:position 7 . <%[2]s> s:name "Other" .`, personA, other),
		fmt.Sprintf(`<%s> <http://schema.org/name> "Other" .`, other),
		fmt.Sprintf(`<http://ex/r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <%s> <http://ex/p> 1 )>> .`, personA),
		long.String(),
	} {
		publish(t, s, text)
	}
	load := fmt.Sprintf(`<http://ex/g> { <%s> <http://ex/in> "markerB" . <http://ex/x> <http://ex/in> 1 } <%[1]s> { <http://ex/x> <http://ex/in> "markerC" }`, personA)
	if _, err := s.Load(t.Context(), strings.NewReader(load), turtle.TriG, turtle.Options{}, entryOf(journal.Insert), nil); err != nil {
		t.Fatal(err)
	}
	for i, o := range []resolver.Observation{
		{EventKind: "heard", SubjectURI: personA, Text: "markerD said", RobotURI: "http://ex/r1", ObservationURI: personA + "/o1"},
		{EventKind: "heard", SubjectURI: personA, Text: "markerD said", RobotURI: "http://ex/r2"},
		{EventKind: "heard", SubjectURI: other, Text: "something else", RobotURI: "http://ex/r1", ObservationURI: "http://ex/o3"},
		{EventKind: "heard", Text: "markerD asked for somebody", RobotURI: "http://ex/r3", ObservationURI: personA + "/o4"},
	} {
		o.ObservedAt = fmt.Sprintf("2026-01-01T12:00:0%dZ", i)
		e := entryOf(journal.Resolve)
		if _, err := r.Record(t.Context(), o, e); err != nil {
			t.Fatal(err)
		}
	}
	e := entryOf(journal.Insert)
	e.Triples, e.Actor, e.Claimed, e.RequestID = 1, personA+"/user", personA+"/claimed", "markerE"
	if _, err := s.Add(t.Context(), storetest.Document(t, turtle.Turtle, "<"+personA+"> <http://ex/p> 2 ."), e); err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	public := key.Public().(ed25519.PublicKey)
	if err := signers.Of(s.Store).AddKey(t.Context(), journal.SigningKey{User: "ari", Public: public}, entryOf(journal.UseKey)); err != nil {
		t.Fatal(err)
	}
	text := "<" + personA + "> <http://ex/p> \"markerS\" ."
	e = entryOf(journal.Insert)
	e.Triples, e.Signature = 1, &journal.Signature{KeyID: journal.IDOf(public), Base: "?user=" + personA, Nonce: "a nonce of the test", Created: e.Time, Body: journal.PackBody([]byte(strings.Repeat(text+"\n", 9)))}
	e.Signature.Value = [64]byte(ed25519.Sign(key, []byte(e.Signature.Base)))
	if _, err := s.Add(t.Context(), storetest.Document(t, turtle.Turtle, text), e); err != nil {
		t.Fatal(err)
	}
	if _, err := r.DecideSubject(t.Context(), personA+"#w", true, entryOf(journal.Subject)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"hers": "SELECT * { <" + personA + "> ?p ?o }", "another": "SELECT * { ?s ?p ?o }"} {
		in, err := json.Marshal(map[string]string{"query": text}) // as package service does
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Notes.Put(t.Context(), notes.Note{Kind: "query", Owner: "ari", Name: name, Text: string(in)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := holds.Of(s.Store).Add(t.Context(), holds.Hold{Log: "another", Reason: "a court, about <" + personA + ">."}, entryOf(journal.Hold)); err != nil {
		t.Fatal(err)
	}
	// A flush puts all in the buckets, and a removal leaves it in free pages.
	gone := publish(t, s, fmt.Sprintf(`<%s> <http://ex/p> "markerB gone" .`, personA))
	if _, err := s.Load(t.Context(), strings.NewReader(""), turtle.TriG, turtle.Options{}, entryOf(journal.Insert), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Withdraw(t.Context(), gone, entryOf(journal.Withdraw)); err != nil {
		t.Fatal(err)
	}
	return s, g
}

// found returns the buckets whose keys or values have a marker, apart from the dictionary, from
// which only a collection of unused terms takes texts.
func found(t *testing.T, s *Store) (out []string) {
	t.Helper()
	applied(t, s)
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var walk func(b *bolt.Bucket, in string) error
	walk = func(b *bolt.Bucket, in string) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return walk(b.Bucket(k), in)
			}
			for _, m := range markers {
				if bytes.Contains(k, []byte(m)) || bytes.Contains(v, []byte(m)) {
					out = append(out, fmt.Sprintf("%s: %s in %q", in, m, k))
				}
			}
			return nil
		})
	}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			if string(name) == "dict" || string(name) == "trigrams" || string(name) == "wal" {
				return nil
			}
			return walk(b, string(name))
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func dumped(t *testing.T, s *Store) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b, turtle.NQuads); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// After an erasure no place of the file but the dictionary has a marker, the check passes, others
// lose nothing, and a preview counted the same and changed nothing.
func TestAnErasureTakesAPersonOutOfEveryPlace(t *testing.T) {
	suite.NotShort(t)
	for _, pseudonym := range []string{"", "urn:x:someone"} {
		s, g := marked(t)
		path := s.Path()
		for _, m := range markers {
			if places, err := s.Find(t.Context(), m, retries.Unpacked); err != nil || len(places) == 0 {
				t.Fatalf("%s is nowhere to be erased, %v", m, err)
			}
		}
		before := dumped(t, s)
		planned, err := g.PreviewErasure(t.Context(), personA, pseudonym, entryOf(journal.Erasure))
		if err != nil {
			t.Fatal(err)
		}
		if now := dumped(t, s); now != before || s.Forgotten.Len() != 0 {
			t.Fatal("a preview changed something")
		}
		done, err := g.Erase(t.Context(), personA, pseudonym, entryOf(journal.Erasure))
		if err != nil {
			t.Fatal(err)
		}
		salt, index := done.Salt, done.Index
		if done.Salt, done.Index = "", 0; done != planned.Erased {
			t.Errorf("it took %+v, and the preview said %+v", done, planned)
		}
		want := store.Erased{Triples: done.Triples, Terms: done.Terms, Logs: 6, Observations: 3, Contexts: done.Contexts, Notes: 1, Entries: done.Entries}
		if done != want || done.Triples < 308 || done.Contexts == 0 || done.Entries < 3 || len(salt) != 22 || index == 0 {
			t.Errorf("it took %+v, salt %s, index %d", done, salt, index)
		}
		reason := "a court, about <" + cmp.Or(pseudonym, journal.ErasedText) + ">."
		if all, err := holds.Of(s.Store).All(time.Now()); err != nil || len(all) != 1 || all[0].Reason != reason {
			t.Errorf("legal holds of others are now %+v, %v", all, err)
		}
		text := dumped(t, s)
		for _, m := range markers {
			if strings.Contains(text, m) {
				t.Errorf("pseudonym %q: the graphs still have %s", pseudonym, m)
			}
		}
		for _, line := range []string{other + `> <http://schema.org/name> "Other"`, `<http://ex/message> <http://schema.org/position>`, `<http://ex/x> <http://ex/in> "1"`, "something else", "<http://ex/s299>"} {
			if !strings.Contains(text, line) {
				t.Errorf("pseudonym %q: the graphs lost %s", pseudonym, line)
			}
		}
		if kept := strings.Contains(text, "<urn:x:someone> <http://schema.org/knows> <"+other) && strings.Contains(text, "sender> <urn:x:someone>"); kept != (pseudonym != "") {
			t.Errorf("pseudonym %q: %v in\n%.3000s", pseudonym, kept, text)
		}
		mustCheck(t, s)
		if again, err := g.PreviewErasure(t.Context(), personA, pseudonym, entryOf(journal.Erasure)); err != nil || again.Triples+again.Observations+again.Notes != 0 {
			t.Errorf("a second time it would take %+v, %v", again, err)
		}
		for i, also := range []func(context.Context) error{func(context.Context) error { return errors.New("killed") }, func(context.Context) error { return nil }, nil} {
			if err := s.Purge(t.Context(), also); (err != nil) != (i == 0) {
				t.Fatal(err)
			}
		}
		for _, m := range markers {
			places, err := s.Find(t.Context(), m, retries.Unpacked)
			if err != nil || len(places) > 0 {
				t.Errorf("pseudonym %q: %s is found in %v, %v", pseudonym, m, places, err)
			}
		}
		for _, where := range found(t, s) {
			t.Errorf("pseudonym %q: %s", pseudonym, where)
		}
		if n, err := CheckFile(t.Context(), path); err != nil {
			t.Errorf("%v %v", n, err)
		}
		list, err := os.ReadFile(path + forgotten.Suffix)
		if err != nil || bytes.Contains(list, []byte("markerA")) {
			t.Errorf("beside the file: %s %v", list, err)
		}
	}
}

// An answer that quotes the person, and is kept while an erasure looks, goes too.
func TestAnAnswerKeptDuringAnErasureGoes(t *testing.T) {
	s, g := marked(t)
	if err := s.Forgotten.Add([]string{personA}, ""); err != nil {
		t.Fatal(err)
	}
	x := erasing{store: g.Store, list: s.Forgotten}
	if err := x.lookBeside(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	asked, err := s.Retries.Identify(t.Context(), &retries.Request{User: "ari", Method: "POST", Path: "/log", Key: "k"})
	if err == nil {
		err = s.Retries.Keep(t.Context(), asked, 409, []byte("nobody is called "+personA), time.Now())
	}
	if err == nil {
		err = s.Update(t.Context(), func(tx *engine.Tx) error {
			x.snap = tx.Snapshot()
			_, err := x.lessen(tx, time.Now())
			return err
		})
	}
	if err != nil || x.out.Answers != 1 {
		t.Errorf("%d answers went, %v", x.out.Answers, err)
	}
}

// A write that has looked at the list before an erasure is stored before the person is taken out, and no later one
// looks at the old list.
func TestAnErasureWaitsForWritesUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list, err := forgotten.Open(filepath.Join(t.TempDir(), "s.db"))
		if err != nil {
			t.Fatal(err)
		}
		first, second := list.Begin(), list.Begin()
		settled := false
		go func() {
			if err := list.Settle(t.Context()); err != nil {
				t.Error(err)
			}
			settled = true
		}()
		synctest.Wait()
		later := list.Begin()
		first()
		if synctest.Wait(); settled {
			t.Error("a write is under way, and the erasure goes on")
		}
		second()
		if synctest.Wait(); !settled {
			t.Error("the erasure waits for a later write")
		}
		later()
	})
}

// A log that was submitted before an erasure, and is not on the disk yet, is erased too: also an IRI that only it has.
func TestAnErasureTakesWhatIsOnItsWayToTheDisk(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	publish(t, s, "<http://ex/x> <http://ex/p> <"+personA+"> .")
	end := s.Forgotten.Begin()
	d := storetest.Document(t, turtle.Turtle, "<http://ex/m> <http://schema.org/sender> <"+personA+"#new> ; <http://schema.org/text> \"markerC\" .")
	e := entryOf(journal.Insert)
	e.Triples = d.Distinct()
	wait, err := g.BeginLog(t.Context(), d, &e)
	if end(); err != nil {
		t.Fatal(err)
	}
	_, err = g.Erase(t.Context(), personA, "", entryOf(journal.Erasure))
	if err = errors.Join(err, wait()); err != nil {
		t.Fatal(err)
	}
	if text := dumped(t, s); strings.Contains(text, "marker") {
		t.Error(text)
	}
}

// A decision that the writer checked before an erasure adds a name, and it comes after the erasure has looked for names. The other
// name is erased too, unless a legal hold on it forbids the erasure.
func TestAnErasureTakesANameThatIsDecidedMeanwhile(t *testing.T) {
	t.Parallel()
	const alias = "http://example.org/robot2/markerA"
	for _, held := range []bool{false, true} {
		s := openStore(t)
		g, r := resolved(t, s)
		publish(t, s, "<"+personA+"> <http://ex/p> 1 .")
		publish(t, s, "<"+alias+"> <http://ex/p> 1 .")
		if held {
			if _, err := holds.Of(s.Store).Add(t.Context(), holds.Hold{People: []string{alias}, Reason: "a case"}, entryOf(journal.Hold).Complete()); err != nil {
				t.Fatal(err)
			}
		}
		end, erased := s.Forgotten.Begin(), make(chan error, 1)
		go func() {
			_, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure).Complete())
			erased <- err
		}()
		for s.Forgotten.Len()+len(erased) == 0 {
			runtime.Gosched()
		}
		_, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: []string{personA, alias}, One: true}, entryOf(journal.Subject))
		if end(); err != nil {
			t.Fatal(err)
		}
		err = <-erased
		if _, unfit := errors.AsType[*store.UnfitError](err); unfit != held || err != nil && !held {
			t.Errorf("held %v: %v", held, err)
		}
		if names, there := s.Forgotten.Len(), strings.Contains(dumped(t, s), "markerA"); there != held || names == 0 != held {
			t.Errorf("held %v: the list has %d names, the file has one: %v", held, names, there)
		}
	}
}

// An erasure ends although what robots say of the person changes between each look and its unit of work.
func TestAnErasureEndsWhileRobotsWrite(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	publish(t, s, large(0, 300)+"<http://ex/message> <http://schema.org/sender> <"+personA+"> .")
	var writes sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	var n atomic.Int64
	for range 8 {
		writes.Go(func() {
			for ctx.Err() == nil {
				publish(t, s, fmt.Sprintf("<http://ex/message> <http://schema.org/text> \"markerC %d\" .", n.Add(1)))
			}
		})
	}
	writes.Go(func() {
		for at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); ctx.Err() == nil; at = at.Add(time.Minute) {
			o := resolver.Observation{EventKind: "heard", SubjectURI: personA, Text: "markerD said", RobotURI: "http://ex/r1", ObservedAt: at.Format(time.RFC3339)}
			if _, err := r.Record(t.Context(), o, entryOf(journal.Resolve)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	_, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure))
	end()
	writes.Wait()
	if err != nil {
		t.Fatalf("after %d writes: %v", n.Load(), err)
	}
	mustCheck(t, s)
}

// Erasing one name of a person erases the others too, and nobody else.
func TestAnErasureTakesAllNamesOfAPerson(t *testing.T) {
	s, g := marked(t)
	const alias = "http://example.org/robot2/markerA"
	publish(t, s, fmt.Sprintf(`<%s> <http://schema.org/name> "markerB" .`, alias))
	d := resolver.PersonDecision{Subjects: []string{alias, personA, "http:"}, One: true, Reason: "markerC"} // the last would be everybody
	if _, err := g.Resolver.DecidePerson(t.Context(), d, entryOf(journal.Subject)); err != nil {
		t.Fatal(err)
	}
	planned, err := g.PreviewErasure(t.Context(), alias, "", entryOf(journal.Erasure))
	if err != nil {
		t.Fatal(err)
	}
	done, err := g.Erase(t.Context(), alias, "", entryOf(journal.Erasure))
	if done.Salt, done.Index = "", 0; err != nil || done != planned.Erased || s.Forgotten.Len() != 2 {
		t.Errorf("it took %+v, and the preview said %+v; the list has %d names, %v", done, planned, s.Forgotten.Len(), err)
	}
	all := entries(t, s)
	if e := all[len(all)-1]; strings.Count(e.Person, ",") != 1 {
		t.Errorf("the entry names %q", e.Person)
	}
	if text := dumped(t, s); !strings.Contains(text, other+`> <http://schema.org/name> "Other"`) {
		t.Error("somebody else is gone")
	}
	mustCheck(t, s)
	for _, where := range found(t, s) {
		t.Error(where)
	}
}

// TestWhatIsNoPersonsIsNotErased asks for erasures of words that everybody uses, and of IRIs with which they begin.
func TestWhatIsNoPersonsIsNotErased(t *testing.T) {
	t.Parallel()
	s, g := marked(t)
	publish(t, s, "<http://robots.example/r1> a <http://classes.example/of#Robot> ; <http://words.example/p?a=1> 1 .")
	before := storetest.Exported(t, s.Store, turtle.TriG)
	for _, iri := range []string{"http://schema.org", "http://schema.org/text", "https://schema.org", "http://www.w3.org/ns", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
		"http://ex/p", "http://ex", "http://words.example/p", "http://classes.example", "http://classes.example/of#Robot", "urn:segraph:contexts"} {
		e := entryOf(journal.Erasure)
		_, err := g.EraseForwarded(t.Context(), &pack.Erasure{IRIs: []string{"http://example.org/nobody", iri}}, e, nil)
		if _, perr := g.PreviewErasure(t.Context(), iri, "", e); !errors.Is(err, store.ErrShared) || !errors.Is(perr, store.ErrShared) {
			t.Errorf("the erasure of %s: %v; its preview: %v", iri, err, perr)
		}
	}
	if after := storetest.Exported(t, s.Store, turtle.TriG); after != before || s.Forgotten.Len() > 0 {
		t.Errorf("%d names are in the list, and left is\n%s", s.Forgotten.Len(), after)
	}
	const maria = "http://people.example/maria"
	publish(t, s, fmt.Sprintf("<urn:odd> a <%s> ; <%[1]s#p> 1 . <urn:m1> <http://schema.org/sender> <%[1]s> . <urn:m2> <http://schema.org/sender> <%[1]s> . <%[1]s> <http://schema.org/name> \"Maria\" .", maria))
	if done, err := g.Erase(t.Context(), maria, "", entryOf(journal.Erasure)); err != nil || done.Triples != 5 {
		t.Errorf("two odd triples of others protect a person: %d triples went, %v", done.Triples, err)
	}
	if done, err := g.Erase(t.Context(), "http://robots.example", "", entryOf(journal.Erasure)); err != nil || done.Triples != 2 {
		t.Errorf("an erasure of what is neither took %d triples: %v", done.Triples, err)
	}
}

// A name that continues another name of a person is the person's, whichever name is given.
func TestNamesThatContinueOtherNamesCount(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	const maria, mary, molly = "http://ex/id/maria", "http://ex/id/mary", "http://ex/id/molly"
	for _, pair := range [][]string{{maria, mary}, {mary + "#w", molly}} {
		if _, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: pair, One: true}, entryOf(journal.Subject)); err != nil {
			t.Fatal(err)
		}
	}
	for _, given := range []string{maria, mary, molly} {
		names, err := g.NamesOf(t.Context(), given)
		if want := given != molly; err != nil || slices.Contains(names, maria) != want || slices.Contains(names, molly) != true {
			t.Errorf("%s has the names %q, %v", given, names, err)
		}
	}
}

// A centre that has erased a person under one name gets the erasure of all her names from a box: each name is replaced in the file
// as the list says, also in what arrives later.
func TestEachNameIsReplacedAsTheListSays(t *testing.T) {
	t.Parallel()
	const maria, mary = "http://ex/id/maria", "http://ex/id/mary"
	const p, q = "urn:uuid:00000000-0000-4000-8000-000000000001", "urn:uuid:00000000-0000-4000-8000-000000000002"
	for _, c := range [][2]string{{p, ""}, {"", q}, {p, q}} {
		s := openStore(t)
		g, _ := resolved(t, s)
		publish(t, s, "<"+maria+"> <urn:likes> <urn:tea> . <"+mary+"> <urn:likes> <urn:coffee> .")
		if _, err := g.Erase(t.Context(), maria, c[0], entryOf(journal.Erasure)); err != nil {
			t.Fatal(err)
		}
		if _, err := g.EraseForwarded(t.Context(), &pack.Erasure{IRIs: []string{maria, mary}, To: c[1]}, entryOf(journal.Erasure), nil); err != nil {
			t.Fatal(err)
		}
		text, want := dumped(t, s), ""
		for i, what := range []string{"tea", "coffee"} {
			if c[i] != "" {
				want += "<" + c[i] + "> <urn:likes> <urn:" + what + "> .\n"
			}
		}
		if to, _ := s.Forgotten.Of(mary); to != c[1] || text != want {
			t.Errorf("%q: the list says %q, and the file has\n%s", c, to, text)
		}
	}
}

// Who decided is erased from cases and decisions, which stay.
func TestADeciderIsErased(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	var last *resolver.Resolution
	for i, robot := range []string{"http://ex/r1", "http://ex/r2"} {
		o := resolver.Observation{EventKind: "heard", Text: "what is the same", RobotURI: robot, ObservedAt: fmt.Sprintf("2026-01-01T12:00:0%dZ", i)}
		var err error
		if last, err = r.Record(t.Context(), o, entryOf(journal.Resolve)); err != nil || i == 1 && last.CaseID == nil {
			t.Fatalf("%+v, %v", last, err)
		}
	}
	for _, decide := range []func(journal.Entry) error{
		func(e journal.Entry) error { _, err := r.Reject(t.Context(), *last.CaseID, e); return err },
		func(e journal.Entry) error { _, err := r.DecideSubject(t.Context(), other, true, e); return err },
	} {
		e := entryOf(journal.Reject)
		e.Actor = personA
		if err := decide(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	if x, err := r.Case(t.Context(), *last.CaseID); err != nil || x.Status != "rejected" || strings.Contains(fmt.Sprint(x), "markerA") {
		t.Errorf("%+v, %v", x, err)
	}
	for _, where := range found(t, s) {
		t.Error(where)
	}
}

// The entry of an erasure does not name the person, who may have asked for it and confirmed it.
func TestAnErasureDoesNotNameThePersonWhoAskedForIt(t *testing.T) {
	t.Parallel()
	const pseudonym = "urn:uuid:4f5c1c1e-0000-4000-8000-000000000000"
	for _, x := range []struct{ person, to, actor, detail string }{
		{personA, "", "erased", "a letter; asked for by erased"},
		{personA, pseudonym, pseudonym, "a letter; asked for by " + pseudonym},
		{personA + ".", "", "erased", "a letter; asked for by erased"},
	} {
		s := openStore(t)
		g, _ := resolved(t, s)
		e := entryOf(journal.Erasure)
		e.Actor, e.Detail = x.person, "a letter; asked for by "+x.person
		done, err := g.Erase(t.Context(), x.person, x.to, e)
		if err == nil {
			err = s.View(func(snap *engine.Snapshot) error { e, err = journal.Get(snap.KV(), done.Index); return err })
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Actor != x.actor || e.Detail != x.detail {
			t.Errorf("%q to %q: the entry is %s %q", x.person, x.to, e.Actor, e.Detail)
		}
		for _, where := range found(t, s) {
			t.Error(where)
		}
	}
}

// Logs that lost something can still be withdrawn, and each takes what is left of it.
func TestALogCanBeWithdrawnAfterAnErasure(t *testing.T) {
	for _, pseudonym := range []string{"", "urn:x:someone"} {
		s, g := marked(t)
		if _, err := g.Erase(t.Context(), personA, pseudonym, entryOf(journal.Erasure)); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries(t, s) {
			if e.Action != journal.Insert {
				continue
			}
			if _, err := s.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); err != nil && !strings.Contains(err.Error(), store.ErrNotKept.Error()) {
				t.Errorf("pseudonym %q: %v", pseudonym, err)
			}
			mustCheck(t, s)
		}
		for line := range strings.Lines(dumped(t, s)) {
			if !strings.Contains(line, store.ContextsGraph) {
				t.Errorf("pseudonym %q: it still has %s", pseudonym, line)
			}
		}
	}
}

// A restored backup, and a kill between the list and the file are completed by
// a start. A store knows that it has had an erasure.
func TestAStartCompletesAnErasure(t *testing.T) {
	s, g := marked(t)
	backup := backedUp(t, s)
	list, err := forgotten.Open(backup)
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Add([]string{personA}, ""); err != nil { // as a kill leaves it, or a restore
		t.Fatal(err)
	}
	again := reopen(t, backup)
	g2, _ := resolved(t, again)
	done, err := g2.ApplyForgotten(t.Context(), entryOf(journal.Erasure))
	if err != nil || done.Triples < 307 || done.Observations != 3 {
		t.Fatalf("%+v %v", done, err)
	}
	if done, err := g2.ApplyForgotten(t.Context(), entryOf(journal.Erasure)); err != nil || done != (store.Erased{}) {
		t.Errorf("a second start: %+v %v", done, err)
	}
	mustCheck(t, again)
	for _, where := range found(t, again) {
		t.Error(where)
	}
	if _, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Forgotten.Applied(); n != 1 || err != nil {
		t.Errorf("the store knows of %d erasures, %v", n, err)
	}
	foreign := backedUp(t, s) // of another box, which has erased one person too
	if list, err = forgotten.Open(foreign); err == nil {
		err = list.Add([]string{other}, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	g3, _ := resolved(t, reopen(t, foreign))
	if done, err := g3.ApplyForgotten(t.Context(), entryOf(journal.Erasure)); err != nil || done.Triples == 0 || strings.Contains(dumped(t, g3.Store), other+">") {
		t.Errorf("a file of another box: %+v %v", done, err)
	}
}

// After an erasure that surely stored nothing, the name leaves the list, or a start would erase the person.
func TestAnErasureThatFailedIsNotCompleted(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	publish(t, s, "<"+other+"> <urn:p> <"+personA+"> .")
	if _, err := g.Erase(t.Context(), other, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	for i, failed := range []error{errors.New("a full disk"), store.ErrInDoubt} {
		want := i + 1
		whom := &pack.Erasure{IRIs: []string{personA}}
		_, err := g.EraseForwarded(t.Context(), whom, entryOf(journal.Erasure), func(*engine.Tx) error { return failed })
		again, unread := forgotten.Open(s.Path())
		if !errors.Is(err, failed) || s.Forgotten.Len() != want || unread != nil || again.Len() != want {
			t.Errorf("%v: the list has %d names, want %d: %v %v", failed, s.Forgotten.Len(), want, err, unread)
		}
		if is, err := s.Forgotten.Complete(); is != (want == 1) || err != nil {
			t.Errorf("%v: the file is complete: %v, %v", failed, is, err)
		}
	}
}

// A reader sees the person whole, or not at all, and so does a start after a kill, whatever others write meanwhile. Each log can
// be withdrawn afterwards.
func TestAnErasureIsSeenAtOnce(t *testing.T) {
	suite.NotShort(t)
	for _, pseudonym := range []string{"", "urn:x:someone"} {
		s, g := marked(t)
		for i := range 100 {
			publish(t, s, fmt.Sprintf("<%s> <http://ex/p> 1, %d . <http://ex/m%[2]d> <http://schema.org/sender> <%[1]s> ; <http://schema.org/text> \"markerC %[2]d\" . <http://ex/s> <http://ex/p> %[2]d .", personA, i))
		}
		before := dumped(t, s)
		ctx, end := context.WithCancel(t.Context())
		var beside sync.WaitGroup
		var left []string
		whole, gone := 0, 0
		beside.Go(func() {
			for ctx.Err() == nil || gone == 0 && !t.Failed() {
				text := dumped(t, s)
				if strings.Contains(text, "markerA") {
					whole++
				} else {
					gone++
				}
				for line := range strings.Lines(before) {
					if strings.Contains(line, "markerA") && strings.Contains(text, line) != strings.Contains(text, "markerA") {
						t.Errorf("pseudonym %q: the person is half there, without %s", pseudonym, line)
						return
					}
				}
			}
		})
		beside.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				publish(t, s, fmt.Sprintf("<http://ex/beside> <http://ex/p> %d .", i))
				if i%20 == 0 {
					left = append(left, leftBy(t, s))
				}
			}
		})
		for !t.Failed() && len(entries(t, s)) < 110 { // both have begun
			time.Sleep(time.Millisecond)
		}
		_, err := g.Erase(t.Context(), personA, pseudonym, entryOf(journal.Erasure))
		end()
		beside.Wait()
		if err != nil || whole == 0 || gone == 0 {
			t.Fatalf("a reader saw the person %d times, and %d times not; %v", whole, gone, err)
		}
		list, err := os.ReadFile(s.Forgotten.Path())
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range append(left, leftBy(t, s)) {
			if err := os.WriteFile(path+forgotten.Suffix, list, 0o600); err != nil {
				t.Fatal(err)
			}
			killed := reopen(t, path)
			mustCheck(t, killed)
			again, _ := resolved(t, killed)
			if _, err := again.ApplyForgotten(t.Context(), entryOf(journal.Erasure)); err != nil {
				t.Fatal(err)
			}
			mustCheck(t, killed)
			for _, e := range entries(t, killed) {
				if _, err := killed.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); err != nil && e.Action == journal.Insert && !errors.Is(err, store.ErrNotKept) {
					t.Fatalf("pseudonym %q: %v", pseudonym, err)
				}
			}
			for _, where := range found(t, killed) {
				t.Errorf("pseudonym %q: %s", pseudonym, where)
			}
		}
	}
}

// A legal hold on the person, on a log, an observation or a decision that would lose something, or on who decided what would go,
// refuses an erasure and its preview, and the IRI does not join the list.
func TestWhatIsHeldIsNotErased(t *testing.T) {
	s, g := marked(t)
	all := entries(t, s)
	i := slices.IndexFunc(all, func(e journal.Entry) bool { return e.Action == journal.Insert })
	for i := range 200 { // so many that it rests
		publish(t, s, fmt.Sprintf("<http://ex/s> <http://ex/p> %d .", i))
	}
	const decider = "http://example.org/id/decider"
	d := entryOf(journal.Subject)
	d.Actor = decider
	if _, err := g.Resolver.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: []string{personA, other}, Reason: "they met"}, d); err != nil {
		t.Fatal(err)
	}
	observed := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	sentence := publish(t, s, `<http://ex/message> <http://schema.org/text> "markerC again" .`) // another log names its sender
	graph, boxed := entryOf(journal.Insert), entryOf(journal.Insert)
	if _, err := s.Load(t.Context(), strings.NewReader("<"+personA+"> { <http://ex/x> <http://ex/in> 5 }"), turtle.TriG, turtle.Options{}, graph, nil); err != nil {
		t.Fatal(err)
	}
	boxed.Box, boxed.BoxTime = "box", observed.AddDate(0, 1, 0)
	if _, err := s.Add(t.Context(), storetest.Document(t, turtle.Turtle, "<"+personA+"> <http://ex/p> 5 ."), boxed); err != nil {
		t.Fatal(err)
	}
	for _, h := range []holds.Hold{{People: []string{personA + "#w"}}, {Log: all[i].LogID}, {People: []string{decider}}, {From: observed, To: observed.Add(time.Second)}, {Log: d.LogID},
		{Log: sentence}, {Log: graph.LogID}, {From: boxed.BoxTime, To: boxed.BoxTime.Add(time.Second)}} {
		h.Reason = "a case"
		h, err := holds.Of(s.Store).Add(t.Context(), h, entryOf(journal.Hold).Complete())
		if err != nil {
			t.Fatal(err)
		}
		for _, preview := range []bool{true, false} {
			var err error
			if preview {
				_, err = g.PreviewErasure(t.Context(), personA, "", entryOf(journal.Erasure))
			} else {
				_, err = g.Erase(t.Context(), personA, "", entryOf(journal.Erasure))
			}
			var unfit *store.UnfitError
			if !errors.As(err, &unfit) || !strings.Contains(unfit.Detail, "a case") || s.Forgotten.Len() > 0 {
				t.Errorf("under %s: %v", &h, err)
			}
		}
		if _, _, err := holds.Of(s.Store).Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.PreviewErasure(t.Context(), personA, "", entryOf(journal.Erasure)); err != nil {
		t.Errorf("without a hold: %v", err)
	}
}

// A log of several parts is held as a whole.
func TestAHoldOnSomebodyInAnotherPartOfALogStopsAnErasure(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	e := entryOf(journal.Insert).Complete()
	for i, person := range []string{"http://ex/held", "http://ex/nobody", "http://ex/person"} {
		if e.Part = i + 1; i == 1 {
			publish(t, s, "<http://ex/person> <urn:p> 2 .") // another log
		}
		if _, err := s.Add(t.Context(), storetest.Document(t, turtle.Turtle, "<"+person+"> <urn:p> 1 ."), e); err != nil {
			t.Fatal(err)
		}
	}
	preview := func(person string) (unfit *store.UnfitError) {
		t.Helper()
		if _, err := g.PreviewErasure(t.Context(), person, "", entryOf(journal.Erasure)); err != nil && !errors.As(err, &unfit) {
			t.Fatal(err)
		}
		return unfit
	}
	if unfit := preview("http://ex/person"); unfit != nil {
		t.Errorf("without a hold: %v", unfit)
	}
	if _, err := holds.Of(s.Store).Add(t.Context(), holds.Hold{People: []string{"http://ex/held"}, Reason: "a case"}, entryOf(journal.Hold).Complete()); err != nil {
		t.Fatal(err)
	}
	if preview("http://ex/person") == nil || preview("http://ex/nobody") == nil {
		t.Error("the hold is ignored")
	}
	publish(t, s, "<http://ex/free> <urn:p> 2 .")
	if unfit := preview("http://ex/free"); unfit != nil {
		t.Errorf("somebody of another log: %v", unfit)
	}
}

// An erasure while the bytes of another are being removed leaves none behind.
func TestAnErasureDuringAPurgeIsPurgedToo(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	const first, second = "http://ex/id/wantedaperson", "http://ex/id/wantedbperson"
	publish(t, s, "<"+first+"> <urn:p> 1 . <"+second+"> <urn:p> 1 .")
	if _, err := g.Erase(t.Context(), first, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	called := 0
	err := s.Purge(t.Context(), func(context.Context) (err error) {
		if called++; called == 1 {
			_, err = g.Erase(t.Context(), second, "", entryOf(journal.Erasure))
		}
		return err
	})
	if err != nil || called != 4 { // before and after the bytes of each
		t.Errorf("copies were removed %d times, %v", called, err)
	}
	for _, text := range []string{"wantedaperson", "wantedbperson"} {
		if places, err := s.Find(t.Context(), text, retries.Unpacked); err != nil || len(places) > 0 {
			t.Errorf("%s is found in %v, %v", text, places, err)
		}
	}
}

// Copies that can't be removed do not keep the bytes in the file, and the next purge removes them.
func TestAPurgeCleansTheFileThoughCopiesStay(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	const person = "http://ex/id/wantedperson"
	publish(t, s, "<"+person+"> <urn:p> 1 .")
	if _, err := g.Erase(t.Context(), person, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	stay := errors.New("a folder is read-only")
	for _, want := range []error{stay, nil} {
		if err := s.Purge(t.Context(), func(context.Context) error { return want }); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		old, err := s.Forgotten.Old()
		places, lerr := s.Find(t.Context(), "wantedperson", retries.Unpacked)
		if err = errors.Join(err, lerr); err != nil || len(places) > 0 || (old == nil) != (want == nil) {
			t.Errorf("it is in %v, old %v, %v", places, old, err)
		}
	}
}

// A legal hold that comes while an erasure is under way keeps the person, and the name leaves the list.
func TestAHoldKeepsAPersonWhoIsBeingErased(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	const person = "http://ex/id/wantedperson"
	publish(t, s, "<"+person+"> <urn:p> 1 .")
	erase := func(hold holds.Hold) (lift func(), err error) {
		t.Helper()
		before, end := s.Forgotten.Len(), s.Forgotten.Begin() // the erasure waits for this write
		erased := make(chan error)
		go func() {
			_, err := g.Erase(t.Context(), person, "", entryOf(journal.Erasure).Complete())
			erased <- err
		}()
		for s.Forgotten.Len() == before && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		all := holds.Of(s.Store)
		h, failed := all.Add(t.Context(), hold, entryOf(journal.Hold).Complete())
		end()
		if failed != nil {
			t.Fatal(failed)
		}
		return func() {
			if _, _, err := all.Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
				t.Fatal(err)
			}
		}, <-erased
	}
	lift, err := erase(holds.Hold{People: []string{person}})
	if _, unfit := errors.AsType[*store.UnfitError](err); !unfit || s.Forgotten.Len() != 0 || !strings.Contains(dumped(t, s), person) {
		t.Errorf("%v, %d names in the list", err, s.Forgotten.Len())
	}
	if again, err := forgotten.Open(s.Path()); err != nil || again.Len() != 0 {
		t.Errorf("%d names are in its file, %v", again.Len(), err)
	}
	lift()
	if _, err := erase(holds.Hold{People: []string{"http://ex/id/other"}}); err != nil || s.Forgotten.Len() != 1 || strings.Contains(dumped(t, s), person) {
		t.Errorf("%v, %d names in the list", err, s.Forgotten.Len())
	}
	mustCheck(t, s)
}
