package httpapi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

func TestRevokingEndsTokensAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	logger, admin := s.token(t, "logger"), "Bearer "
	other, err := s.auth.Issue("eva", []string{"admin"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	admin += other
	publish := call{method: "POST", path: "/ttl", body: ttl(small, nil), token: logger}
	if w := s.do(t, publish); w.Code != 201 {
		t.Fatalf("before: %d %s", w.Code, w.Body)
	}
	w := s.do(t, call{method: "POST", path: "/admin/revocations", body: `{"username":"ari"}`, token: other})
	got := asJSON[revocation](t, w)
	if w.Code != 201 || got.Username != "ari" || got.UpTo == nil || got.Actor != "eva" || got.LogID == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = s.do(t, publish)
	wantProblem(t, w, 401, "The token was revoked; get a new one.")
	if w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Error("WWW-Authenticate is missing")
	}
	entry := s.graph.journal[len(s.graph.journal)-1]
	if entry.Action != journal.Revoke || entry.Actor != "eva" || entry.Revoked.Username != "ari" {
		t.Errorf("the journal has %+v", entry)
	}
	if !strings.Contains(s.lines(), "path=/admin/revocations") {
		t.Error("the log does not have the request")
	}
	list := asJSON[struct {
		Count       int
		Revocations []revocation
	}](t, s.do(t, call{method: "GET", path: "/admin/revocations", header: map[string]string{"Authorization": admin}}))
	if list.Count != 1 || len(list.Revocations) != 1 || list.Revocations[0].Username != "ari" {
		t.Errorf("listed are %+v", list)
	}
}

func TestTheTokenToRevokeIsNamed(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for body, detail := range map[string]string{
		`{}`:                         "name what to revoke",
		`{"jti":"a","username":"b"}`: "name what to revoke",
		`{"jti":""}`:                 "name what to revoke",
		`{"jti":7}`:                  "text",
		`{"username":"a\nb"}`:        "control character",
		`{"jti":"` + strings.Repeat("j", 257) + `"}`: "longer than 256",
	} {
		p := wantProblem(t, s.do(t, call{method: "POST", path: "/admin/revocations", body: body}), 422, "")
		if !strings.Contains(strings.ToLower(p.Detail), detail) {
			t.Errorf("%.40s: %s", body, p.Detail)
		}
	}
	if len(s.graph.journal) != 0 {
		t.Errorf("the journal has %v", s.graph.journal)
	}
}

func TestARevocationThatIsNotStoredIsNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
	}{{&store.UnfitError{Detail: "too many are revoked"}, 409}, {errors.New("the disk failed"), 500}} {
		s := newService(t)
		admin := s.token(t, "admin")
		s.graph.err = c.err
		wantProblem(t, s.do(t, call{method: "POST", path: "/admin/revocations", body: `{"username":"ari"}`, token: admin}), c.status, "")
		s.graph.err = nil
		if w := s.do(t, call{method: "GET", path: "/admin/revocations", token: admin}); w.Code != 200 {
			t.Errorf("the token is not accepted: %d %s", w.Code, w.Body)
		}
	}
}

// A start sees only the last revocation of a user. So it must not be weaker than one from while the clock was ahead.
func TestARevocationIsNotWeakerThanTheOneBefore(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	admin, err := s.auth.Issue("eva", []string{"admin"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	revoke := func() time.Time {
		w := s.do(t, call{method: "POST", path: "/admin/revocations", body: `{"username":"ari"}`, token: admin})
		return *asJSON[revocation](t, w).UpTo
	}
	s.now = s.now.Add(time.Hour)
	ahead := revoke()
	s.now = s.now.Add(-time.Hour)
	if again := revoke(); !again.Equal(ahead) {
		t.Errorf("revoked up to %v, and then only up to %v", ahead, again)
	}
}
