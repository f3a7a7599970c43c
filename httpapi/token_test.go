package httpapi

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"hash"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
)

// TestNoTokenIsKept sends a token in every field that may be stored as a name. It
// searches for it in answers, in the log and in the file with the journal.
func TestNoTokenIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "segraph.db")
	graph, err := persist.Open(path, persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, func(c *settings) { c.Graph = graph })
	good := s.token(t, "logger")
	leaked, err := s.auth.Issue("canary", []string{"admin"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) string { // a token with this user name
		signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
			"username": name, "roles": []string{"logger"}, "exp": time.Now().Add(time.Hour).Unix(),
		}).SignedString([]byte(testSecret))
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	for _, name := range []string{leaked, " " + leaked, "\u00a0" + leaked, "Bearer " + leaked, leaked + " ", "x" + leaked, "\u200b" + leaked} {
		for _, c := range []call{
			{method: "POST", path: "/ttl", body: ttl(small, name), token: good},
			{method: "POST", path: "/ttl?user=" + url.QueryEscape(name), body: small, contentType: service.MediaTurtle, token: good},
			{method: "POST", path: "/ttl", body: ttl(small, nil), token: named(name)},
		} {
			w := s.do(t, c)
			wantProblem(t, w, 422, "token")
			if strings.Contains(w.Body.String(), leaked) {
				t.Errorf("%q: the answer holds it: %s", name, w.Body)
			}
		}
	}
	part := leaked[:64]
	w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "ari"), token: good, header: map[string]string{"X-Request-ID": part}})
	if w.Code != 201 || w.Header().Get("X-Request-ID") == part {
		t.Errorf("a part of a token as the request's id: %d %v", w.Code, w.Header())
	}
	if err := graph.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.MustParse(w.Header().Get("X-Request-ID")) // stored as bytes
	if !bytes.Contains(file, id[:]) {
		t.Error("the journal is not to be found in the file, so nothing is known of what it holds")
	}
	parts := append(strings.Split(leaked, ".")[1:], part) // the header is the same in every token
	for _, secret := range parts {
		if bytes.Contains(file, []byte(secret)) {
			t.Errorf("the file holds %s", secret)
		}
		if strings.Contains(s.lines(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}

// Every token with a header or claims that differ from those of segraph's own tokens is
// 401 with a challenge on a route of each role, and never a server error.
func TestHostileTokensAre401(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *settings) { c.Limits.FailedTokens = 1 << 20 })
	segment := base64.RawURLEncoding.EncodeToString
	exp := fmt.Sprint(time.Now().Add(time.Hour).Unix())
	usual := `{"username":"ari","roles":["admin"],"exp":` + exp + `}`
	sign := func(hash func() hash.Hash, header, claims string) string {
		text := segment([]byte(header)) + "." + segment([]byte(claims))
		mac := hmac.New(hash, []byte(testSecret))
		mac.Write([]byte(text))
		return text + "." + segment(mac.Sum(nil))
	}
	const hs256 = `{"alg":"HS256","typ":"JWT"}`
	good := sign(sha256.New, hs256, usual)
	if w := s.do(t, call{method: "GET", path: "/events", token: good}); w.Code != 200 {
		t.Fatalf("a good one: %d %s", w.Code, w.Body)
	}
	parts := strings.Split(good, ".")
	tokens := []string{
		parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], good[:len(good)-7], good + ".e30", good + "." + good, ".", "..", "a.b.c", "\xff.\xff.\xff", "\x00",
		strings.Repeat("A", 100_000), strings.Repeat("a.", 20_000), segment([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".", segment([]byte(`{"alg":"None"}`)) + "." + parts[1] + ".",
		sign(sha512.New384, `{"alg":"HS384"}`, usual), sign(sha512.New, `{"alg":"HS512"}`, usual),
	}
	for _, header := range []string{
		`{"alg":"none"}`, `{"alg":"None"}`, `{"alg":"RS256"}`, `{"alg":"ES256"}`, `{"alg":"PS256"}`, `{"alg":"HS384"}`, `{"alg":"EdDSA"}`, `{"alg":""}`, `{}`, `null`, `[]`, `"HS256"`, `{"alg":"HS256"`,
		`{"alg":"HS256","kid":["/dev/null"]}`, `{"alg":"HS256","jku":"http://127.0.0.1:1/"}`, `{"alg":"HS256","jwk":{"kty":"oct","k":""}}`, `{"alg":"HS256","crit":["x"]}`, `{"alg":"HS256","alg":"HS256"}`, "{\"alg\":\"HS256\",\"typ\":\"\xff\"}",
	} {
		tokens = append(tokens, sign(sha256.New, header, usual))
	}
	for _, claims := range []string{
		`null`, `[]`, `7`, ``, `{}`, usual + usual, `{"username":"ari","username":"eve","roles":["admin"],"exp":` + exp + `}`, `{"username":"ari","roles":["logger"],"roles":["admin"],"exp":` + exp + `}`,
		`{"username":"ari","roles":["admin"],"exp":"` + exp + `"}`, `{"username":"ari","roles":["admin"],"exp":` + exp + `.5}`, `{"username":"ari","roles":["admin"],"exp":1e30}`, `{"username":"ari","roles":["admin"],"exp":1e999}`,
		`{"username":"ari","roles":["admin"],"exp":-1}`, `{"username":"ari","roles":["admin"],"exp":0}`, `{"username":"ari","roles":["admin"],"exp":null}`, `{"username":"ari","roles":["admin"]}`,
		`{"username":"ari","roles":["admin"],"exp":` + exp + `,"nbf":1e30}`, `{"username":"ari","roles":["admin"],"exp":` + exp + `,"iat":"now"}`, `{"username":"ari","roles":["root"],"exp":` + exp + `}`,
		`{"username":"ari","roles":"admin","exp":` + exp + `}`, `{"username":7,"roles":["admin"],"exp":` + exp + `}`, `{"roles":["admin"],"exp":` + exp + `}`, "{\"username\":\"\xff\",\"roles\":[\"admin\"],\"exp\":" + exp + "}",
		`{"username":"ari","roles":["admin"],"exp":` + exp + `,"x":"` + strings.Repeat("x", 100_000) + `"}`,
	} {
		tokens = append(tokens, sign(sha256.New, hs256, claims))
	}
	if len(tokens) < 40 {
		t.Errorf("only %d tokens", len(tokens))
	}
	for _, token := range tokens {
		for _, c := range []call{sample("GET", "/events"), sample("POST", "/ttl"), sample("GET", "/logs/server")} {
			c.token = token
			w := s.do(t, c)
			if w.Code != 401 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s with %.80q: %d %s", c.path, token, w.Code, w.Body)
			}
		}
	}
	if len(s.graph.entries()) > 0 {
		t.Error("something was stored")
	}
}
