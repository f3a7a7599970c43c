package admin

import (
	"net/http"
	"slices"
	"strings"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// keyRows is how many keys a page shows.
const keyRows = 50

// getKeys lists the keys with which users sign requests, the newest first.
func (u *handlers) getKeys(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.showKeys(w, r, v, http.StatusOK, Keys{Of: r.URL.Query().Get("user")})
}

// showKeys shows the page with m, to which it adds the keys: of the user m.Of, or all, the newest
// first.
func (u *handlers) showKeys(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Keys) error {
	if auth.CheckName(m.Of) != nil || auth.CheckName(m.User) != nil { // it may be a token, which no page shows
		m.Of, m.User = "", ""
	}
	keys, err := u.Service.Keys(r.Context())
	if err != nil {
		return err
	}
	for _, k := range keys {
		if m.Of == "" || k.User == m.Of {
			m.List = append(m.List, SigningKey{ID: k.ID.String(), User: k.User, Added: k.Added, AddedBy: k.AddedBy, Removed: k.Removed})
		}
	}
	m.All = len(m.List)
	slices.SortStableFunc(m.List, func(a, b SigningKey) int { return b.Added.Compare(a.Added) })
	m.List = m.List[:min(m.All, keyRows)]
	return u.Show(w, r, status, KeysPage(u.Frame(r, v, "Keys"), m))
}

// postKey adds a key or removes one. If a key can't be added, it shows the form with the
// reason.
func (u *handlers) postKey(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	if form.Value("do") == "remove" {
		if _, err := u.Service.RemoveKey(r.Context(), v.Actor, form.Value("id")); err != nil {
			return err
		}
		u.Redirect(w, r, "/keys")
		return nil
	}
	user, text := strings.TrimSpace(form.Value("user")), form.Value("key")
	_, err := u.Service.AddKey(r.Context(), v.Actor, user, []byte(text))
	if err == nil {
		u.Redirect(w, r, "/keys")
		return nil
	}
	p := front.ProblemOf(err)
	if p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusConflict {
		return err
	}
	if strings.Contains(text, "PRIVATE") || len(text) > 1000 { // nobody should see a private key again
		text = ""
	}
	return u.showKeys(w, r, v, p.Status, Keys{User: user, Text: text, Wrong: service.Sentence(p.Detail)})
}
