package admin

import (
	"net/http"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// getTokens lists the issued tokens, the newest first.
func (u *handlers) getTokens(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.showTokens(w, r, v, http.StatusOK, Tokens{User: r.URL.Query().Get("user")})
}

// showTokens shows the page with m, to which it adds the tokens: of the user m.User, or all without
// a user and after the form was sent.
func (u *handlers) showTokens(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Tokens) error {
	if auth.CheckName(m.User) != nil { // it may be a token
		m.User = ""
	}
	list, err := u.Service.IssuedTokens()
	if err != nil {
		return err
	}
	m.All = len(list)
	for _, t := range list {
		if len(m.List) < tokenRows && (m.New != "" || m.Wrong != "" || m.User == "" || t.Username == m.User) {
			m.List = append(m.List, t)
		}
	}
	m.Off, m.Own = !u.Config.Auth.Enabled(), v.Actor.TokenID
	return u.Show(w, r, status, TokensPage(u.Frame(r, v, "Tokens"), m))
}

// tokenRows is how many tokens the page shows.
const tokenRows = 50

// postToken issues a token, which only the answer shows, or revokes tokens.
func (u *handlers) postToken(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	form, err := u.Front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	if form.Value("do") == "revoke" {
		if _, err := u.Service.Revoke(r.Context(), v.Actor, form.Value("jti"), strings.TrimSpace(form.Value("all"))); err != nil {
			return err
		}
		u.Redirect(w, r, "/tokens")
		return nil
	}
	m := Tokens{User: strings.TrimSpace(form.Value("user")), Role: form.Value("role"), Ends: form.Value("ends")}
	zone, _ := views.Zone(form.Value(views.ZoneField))
	ends, err := time.ParseInLocation(time.DateOnly, m.Ends, zone)
	if err != nil {
		m.Wrong = "Choose the last day of the token."
		return u.showTokens(w, r, v, http.StatusUnprocessableEntity, m)
	}
	life := ends.AddDate(0, 0, 1).Sub(v.Now)
	secret, t, err := u.Service.IssueToken(r.Context(), v.Actor, m.User, strings.Fields(m.Role), life)
	if err == nil {
		return u.showTokens(w, r, v, http.StatusOK, Tokens{New: secret, Made: t})
	}
	p := front.ProblemOf(err)
	if p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusConflict {
		return err
	}
	m.Wrong = service.Sentence(p.Detail)
	return u.showTokens(w, r, v, p.Status, m)
}
