package review

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// maxOffered is how many people the form about two names offers.
const maxOffered = 500

// ReviewNames is the model of /shared-context/people: two names of which an admin decides that they are one person's.
type ReviewNames struct {
	First, Second string // "" if not given yet
	Wrong         string // why nothing can be decided, or ""
	Names         views.Names
	People        []string // that the form offers, by IRI
	After         *resolver.Person
	One           bool // they are one person already
}

// getPeople asks for two names, and then shows what follows if they are one person's.
func (u *handlers) getPeople(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m, status := ReviewNames{First: r.URL.Query().Get("first"), Second: r.URL.Query().Get("second")}, http.StatusOK
	rows, err := u.Ask(r.Context(), fmt.Sprintf("SELECT DISTINCT ?who { VALUES ?class { <%s> <%s> <%s> } ?who a ?class FILTER(isIRI(?who)) } ORDER BY ?who LIMIT %d",
		vocabulary.OroHuman, vocabulary.ProvPerson, vocabulary.FOAFPerson, maxOffered))
	if err != nil {
		return err
	}
	for _, row := range rows {
		m.People = append(m.People, row[0].Value())
	}
	if m.First != "" && m.Second != "" {
		m.After, err = u.Service.DecidePerson(r.Context(), v.Actor, resolver.PersonDecision{Subjects: []string{m.First, m.Second}, One: true, Dry: true})
		if err != nil {
			e := service.ErrorOf(err)
			if e.Kind != service.Invalid {
				return err
			}
			m.Wrong, status = e.Detail, http.StatusUnprocessableEntity
		}
	}
	shown := slices.Concat(m.People, []string{m.First, m.Second})
	if m.After != nil {
		m.One, shown = slices.Contains(m.After.Before, m.Second), append(shown, m.After.SubjectURIs...)
	}
	if m.Names, err = u.NamesOf(r.Context(), shown...); err != nil {
		return err
	}
	f := u.Frame(r, v, "One person")
	f.Path, f.Styles = "/shared-context", []string{"review.css"}
	return u.Show(w, r, status, PeoplePage(f, m))
}
