package reports

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/views"
)

// guestCookie is the name of the cookie that distinguishes guests.
const guestCookie = "segraph_guest"

// GuestPath reports whether the guests of a live demo may request a path: the page to vote,
// and what it loads.
func GuestPath(path string) bool { return path == "/vote" || strings.HasPrefix(path, "/static/") }

// refuseGuest answers with a problem that concerns a vote, on the guest's page.
func (u *handlers) refuseGuest(w http.ResponseWriter, r *http.Request, err error) error {
	var p *front.Problem
	if !errors.As(err, &p) {
		return err
	}
	return u.Show(w, r, p.Status, views.GuestPage(views.Guest{Wrong: p.Detail}))
}

// getVote shows the vote on a case, for which the address has a ticket.
func (u *handlers) getVote(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	ticket := r.URL.Query().Get("t")
	id, err := u.live.caseOf(ticket)
	if err != nil {
		return u.refuseGuest(w, r, err)
	}
	guest := ""
	if c, err := r.Cookie(guestCookie); err == nil {
		guest = c.Value
	} else {
		http.SetCookie(w, &http.Cookie{Name: guestCookie, Value: rand.Text(), Path: u.Base() + "/vote", MaxAge: int((24 * time.Hour).Seconds()),
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: u.Front.Secure(r)})
	}
	m := u.live.guest(id, guest)
	m.Ticket = ticket
	return u.Show(w, r, http.StatusOK, views.GuestPage(m))
}

// guest returns the page of a guest about a case.
func (l *Live) guest(id, guest string) views.Guest {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.ask
	if v == nil || v.caseID != id {
		return views.Guest{Wrong: "This vote has ended."}
	}
	return views.Guest{Robots: v.Robots, Texts: v.Texts, Voted: v.ballots[guest], Accept: v.Accept, Reject: v.Reject, Verdict: v.Verdict}
}

// postVote counts a guest's vote.
func (u *handlers) postVote(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	form, err := u.Front.ReceiveFields(w, r)
	if err != nil {
		return u.refuseGuest(w, r, err)
	}
	ticket := form.Value("ticket")
	id, err := u.live.caseOf(ticket)
	if err != nil {
		return u.refuseGuest(w, r, err)
	}
	c, err := r.Cookie(guestCookie)
	if errors.Is(err, http.ErrNoCookie) || err == nil && len(c.Value) > 64 { // those of getVote are shorter
		return u.refuseGuest(w, r, front.NewProblem(http.StatusForbidden, "your browser must accept a cookie to vote; scan the code again"))
	}
	if err := u.live.cast(id, c.Value, form.Value("do")); err != nil {
		return u.refuseGuest(w, r, err)
	}
	u.Redirect(w, r, "/vote?t="+url.QueryEscape(ticket))
	return nil
}
