package webui

import (
	"net/http"
	"slices"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// keyRows is how many keys a page shows.
const keyRows = 50

// getKeys lists the keys with which users sign requests, the newest first.
func (u *UI) getKeys(w http.ResponseWriter, r *http.Request, v *visit) error {
	return u.showKeys(w, r, v, http.StatusOK, views.Keys{Of: r.URL.Query().Get("user")})
}

func (u *UI) showKeys(w http.ResponseWriter, r *http.Request, v *visit, status int, m views.Keys) error {
	if auth.CheckName(m.Of) != nil || auth.CheckName(m.User) != nil { // it may be a token, which no page shows
		m.Of, m.User = "", ""
	}
	keys, err := u.service.Keys(r.Context())
	if err != nil {
		return err
	}
	for _, k := range keys {
		if m.Of == "" || k.User == m.Of {
			m.List = append(m.List, views.SigningKey{ID: k.ID.String(), User: k.User, Added: k.Added, AddedBy: k.AddedBy, Removed: k.Removed})
		}
	}
	m.All = len(m.List)
	slices.SortStableFunc(m.List, func(a, b views.SigningKey) int { return b.Added.Compare(a.Added) })
	m.List = m.List[:min(m.All, keyRows)]
	return u.show(w, r, status, views.KeysPage(u.frame(r, v, "Keys"), m))
}

// postKey adds a key or removes one. If a key can't be added, it shows the form with the
// reason.
func (u *UI) postKey(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	if form.Value("do") == "remove" {
		if _, err = u.service.RemoveKey(r.Context(), v.actor, form.Value("id")); err != nil {
			return err
		}
		u.redirect(w, r, "/keys")
		return nil
	}
	user, text := strings.TrimSpace(form.Value("user")), form.Value("key")
	if _, err = u.service.AddKey(r.Context(), v.actor, user, []byte(text)); err == nil {
		u.redirect(w, r, "/keys")
		return nil
	}
	p := front.ProblemOf(err)
	if p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusConflict {
		return err
	}
	if strings.Contains(text, "PRIVATE") || len(text) > 1000 { // nobody should see a private key again
		text = ""
	}
	return u.showKeys(w, r, v, p.Status, views.Keys{User: user, Text: text, Wrong: service.Sentence(p.Detail)})
}
