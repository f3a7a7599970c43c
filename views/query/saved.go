package query

import (
	"net/http"
	"net/url"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// shownSaved is how many saved queries of others are listed.
const shownSaved = 100

// savedAddress returns the address that shows and runs a saved query.
func savedAddress(q service.SavedQuery) string {
	return "/query?" + url.Values{"saved": {q.Name}, "of": {q.Owner}}.Encode()
}

// savedQueries returns the visitor's saved queries, and the first shownSaved of others,
// by owner and name.
func (u *handlers) savedQueries(visitor string) (own, others []SavedQuery, err error) {
	all, err := u.Service.SavedQueries("")
	if err != nil {
		return nil, nil, err
	}
	for _, q := range all {
		link := SavedQuery{Name: q.Name, Owner: q.Owner, Href: savedAddress(q)}
		if q.Owner == visitor {
			own = append(own, link)
		} else if len(others) < shownSaved {
			others = append(others, link)
		}
	}
	return own, others, nil
}

// postSavedQuery saves the query of the editor under a name, and shows it there.
func (u *handlers) postSavedQuery(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	q := readQueryAsked(url.Values{"query": {form.Value("query")}})
	saved, err := u.Service.SaveQuery(r.Context(), v.Actor, form.Value("name"), q.text)
	if err != nil {
		return err
	}
	u.Redirect(w, r, savedAddress(saved))
	return nil
}

// postForgottenQuery removes a saved query of the visitor.
func (u *handlers) postForgottenQuery(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	if err := u.Service.ForgetQuery(r.Context(), v.Actor, form.Value("name")); err != nil {
		return err
	}
	u.Redirect(w, r, "/query")
	return nil
}

// findSaved finds saved queries by their names. For "" it returns all.
func (u *handlers) findSaved(_ *http.Request, _ *views.Visit, text string) ([]views.FoundGroup, error) {
	all, err := u.Service.SavedQueries("")
	if err != nil {
		return nil, err
	}
	var list []views.Found
	for _, q := range all {
		if views.Contains(q.Name, text) {
			list = append(list, views.Found{Name: q.Name, Note: q.Owner, Href: savedAddress(q)})
		}
	}
	return []views.FoundGroup{views.BestFound("Saved queries", list, text)}, nil
}
