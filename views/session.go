package views

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
)

// getSession shows who is signed in, and asks for a token.
func (u *UI) getSession(w http.ResponseWriter, r *http.Request, v *Visit) error {
	m := u.sessionModel(v, localPath(r.URL.Query().Get("next")))
	m.Back = u.cameFrom(r)
	m.Expired = m.Next != "" && u.sessionID(r) != "" && !v.Known
	return u.Show(w, r, http.StatusOK, SessionPage(u.Frame(r, v, "Sign in"), m))
}

// postSession checks a token and begins a session. If the token is refused, the page says why.
func (u *UI) postSession(w http.ResponseWriter, r *http.Request, v *Visit) error {
	form, err := u.Front.ReceiveFields(w, r)
	if err != nil {
		return err
	}
	next := localPath(form.Value("next"))
	if !u.Config.Auth.Enabled() {
		u.Redirect(w, r, cmp.Or(next, "/"))
		return nil
	}
	token := strings.TrimSpace(form.Value("token"))
	if scheme, rest, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "Bearer") {
		token = strings.TrimSpace(rest)
	}
	actor, err := u.signIn(r, token)
	var refused *front.Problem
	if errors.As(err, &refused) && refused.Status != http.StatusTooManyRequests {
		m := u.sessionModel(v, next)
		m.Refused = refused.Detail
		return u.Show(w, r, refused.Status, SessionPage(u.Frame(r, v, "Sign in"), m))
	}
	if err != nil {
		return err
	}
	u.sessions.end(u.sessionID(r))
	http.SetCookie(w, sessionCookie(u.Base(), u.sessions.begin(actor), actor.Expires, u.Front.Secure(r)))
	u.Redirect(w, r, cmp.Or(next, "/"))
	return nil
}

// signIn returns the actor that a token identifies. The error is a *front.Problem for the
// person who pasted it.
func (u *UI) signIn(r *http.Request, token string) (auth.Actor, error) {
	if token == "" {
		return auth.Actor{}, front.NewProblem(http.StatusUnprocessableEntity, "there is no token in the field; paste your token")
	}
	if strings.ContainsAny(token, " \t\r\n") {
		return auth.Actor{}, front.NewProblem(http.StatusUnprocessableEntity, "a token has no spaces or line breaks; paste only the token")
	}
	actor, err := u.Front.SignIn(r, token)
	if err != nil {
		return auth.Actor{}, front.ProblemOf(err)
	}
	return actor, nil
}

func (u *UI) endSession(w http.ResponseWriter, r *http.Request, _ *Visit) error {
	u.sessions.end(u.sessionID(r))
	http.SetCookie(w, sessionCookie(u.Base(), "", u.Config.Now(), u.Front.Secure(r)))
	u.Redirect(w, r, "/session")
	return nil
}

// sessionModel returns the model of the page for signing in, with the roles that open each page.
// next is where to go after that.
func (u *UI) sessionModel(v *Visit, next string) Session {
	m := Session{Next: next}
	for _, p := range u.Pages {
		if p.Name == "" || p.Menu == menuWho { // the page itself
			continue
		}
		m.Pages = append(m.Pages, Access{
			Link: Link{Path: p.Path, Name: p.Name, Icon: p.Icon, Menu: p.Menu}, About: p.About, Roles: auth.RoleList(p.Roles, " or "),
			Open: p.opens(v),
		})
	}
	return m
}

// localPath returns an address sent by a browser if it is one of this service, otherwise
// "", so that nobody is redirected elsewhere. It removes a token in the address, because
// pages show the address.
func localPath(next string) string {
	at, err := url.Parse(next)
	if err != nil || at.Scheme != "" || at.Host != "" || at.User != nil || at.Opaque != "" ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return ""
	}
	if q := at.Query(); q.Has("token") || q.Has("access_token") {
		q.Del("token")
		q.Del("access_token")
		at.RawQuery = q.Encode()
		return at.String()
	}
	return next
}
