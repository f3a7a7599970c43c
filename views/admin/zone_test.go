package admin

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/views/viewstest"
)

// TestDaysOfFormsAreTheReaders issues a token that ends with a day in Madrid, and shows its end there and in UTC.
func TestDaysOfFormsAreTheReaders(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn(auth.Admin)
	b.Post("/session/zone", url.Values{"zone": {"Europe/Madrid"}})
	last := s.Now.AddDate(0, 0, 30).Format(time.DateOnly)
	viewstest.WantPage(t, b.Get("/tokens"), http.StatusOK, `name="zone" value="Europe/Madrid"`)
	viewstest.WantPage(t, b.Post("/tokens", url.Values{"do": {"issue"}, "user": {"rio"}, "role": {"logger"}, "ends": {last}, "ticket": ticketOf(b.Get("/tokens")), "zone": {"Europe/Madrid"}}), http.StatusOK, "rio")
	if page := b.Get("/tokens?user=rio").Body.String(); !strings.Contains(page, "00:00 CE") {
		t.Errorf("the token ends at %s", page)
	}
	b.Post("/session/zone", url.Values{"pick": {"UTC"}})
	if page := b.Get("/tokens?user=rio").Body.String(); !strings.Contains(page, "22:00 UTC") && !strings.Contains(page, "23:00 UTC") {
		t.Errorf("the token ends at %s", page)
	}
}
