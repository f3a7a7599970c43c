package mirror

import (
	"fmt"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/rdf"
)

// OfSubject returns the quads of a subject that is or was taken for a placeholder, none for others.
func OfSubject(x *record.Subject) []rdf.Quad {
	if x.State == record.Watched {
		return nil
	}
	var w writer
	s := Subject(x.Subject)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScPlaceholder))
	w.reference(s, vocabulary.ScSubject, x.Subject)
	w.text(s, vocabulary.ScState, x.State.String())
	w.time(s, vocabulary.ScDecidedAt, x.Since)
	w.add(s, vocabulary.ProvWasAssociatedWith, rdf.NewIRI(by(x.DecidedBy)))
	return w.quads
}

// Subject is the node of a subject that may be a placeholder.
func Subject(name string) rdf.Term {
	return own(fmt.Sprintf("subject_%016x", text.Fingerprint(name)))
}

// by is the IRI of a user, or without one of the resolver.
func by(user string) string {
	if user == "" {
		return resolver
	}
	return User(user)
}
