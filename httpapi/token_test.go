package httpapi

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/segraph/segraph/store/cayley"
)

// TestNoTokenIsKept sends a token wherever a client may send a text that is kept as who it is, and
// looks for it in answers, in the log and in the file with the journal.
func TestNoTokenIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segraph.db")
	graph, err := cayley.Open(path, cayley.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, func(c *Config) { c.Graph = graph })
	good := s.token(t, "logger")
	leaked, err := s.auth.Issue("canary", []string{"admin"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) string { // a token that names its user so
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
			{method: "POST", path: "/ttl?user=" + url.QueryEscape(name), body: small, contentType: mediaTurtle, token: good},
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
	if !bytes.Contains(file, []byte(w.Header().Get("X-Request-ID"))) {
		t.Error("the journal is not to be found in the file, so nothing is known of what it holds")
	}
	parts := append(strings.Split(leaked, ".")[1:], part) // every token has the same header
	for _, secret := range parts {
		if bytes.Contains(file, []byte(secret)) {
			t.Errorf("the file holds %s", secret)
		}
		if strings.Contains(s.lines(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}
