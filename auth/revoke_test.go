package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
)

// idOf returns the jti of a token.
func idOf(t *testing.T, token string) string {
	t.Helper()
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		ID string `json:"jti"`
	}
	if err := json.Unmarshal(claims, &out); err != nil {
		t.Fatal(err)
	}
	return out.ID
}

func issue(t *testing.T, a *auth.Authenticator, user string, at time.Time) string {
	t.Helper()
	token, err := a.Issue(user, []string{"logger"}, time.Hour, at)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// wantRevoked checks whether a token is refused because it was revoked.
func wantRevoked(t *testing.T, a *auth.Authenticator, token string, want bool) {
	t.Helper()
	_, err := a.Authenticate(bearer(token))
	var refused *auth.TokenError
	if errors.As(err, &refused) != want || want && refused.Reason != auth.RevokedToken {
		t.Errorf("got %v, want it revoked: %v", err, want)
	}
}

func TestEveryIssuedTokenHasAnIDOfItsOwn(t *testing.T) {
	a := newAuth(t)
	one, other := idOf(t, issue(t, a, "ari", now)), idOf(t, issue(t, a, "ari", now))
	if one == "" || one == other {
		t.Errorf("the ids are %q and %q", one, other)
	}
}

func TestATokenIsRevokedByItsID(t *testing.T) {
	a := newAuth(t)
	one, other := issue(t, a, "ari", now), issue(t, a, "ari", now)
	a.Revoke(auth.Revocation{TokenID: idOf(t, one)})
	wantRevoked(t, a, one, true)
	wantRevoked(t, a, other, false)
	wantRevoked(t, a, body(goodClaims), false) // without an id
}

func TestTheTokensOfAUserAreRevokedUpToASecond(t *testing.T) {
	at := now
	a, err := auth.New(secret, auth.WithClock(func() time.Time { return at }))
	if err != nil {
		t.Fatal(err)
	}
	before, same, other := issue(t, a, "ari", now.Add(-time.Second)), issue(t, a, "ari", now), issue(t, a, "tiago", now)
	after := issue(t, a, "ari", now.Add(time.Second))
	at = now.Add(time.Second)
	a.Revoke(auth.Revocation{Username: "ari", UpTo: now.Add(300 * time.Millisecond)})
	a.Revoke(auth.Revocation{Username: "ari", UpTo: now.Add(-time.Hour)}) // an earlier time must not undo the revocation
	wantRevoked(t, a, before, true)
	wantRevoked(t, a, same, true)
	wantRevoked(t, a, after, false)
	wantRevoked(t, a, other, false)
	wantRevoked(t, a, body(`{"sub":"ari","roles":["admin"],"exp":1780580000}`), true) // without an issue time
}

func TestTwoKeysAreValidAtOnce(t *testing.T) {
	old, err := auth.New(secret, auth.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	a, err := auth.New(otherSecret, auth.AlsoAccept(secret), auth.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	wantRevoked(t, a, issue(t, old, "ari", now), false)
	token := issue(t, a, "ari", now)
	wantRevoked(t, a, token, false)
	if _, err := old.Authenticate(bearer(token)); err == nil {
		t.Error("a new token was signed with the previous key")
	}
	if _, err := a.Authenticate(bearer(sign("a third secret of thirty-two bytes", goodHeader, goodClaims))); err == nil {
		t.Error("a third key is accepted")
	}
	if _, err := auth.New("", auth.AlsoAccept(secret)); err == nil {
		t.Error("a previous key alone turns authentication off without a word")
	}
}

func TestAKeyIDInTheHeaderChoosesNothing(t *testing.T) {
	for _, h := range []string{`{"alg":"HS256","kid":"2026-06"}`, `{"kid":"../../dev/null","typ":"JWT","alg":"HS256"}`, `{"alg":"HS256","kid":""}`} {
		if _, err := newAuth(t).Authenticate(bearer(header(h))); err != nil {
			t.Errorf("%s: %v", h, err)
		}
	}
}
