package cli

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/internal/museum"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/webui"
)

// The test plays the story with a clock of its own: it votes on the first case, and
// nobody votes on the second.
func TestALiveDemoPlaysAndItsAudienceDecides(t *testing.T) {
	now := time.Now()
	s, err := persist.Open(filepath.Join(t.TempDir(), "live.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	contexts, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	authenticator, err := auth.New("")
	if err != nil {
		t.Fatal(err)
	}
	core := service.New(service.Config{Graph: s, Queries: s, Contexts: contexts, Journal: s, Revocations: s, Auth: authenticator, Log: logbuf.New(logbuf.Options{Name: "none"}), StoreName: "cayley", SpoolDir: t.TempDir()})
	stage := webui.NewLive(func() time.Time { return now })
	stage.Open("http://192.0.2.1:8090")
	f := front.New(front.Config{Service: core})
	guests := f.Pages(stage.Guests(f))
	play := newLivePlay(auth.Actor{Username: "eva", Roles: auth.Roles()}, now.Add(liveDelay))
	if err := play.fill(t.Context(), core); err != nil {
		t.Fatal(err)
	}
	pending := func() int64 {
		stats, err := core.ContextStats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return stats.PendingReviews
	}
	before, votes := pending(), 0
	for over, begun := false, now; !over; now = now.Add(time.Second) {
		if now.Sub(begun) > 20*time.Minute {
			t.Fatal("the story does not end")
		}
		if over, err = play.step(t.Context(), core, stage, now); err != nil {
			t.Fatal(err)
		}
		if play.asked != "" && votes == 0 {
			votes++
			link := stage.Link()
			r := httptest.NewRequest("POST", "http://192.0.2.1:8090/vote", strings.NewReader(url.Values{"ticket": {strings.TrimPrefix(link, "http://192.0.2.1:8090/vote?t=")}, "do": {"accept"}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.AddCookie(&http.Cookie{Name: "segraph_guest", Value: "a"})
			w := httptest.NewRecorder()
			if guests.ServeHTTP(w, r); w.Code != 303 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
	}
	history, err := contexts.History(t.Context(), "", 1)
	if err != nil || len(history) != 1 || history[0].By != "audience" {
		t.Errorf("the last decision is %+v %v", history, err)
	}
	if got := pending(); got != museum.Cases-1 || before >= got {
		t.Errorf("%d cases wait, and %d before the last session", got, before)
	}
}

func TestTheGuestsLinkNamesAnAddressThatPhonesReach(t *testing.T) {
	if got := guestLink(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8090}, nil); got != "http://192.0.2.7:8090" {
		t.Errorf("of an address: %s", got)
	}
	if got := guestLink(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8090}, nil); !regexp.MustCompile(`^http://(10|172|192|localhost)[.:0-9]*:8090$`).MatchString(got) {
		t.Errorf("of all addresses: %s", got)
	}
}
