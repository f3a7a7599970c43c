package persist

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/store/turtle"
)

// heardBy is an observation of one event by a robot.
func heardBy(robot string) resolver.Observation {
	return resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T09:12:13.150Z", SubjectURI: personA, Modality: "speech",
		Text: "Could you show me <climate> news?", ObservationURI: "http://ex/o-" + robot, RobotURI: "http://ex/" + robot, LocationURI: "http://ex/hall"}
}

// TestAnEntryCommitsToItsObservation also undoes a match, which moves the observation, and erases the person.
func TestAnEntryCommitsToItsObservation(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	var decisions []string
	for _, robot := range []string{"ari", "tiago"} {
		a, err := r.Record(t.Context(), heardBy(robot), journal.Entry{Actor: robot})
		if err != nil {
			t.Fatal(err)
		}
		decisions = append(decisions, *a.DecisionID)
	}
	all := entries(t, s)
	expect := func(when string, kept bool) {
		t.Helper()
		for i, robot := range []string{"ari", "tiago"} {
			text, salt, err := s.Sent(uint64(i), &all[i])
			if err != nil || (text != nil) != kept {
				t.Fatalf("%s: %s, %v", when, text, err)
			}
			if !kept {
				continue
			}
			var o resolver.Observation
			if err := o.UnmarshalJSON(text); err != nil {
				t.Fatal(err)
			}
			if o.ReceivedAt == "" || salt == (journal.Salt{}) || salt.Commit(text) != all[i].Commitment {
				t.Errorf("%s: %s does not have the hash of %+v", when, text, all[i])
			}
			if o.ReceivedAt = ""; o != heardBy(robot) {
				t.Errorf("%s: it was %+v", when, o)
			}
		}
		mustCheck(t, s)
	}
	expect("resolved", true)
	if all[0].Erased != 0 {
		t.Errorf("of a new entry, %d is erased", all[0].Erased)
	}
	if _, err := r.Undo(t.Context(), decisions[1], journal.Entry{Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	expect("undone", true)
	if _, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	expect("erased", false)
}

// TestURIsOfABoxLeadToContextsOfTheCentre resolves what two boxes saw of one event, and undoes that.
func TestURIsOfABoxLeadToContextsOfTheCentre(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	observe := func(robot string) (entered bool) {
		t.Helper()
		box := openStore(t)
		_, theirs := resolved(t, box)
		if _, err := theirs.Record(t.Context(), heardBy(robot), journal.Entry{Actor: robot}); err != nil {
			t.Fatal(err)
		}
		of := entries(t, box)[0]
		text, _, err := box.Sent(0, &of)
		if err != nil {
			t.Fatal(err)
		}
		e := journal.Entry{Actor: robot, Box: robot, Context: "http://box/" + robot}
		wait, err := g.Observe(t.Context(), text, e, func(_ *engine.Tx, is bool) error { entered = is; return nil })
		if err != nil || wait == nil || wait() != nil {
			t.Fatalf("observing: %v", err)
		}
		return entered
	}
	leads := func(robot string) string {
		t.Helper()
		c, err := r.Context(t.Context(), "http://box/"+robot, 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		return c.Context.URI
	}
	published := func(robot string) bool {
		return strings.Contains(dumped(t, s), fmt.Sprintf("<http://box/%s> <http://www.w3.org/ns/prov#alternateOf> <%s> .\n", robot, leads(robot)))
	}
	if !observe("ari") || !observe("tiago") || observe("tiago") {
		t.Error("a new observation has no entry, or a repeated one has")
	}
	if leads("ari") != leads("tiago") || !published("ari") || !published("tiago") {
		t.Errorf("the URIs lead to %s and %s, published: %t, %t", leads("ari"), leads("tiago"), published("ari"), published("tiago"))
	}
	mustCheck(t, s)
	last := entries(t, s)[1]
	if last.Box != "tiago" || last.Context != leads("tiago") || last.Outcome != string(resolver.Matched) {
		t.Errorf("the entry is %+v", last)
	}
	if _, err := r.Undo(t.Context(), last.Decision, journal.Entry{Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	if leads("ari") == leads("tiago") || !published("tiago") {
		t.Error("the URI did not follow its observation")
	}
	mustCheck(t, s)
	if _, err := g.Clear(t.Context(), false, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	if leads("ari") == leads("tiago") || published("ari") {
		t.Error("clearing the published graph changed contexts, or left something")
	}
	mustCheck(t, s)
	for _, context := range []string{"x> <y", personA} { // what is no IRI, and an erased one below, leads nowhere
		text := strings.Replace(`{"event_kind":"human_utterance","observed_at":"2026-02-12T09:12:13Z","subject_uri":"http://ex/cem","text":"a","location_uri":"`+personA+`/home"}`, "cem", fmt.Sprint(len(context)), 1)
		wait, err := g.Observe(t.Context(), []byte(text), journal.Entry{Actor: "ari", Box: "ari", Context: context}, func(*engine.Tx, bool) error { return nil })
		if err != nil || wait() != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(dumped(t, s), "<x> <y>") {
		t.Error("what is no IRI was published")
	}
	if _, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(dumped(t, s), personA) {
		t.Error("a URI of a box, or a place, that is a person's stayed")
	}
	mustCheck(t, s)
	if wait, err := g.Observe(t.Context(), []byte(`{"event_kind":""}`), journal.Entry{}, func(*engine.Tx, bool) error { t.Error("it was stored"); return nil }); wait != nil || err != nil {
		t.Errorf("an observation of another version: %v", err)
	}
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Context(context.Background(), "http://box/ari", 10, 0); err == nil {
		t.Error("the URI leads to a context that was cleared")
	}
	mustCheck(t, s)
}

// has reports whether a file has some bytes.
func has(t *testing.T, path string, some []byte) bool {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(all, some)
}

// TestAnErasureIsKeptForCentresAndNamesNobody erases a person at a box, and then at its centre.
func TestAnErasureIsKeptForCentresAndNamesNobody(t *testing.T) {
	t.Parallel()
	const said = "<" + personA + "> <http://ex/p> 1 . <http://ex/x> <http://ex/knows> <" + personA + "> ."
	b, hub := openStore(t), openStore(t)
	for _, s := range []*Store{b, hub} {
		publish(t, s, said)
	}
	at, _ := resolved(t, b)
	if _, err := box.SetCentres(t.Context(), b.Store, []string{"a centre"}); err != nil {
		t.Fatal(err)
	}
	const pseudonym = "urn:uuid:6ba7b810-9dad-41d1-80b4-00c04fd430c8"
	if _, err := at.Erase(t.Context(), personA, pseudonym, entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	if err := b.Purge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	all := entries(t, b)
	index := uint64(len(all) - 1)
	text, salt, err := b.Sent(index, &all[index])
	whom := strings.Split(string(text), "\n")
	if err != nil || len(whom) != 2 || whom[0] != pseudonym || journal.PersonOf(salt, whom[1:]) != all[index].Person {
		t.Fatalf("the box keeps %q of %+v, %v", text, all[index], err)
	}
	if places, err := b.Find(t.Context(), personA, retries.Unpacked); err != nil || len(places) > 0 {
		t.Errorf("the person is found in %v, %v", places, err)
	}
	mustCheck(t, b)
	here, _ := resolved(t, hub)
	called := false
	e := entryOf(journal.Erasure)
	e.Box, e.BoxIndex = "hall", index
	if _, err := here.EraseForwarded(t.Context(), &pack.Erasure{IRIs: whom[1:], To: whom[0]}, e, func(*engine.Tx) error { called = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := dumped(t, hub); strings.Contains(got, personA) || !strings.Contains(got, "knows> <"+pseudonym) || !called {
		t.Errorf("the centre has\n%s", got)
	}
	if text, _, err := hub.Sent(uint64(len(entries(t, hub))-1), &e); text != nil || err != nil {
		t.Errorf("a file without centres keeps %q, %v", text, err)
	}
	var sealed []byte
	if err := b.View(func(snap *engine.Snapshot) error {
		sealed = bytes.Clone(box.Erasure(snap.KV(), box.ErasureKey(index)))
		return nil
	}); err != nil || !has(t, b.Path(), sealed) {
		t.Fatalf("the file does not have %x, %v", sealed, err)
	}
	if lost, err := box.SetCentres(t.Context(), b.Store, nil); err != nil || !slices.Equal(lost, []uint64{index}) {
		t.Fatalf("erasures are lost to the centre: %d, %v; want %d", lost, err, index)
	}
	copies := true
	if err := b.Purge(t.Context(), func(context.Context) error { copies = false; return nil }); err != nil || copies || has(t, b.Path(), sealed) {
		t.Errorf("names are still in the file, or in copies of it: %v", err)
	}
	if text, _, err := b.Sent(index, &all[index]); text != nil || err != nil {
		t.Errorf("without a centre that waits, the file keeps %q, %v", text, err)
	}
}

// TestAnObservationWhoseEntryIsTooLargeIsUnfit has a sender whose name leaves no room for the rest.
func TestAnObservationWhoseEntryIsTooLargeIsUnfit(t *testing.T) {
	t.Parallel()
	g, _ := resolved(t, openStore(t))
	text := fmt.Appendf(nil, `{"event_kind": %q, "observed_at": "2026-11-30T00:00:00Z", "subject_uri": "urn:a", "robot_uri": %q}`,
		strings.Repeat("\U0001F600", 200), "urn:"+strings.Repeat("\U0001F600", 1000))
	wait, err := g.Observe(t.Context(), text, journal.Entry{Actor: strings.Repeat("a", 55_900), Box: "hall-2"}, func(*engine.Tx, bool) error { return nil })
	if err == nil && wait != nil {
		err = wait()
	}
	if _, unfit := errors.AsType[*journal.EntryError](err); !unfit {
		t.Errorf("the error is %v", err)
	}
}

// What is kept for the centres of an IRI that continues a person's is what a pack may have: a urn:uuid or nothing. The person was
// pseudonymised before, completely or not.
func TestAnErasureThatContinuesAnotherIsSent(t *testing.T) {
	t.Parallel()
	const pseudonym = "urn:uuid:6ba7b810-9dad-41d1-80b4-00c04fd430c8"
	for _, complete := range []bool{true, false} {
		s := openStore(t)
		g, _ := resolved(t, s)
		if _, err := box.SetCentres(t.Context(), s.Store, []string{"a centre"}); err != nil {
			t.Fatal(err)
		}
		publish(t, s, "<"+personA+"#me> <http://ex/p> 1 .")
		err := s.Forgotten.Add([]string{personA}, pseudonym)
		if complete && err == nil {
			_, err = g.ApplyForgotten(t.Context(), entryOf(journal.Erasure))
		}
		if err != nil {
			t.Fatal(err)
		}
		want, to := "", ""
		if !complete {
			want, to = pseudonym, pseudonym+"#me" // as the list says
		}
		done, err := g.Erase(t.Context(), personA+"#me", to, entryOf(journal.Erasure))
		if err != nil {
			t.Fatal(err)
		}
		all := entries(t, s)
		text, _, err := s.Sent(done.Index-1, &all[done.Index-1])
		if err != nil || string(text) != want+"\n"+personA+"#me" {
			t.Errorf("complete %v: the file keeps %q, %v", complete, text, err)
		}
		if !strings.Contains(dumped(t, s), "<"+pseudonym+"#me>") {
			t.Errorf("complete %v: %s", complete, dumped(t, s))
		}
	}
}

// The entries of an observation and of an erasure name nobody who is erased, though a box, or who confirms, sent the name.
func TestNoNewEntryNamesWhoWasErased(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	e := entryOf(journal.Erasure)
	e.Actor, e.Detail = personA, "asked for by "+personA
	if _, err := g.Erase(t.Context(), personA, "", e); err != nil {
		t.Fatal(err)
	}
	wait, err := g.Observe(t.Context(), []byte(`{"event_kind":"heard","observed_at":"2026-02-12T09:12:13Z","robot_uri":"http://ex/r1"}`),
		journal.Entry{Actor: personA, Claimed: personA, Box: "ari"}, func(*engine.Tx, bool) error { return nil })
	if err == nil {
		err = wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries(t, s) {
		if strings.Contains(e.Actor+e.Claimed+e.Detail, "markerA") {
			t.Errorf("%+v", e)
		}
	}
}

// The kept body of a signed request goes if it has an IRI of the person in a prefix or a comment alone.
func TestAnErasureTakesSignedBodiesWithPrefixes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	public := key.Public().(ed25519.PublicKey)
	if err := signers.Of(s.Store).AddKey(t.Context(), journal.SigningKey{User: "ari", Public: public}, entryOf(journal.UseKey)); err != nil {
		t.Fatal(err)
	}
	const skipped = "\x50\x2a\x4d\x18\x00\x00\x00\x00" // an empty frame of zstd
	comment := []byte("<urn:s> <urn:p> 2 . # <" + personA + ">")
	for i, body := range [][]byte{[]byte("@prefix m: <" + personA + "#> . <urn:s> <urn:p> 1 ."), comment, coding.Pack(coding.Gzip, comment), coding.Pack(coding.Zstd, comment),
		append([]byte(skipped), coding.Pack(coding.Zstd, comment)...), []byte("<urn:s> <urn:p> 3 .")} {
		text, _ := coding.Decoded(body, 1<<20)
		e := entryOf(journal.Insert)
		e.Triples, e.Signature = 1, &journal.Signature{KeyID: journal.IDOf(public), Base: "x", Nonce: fmt.Sprint("a nonce of the test ", i), Created: e.Time, Body: journal.PackBody(body)}
		e.Signature.Value = [64]byte(ed25519.Sign(key, []byte(e.Signature.Base)))
		if _, err := s.Add(t.Context(), document(t, turtle.Turtle, string(text)), e); err != nil {
			t.Fatal(err)
		}
	}
	done, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure))
	if err == nil {
		err = s.Purge(t.Context(), nil)
	}
	places, ferr := s.Find(t.Context(), "markerA", retries.Unpacked)
	if err = errors.Join(err, ferr); err != nil || len(places) > 0 || done.Entries != 5 {
		t.Errorf("%d entries lost something; the person is found in %v: %v", done.Entries, places, err)
	}
	mustCheck(t, s)
}
