package service

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// noteMap holds notes in memory. With err, everything fails.
type noteMap struct {
	notes map[[3]string]string
	err   error
}

func (m *noteMap) Put(_ context.Context, n notes.Note, _ ...journal.Entry) error {
	if m.err == nil {
		m.notes[[3]string{n.Kind, n.Owner, n.Name}] = n.Text
	}
	return m.err
}

func (m *noteMap) Get(kind, owner, name string) (notes.Note, bool, error) {
	text, ok := m.notes[[3]string{kind, owner, name}]
	return notes.Note{Kind: kind, Owner: owner, Name: name, Text: text}, ok, m.err
}

func (m *noteMap) List(kind, owner string) (all []notes.Note, err error) {
	for _, key := range slices.SortedFunc(maps.Keys(m.notes), func(a, b [3]string) int { return cmp.Compare(a[2], b[2]) }) {
		if key[0] == kind && (owner == "" || key[1] == owner) {
			all = append(all, notes.Note{Kind: kind, Owner: key[1], Name: key[2], Text: m.notes[key]})
		}
	}
	return all, m.err
}

func (m *noteMap) Remove(_ context.Context, kind, owner, name string) (bool, error) {
	key := [3]string{kind, owner, name}
	_, was := m.notes[key]
	delete(m.notes, key)
	return was, m.err
}

// withNotes returns a service with notes in memory, whose clock is at.
func withNotes(at *time.Time) (*Service, *noteMap) {
	m := &noteMap{notes: map[[3]string]string{}}
	return &Service{config: Config{Notes: m, Now: func() time.Time { return *at }}}, m
}

func TestQueriesAreSavedUnderPlainNames(t *testing.T) {
	now := time.Date(2100, 3, 1, 12, 0, 0, 0, time.UTC)
	s, m := withNotes(&now)
	ari, eva := auth.Actor{Username: "ari"}, auth.Actor{Username: "eva"}
	for _, x := range []struct{ name, text, words string }{
		{"", "ASK {}", "needs a name"},
		{" \t ", "ASK {}", "needs a name"},
		{strings.Repeat("x", maxQueryName+1), "ASK {}", "needs a name of 1 to 100 bytes"},
		{"a\nb", "ASK {}", "control characters"},
		{"a\x00b", "ASK {}", "control characters"},
		{"who", " \n", "no query to save"},
		{" who ", "ASK {}", ""},
		{strings.Repeat("é", maxQueryName/2), "ASK {}", ""},
	} {
		_, err := s.SaveQuery(t.Context(), ari, x.name, x.text)
		refusedAs(t, fmt.Sprintf("%.20q", x.name), err, Invalid, x.words)
	}
	now = now.Add(time.Hour)
	if _, err := s.SaveQuery(t.Context(), eva, "who", "SELECT * {}"); err != nil {
		t.Fatal(err)
	}
	if q, err := s.SavedQuery("ari", "who"); err != nil || q.Text != "ASK {}" || q.Owner != "ari" || !q.At.Equal(now.Add(-time.Hour)) {
		t.Errorf("%+v, %v", q, err)
	}
	if own, err := s.SavedQueries("ari"); len(own) != 2 || err != nil {
		t.Errorf("ari has %v, %v", own, err)
	}
	if all, err := s.SavedQueries(""); len(all) != 3 || err != nil {
		t.Errorf("all have %v, %v", all, err)
	}
	_, err := s.SavedQuery("eva", "what")
	refusedAs(t, "an unknown query", err, NotFound, `The user "eva" has no saved query "what".`)
	refusedAs(t, "a query of another user", s.ForgetQuery(t.Context(), eva, strings.Repeat("é", maxQueryName/2)), NotFound, "You have no saved query")
	refusedAs(t, "an own query", s.ForgetQuery(t.Context(), eva, "who"), NotFound, "")
	refusedAs(t, "the same again", s.ForgetQuery(t.Context(), eva, "who"), NotFound, "You have no saved query")
	m.err = &store.UnfitError{Detail: "there are already 200, the most that ari may have; remove one first"}
	_, err = s.SaveQuery(t.Context(), ari, "more", "ASK {}")
	refusedAs(t, "too many", err, Conflict, "There are already 200, the most that ari may have; remove one first.")
	m.err, m.notes[[3]string{queryNote, "ari", "broken"}] = nil, "{"
	for what, err := range map[string]error{
		"all": func() error { _, err := s.SavedQueries(""); return err }(), "one": func() error { _, err := s.SavedQuery("ari", "broken"); return err }(),
	} {
		if err == nil || ErrorOf(err) != nil {
			t.Errorf("%s, with one that can't be read: %v", what, err)
		}
	}
}

func TestAClassIsCountedByItsIRIs(t *testing.T) {
	now := time.Date(2100, 3, 1, 12, 0, 0, 0, time.UTC)
	s, _ := withNotes(&now)
	actor := auth.Actor{Username: "eva"}
	for _, x := range []struct{ class, time, robot, words string }{
		{"", "http://e/at", "", "needs an IRI"},
		{"http://e/C", "", "", "needs an IRI"},
		{"http://e/C> } DROP ALL #", "http://e/at", "", "needs an IRI"}, // it becomes a part of queries
		{"http://e/C", "http://e/at> ?x", "", "needs an IRI"},
		{"http://e/C", "http://e/at", "ari", "needs an IRI"},
		{"http://e/" + strings.Repeat("C", notes.MaxName), "http://e/at", "", "has 209 bytes; at most 200 are allowed"},
		{"http://e/C", "http://e/at", "http://e/by", ""},
		{"http://e/B", "http://e/at", "", ""},
		{"http://e/C", "http://e/when", "", ""}, // replaces the first
	} {
		refusedAs(t, x.class, s.CountClass(t.Context(), actor, CountedClass{Class: x.class, Time: x.time, Robot: x.robot, By: "forged"}), Invalid, x.words)
	}
	want := []CountedClass{{"http://e/B", "http://e/at", "", "eva", now}, {"http://e/C", "http://e/when", "", "eva", now}}
	if got, err := s.CountedClasses(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	refusedAs(t, "the class", s.UncountClass(t.Context(), "http://e/C"), NotFound, "")
	refusedAs(t, "the class again", s.UncountClass(t.Context(), "http://e/C"), NotFound, `Reports do not count the class "http://e/C".`)
}
