package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// Notes keeps small texts of users; see package notes.
type Notes interface {
	Put(ctx context.Context, n notes.Note, entries ...journal.Entry) error // in one unit of work
	Get(kind, owner, name string) (n notes.Note, ok bool, err error)
	List(kind, owner string) ([]notes.Note, error)
	Remove(ctx context.Context, kind, owner, name string) (was bool, err error)
}

// Kinds of notes.
const (
	queryNote = "query"
	batchNote = "batch"
)

// A SavedQuery is a query that a user keeps under a name. Others may read it.
type SavedQuery struct {
	Owner string    `json:"-"`
	Name  string    `json:"-"`
	Text  string    `json:"query"`
	At    time.Time `json:"at"` // when it was last saved
}

// maxQueryName is the longest name of a saved query, in bytes.
const maxQueryName = 100

// SaveQuery saves a query under a name, or replaces the actor's query of that name. It
// returns the saved query.
func (s *Service) SaveQuery(ctx context.Context, actor auth.Actor, name, text string) (SavedQuery, error) {
	defer s.withholding()()
	name = strings.TrimSpace(name)
	switch {
	case name == "" || len(name) > maxQueryName || strings.ContainsFunc(name, unicode.IsControl):
		return SavedQuery{}, refuse(Invalid, "a saved query needs a name of 1 to %d bytes without control characters", maxQueryName)
	case s.namesForgotten(name, text):
		return SavedQuery{}, refuse(Conflict, "the query names somebody who was erased")
	case strings.TrimSpace(text) == "":
		return SavedQuery{}, refuse(Invalid, "there is no query to save")
	}
	q := SavedQuery{Owner: actor.Username, Name: name, Text: text, At: s.config.Now().UTC()}
	return q, s.putNote(ctx, queryNote, q.Owner, q.Name, q)
}

// putNote stores a value as JSON, with entries in the journal. It refuses an owner who was erased.
func (s *Service) putNote(ctx context.Context, kind, owner, name string, value any, entries ...journal.Entry) error {
	if err := s.checkUser(owner); err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write a note: %w", err)
	}
	err = s.config.Notes.Put(ctx, notes.Note{Kind: kind, Owner: owner, Name: name, Text: string(text)}, entries...)
	var unfit *store.UnfitError
	if errors.As(err, &unfit) {
		return refuse(Conflict, "%s", unfit.Detail)
	}
	return err
}

// SavedQueries returns the saved queries of a user, by name. An empty user means all
// users.
func (s *Service) SavedQueries(user string) ([]SavedQuery, error) {
	return readNotes(s, queryNote, user, func(n notes.Note) SavedQuery { return SavedQuery{Owner: n.Owner, Name: n.Name} })
}

// readNotes returns the values of the notes of a kind and an owner; "" means all owners. of makes the value that a note's
// text completes.
func readNotes[T any](s *Service, kind, owner string, of func(notes.Note) T) ([]T, error) {
	list, err := s.config.Notes.List(kind, owner)
	if err != nil {
		return nil, fmt.Errorf("read the notes of the kind %q: %w", kind, err)
	}
	var all []T
	for _, n := range list {
		v := of(n)
		if err := json.Unmarshal([]byte(n.Text), &v); err != nil {
			return nil, fmt.Errorf("the note %q of the kind %q can't be read: %w", n.Name, kind, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// SavedQuery returns the query that a user saved under a name. The error is an *Error if
// there is none.
func (s *Service) SavedQuery(user, name string) (SavedQuery, error) {
	n, ok, err := s.config.Notes.Get(queryNote, user, name)
	if err != nil {
		return SavedQuery{}, fmt.Errorf("read a saved query: %w", err)
	}
	if !ok {
		return SavedQuery{}, refuse(NotFound, "the user %q has no saved query %q", user, name)
	}
	q := SavedQuery{Owner: user, Name: name}
	if err := json.Unmarshal([]byte(n.Text), &q); err != nil {
		return SavedQuery{}, fmt.Errorf("read a saved query: %w", err)
	}
	return q, nil
}

// ForgetQuery removes a saved query of the actor. The error is an *Error if there is
// none.
func (s *Service) ForgetQuery(ctx context.Context, actor auth.Actor, name string) error {
	was, err := s.config.Notes.Remove(ctx, queryNote, actor.Username, name)
	if err == nil && !was {
		err = refuse(NotFound, "you have no saved query %q", name)
	}
	return err
}
