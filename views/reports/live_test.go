package reports

import (
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/views/viewstest"
)

// guest sends a request from another machine.
func (s *fixture) guest(cookie, method, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://192.0.2.1:8080"+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if cookie != "" {
		r.Header.Set("Cookie", guestCookie+"="+cookie)
	}
	w := httptest.NewRecorder()
	s.Pages.ServeHTTP(w, r)
	return w
}

// liveFixture is a stage with a vote on a case, and a function that sends a guest's requests.
func liveFixture(t *testing.T) (*fixture, *Live, *time.Time, func(cookie, method, path string, form url.Values) *httptest.ResponseRecorder) {
	now := time.Now()
	l := NewLive(func() time.Time { return now })
	s := startLive(t, "", l, func(c *viewstest.Settings) { c.Guests = GuestPath })
	l.Open("http://192.0.2.1:8080")
	l.Say(demo.Report{Line: demo.Line{Turn: 1, Speaker: "Zoe", Text: "My balloon!"}}, "ARI", "http://e/1", false, false)
	l.Say(demo.Report{Line: demo.Line{Turn: 1, Text: "My baboon!"}}, "TIAGo", "http://e/2", false, true)
	if err := l.Ask("review_1"); err != nil {
		t.Fatal(err)
	}
	return s, l, &now, s.guest
}

// path returns the path of the link to vote.
func (l *Live) path() string { return strings.TrimPrefix(l.stage().Ask.Link, "http://192.0.2.1:8080") }

func voice(l *Live, do string) url.Values {
	return url.Values{"ticket": {strings.TrimPrefix(l.path(), "/vote?t=")}, "do": {do}}
}

func TestTheAudienceDecidesByMajority(t *testing.T) {
	t.Parallel()
	_, l, now, guest := liveFixture(t)
	w := guest("", "GET", l.path(), nil)
	if page := w.Body.String(); w.Code != 200 || !strings.Contains(page, "<mark>baboon!</mark>") || strings.Contains(page, "primary") || strings.Contains(page, "same,") || !strings.Contains(w.Header().Get("Set-Cookie"), "HttpOnly; SameSite=Strict") {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	for i, c := range []struct {
		guest, do string
		status    int
	}{{"a", "reject", 303}, {"b", "accept", 303}, {"b", "accept", 409}, {"c", "accept", 303}, {"d", "maybe", 422}, {"", "reject", 403}} {
		if w := guest(c.guest, "POST", "/vote", voice(l, c.do)); w.Code != c.status {
			t.Errorf("%d: %d, want %d: %s", i, w.Code, c.status, w.Body)
		}
	}
	if got := l.Verdict(); got != "" {
		t.Errorf("%q before the vote ends", got)
	}
	if ask := l.stage().Ask; ask.Accept != 2 || ask.Reject != 1 || ask.Left == 0 {
		t.Errorf("%+v", ask)
	}
	*now = now.Add(votingTime)
	if got := l.Verdict(); got != "accept" {
		t.Errorf("the verdict is %q", got)
	}
	if turns := l.stage().Turns; !turns[0].Shared || turns[0].Doubt {
		t.Errorf("the hull is open: %+v", turns)
	}
	if w := guest("e", "POST", "/vote", voice(l, "reject")); w.Code != 409 || !strings.Contains(w.Body.String(), "This vote has ended") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := guest("c", "GET", l.path(), nil); !strings.Contains(w.Body.String(), "one event") || !strings.Contains(w.Body.String(), "<b>2</b> same, <b>1</b> different") {
		t.Errorf("%s", w.Body)
	}
}

func TestOfAsManyVoicesTheFirstDecides(t *testing.T) {
	t.Parallel()
	_, l, now, guest := liveFixture(t)
	guest("a", "POST", "/vote", voice(l, "reject"))
	guest("b", "POST", "/vote", voice(l, "accept"))
	*now = now.Add(votingTime)
	if got := l.Verdict(); got != "reject" {
		t.Errorf("the verdict is %q", got)
	}
}

func TestALinkToVoteIsGoodForOneCaseAndNotForLong(t *testing.T) {
	t.Parallel()
	_, l, now, guest := liveFixture(t)
	ticket, changed := voice(l, "")["ticket"][0], 0
	for i := range ticket {
		if other := ticket[:i] + string("xy"[changed%2]) + ticket[i+1:]; other != ticket && i < len(ticket)-1 { // the last letter has unused bits
			if w := guest("a", "GET", "/vote?t="+url.QueryEscape(other), nil); w.Code != 403 {
				t.Fatalf("%s: %d", other, w.Code)
			}
			changed++
		}
	}
	if changed < 20 {
		t.Errorf("only %d changes were tried", changed)
	}
	path := l.path()
	if err := l.Ask("review_2"); err != nil {
		t.Fatal(err)
	}
	if w := guest("a", "POST", "/vote", url.Values{"ticket": {ticket}, "do": {"accept"}}); w.Code != 409 {
		t.Errorf("a vote on the case before: %d", w.Code)
	}
	*now = now.Add(ticketTime)
	if w := guest("a", "GET", path, nil); w.Code != 403 || !strings.Contains(w.Body.String(), "expired") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestGuestsReachNothingElse(t *testing.T) {
	t.Parallel()
	s, l, _, guest := liveFixture(t)
	paths := []string{"/", "/api/events", "/api/ttl", "/api/query?query=ASK%7B%7D", "/api/docs", "/events", "/healthz/live", "/vote/x", "/votes", "/static"}
	for _, a := range s.Addresses() {
		if a.Path != "/vote" {
			paths = append(paths, a.Path)
		}
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "POST", "PUT", "OPTIONS"} {
			if w := guest("a", method, path, url.Values{"do": {"remove"}, "confirm": {"DELETE"}}); w.Code != 403 || strings.Contains(w.Body.String(), "/reports") {
				t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
			}
		}
	}
	page := guest("a", "GET", l.path(), nil)
	style := regexp.MustCompile(`href="(/static/[^"]+)"`).FindStringSubmatch(page.Body.String())
	if style == nil || guest("a", "GET", style[1], nil).Code != 200 || !strings.Contains(page.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page has no style: %s", page.Body)
	}
	if w := guest("a", "DELETE", "/vote", nil); w.Code != 405 {
		t.Errorf("DELETE: %d", w.Code)
	}
	here := httptest.NewRequest("GET", "http://127.0.0.1:8080/live", nil)
	here.RemoteAddr = "127.0.0.1:12345"
	w := httptest.NewRecorder()
	if s.Pages.ServeHTTP(w, here); w.Code != 200 {
		t.Errorf("from this machine: %d %s", w.Code, w.Body)
	}
}

func TestPagesFollowALiveDemo(t *testing.T) {
	t.Parallel()
	l := NewLive(time.Now)
	s := startLive(t, "", l, func(*viewstest.Settings) {})
	if err := s.Service.PlayDemo(t.Context(), viewstest.Eva); err != nil {
		t.Fatal(err)
	}
	l.Say(demo.Report{Line: demo.Line{Turn: 1, Speaker: "Zoe", Text: "Hello"}}, "ARI", "http://e/1", false, false)
	b := s.NewVisitor()
	viewstest.WantPage(t, b.Get("/live"), 200, "Hello")
	if w := b.Get("/live/stage"); w.Code != 200 || !strings.Contains(w.Body.String(), "ARI") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, page := range []string{"graph", "replay"} {
		w := b.Get("/live/follow?page=" + page)
		at := w.Header().Get("Location")
		shown := b.Get(at)
		next := regexp.MustCompile(`data-follow="([^"]+)"`).FindStringSubmatch(shown.Body.String())
		if w.Code != 303 || shown.Code != 200 || next == nil {
			t.Fatalf("%s: %d %s: %d %s", page, w.Code, at, shown.Code, shown.Body)
		}
		ask := strings.ReplaceAll(next[1], "&amp;", "&")
		if w := b.Get(ask); w.Code != 204 || w.Header().Get("X-Follow") != "" {
			t.Errorf("nothing is new: %d %v", w.Code, w.Header())
		}
		l.Say(demo.Report{}, "ARI", "http://e/2", false, false)
		if w := b.Get(ask); w.Code != 204 || !strings.Contains(w.Header().Get("X-Follow"), map[string]string{"graph": "e%2F2", "replay": "/replay?"}[page]) {
			t.Errorf("%s: something is new: %d %v", page, w.Code, w.Header())
		}
	}
	if w := openService(t).NewVisitor().Get("/live"); w.Code != 404 {
		t.Errorf("without a live demo: %d", w.Code)
	}
}
