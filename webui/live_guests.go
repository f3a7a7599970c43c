package webui

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/static"
	"github.com/segraph/segraph/views"
)

// guestCookie is the name of the cookie that distinguishes guests.
const guestCookie = "segraph_guest"

// guests serves the listener of the guests: the page to vote, and its style.
type guests struct {
	live  *Live
	front *front.Front
}

// Guests returns the handler of the guests' listener. It serves nothing else of the
// service.
func (l *Live) Guests(f *front.Front) front.Pages { return guests{l, f} }

// ServeHTTP serves a request that has passed through front.Front.Frame.
func (g guests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	w.Header().Set("Content-Security-Policy", policy(rand.Text()))
	w.Header().Set("Referrer-Policy", "same-origin")
	switch {
	case r.URL.Path == static.URL("app.css") && r.Method == http.MethodGet:
		err = serveFile(w, r, path.Base(r.URL.Path))
	case r.URL.Path != "/vote":
		err = front.NewProblem(http.StatusNotFound, "guests can only vote; scan the code on the stage")
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		err = g.get(w, r)
	case r.Method == http.MethodPost:
		err = g.post(w, r)
	default:
		err = wrongMethod("GET, HEAD, POST")
	}
	if err != nil {
		g.front.Fail(w, r, err)
	}
}

// Fail answers a guest's request with a problem.
func (g guests) Fail(w http.ResponseWriter, r *http.Request, p *front.Problem) {
	g.show(w, r, p.Status, views.Guest{Wrong: p.Detail})
}

func (g guests) show(w http.ResponseWriter, r *http.Request, status int, m views.Guest) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = views.GuestPage(m, static.URL("app.css")).Render(r.Context(), w) // the guest may be gone
}

func (g guests) get(w http.ResponseWriter, r *http.Request) error {
	ticket := r.URL.Query().Get("t")
	id, err := g.live.caseOf(ticket)
	if err != nil {
		return err
	}
	guest := ""
	if c, err := r.Cookie(guestCookie); err == nil {
		guest = c.Value
	} else {
		http.SetCookie(w, &http.Cookie{Name: guestCookie, Value: rand.Text(), Path: "/vote", MaxAge: int((24 * time.Hour).Seconds()),
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.front.Secure(r)})
	}
	m := g.live.guest(id, guest)
	m.Ticket = ticket
	g.show(w, r, http.StatusOK, m)
	return nil
}

// guest returns the page of a guest about a case.
func (l *Live) guest(id, guest string) views.Guest {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.ask
	if v == nil || v.caseID != id {
		return views.Guest{Wrong: "This vote has ended."}
	}
	return views.Guest{Robots: v.Robots, Texts: v.Texts, Voted: v.ballots[guest], Verdict: v.Verdict}
}

func (g guests) post(w http.ResponseWriter, r *http.Request) error {
	form, err := g.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	ticket := form.Value("ticket")
	id, err := g.live.caseOf(ticket)
	if err != nil {
		return err
	}
	c, err := r.Cookie(guestCookie)
	if errors.Is(err, http.ErrNoCookie) || err == nil && len(c.Value) > 64 {
		return front.NewProblem(http.StatusForbidden, "your browser must accept a cookie to vote; scan the code again")
	}
	if err := g.live.cast(id, c.Value, form.Value("do")); err != nil {
		return err
	}
	http.Redirect(w, r, "/vote?t="+url.QueryEscape(ticket), http.StatusSeeOther)
	return nil
}
