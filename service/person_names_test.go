package service

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
)

// personal returns a service of a new file, which may erase people.
func personal(t *testing.T) (*Service, *persist.Store) {
	t.Helper()
	file, err := persist.Open(filepath.Join(t.TempDir(), "x.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	r, err := resolver.Open(file.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	backups, err := backup.NewFolder(backup.Options{Path: t.TempDir(), Data: file.Path()})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Graph: file, Backups: backups, Queries: file, Journal: file, Contexts: r, Notes: file.Notes, Holds: holds.Of(file.Store), Forgotten: file.Forgotten,
		Eraser: persist.ResolvedGraph{Graph: file, Store: file, Resolver: r}, Log: logs.New(logs.Options{Name: "none"}), StoreName: "cayley"}), file
}

// An IRI may have what marks a place in our questions. A text stays if the name of the person is in it only as a word, also with
// an ending or in a script without spaces; and if it is about somebody who only knows them.
func TestTextsWithTheNameThatStayAreShown(t *testing.T) {
	t.Parallel()
	s, file := personal(t)
	const maria = "http://ex/session3#listener"
	storetest.Publish(t, file, `@prefix s: <http://schema.org/> . <`+maria+`> s:name "Maria", "田中" . <urn:juan> s:knows <`+maria+`> . <urn:event> s:about <urn:juan> .
		<urn:1> s:text "Mariari esan diot" . <urn:2> s:text "昨日田中さんが来た" . <urn:3> s:text "SantaMaria" .
		<urn:event> s:description "Maria fell" . <urn:event2> s:about <`+maria+`> . <urn:4> s:about <urn:event2> ; s:text "Maria goes" .
		<urn:5> s:identifier "`+maria+`" . <urn:6> s:sender <`+maria+`> ; s:headline "Maria said" ; s:text "Maria spoke" .`)
	for subject, text := range map[string]string{"urn:juan": "Maria hit me", maria: "Maria is here"} {
		o := resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-10T05:00:00Z", SubjectURI: subject, Text: text, RobotURI: "http://ex/r1"}
		if _, err := s.Resolve(t.Context(), auth.Actor{Username: "ari"}, o, nil); err != nil {
			t.Fatal(err)
		}
	}
	x, err := s.PreviewErasure(t.Context(), auth.Actor{Username: "ari"}, maria, false, 10)
	if err != nil {
		t.Fatal(err)
	}
	var stay []string
	for _, f := range x.Mentions.Facts {
		stay = append(stay, f.Text)
	}
	slices.Sort(stay)
	if want := []string{"Maria fell", "Maria hit me", "Maria said", "Mariari esan diot", maria, "昨日田中さんが来た"}; !slices.Equal(stay, want) {
		t.Errorf("it shows %q, want %q", stay, want)
	}
}

// What somebody did for others stays when they are erased, and whom they gave tokens counts as one: they may have them.
func TestWhatAnErasedAdminIssuedStays(t *testing.T) {
	t.Parallel()
	s, file := personal(t)
	var err error
	if s.config.Auth, err = auth.New("0123456789abcdefghijklmnopqrstuv"); err != nil {
		t.Fatal(err)
	}
	const maria = "http://ex/maria"
	storetest.Publish(t, file, "<"+maria+"> <urn:p> 1 .")
	by := auth.Actor{Username: maria}
	_, first, err := s.IssueToken(t.Context(), by, "robot7", []string{string(auth.Admin)}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := s.IssueToken(t.Context(), by, "robot8", []string{string(auth.Admin)}, time.Hour)
	if err == nil {
		err = s.CountClass(t.Context(), by, CountedClass{Class: "urn:c", Time: "urn:t"})
	}
	if err != nil {
		t.Fatal(err)
	}
	ari := auth.Actor{Username: "ari"}
	for _, e := range []struct {
		by  auth.Actor
		iri string
	}{{by, "http://ex/juan"}, {ari, maria}} {
		x, err := s.AskErasure(t.Context(), e.by, e.iri, "a letter", false)
		if err == nil {
			_, err = s.ConfirmErasure(t.Context(), e.by, x.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if all := s.Erasures(); len(all) != 2 || strings.Contains(fmt.Sprintf("%+v %+v", all[0].By+all[0].Receipt.By, all[1].By+all[1].Receipt.By), maria) {
		t.Errorf("erasures are %+v", all)
	}
	tokens, terr := s.IssuedTokens()
	classes, cerr := s.CountedClasses()
	if terr != nil || cerr != nil || len(tokens) != 2 || tokens[0].By != journal.ErasedText || len(classes) != 1 || classes[0].By != journal.ErasedText {
		t.Errorf("%+v %v, %+v %v", tokens, terr, classes, cerr)
	}
	behind, err := s.behind(t.Context(), auth.Actor{Username: "robot7", TokenID: first.ID})
	if refused := s.another(t.Context(), auth.Actor{Username: "robot8", TokenID: second.ID}, behind); err != nil || ErrorOf(refused) == nil {
		t.Errorf("behind a token are %q, %v; another: %v", behind, err, refused)
	}
}

// reconciling calls do in place of a reconciliation.
type reconciling struct {
	Contexts
	do func()
}

func (c reconciling) Reconcile(context.Context, journal.Entry) (*resolver.Reconciliation, error) {
	c.do()
	return &resolver.Reconciliation{}, nil
}

// An erasure waits for a reconciliation, which stores the name of who asked for it.
func TestAnErasureWaitsForAReconciliation(t *testing.T) {
	t.Parallel()
	s, file := personal(t)
	late, cancel := context.WithCancel(t.Context())
	cancel()
	s.config.Contexts = reconciling{s.config.Contexts, func() {
		if err := file.Forgotten.Settle(late); err == nil {
			t.Error("it does not wait")
		}
	}}
	if _, err := s.Reconcile(t.Context(), auth.Actor{Username: "ari"}); err != nil {
		t.Fatal(err)
	}
	if err := file.Forgotten.Settle(late); err != nil {
		t.Errorf("it waits for ever: %v", err)
	}
}

// Notes that have a longer IRI, or a word that has another name of the person in it, are about others.
func TestANoteOfSomebodyElseIsNotThePersons(t *testing.T) {
	t.Parallel()
	s, _ := personal(t)
	const maria = "http://ex/maria"
	ari := auth.Actor{Username: "ari"}
	if _, err := s.DecidePerson(t.Context(), ari, resolver.PersonDecision{Subjects: []string{maria, "x", "mari", "田中"}, One: true, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	for name, query := range map[string]string{"longer IRI": "ASK { <http://ex/maria-2> ?p ?o }", "variable": "ASK { ?x ?p ?o }", "word": `ASK { ?s ?p "amari or mario" }`,
		"her IRI": "ASK { <http://ex/maria> ?p ?o }", "her name": `ASK { ?s ?p "mari" }`, "without spaces": `ASK { ?s ?p "昨日田中さん" }`} {
		if _, err := s.SaveQuery(t.Context(), ari, name, query); err != nil {
			t.Fatal(err)
		}
	}
	p, err := s.Person(t.Context(), ari, maria, 0, 10, new(Kept))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"query of ari: her IRI", "query of ari: her name", "query of ari: without spaces"}; !slices.Equal(slices.Sorted(slices.Values(p.Notes)), want) {
		t.Errorf("the notes are %q", p.Notes)
	}
}

// A person whose other name is no IRI, as subjects of observations may be, is shown and erased as others are.
func TestAnotherNameNeedsNotBeAnIRI(t *testing.T) {
	t.Parallel()
	s, _ := personal(t)
	const maria, name = "http://ex/maria", `María "x" } <urn:y>`
	ari := auth.Actor{Username: "ari"}
	o := resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-10T05:00:00Z", SubjectURI: name, Text: "hello there dear robot", RobotURI: "http://ex/r1"}
	if _, err := s.Resolve(t.Context(), ari, o, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DecidePerson(t.Context(), ari, resolver.PersonDecision{Subjects: []string{maria, name, "http:"}, One: true, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if names, err := s.namesOf(maria); err != nil || slices.Contains(names, "http:") { // it would be everybody
		t.Errorf("her names are %q, %v", names, err)
	}
	if p, err := s.Person(t.Context(), ari, maria, 0, 10, new(Kept)); err != nil || p.Contexts.Count != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.PreviewErasure(t.Context(), ari, maria, false, 10); err != nil {
		t.Error(err)
	}
	x, err := s.AskErasure(t.Context(), ari, maria, "a letter", false)
	if err == nil {
		_, err = s.ConfirmErasure(t.Context(), ari, x.ID)
	}
	if got := s.unforgotten(name, "erased"); err != nil || got != name {
		t.Errorf("a user with the name is %q, %v", got, err)
	}
}
