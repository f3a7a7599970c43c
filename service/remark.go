package service

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// A Remark is what somebody wrote about a person, a review case or a session, for others to read.
// Pages call it a note.
type Remark struct {
	ID    string    `json:"-"` // among those of By
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	About string    `json:"about"`         // an IRI, the id of a review case, or AboutSession
	When  time.Time `json:"when,omitzero"` // the beginning of the session
	Text  string    `json:"text"`
}

// AboutSession is what remarks about sessions are about. Remark.When says about which.
const AboutSession = "session"

const (
	remarkNote   = "note"
	maxRemark    = 500  // characters
	maxRemarking = 1000 // bytes of what a remark is about
)

// AddRemark keeps a remark of an actor, and enters it in the journal. The error is an *Error if the text is
// empty, too long or has control characters, if it names somebody who was erased, or if there are too many.
func (s *Service) AddRemark(ctx context.Context, actor auth.Actor, r Remark) error {
	defer s.withholding()()
	r.Text = strings.TrimSpace(r.Text)
	switch {
	case !isLine(r.Text, maxRemark) || !utf8.ValidString(r.Text):
		return refuse(Invalid, "a note has 1 to %d characters, none of them a control character", maxRemark)
	case r.About == "" || len(r.About) > maxRemarking || !utf8.ValidString(r.About) || strings.ContainsFunc(r.About, unicode.IsControl), (r.About == AboutSession) == r.When.IsZero():
		return refuse(Invalid, "a note is about an IRI, a review case, or a session and its time")
	case s.namesForgotten(r.About, r.Text):
		return refuse(Conflict, "the note names somebody who was erased")
	}
	e := s.entry(ctx, actor, journal.Remark, "")
	r.By, r.At, e.Subject, e.Detail = actor.Username, e.Time, r.About, r.Text
	return s.putNote(ctx, remarkNote, actor.Username, e.LogID, r, e)
}

// ForgetRemark removes a remark of the actor. The journal keeps that it was made. The error is an *Error if there is none.
func (s *Service) ForgetRemark(ctx context.Context, actor auth.Actor, id string) error {
	was, err := s.config.Notes.Remove(ctx, remarkNote, actor.Username, id)
	if err == nil && !was {
		err = refuse(NotFound, "you have no such note")
	}
	return err
}

// Remarks returns the remarks that a condition holds for, oldest first.
func (s *Service) Remarks(holds func(Remark) bool) ([]Remark, error) {
	all, err := readNotes(s, remarkNote, "", func(n notes.Note) Remark { return Remark{ID: n.Name} })
	all = slices.DeleteFunc(all, func(r Remark) bool { return !holds(r) })
	slices.SortStableFunc(all, func(a, b Remark) int { return a.At.Compare(b.At) })
	return all, err
}
