package persist

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/store/turtle"
)

// Robots repeat words and names in labels of activities, and IRIs in places where only a reader looks: no byte of these is left.
func TestAnErasureTakesAPersonsWordsFromWhatNamesNobody(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	const maria = "http://example.org/id/mariamarker"
	publish(t, s, fmt.Sprintf(`@prefix s: <http://schema.org/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> .
		<urn:m> s:sender <%s> ; s:text "marker said" ; prov:wasGeneratedBy <urn:heard> . <urn:heard> l:label "marker said" .
		<urn:answer> s:recipient <%[1]s> . <urn:said> prov:generated <urn:answer> ; l:comment "to marker" .
		<urn:felt> <http://www.gsi.upm.es/ontologies/segb/ns#producedEntityResult> <urn:n> ; l:label "the face of marker" . <urn:n> <http://www.w3.org/ns/oa#hasTarget> <%[1]s> .
		<urn:saw> s:about <urn:event> ; l:label "saw marker" . <urn:event> s:about <%[1]s> .
		<urn:typed> <urn:p> "x"^^<%[1]s> ; <urn:q> "%[1]s"^^<http://www.w3.org/2001/XMLSchema#anyURI> .
		<urn:friend> <urn:knows> <%[1]s> ; l:label "friend" . <urn:event2> s:about <urn:friend> ; s:description "stays too" . <urn:m2> s:about <urn:event2> ; s:text "and this" .
		<urn:other> l:label "stays" .`, maria))
	if _, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: []string{"http://ex/a", "http://ex/b"}, Reason: "as <" + maria + "> says"}, entryOf(journal.Subject)); err != nil {
		t.Fatal(err)
	}
	if err := s.Notes.Put(t.Context(), notes.Note{Kind: "query", Owner: maria, Name: "mine", Text: "{}"}); err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	if err := signers.Of(s.Store).AddKey(t.Context(), journal.SigningKey{User: maria, Public: key}, entryOf(journal.UseKey)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Erase(t.Context(), maria, "", entryOf(journal.Erasure).Complete()); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	left := storetest.Exported(t, s, turtle.NTriples)
	if places, err := s.Find(t.Context(), "marker", retries.Unpacked); err != nil || len(places) > 0 {
		t.Errorf("it is in %v, %v\n%s", places, err, left)
	}
	if k, _, err := signers.Of(s.Store).Key(journal.IDOf(key)); err != nil || k.Removed.IsZero() {
		t.Errorf("her key is valid, %v", err)
	}
	if !strings.Contains(left, "stays") || strings.Count(left, "\n") != 9 {
		t.Errorf("left is\n%s", left)
	}
}

// Some names of a person are no IRIs. Subjects and robots with such a name go. In a text, an IRI, JSON or the name of a user
// or an event kind, it may be of others.
func TestAnErasureTakesOfNamesThatAreNoIRIsWhatIsNotOfOthers(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	const maria, name, user = "http://example.org/id/maria", "mymarker", "ari"
	e := entryOf(journal.Subject)
	e.Actor = user
	for _, d := range []resolver.PersonDecision{{Subjects: []string{maria, name, user}, One: true, Reason: "so says " + name},
		{Subjects: []string{"http://ex/a", name}, Reason: "so says (" + name + ")."}, {Subjects: []string{"http://ex/a", "http://ex/b"}, Reason: "as " + name + " says"}} {
		if _, err := r.DecidePerson(t.Context(), d, e); err != nil {
			t.Fatal(err)
		}
	}
	var others []string
	for i, x := range []struct{ kind, robot, subject string }{{name, "http://ex/robot/" + user, "http://other/" + name},
		{name + "_speech", "http://ex/r2/" + name, "http://ex/r2"}, {"heard", user, "http://ex/c"}, {"heard", user + "/2", name + "/2"}} {
		o := resolver.Observation{EventKind: x.kind, RobotURI: x.robot, SubjectURI: x.subject, ObservedAt: fmt.Sprintf("2026-01-01T1%d:00:00Z", i)}
		e := e
		if e.LogID = fmt.Sprint("log ", i); x.robot != user {
			others = append(others, e.LogID)
		}
		if _, err := r.Record(t.Context(), o, e); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []journal.Entry{{Subject: "http://other/" + name, Action: journal.Look}, {Subject: name, Action: journal.Remark}, {Owner: user, Detail: "1 " + user, Action: journal.Issue}} {
		e := e
		e.Action, e.Subject, e.Owner, e.Detail, e.LogID = of.Action, of.Subject, of.Owner, of.Detail, fmt.Sprint("entry ", of.Action)
		if others = append(others, e.LogID); s.Notes.Put(t.Context(), notes.Note{Kind: "batch", Owner: user, Name: e.LogID, Text: "{}"}, e) != nil {
			t.Fatal("it can't be written")
		}
	}
	for _, n := range []notes.Note{{Kind: "query", Owner: user, Name: name, Text: `{"` + name + `":"?c sc:subject \"` + name + `\""}`}, {Kind: "query", Owner: user, Name: "hers", Text: maria},
		{Kind: "token", Owner: user, Name: "1", Text: `{"username":"` + user + `","actor":"` + user + `"}`}, {Kind: "note", Owner: user, Name: "2", Text: `{"by":"` + user + `","about":"http://other/` + name + `"}`}} {
		if err := s.Notes.Put(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := holds.Of(s.Store).Add(t.Context(), holds.Hold{Log: "x", Reason: "case"}, e); err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	if err := signers.Of(s.Store).AddKey(t.Context(), journal.SigningKey{User: user, Public: key}, e); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Erase(t.Context(), maria, "", entryOf(journal.Erasure).Complete()); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"query", "token", "note"} {
		if list, err := s.Notes.List(kind, user); err != nil || len(list) != 1 || list[0].Name == "hers" {
			t.Errorf("left are the notes %v, %v", list, err)
		}
	}
	for _, e := range entries(t, s) {
		if (e.Actor == "") != (e.LogID == "log 2") || e.Subject == maria || slices.Contains(others, e.LogID) && e.Erased != 0 {
			t.Errorf("left is %+v", e)
		}
	}
	if k, _, err := signers.Of(s.Store).Key(journal.IDOf(key)); err != nil || k.User != user || !k.Removed.IsZero() {
		t.Errorf("a user has the key %+v, %v", k, err)
	}
	if all, err := holds.Of(s.Store).All(e.Time); err != nil || len(all) != 1 || all[0].By != user {
		t.Errorf("the holds are %+v, %v", all, err)
	}
	stats, err := r.Stats(t.Context())
	if err != nil || len(stats.People) != 1 || stats.People[0].DecidedBy != user || stats.People[0].Reason != "as "+name+" says" {
		t.Errorf("%+v, %v", stats, err)
	}
}

// A decision changes the graph of contexts, but its journal entry has no list of that: retention and withdrawals change that
// graph without lists, and would leave people in them.
func TestADecisionListsNothingOfTheGraphOfContexts(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	_, r := resolved(t, s)
	var id string
	for i, robot := range []string{"http://ex/ari", "http://ex/tiago"} {
		o := resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-01T05:59:00Z", Text: "what is the same", RobotURI: robot}
		if i == 1 {
			o.SubjectURI = personA
		}
		x, err := r.Record(t.Context(), o, entryOf(journal.Resolve))
		if err != nil {
			t.Fatal(err)
		}
		if x.CaseID != nil {
			id = *x.CaseID
		}
	}
	e := entryOf(journal.Accept).Complete()
	if _, err := r.Accept(t.Context(), id, "", false, e); err != nil {
		t.Fatal(err)
	}
	log, err := s.Provenance.Log(t.Context(), e.LogID, 100)
	if err != nil || len(log.Quads) == 0 {
		t.Fatalf("%d quads, %v", len(log.Quads), err)
	}
	for _, q := range log.Quads {
		if !q.G.IsZero() {
			t.Errorf("it lists %v", q)
		}
	}
}

// Who hears a sentence need not know who says it, may hear it a little differently, or may repeat it later. If that is the
// same event, the sentence goes, and otherwise it stays.
func TestAnErasureTakesWhatOthersHeardOfTheSameEvent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	const said = "my doctor says that I have markerD"
	if _, err := r.DecideSubject(t.Context(), "http://ex/user", false, entryOf(journal.Subject)); err != nil {
		t.Fatal(err)
	}
	hears := func(robot, at, subject, text string) *resolver.Resolution {
		t.Helper()
		o := resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-01T" + at + "Z", SubjectURI: subject, Text: text, RobotURI: "http://ex/" + robot}
		out, err := r.Record(t.Context(), o, entryOf(journal.Resolve))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	hears("r1", "12:00:00.1", personA, said)
	for i, x := range [][2]string{{"", said}, {"http://ex/human/unknown", said}, {"http://ex/user", said}, {"", "my doctor says I have markerD"}} {
		same := hears(fmt.Sprint("r", i+2), "12:00:00.2", x[0], x[1])
		if same.CaseID == nil {
			t.Fatalf("%v answers %+v", x, same)
		}
		if _, err := r.Accept(t.Context(), *same.CaseID, "", false, entryOf(journal.Accept)); err != nil {
			t.Fatal(err)
		}
	}
	hears("r2", "18:00:00", "", "the museum is open")
	preview, err := g.PreviewErasure(t.Context(), personA, "", entryOf(journal.Erasure))
	if err != nil {
		t.Fatal(err)
	}
	done, err := g.Erase(t.Context(), personA, "", entryOf(journal.Erasure))
	if left := dumped(t, s); err != nil || strings.Contains(left, "markerD") || !strings.Contains(left, "the museum is open") {
		t.Errorf("%v, left is\n%s", err, left)
	}
	if done.Observations != 5 || preview.Observations != 5 {
		t.Errorf("%d observations changed, and the preview says %d, want 5", done.Observations, preview.Observations)
	}
	mustCheck(t, s)
}
