package auth_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
)

const (
	secret      = "a secret of thirty-two bytes, or more than that"
	otherSecret = "another secret of thirty-two bytes, or more"
)

var now = time.Date(2026, 6, 4, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func newAuth(t testing.TB) *auth.Authenticator {
	t.Helper()
	a, err := auth.New(secret, auth.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWithoutASecretEveryoneIsAnonymousWithEveryRole(t *testing.T) {
	a, err := auth.New("")
	if err != nil {
		t.Fatal(err)
	}
	if a.Enabled() {
		t.Error("authentication is on without a secret")
	}
	for _, headers := range [][]string{nil, {"Bearer nonsense"}} {
		actor, err := a.Authenticate(headers)
		if err != nil {
			t.Fatalf("%q: %v", headers, err)
		}
		if actor.Username != "anonymous_user" || !slices.Equal(actor.Roles, auth.Roles()) {
			t.Errorf("%q: got %+v", headers, actor)
		}
	}
}

func TestAWeakSecretIsRefusedUnlessAllowed(t *testing.T) {
	for secret, weakness := range map[string]string{
		strings.Repeat("s", 31):                      "shorter than 32 bytes (it has 31)",
		strings.Repeat("s", 32):                      "different characters and has 1",
		strings.Repeat("ab", 40):                     "different characters and has 2",
		strings.Repeat("changeme", 4):                "different characters and has 7",
		strings.Repeat("0123456789", 4):              "repeats the same 10 characters",
		strings.Repeat("Passw0rd!x", 3) + "Pa":       "repeats the same 10 characters",
		strings.Repeat("fifteen letters", 3):         "repeats the same 15 characters",
		strings.Repeat("sixteen letters!", 2):        "",
		"0123456789abcdef0123456789abcdee":           "",
		"4f1c8e7a9d0b2365c4f1e8a79d0b2365":           "",
		"a secret of thirty-two bytes, or more than": "",
	} {
		for _, previous := range []bool{false, true} {
			current, options := secret, []auth.Option{}
			if previous {
				current, options = otherSecret, append(options, auth.AlsoAccept(secret))
			}
			_, err := auth.New(current, options...)
			if weakness == "" && err != nil || weakness != "" && (!errors.Is(err, auth.ErrWeakSecret) || !strings.Contains(err.Error(), weakness)) {
				t.Errorf("%q, previous %v: %v, want %q", secret, previous, err, weakness)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error holds the secret: %v", err)
			}
			a, err := auth.New(current, append(options, auth.AllowWeakSecret())...)
			if err != nil || !a.Enabled() {
				t.Errorf("%q, allowed: %v", secret, err)
			}
		}
	}
}

// TestRandomSecretsAreAccepted generates keys as the documentation describes.
func TestRandomSecretsAreAccepted(t *testing.T) {
	for range 10_000 {
		var random [32]byte
		if _, err := rand.Read(random[:]); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{hex.EncodeToString(random[:]), base64.StdEncoding.EncodeToString(random[:]), string(random[:])} {
			if _, err := auth.New(secret); err != nil {
				t.Fatalf("%q: %v", secret, err)
			}
		}
	}
}

func TestAnIssuedTokenNamesItsUserRolesAndEnd(t *testing.T) {
	a := newAuth(t)
	token, err := a.Issue("ari", []string{"logger", "auditor"}, time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"Bearer " + token, "bearer " + token, "BEARER   " + token + " "} {
		actor, err := a.Authenticate([]string{header})
		if err != nil {
			t.Fatal(err)
		}
		want := []auth.Role{auth.Logger, auth.Auditor}
		if actor.Username != "ari" || !slices.Equal(actor.Roles, want) || !actor.Expires.Equal(now.Add(time.Hour)) {
			t.Errorf("got %+v", actor)
		}
		if actor.Is(auth.Admin) || !actor.Is(auth.Admin, auth.Logger) || actor.Is() {
			t.Errorf("Is is wrong for %+v", actor)
		}
	}
}

func TestATokenEndsToTheSecond(t *testing.T) {
	at := now
	a, err := auth.New(secret, auth.WithClock(func() time.Time { return at }))
	if err != nil {
		t.Fatal(err)
	}
	token, err := a.Issue("ari", []string{"admin"}, time.Minute, now)
	if err != nil {
		t.Fatal(err)
	}
	at = now.Add(time.Minute - time.Nanosecond)
	if _, err := a.Authenticate([]string{"Bearer " + token}); err != nil {
		t.Errorf("just before its end: %v", err)
	}
	at = now.Add(time.Minute)
	_, err = a.Authenticate([]string{"Bearer " + token})
	var refused *auth.TokenError
	if !errors.As(err, &refused) || refused.Reason != auth.ExpiredToken {
		t.Fatalf("at its end: %v", err)
	}
	if !strings.Contains(err.Error(), "2026-06-04T12:01:00Z") {
		t.Errorf("the error does not say when the token ended: %v", err)
	}
}

func TestIssueRefusesWhatAuthenticateWouldRefuse(t *testing.T) {
	a := newAuth(t)
	off, err := auth.New("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		a     *auth.Authenticator
		user  string
		roles []string
		ttl   time.Duration
	}{
		{"no secret", off, "ari", []string{"admin"}, time.Hour},
		{"blank user", a, "  ", []string{"admin"}, time.Hour},
		{"user with a new line", a, "ari\nadmin", []string{"admin"}, time.Hour},
		{"no role", a, "ari", nil, time.Hour},
		{"unknown role", a, "ari", []string{"admin", "root"}, time.Hour},
		{"no life", a, "ari", []string{"admin"}, 0},
	} {
		if token, err := c.a.Issue(c.user, c.roles, c.ttl, now); err == nil {
			t.Errorf("%s: got a token of %d bytes", c.name, len(token))
		}
	}
}

func TestCheckName(t *testing.T) {
	token, err := newAuth(t).Issue("ari", []string{"admin"}, time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"":                                  true,
		"ari":                               true,
		"María José 机器人":                    true,
		"a b | c = \"d\"":                   true,
		strings.Repeat("é", 256):            true,
		strings.Repeat("é", 257):            false,
		"a\nb":                              false,
		"a\rb":                              false,
		"a\tb":                              false,
		"a\x00b":                            false,
		"a\x1b[31mb":                        false,
		"a\u0085b":                          false,
		"a\u2028b":                          false,
		"a\u2029b":                          false,
		"a\xffb":                            false,
		token:                               false,
		" " + token:                         false,
		"\u00a0" + token:                    false,
		"\u200b" + token:                    false,
		"Bearer " + token:                   false,
		"user=" + token + ";":               false,
		"x" + token:                         false,
		token[:30]:                          false, // the start of a token
		token[strings.Index(token, ".")+1:]: false, // all but the header
		"Monkey Jones":                      true,
		"KeyJackson":                        true,
	} {
		err := auth.CheckName(name)
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil && !errors.Is(err, auth.ErrName) {
			t.Errorf("%q: %v is no ErrName", name, err)
		}
	}
}
