package mirror

import (
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// OfSubject returns the quads of a subject that is or was treated as a placeholder, and
// none for others.
func (n Names) OfSubject(x *record.Subject) []rdf.Quad {
	if x.State == record.Watched {
		return nil
	}
	var w writer
	s := n.Subject(x.Subject)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScPlaceholder))
	w.reference(s, vocabulary.ScSubject, x.Subject)
	return w.decided(s, x.State.String(), x.Since, x.DecidedBy)
}

// OfClock returns the quads of a robot's clock that a person has decided on, and none for
// others.
func (n Names) OfClock(x *record.Clock) []rdf.Quad {
	if x.DecidedAt == 0 {
		return nil
	}
	var w writer
	s := n.hashed("clock", x.Robot)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScClock))
	w.reference(s, vocabulary.ScRobot, x.Robot)
	state := "revoked"
	if !x.Revoked {
		state = "confirmed"
		w.float(s, vocabulary.ScAhead, float64(x.Confirmed)/1000)
	}
	return w.decided(s, state, x.DecidedAt, x.DecidedBy)
}

// OfRelay returns the quads of a robot that is or was treated as a relay, and none for
// others.
func (n Names) OfRelay(x *record.Relay) []rdf.Quad {
	if x.State == record.Ordinary {
		return nil
	}
	var w writer
	s := n.Relay(x.Robot)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScRelay))
	w.reference(s, vocabulary.ScRobot, x.Robot)
	w.reference(s, vocabulary.ScRepeats, x.Of)
	return w.decided(s, x.State.String(), x.Since, x.DecidedBy)
}

// OfPerson returns the quads of two subjects that people's decisions relate, and none for others. Of one person,
// the subjects are owl:sameAs each other.
func (n Names) OfPerson(x *record.Person) []rdf.Quad {
	if x.State == record.Unrelated {
		return nil
	}
	var w writer
	s := n.Person(x.First, x.Second)
	w.add(s, rdf.RDFType, rdf.NewIRI(vocabulary.ScSamePerson))
	w.reference(s, vocabulary.ScSubject, x.First)
	w.reference(s, vocabulary.ScSubject, x.Second)
	if x.State == record.OnePerson && rdf.IsIRI(x.First) {
		w.reference(rdf.NewIRI(x.First), vocabulary.OWL+"sameAs", x.Second)
	}
	return w.decided(s, x.State.String(), x.Since, x.DecidedBy)
}

// decided adds to what a node has its state, and who decided that and when. It returns all quads.
func (w *writer) decided(s rdf.Term, state string, at int64, user string) []rdf.Quad {
	w.text(s, vocabulary.ScState, state)
	w.time(s, vocabulary.ScDecidedAt, at)
	w.add(s, vocabulary.ProvWasAssociatedWith, rdf.NewIRI(by(user)))
	return w.quads
}

// Person returns the node of two subjects that may be one person.
func (n Names) Person(first, second string) rdf.Term {
	return n.hashed("person", first, second)
}

// Relay returns the node of a robot that may be a relay.
func (n Names) Relay(robot string) rdf.Term {
	return n.hashed("relay", robot)
}

// Subject returns the node of a subject that may be a placeholder.
func (n Names) Subject(name string) rdf.Term {
	return n.hashed("subject", name)
}

// by returns the IRI of a user, or the resolver's if user is "".
func by(user string) string {
	if user == "" {
		return resolver
	}
	return User(user)
}
