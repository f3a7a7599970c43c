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

// showTokens shows the page with m, to which it adds at most tokenRows tokens: those of the user m.User, or those of all
// users, if there is no m.User or the page answers a form.
func (u *handlers) showTokens(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Tokens) error {
	if auth.CheckName(m.User) != nil { // it may be a token
		m.User = ""
	}
	list, err := u.Service.IssuedTokens()
	if err != nil {
		return err
	}
	m.All = len(list)
	answers := m.New != "" || m.Wrong != "" // then m.User is a field of the form
	for _, t := range list {
		if len(m.List) < tokenRows && (answers || m.User == "" || t.Username == m.User) {
			m.List = append(m.List, t)
		}
	}
	m.Off, m.Own, m.Ticket = !u.Config.Auth.Enabled(), v.Actor.TokenID, u.tickets.issue(tokenForm, v.Actor.Username)
	return u.Show(w, r, status, TokensPage(u.Frame(r, v, "Tokens"), m))
}

// tokenForm takes the place of the document in the form's tickets. A ticket issues one token, even if the form is sent
// twice.
var tokenForm = []byte("/tokens")

// tokenRows is how many tokens the page shows.
const tokenRows = 50

// postToken issues a token, which only the answer shows, or revokes tokens. A form that is sent twice gets the same
// answer again.
func (u *handlers) postToken(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
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
	t := u.tickets.find(form.Value("ticket"), tokenForm, v.Actor.Username)
	if t == nil {
		m.Wrong = "The page is too old. Send the form again."
		return u.showTokens(w, r, v, http.StatusConflict, m)
	}
	t.Lock()
	defer t.Unlock()
	asked := [...]string{m.User, m.Role, m.Ends}
	switch { // a form that was sent twice is neither, and shows its token again
	case t.token != "" && t.asked != asked:
		m.Wrong = "This form has issued another token. Send it again to issue this one."
		return u.showTokens(w, r, v, http.StatusConflict, m)
	case t.token == "":
		t.asked = asked
		t.token, t.made, err = u.Service.IssueToken(r.Context(), v.Actor, m.User, strings.Fields(m.Role), ends.AddDate(0, 0, 1).Sub(v.Now))
	}
	if err == nil {
		return u.showTokens(w, r, v, http.StatusOK, Tokens{New: t.token, Made: t.made})
	}
	p := front.ProblemOf(err)
	if p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusConflict {
		return err
	}
	m.Wrong = service.Sentence(p.Detail)
	return u.showTokens(w, r, v, p.Status, m)
}
