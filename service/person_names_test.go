package service

import (
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/holds"
)

// A person whose other name is no IRI, as subjects of observations may be, is shown and erased as others are.
func TestAnotherNameNeedsNotBeAnIRI(t *testing.T) {
	t.Parallel()
	file, err := persist.Open(filepath.Join(t.TempDir(), "x.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := resolver.Open(file.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Config{Graph: file, Queries: file, Journal: file, Contexts: r, Notes: file.Notes, Holds: holds.Of(file.Store), Forgotten: file.Forgotten,
		Eraser: persist.ResolvedGraph{Graph: file, Store: file, Resolver: r}, Log: logs.New(logs.Options{Name: "none"}), StoreName: "cayley"})
	const maria, name = "http://ex/maria", `María "x" } <urn:y>`
	ari := auth.Actor{Username: "ari"}
	o := resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-10T05:00:00Z", SubjectURI: name, Text: "hello there dear robot", RobotURI: "http://ex/r1"}
	if _, err := s.Resolve(t.Context(), ari, o, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DecidePerson(t.Context(), ari, resolver.PersonDecision{Subjects: []string{maria, name}, One: true, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Person(t.Context(), ari, maria, 0, 10); err != nil || p.Contexts.Count != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.PreviewErasure(t.Context(), ari, maria, false, 10); err != nil {
		t.Error(err)
	}
	if _, err := s.AskErasure(t.Context(), ari, maria, "a letter", false); err != nil {
		t.Error(err)
	}
}
