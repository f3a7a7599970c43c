package service

import (
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Forgotten lists who was erased.
type Forgotten interface {
	Len() int
	Complete() (bool, error) // whether the store is without them; false after an erasure that failed
	// Begin begins a write that asks whom the list has. end is called once that is stored.
	Begin() (end func())
	// Of reports whether an IRI is somebody's who was erased, and what replaces it, "" if
	// nothing does. Term is like Of for a term; the zero Term means that nothing does.
	Of(iri string) (to string, found bool)
	Term(rdf.Term) rdf.Term
	In(text string) bool // reports whether a text has such an IRI
}

// withholding begins a write that may name somebody who was erased; see Forgotten.
func (s *Service) withholding() (end func()) {
	if s.config.Forgotten == nil {
		return func() {}
	}
	return s.config.Forgotten.Begin()
}

// deciding begins a decision on some people. It refuses people who were erased, and erasures wait until end is called. If
// decisions go through a stream, they need not wait: whether somebody was erased is checked again when one is carried out.
func (s *Service) deciding(iris ...string) (end func(), err error) {
	end, err = s.withholding(), s.checkPeople(iris...)
	if err != nil || s.config.Lag != nil {
		end()
		end = func() {}
	}
	return end, err
}

// judging is like deciding, for a decision that is on no person.
func (s *Service) judging() (end func()) {
	end, _ = s.deciding() // without people there is no error
	return end
}

// forgotten reports whether an IRI is somebody's who was erased.
func (s *Service) forgotten(iri string) bool {
	if s.config.Forgotten == nil {
		return false
	}
	_, found := s.config.Forgotten.Of(iri)
	return found
}

// namesForgotten reports whether a text names somebody who was erased.
func (s *Service) namesForgotten(texts ...string) bool {
	return s.config.Forgotten != nil && slices.ContainsFunc(texts, s.config.Forgotten.In)
}

// unforgotten returns user, or what stands for a user who was erased; see forgotten.User.
func (s *Service) unforgotten(user, by string) string {
	if s.config.Forgotten == nil {
		return user
	}
	return forgotten.User(s.config.Forgotten, user, by)
}

// checkUser refuses a user who was erased: nothing is kept under that name. A token may outlive it.
func (s *Service) checkUser(user string) error {
	if s.unforgotten(user, "") != user {
		return refuse(Conflict, "the user was erased, and nothing is kept under that name; revoke the user's tokens")
	}
	return nil
}

// checkPeople returns an *Error if one of some IRIs is of somebody who was erased: a decision or a hold would store it again.
func (s *Service) checkPeople(iris ...string) error {
	if slices.ContainsFunc(iris, s.forgotten) {
		return refuse(Conflict, "this names somebody who was erased")
	}
	return nil
}

// checkReason refuses a reason, which the journal keeps, if it names somebody who was erased.
func (s *Service) checkReason(reason string) error {
	if s.namesForgotten(reason) {
		return refuse(Conflict, "the journal keeps the reason, and it names somebody who was erased")
	}
	return nil
}

// checkClaimed refuses a signed request that names as its user somebody who was erased: the journal keeps what was signed.
func (s *Service) checkClaimed(user string, sig *journal.Signature) error {
	if sig != nil && s.namesForgotten(user) {
		return refuse(Conflict, "the signed request names as its user somebody who was erased")
	}
	return nil
}

// withhold takes people who were erased out of a document: it replaces their IRIs if the list has a pseudonym, or
// else removes the triples with them. It also removes texts about them and what they said. It returns how many
// triples it removed. It refuses what was signed, because nobody signed the rest alone, and a document that is too
// large to be changed in memory. The nodes of naming name somebody who was erased elsewhere.
func (s *Service) withhold(d *reading, signed bool, naming ...rdf.Term) (withheld int, err error) {
	list := s.config.Forgotten
	if list == nil || list.Len() == 0 {
		return 0, nil
	}
	if d.parsed == nil {
		refuse := d.text.Refuse
		d.text.Refuse = func(t rdf.Term) string {
			if list.Term(t) != t {
				return "it names somebody who was erased; leave them out, or send the document in parts of at most 4,096 triples"
			}
			if refuse != nil {
				return refuse(t)
			}
			return ""
		}
		return 0, nil
	}
	changed, withheld := d.parsed.Map(list.Term, vocabulary.Sentences, naming...)
	if changed == d.parsed {
		return 0, nil
	}
	if signed {
		return 0, refuse(Conflict, "the signed document names somebody who was erased here, so it can't be stored as it was signed; leave them out and sign it again")
	}
	d.parsed, d.odd = changed, oddIRIs{} // warnings may name the person
	return withheld, nil
}

// withholdObserved replaces the IRIs of people who were erased in an observation, or removes those that
// nothing replaces. If there was one, it also removes the text, and found is true. A signed observation is refused
// instead, because nobody signed the rest alone.
func (s *Service) withholdObserved(o *resolver.Observation, signed bool) (found bool, err error) {
	list := s.config.Forgotten
	if list == nil || list.Len() == 0 {
		return false, nil
	}
	if found = o.Withhold(list.Of); signed && found {
		return found, refuse(Conflict, "the signed observation names somebody who was erased here; leave them out and sign it again")
	}
	return found, nil
}
