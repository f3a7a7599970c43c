package httpapi

import (
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
)

func TestATokenIsIssuedAndListedWithoutItsSecret(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newService(t, func(c *settings) { c.Now = func() time.Time { return now } })
	admin := s.token(t, "admin")
	w := s.do(t, call{method: "POST", path: "/admin/tokens", body: `{"username":"lumen","roles":["logger"],"expires_in":60}`, token: admin})
	got := asJSON[struct {
		Token string
		service.IssuedToken
	}](t, w)
	actor, err := s.auth.Authenticate([]string{"Bearer " + got.Token})
	if w.Code != 201 || err != nil || actor.Username != "lumen" || !actor.Is(auth.Logger) || actor.TokenID != got.ID || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if e := s.graph.journal[len(s.graph.journal)-1]; e.Action != journal.Issue || e.Owner != "lumen" {
		t.Errorf("the journal has %+v", e)
	}
	list := asJSON[struct {
		Count  int
		Tokens []map[string]any
	}](t, s.do(t, call{method: "GET", path: "/admin/tokens", token: admin}))
	if list.Count != 1 || list.Tokens[0]["jti"] != got.ID || list.Tokens[0]["token"] != nil {
		t.Errorf("listed are %+v", list)
	}
	for body, detail := range map[string]string{
		`{"username":"lumen","roles":["logger"]}`:                                                        "expires_in",
		`{"username":"lumen","roles":["logger"],"expires_in":1}`:                                         "at least a minute",
		`{"username":"lumen","roles":["logger"],"expires_in":1e300}`:                                     "expires_in",
		`{"username":"lumen","roles":"logger","expires_in":60}`:                                          "roles",
		`{"username":"lumen","roles":[],"expires_in":60}`:                                                "needs a role",
		`{"username":"lumen","roles":["root"],"expires_in":60}`:                                          "not a role",
		`{"username":"lumen","roles":["logger","logger"],"expires_in":60}`:                               "is repeated",
		`{"username":"lumen","roles":["admin"` + strings.Repeat(`,"admin"`, 1000) + `],"expires_in":60}`: "is repeated",
		`{"roles":["logger"],"expires_in":60}`:                                                           "username",
		`{"username":"lumen","roles":["logger"],"expires_in":60,"jti":"of my choice"}`:                   "jti",
	} {
		wantProblem(t, s.do(t, call{method: "POST", path: "/admin/tokens", body: body, token: admin}), 422, detail)
	}
	if w := s.do(t, call{method: "POST", path: "/admin/revocations", body: `{"username":"lumen"}`, token: admin}); w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	again := s.do(t, call{method: "POST", path: "/admin/tokens", body: `{"username":"lumen","roles":["logger"],"expires_in":60}`, token: admin})
	wantProblem(t, again, 409, "try again in a second")
	if after := again.Header().Get("Retry-After"); after != "1" {
		t.Errorf("Retry-After: %q", after)
	}
	wantProblem(t, newOpenService(t).do(t, call{method: "POST", path: "/admin/tokens", body: `{"username":"lumen","roles":["logger"],"expires_in":60}`}), 409, "no secret key")
}
