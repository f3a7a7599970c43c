package webui

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/views"
)

// getSession shows who is signed in, and asks for a token.
func (u *UI) getSession(w http.ResponseWriter, r *http.Request, v *visit) error {
	m := u.sessionModel(v, localPath(r.URL.Query().Get("next")))
	m.Expired = m.Next != "" && u.sessionID(r) != "" && !v.known
	return u.show(w, r, http.StatusOK, views.SessionPage(u.frame(r, v, "Sign in"), m))
}

// postSession checks a token and begins a session.
func (u *UI) postSession(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	next := localPath(form.Value("next"))
	if !u.config.Auth.Enabled() {
		u.redirect(w, r, orHome(next))
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
		return u.show(w, r, refused.Status, views.SessionPage(u.frame(r, v, "Sign in"), m))
	}
	if err != nil {
		return err
	}
	u.sessions.end(u.sessionID(r))
	http.SetCookie(w, sessionCookie(u.base(), u.sessions.begin(actor), actor.Expires, u.front.Secure(r)))
	u.redirect(w, r, orHome(next))
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
	actor, err := u.front.SignIn(r, token)
	if err != nil {
		return auth.Actor{}, front.ProblemOf(err)
	}
	return actor, nil
}

// endSession signs out.
func (u *UI) endSession(w http.ResponseWriter, r *http.Request, _ *visit) error {
	u.sessions.end(u.sessionID(r))
	http.SetCookie(w, sessionCookie(u.base(), "", u.config.Now(), u.front.Secure(r)))
	u.redirect(w, r, "/session")
	return nil
}

func (u *UI) sessionModel(v *visit, next string) views.Session {
	m := views.Session{Next: next}
	for _, p := range u.pages {
		if p.name == "" {
			continue
		}
		m.Pages = append(m.Pages, views.Access{
			Path: p.path, Name: p.name, Roles: auth.RoleList(p.roles, " or "),
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

func orHome(path string) string {
	if path == "" {
		return "/"
	}
	return path
}
