package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/segraph/segraph/auth"
)

const (
	goodHeader = `{"alg":"HS256","typ":"JWT"}`
	goodClaims = `{"username":"ari","roles":["admin"],"exp":1780580000,"iat":1780570000}`
)

func segment(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// sign returns a token with the given header and claims, signed with HMAC-SHA-256 even if
// the header names another algorithm.
func sign(key, header, claims string) string {
	text := segment(header) + "." + segment(claims)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// header and body return tokens that differ from a valid one in one part.
func header(h string) string { return sign(secret, h, goodClaims) }
func body(c string) string   { return sign(secret, goodHeader, c) }

func signed(t *testing.T, method jwt.SigningMethod, key any) string {
	t.Helper()
	s, err := jwt.NewWithClaims(method, jwt.MapClaims{
		"username": "ari", "roles": []string{"admin"}, "exp": now.Add(time.Hour).Unix(),
	}).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHandMadeTokenIsGood(t *testing.T) {
	a := newAuth(t)
	for _, token := range []string{
		sign(secret, goodHeader, goodClaims),
		header(`{"alg":"HS256"}`),
		header(`{"typ":"jwt","alg":"HS256"}`),
		body(`{"sub":"ari","roles":["logger"],"exp":1780580000}`),
		body(`{"username":"ari","roles":["logger"],"exp":1780580000,"nbf":1780574400,"iat":1780574400,"sub":7,"x":{"y":[]}}`),
	} {
		actor, err := a.Authenticate([]string{"Bearer " + token})
		if err != nil || actor.Username != "ari" {
			t.Errorf("%s: %+v, %v", token, actor, err)
		}
	}
}

func TestHostileTokensAreRefused(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := sign(secret, goodHeader, goodClaims)
	parts := strings.Split(good, ".")
	unsigned := parts[0] + "." + parts[1]
	rsaText := segment(`{"alg":"RS256"}`) + "." + parts[1]
	digest := sha256.Sum256([]byte(rsaText))
	rsaSignature, err := rsa.SignPKCS1v15(rand.Reader, rsaKey, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}

	const invalid, expired, claim, missing = auth.InvalidToken, auth.ExpiredToken, auth.MissingClaim, auth.MissingHeader
	for _, c := range []struct {
		name    string
		headers []string
		reason  auth.Reason
	}{
		{"no header", nil, missing},
		{"empty header", []string{""}, invalid},
		{"scheme alone", []string{"Bearer"}, invalid},
		{"scheme and blanks", []string{"Bearer    "}, invalid},
		{"another scheme", []string{"Basic " + good}, invalid},
		{"token without scheme", []string{good}, invalid},
		{"two headers", []string{"Bearer " + good, "Bearer " + good}, invalid},
		{"two tokens", bearer(good + " " + good), invalid},
		{"two tokens with a comma", bearer(good + "," + good), invalid},
		{"alg none", bearer(signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType)), invalid},
		{"alg None", bearer(segment(`{"alg":"None"}`) + "." + parts[1] + "."), invalid},
		{"alg nOnE with our signature", bearer(header(`{"alg":"nOnE","typ":"JWT"}`)), invalid},
		{"alg RS256", bearer(rsaText + "." + base64.RawURLEncoding.EncodeToString(rsaSignature)), invalid},
		{"alg RS256 signed by HMAC with our key as public key", bearer(header(`{"alg":"RS256","typ":"JWT"}`)), invalid},
		{"alg ES256", bearer(signed(t, jwt.SigningMethodES256, ecKey)), invalid},
		{"alg ES256 signed by HMAC with our key as public key", bearer(header(`{"alg":"ES256","typ":"JWT"}`)), invalid},
		{"alg HS384", bearer(signed(t, jwt.SigningMethodHS384, []byte(secret))), invalid},
		{"alg HS512", bearer(signed(t, jwt.SigningMethodHS512, []byte(secret))), invalid},
		{"alg hs256", bearer(header(`{"alg":"hs256"}`)), invalid},
		{"alg is a number", bearer(header(`{"alg":256}`)), invalid},
		{"alg is null", bearer(header(`{"alg":null}`)), invalid},
		{"no alg", bearer(header(`{"typ":"JWT"}`)), invalid},
		{"alg twice", bearer(header(`{"alg":"none","alg":"HS256"}`)), invalid},
		{"kid that is no text", bearer(header(`{"alg":"HS256","kid":7}`)), invalid},
		{"kid and jku", bearer(header(`{"alg":"HS256","kid":"k","jku":"https://evil.example/keys"}`)), invalid},
		{"kid, signed with another key", bearer(sign("another secret of thirty-two bytes", `{"alg":"HS256","kid":"k"}`, goodClaims)), invalid},
		{"jti is a number", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"jti":7}`)), invalid},
		{"jti is empty", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"jti":""}`)), invalid},
		{"jti is too long to be revoked", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"jti":"` + strings.Repeat("j", 257) + `"}`)), invalid},
		{"jku", bearer(header(`{"alg":"HS256","jku":"https://evil.example/keys"}`)), invalid},
		{"jwk", bearer(header(`{"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"}}`)), invalid},
		{"x5u", bearer(header(`{"alg":"HS256","x5u":"https://evil.example/cert"}`)), invalid},
		{"crit", bearer(header(`{"alg":"HS256","crit":["exp"]}`)), invalid},
		{"b64 false", bearer(header(`{"alg":"HS256","b64":false}`)), invalid},
		{"typ of another use", bearer(header(`{"alg":"HS256","typ":"refresh+jwt"}`)), invalid},
		{"header that package logs does not know", bearer(header(`{ "alg":"HS256"}`)), invalid},
		{"header after a space", bearer(header(` {"alg":"HS256"}`)), invalid},
		{"header is a list", bearer(header(`["HS256"]`)), invalid},
		{"header is null", bearer(header(`null`)), invalid},
		{"header is cut short", bearer(header(`{"alg":"HS256"`)), invalid},
		{"header has something behind it", bearer(header(`{"alg":"HS256"}{}`)), invalid},
		{"header is not UTF-8", bearer(header("{\"alg\":\"HS256\",\"typ\":\"\xff\"}")), invalid},
		{"signed with another key", bearer(sign("another secret of thirty-two bytes", goodHeader, goodClaims)), invalid},
		{"signed with an empty key", bearer(sign("", goodHeader, goodClaims)), invalid},
		{"empty signature", bearer(unsigned + "."), invalid},
		{"no signature", bearer(unsigned), invalid},
		{"signature cut short", bearer(good[:len(good)-4]), invalid},
		{"signature with padding", bearer(good + "="), invalid},
		{"signature with loose last bits", bearer(good[:len(good)-1] + loosen(good[len(good)-1])), invalid},
		{"a fourth segment", bearer(good + ".e30"), invalid},
		{"five segments", bearer(good + ".e30.e30"), invalid},
		{"dots", bearer(".."), invalid},
		{"ten thousand dots", bearer(strings.Repeat(".", 8000)), invalid},
		{"claims of another token", bearer(parts[0] + "." + segment(`{"username":"eve","roles":["admin"],"exp":1780580000}`) + "." + parts[2]), invalid},
		{"huge", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"x":"` + strings.Repeat("x", 100_000) + `"}`)), invalid},
		{"not base64", bearer("ä.ö.ü"), invalid},
		{"bytes that are not UTF-8", bearer("\xff\xfe.\xff.\xff"), invalid},
		{"claims that are not UTF-8", bearer(body("{\"username\":\"\xff\",\"roles\":[\"admin\"],\"exp\":1780580000}")), invalid},
		{"claims are null", bearer(body(`null`)), claim},
		{"claims are a list", bearer(body(`[]`)), invalid},
		{"claims are text", bearer(body(`"admin"`)), invalid},
		{"claims are empty", bearer(body(``)), invalid},
		{"claims have something behind them", bearer(body(goodClaims + `{}`)), invalid},
		{"claims nested deep", bearer(body(`{"x":` + strings.Repeat("[", 2500) + strings.Repeat("]", 2500) + `}`)), claim},
		{"roles twice", bearer(body(`{"username":"ari","roles":["logger"],"roles":["admin"],"exp":1780580000}`)), invalid},
		{"exp twice", bearer(body(`{"username":"ari","roles":["admin"],"exp":1,"exp":1780580000}`)), invalid},
		{"exp in capitals", bearer(body(`{"username":"ari","roles":["admin"],"EXP":1780580000}`)), claim},
		{"no exp", bearer(body(`{"username":"ari","roles":["admin"]}`)), claim},
		{"exp null", bearer(body(`{"username":"ari","roles":["admin"],"exp":null}`)), invalid},
		{"exp as text", bearer(body(`{"username":"ari","roles":["admin"],"exp":"1780580000"}`)), invalid},
		{"exp as float", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000.5}`)), invalid},
		{"exp 1e30", bearer(body(`{"username":"ari","roles":["admin"],"exp":1e30}`)), invalid},
		{"exp beyond 64 bits", bearer(body(`{"username":"ari","roles":["admin"],"exp":99999999999999999999}`)), invalid},
		{"exp negative", bearer(body(`{"username":"ari","roles":["admin"],"exp":-1}`)), invalid},
		{"exp zero", bearer(body(`{"username":"ari","roles":["admin"],"exp":0}`)), expired},
		{"exp past", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780574399}`)), expired},
		{"nbf in the future", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"nbf":1780574401}`)), invalid},
		{"nbf as text", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"nbf":"now"}`)), invalid},
		{"iat in the future", bearer(body(`{"username":"ari","roles":["admin"],"exp":1780580000,"iat":1780574401}`)), invalid},
		{"no user", bearer(body(`{"roles":["admin"],"exp":1780580000}`)), claim},
		{"blank user", bearer(body(`{"username":" ","sub":"ari","roles":["admin"],"exp":1780580000}`)), claim},
		{"user is a list", bearer(body(`{"username":["ari"],"roles":["admin"],"exp":1780580000}`)), claim},
		{"no roles", bearer(body(`{"username":"ari","exp":1780580000}`)), claim},
		{"empty roles", bearer(body(`{"username":"ari","roles":[],"exp":1780580000}`)), claim},
		{"roles as text", bearer(body(`{"username":"ari","roles":"admin","exp":1780580000}`)), claim},
		{"an unknown role beside a known one", bearer(body(`{"username":"ari","roles":["admin","root"],"exp":1780580000}`)), claim},
		{"a role in capitals", bearer(body(`{"username":"ari","roles":["Admin"],"exp":1780580000}`)), claim},
		{"a role within a list", bearer(body(`{"username":"ari","roles":[["admin"]],"exp":1780580000}`)), claim},
	} {
		t.Run(c.name, func(t *testing.T) {
			actor, err := newAuth(t).Authenticate(c.headers)
			var refused *auth.TokenError
			if !errors.As(err, &refused) {
				t.Fatalf("got %+v, %v", actor, err)
			}
			if refused.Reason != c.reason {
				t.Errorf("reason %d, want %d (%v)", refused.Reason, c.reason, err)
			}
			if len(actor.Roles) > 0 || actor.Username != "" {
				t.Errorf("an actor in spite of the error: %+v", actor)
			}
			for _, h := range c.headers {
				for _, part := range strings.FieldsFunc(h, func(r rune) bool { return r == '.' || r == ' ' }) {
					if len(part) > 8 && strings.Contains(err.Error(), part) {
						t.Errorf("the error holds a part of the token: %v", err)
					}
				}
			}
		})
	}
}

func bearer(token string) []string { return []string{"Bearer " + token} }

// loosen changes the two unused bits of last, the last base64url digit of 32 bytes.
func loosen(last byte) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(digits[strings.IndexByte(digits, last)|1])
}

func TestAControlCharacterInTheUsernameIsAnErrorOfTheName(t *testing.T) {
	_, err := newAuth(t).Authenticate(bearer(body(`{"username":"a\nb","roles":["admin"],"exp":1780580000}`)))
	if !errors.Is(err, auth.ErrName) {
		t.Errorf("got %v", err)
	}
}

func FuzzAuthenticate(f *testing.F) {
	good := sign(secret, goodHeader, goodClaims)
	for _, seed := range []string{"", "Bearer", "Bearer " + good, "bearer a.b.c", "Bearer " + header(`{"alg":"none"}`)} {
		f.Add(seed, goodClaims)
	}
	f.Add("Bearer x", `{"exp":1e400}`)
	f.Fuzz(func(t *testing.T, value, claims string) {
		a := newAuth(t)
		for _, h := range []string{value, "Bearer " + body(claims)} {
			actor, err := a.Authenticate([]string{h})
			var refused *auth.TokenError
			switch {
			case err == nil:
				if auth.CheckName(actor.Username) != nil || !actor.Is(auth.Roles()...) || !actor.Expires.After(now) {
					t.Errorf("%q gives %+v", h, actor)
				}
			case !errors.As(err, &refused) && !errors.Is(err, auth.ErrName):
				t.Errorf("%q: an error of no kind: %v", h, err)
			}
		}
	})
}
