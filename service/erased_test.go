package service_test

import (
	"crypto/ed25519"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/store/turtle"
)

// Nothing that a user or a robot sends brings back somebody who was erased, however they spell the IRI.
func TestNobodyWhoWasErasedComesBack(t *testing.T) {
	t.Parallel()
	const maria = "http://example.org/id/mariamarker"
	file, err := persist.Open(filepath.Join(t.TempDir(), "x.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	now := time.Date(2026, 1, 10, 6, 0, 0, 0, time.UTC)
	r, err := resolver.Open(file.Contexts(), resolver.Options{Settings: resolver.Defaults(), Now: func() time.Time { return now }, Random: rand.NewChaCha8([32]byte{})})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := auth.New("0123456789abcdefghijklmnopqrstuv")
	if err != nil {
		t.Fatal(err)
	}
	g := persist.ResolvedGraph{Graph: file, Store: file, Resolver: r}
	s := service.New(service.Config{Graph: file, Queries: file, Journal: file, Contexts: r, Notes: file.Notes, Holds: holds.Of(file.Store), Forgotten: file.Forgotten, Eraser: g, Lines: g, Auth: tokens, Signers: signers.Of(file.Store),
		Log: logs.New(logs.Options{Name: "none"}), StoreName: "cayley", Now: func() time.Time { return now }})
	storetest.Publish(t, file, "<"+maria+"> <urn:p> 1 .")
	for _, robot := range []string{"http://ex/ari", "http://ex/tiago"} { // a case waits
		if _, err := r.Record(t.Context(), resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-10T05:59:00Z", Text: "what is the same", RobotURI: robot},
			journal.Entry{LogID: journal.NewLogID(), Action: journal.Resolve, Time: now}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Erase(t.Context(), maria, "", journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: now}); err != nil {
		t.Fatal(err)
	}
	if err := file.Purge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ari, public := auth.Actor{Username: "ari"}, ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	seen := resolver.Observation{EventKind: "heard", ObservedAt: "2026-01-10T05:00:00Z", Text: "hello mariamarker"}
	observe := func(set func(o *resolver.Observation)) func() error {
		return func() error {
			o := seen
			set(&o)
			_, err := s.Resolve(t.Context(), ari, o, nil)
			return err
		}
	}
	publish := func(by auth.Actor, claimed, text string) func() error {
		return func() error {
			_, err := s.Publish(t.Context(), by, service.Publication{Content: []byte(text), Format: turtle.Turtle, Claimed: claimed}, nil)
			return err
		}
	}
	line := `{"key": "k1", "about": "urn:a", "observation": {"event_kind": "seen", "observed_at": "2026-01-10T05:00:00Z", "subject": "\t` + maria + `"},
		"graph": {"@id": "urn:a", "http://www.w3.org/2000/01/rdf-schema#label": "saw mariamarker"}}`
	for _, x := range []struct {
		what    string
		refused bool
		do      func() error
	}{
		{"a subject", false, observe(func(o *resolver.Observation) { o.SubjectURI = " " + maria })},
		{"a robot", false, observe(func(o *resolver.Observation) { o.RobotURI = maria + "\n" })},
		{"a place", false, observe(func(o *resolver.Observation) { o.LocationURI = "\u00a0" + maria })},
		{"an observation", false, observe(func(o *resolver.Observation) { o.ObservationURI = maria + "#1 " })},
		{"a line", false, func() error {
			answers, err := s.PublishLines(t.Context(), ari, service.Batched{Lines: [][]byte{[]byte(strings.ReplaceAll(line, "\n", " "))}}, nil)
			if err == nil {
				err = answers[0].Err
			}
			return err
		}},
		{"a prefix", false, publish(ari, "", "@prefix m: <"+maria+"#> . <urn:s> <urn:p> 2 .")},
		{"a datatype", false, publish(ari, "", `<urn:s> <urn:p> "x"^^<`+maria+`>, 3 .`)},
		{"a URI as a literal", false, publish(ari, "", `<urn:s> <urn:p> "`+maria+`"^^<http://www.w3.org/2001/XMLSchema#anyURI>, 4 .`)},
		{"a claimed user", false, publish(ari, "Maria <"+maria+">", `<urn:s> <urn:p> 5 .`)},
		{"a user", false, publish(auth.Actor{Username: maria}, "", `<urn:s> <urn:p> 6 .`)},
		{"a person", true, func() error { _, err := s.DecideSubject(t.Context(), ari, " "+maria, true); return err }},
		{"one person", true, func() error {
			_, err := s.DecidePerson(t.Context(), ari, resolver.PersonDecision{Subjects: []string{maria + " ", "http://ex/b"}, Reason: "so"})
			return err
		}},
		{"a relay", true, func() error { _, err := s.DecideRelay(t.Context(), ari, "http://ex/r", maria, true); return err }},
		{"a filter", true, func() error {
			_, err := s.OpenBatch(t.Context(), ari, true, "contains=http%3A%2F%2Fexample.org%2Fid%2Fmariamarker+said", func(resolver.Waiting) bool { return true })
			return err
		}},
		{"a query of hers", true, func() error {
			_, err := s.SaveQuery(t.Context(), auth.Actor{Username: maria}, "q", "ASK {}")
			return err
		}},
		{"a token", true, func() error {
			_, _, err := s.IssueToken(t.Context(), ari, maria, []string{string(auth.Admin)}, service.MaxTokenLife)
			return err
		}},
		{"a token that she issues", false, func() error {
			_, _, err := s.IssueToken(t.Context(), auth.Actor{Username: maria}, "eva", []string{string(auth.Admin)}, service.MaxTokenLife)
			return err
		}},
		{"a class that she chooses", false, func() error {
			return s.CountClass(t.Context(), auth.Actor{Username: maria}, service.CountedClass{Class: "urn:c", Time: "urn:t"})
		}},
		{"a key of hers", true, func() error {
			_, err := s.AddKey(t.Context(), ari, maria, []byte(journal.PublicPEM(public)))
			return err
		}},
		{"a query", true, func() error {
			_, err := s.SaveQuery(t.Context(), ari, "q", "BASE <http://example.org/id/> SELECT * { <mariamarker> ?p ?o }")
			return err
		}},
	} {
		if err := x.do(); (err != nil) != x.refused || x.refused && service.ErrorOf(err).Kind != service.Conflict {
			t.Errorf("%s: %v", x.what, err)
		}
		if places, err := file.Find(t.Context(), "mariamarker", retries.Unpacked); err != nil || len(places) > 0 {
			t.Fatalf("%s brings her back in %v, %v", x.what, places, err)
		}
	}
}
