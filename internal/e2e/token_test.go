package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// post publishes a log with a token and returns the status.
func (s *service) post(token string) int {
	s.t.Helper()
	return request(s.t, "POST", s.api+"/ttl", []byte("<urn:s> <urn:p> 1 ."), "Content-Type", "text/turtle", "Authorization", "Bearer "+token).status
}

// claim returns a claim of a token as text.
func claim(t *testing.T, token, name string) string {
	t.Helper()
	data, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(data, &claims); err != nil {
		t.Fatal(err)
	}
	text, _ := claims[name].(string)
	return text
}

// TestTokensAreRevokedByCommand revokes tokens in a running service and in its file. It
// checks them after a restart and after restoring an older backup. It also checks the
// journal.
func TestTokensAreRevokedByCommand(t *testing.T) {
	t.Parallel()
	dir, env := t.TempDir(), []string{"SECRET_KEY=" + secret}
	s := serve(t, dir, env)
	one, other := issue(t, "logger"), issue(t, "logger")
	if s.post(one) != 201 || s.post(other) != 201 {
		t.Fatal("a new token is refused")
	}
	backup := filepath.Join(dir, "backup.db")
	if r := command(t, dir, []string{"SEGRAPH_TOKEN=" + issue(t, "admin")}, "", "backup", "--url", s.api, backup); r.code != 0 {
		t.Fatalf("backup: %+v", r)
	}

	r := command(t, dir, env, "", "token", "revoke", "--jti", claim(t, one, "jti"), "--url", s.api)
	if r.code != 0 || !strings.Contains(r.stdout, "was revoked") {
		t.Fatalf("revoke: %+v", r)
	}
	if got := s.post(one); got != 401 {
		t.Errorf("a revoked token: %d", got)
	}
	if got := s.post(other); got != 201 {
		t.Errorf("another of the same user: %d", got)
	}
	if r := command(t, dir, env, "", "token", "revoke", "--user", "eva"); r.code != 3 || !strings.Contains(r.stderr, "`token revoke` use it with --url") {
		t.Errorf("without --url beside a service: %+v", r)
	}
	if r := command(t, dir, env, "", "token", "revoke", "--user", "eva", "--url", s.api); r.code != 0 {
		t.Fatalf("revoke: %+v", r)
	}
	after := issue(t, "logger") // immediately
	if s.post(other) != 401 || s.post(after) != 201 {
		t.Errorf("after all of a user were revoked: %d, and a new one %d", s.post(other), s.post(after))
	}
	list := command(t, dir, env, "", "token", "revoked", "--url", s.api)
	if list.code != 0 || strings.Count(list.stdout, "\n") != 2 || !strings.Contains(list.stdout, "user eva, tokens issued up to") {
		t.Errorf("the list is %+v", list)
	}
	journal := request(t, "GET", s.api+"/logs?action=revoke", nil, "Authorization", "Bearer "+adminOf(t, "ruth"))
	if got := strings.Count(string(journal.body), `"revoked"`); journal.status != 200 || got != 2 {
		t.Errorf("the journal: %d %s", journal.status, journal.body)
	}
	s.stop()

	if again := command(t, dir, env, "", "token", "revoked"); again.stdout != list.stdout {
		t.Errorf("the file says %q, and the service said %q", again.stdout, list.stdout)
	}
	if r := command(t, dir, env, "", "token", "revoke", "--jti", claim(t, after, "jti")); r.code != 0 {
		t.Errorf("in the file: %+v", r)
	}
	s = serve(t, dir, env)
	if s.post(one) != 401 || s.post(other) != 401 || s.post(after) != 401 {
		t.Error("a revoked token is accepted after a restart")
	}
	s.stop()

	if r := command(t, dir, env, "", "restore", backup); r.code != 0 {
		t.Fatalf("restore: %+v", r)
	}
	if r := command(t, dir, env, "", "check"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
	s = serve(t, dir, env)
	if s.post(one) != 401 || s.post(other) != 401 || s.post(after) != 401 || s.post(issueTo(t, "ari", "logger")) != 201 {
		t.Error("a revoked token is accepted after an older backup was restored")
	}
}

// TestChangingTheKeyCutsNobodyOff starts the service with a new key and the old one, and
// then with the new key only.
func TestChangingTheKeyCutsNobodyOff(t *testing.T) {
	t.Parallel()
	dir, fresh := t.TempDir(), "another secret key of more than thirty-two bytes"
	old := issue(t, "logger")
	file := filepath.Join(dir, "previous")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, previous := range []string{"SECRET_KEY_PREVIOUS=" + secret, "SECRET_KEY_PREVIOUS_FILE=" + file} {
		s := serve(t, dir, []string{"SECRET_KEY=" + fresh, previous})
		r := command(t, dir, []string{"SECRET_KEY=" + fresh, previous}, "", "token", "--user", "eva", "--role", "logger")
		if s.post(old) != 201 || s.post(strings.TrimSpace(r.stdout)) != 201 {
			t.Errorf("with both keys: the old token %d, the new one %d", s.post(old), s.post(strings.TrimSpace(r.stdout)))
		}
		s.stop()
	}
	s := serve(t, dir, []string{"SECRET_KEY=" + fresh})
	if got := s.post(old); got != 401 {
		t.Errorf("without the previous key: %d", got)
	}
	for _, env := range [][]string{{"SECRET_KEY_PREVIOUS=" + secret}, {"SECRET_KEY=" + strings.Repeat("k", 40)}, {"SECRET_KEY=" + fresh, "SECRET_KEY_PREVIOUS=" + strings.Repeat("ab", 20)}} {
		if r := command(t, t.TempDir(), env, "", "serve"); r.code != 2 || !strings.Contains(r.stderr, "SECRET_KEY") {
			t.Errorf("%q: %+v", env, r)
		}
	}
}

// issueTo returns a token for a user, made by the command line.
func issueTo(t *testing.T, user, roles string) string {
	t.Helper()
	r := command(t, t.TempDir(), []string{"SECRET_KEY=" + secret}, "", "token", "--user", user, "--role", roles)
	if r.code != 0 {
		t.Fatalf("segraph token: %+v", r)
	}
	return strings.TrimSpace(r.stdout)
}

func adminOf(t *testing.T, user string) string { return issueTo(t, user, "admin") }

// pyJWT issues tokens like many programs, with a kid and a jti, and reads one of
// segraph's.
const pyJWT = `
import jwt, sys, time
key, ours = sys.argv[1:]
now = int(time.time())
claims = {"sub": "ari", "roles": ["logger"], "exp": now + 600, "iat": now, "jti": "py-1"}
print(jwt.encode(claims, key, algorithm="HS256", headers={"kid": "2026-06"}))
print(jwt.encode(dict(claims, jti="py-2"), key, algorithm="HS256"))
print(jwt.encode(claims, key, algorithm="HS512"))
print(jwt.decode(ours, key, algorithms=["HS256"])["jti"])
`

// TestTokensOfPyJWT lets another program issue tokens and read segraph's.
func TestTokensOfPyJWT(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3" // Debian's packages are installed here
	if err := exec.CommandContext(context.Background(), python, "-c", "import jwt").Run(); err != nil {
		suite.Missing(t, "no PyJWT: install it, with Debian by apt-get install python3-jwt")
	}
	ours := issue(t, "logger")
	out, err := exec.CommandContext(context.Background(), python, "-c", pyJWT, secret, ours).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 4 {
		t.Fatalf("%v: %s", err, out)
	}
	if lines[3] != claim(t, ours, "jti") {
		t.Errorf("PyJWT reads the jti %s", lines[3])
	}
	dir := t.TempDir()
	s := serve(t, dir, []string{"SECRET_KEY=" + secret})
	if s.post(lines[0]) != 201 || s.post(lines[1]) != 201 || s.post(lines[2]) != 401 {
		t.Errorf("with a kid %d, without %d, HS512 %d", s.post(lines[0]), s.post(lines[1]), s.post(lines[2]))
	}
	begin := time.Now()
	if r := command(t, dir, []string{"SECRET_KEY=" + secret}, "", "token", "revoke", "--jti", "py-1", "--url", s.api); r.code != 0 {
		t.Fatalf("revoke: %+v", r)
	}
	if s.post(lines[0]) != 401 || s.post(lines[1]) != 201 {
		t.Errorf("after py-1 was revoked: %d, and py-2 %d", s.post(lines[0]), s.post(lines[1]))
	}
	t.Logf("revoked within %v", time.Since(begin))
}
