package service

import (
	"context"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/rdf"
)

// A CountedClass is a class of another vocabulary, whose instances reports count as
// activities because a user chose it.
type CountedClass struct {
	Class string    `json:"-"`
	Time  string    `json:"time"`            // property with the time of an instance
	Robot string    `json:"robot,omitempty"` // property with its robot, or ""
	By    string    `json:"by"`
	At    time.Time `json:"at"` // when By chose it
}

// classOwner is the owner of the notes of counted classes.
const classOwner = "reports"

// CountClass makes reports count the instances of a class as activities, or changes how.
func (s *Service) CountClass(ctx context.Context, actor auth.Actor, c CountedClass) error {
	switch {
	case !rdf.IsIRI(c.Class) || !rdf.IsIRI(c.Time) || c.Robot != "" && !rdf.IsIRI(c.Robot):
		return refuse(Invalid, "a class needs an IRI, and the IRI of the property with its time")
	case len(c.Class) > notes.MaxName:
		return refuse(Invalid, "the class's IRI has %d bytes; at most %d are allowed", len(c.Class), notes.MaxName)
	}
	defer s.withholding()()
	c.By, c.At = s.unforgotten(actor.Username, journal.ErasedText), s.config.Now().UTC()
	return s.putNote(ctx, notes.Class, classOwner, c.Class, c)
}

// CountedClasses returns the classes that reports count, by IRI.
func (s *Service) CountedClasses() ([]CountedClass, error) {
	return readNotes(s, notes.Class, classOwner, func(n notes.Note) CountedClass { return CountedClass{Class: n.Name} })
}

// UncountClass stops reports from counting a class. The error is an *Error if they do not
// count it.
func (s *Service) UncountClass(ctx context.Context, class string) error {
	was, err := s.config.Notes.Remove(ctx, notes.Class, classOwner, class)
	if err == nil && !was {
		err = refuse(NotFound, "reports do not count the class %q", class)
	}
	return err
}
