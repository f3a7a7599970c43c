package e2e

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestRobotsSignInOtherLanguages: the programs of docs/signing sign logs of a user who must
// sign, and another program verifies what was kept without the service.
func TestRobotsSignInOtherLanguages(t *testing.T) {
	dir, env := t.TempDir(), []string{"SECRET_KEY=" + secret, "SEGRAPH_REQUIRE_SIGNATURES=ari"}
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{5}, ed25519.SeedSize))
	writePEM := func(name, kind string, der []byte, err error) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	keyFile := writePEM("robot.key", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(private.Public())
	publicFile := writePEM("robot.pub", "PUBLIC KEY", der, err)
	log := filepath.Join(dir, "log.ttl")
	if err := os.WriteFile(log, []byte("<urn:ari> <urn:says> \"¡Hola!\"@es .\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, env)
	added := command(t, dir, env, "", "key", "add", "ari", publicFile, "--url", s.api)
	if added.code != 0 {
		t.Fatalf("%+v", added)
	}
	id := strings.TrimSpace(added.stdout)
	token := strings.TrimSpace(command(t, dir, env, "", "token", "--user", "ari", "--role", "logger").stdout)
	auditor := "Bearer " + strings.TrimSpace(command(t, dir, env, "", "token", "--user", "eva", "--role", "auditor").stdout)
	if a := request(t, "POST", s.api+"/ttl", []byte("<urn:a> <urn:b> 1 ."), "Content-Type", "text/turtle", "Authorization", "Bearer "+token); a.status != 401 {
		t.Errorf("unsigned: %d %s", a.status, a.body)
	}
	docs := filepath.Join(suite.Root(t), "docs")
	verify := func(t *testing.T, answer []byte, tampered bool) {
		t.Helper()
		var stored struct {
			LogID string `json:"log_id"`
		}
		if err := json.Unmarshal(answer, &stored); err != nil || stored.LogID == "" {
			t.Fatalf("%v: %s", err, answer)
		}
		kept := request(t, "GET", s.api+"/logs/"+stored.LogID+"/signature", nil, "Authorization", auditor)
		var body struct {
			Body []byte `json:"body"`
		}
		if err := json.Unmarshal(kept.body, &body); err != nil || !strings.Contains(string(body.Body), "¡Hola!") {
			t.Fatalf("%v: %s", err, kept.body)
		}
		for name, c := range map[string]struct{ old, new, want string }{
			"as kept":           {"", "", "it signed this body of 36 bytes"},
			"another time":      {"created=1", "created=2", "the signature is wrong"},
			"another body":      {`"body":"P`, `"body":"Q`, "the body is wrong"},
			"without the body":  {`"body":`, `"no":`, "the body was erased"},
			"another signature": {`"signature":"`, `"signature":"AAAA`, "the signature is wrong"},
		} {
			if c.old != "" && !tampered {
				continue
			}
			path := filepath.Join(t.TempDir(), "signed.json")
			if err := os.WriteFile(path, []byte(strings.Replace(string(kept.body), c.old, c.new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := exec.Command(client(t, "venv", "bin", "python"), filepath.Join(docs, "evidence", "verify_signature.py"), path).CombinedOutput()
			if !strings.Contains(string(out), c.want) || name == "as kept" && !strings.Contains(string(out), id) {
				t.Errorf("%s: %s", name, out)
			}
		}
	}
	t.Run("Python", func(t *testing.T) {
		cmd := exec.Command(client(t, "venv", "bin", "python"), filepath.Join(docs, "signing", "sign.py"), keyFile, id, s.api+"/ttl?user=ari", log)
		cmd.Env = append(os.Environ(), "SEGRAPH_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		verify(t, out, true)
	})
	t.Run("C++", func(t *testing.T) {
		compiler, err := exec.LookPath("g++")
		if _, header := os.Stat("/usr/include/openssl/evp.h"); err != nil || header != nil || runtime.GOOS != "linux" {
			suite.Missing(t, "no g++, or no headers of OpenSSL: run .ci/tools, which installs both")
		}
		program := filepath.Join(dir, "sign")
		if out, err := exec.Command(compiler, "-std=c++17", "-Wall", "-Werror", filepath.Join(docs, "signing", "sign.cpp"), "-lcrypto", "-o", program).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(program, keyFile, id, strings.TrimPrefix(s.api, "http://"), "/ttl", log).Output()
		if err != nil {
			t.Fatal(err)
		}
		headers := []string{"Authorization", "Bearer " + token}
		for line := range strings.Lines(string(out)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			headers = append(headers, name, value)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		a := request(t, "POST", s.api+"/ttl", text, headers...)
		if a.status != http.StatusCreated {
			t.Fatalf("%d %s", a.status, a.body)
		}
		verify(t, a.body, false)
	})
}

// TestTheProgramsThatSignAreShort: each has fewer than 50 lines.
func TestTheProgramsThatSignAreShort(t *testing.T) {
	for _, name := range []string{"sign.py", "sign.cpp"} {
		text, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", "signing", name))
		if n := bytes.Count(text, []byte("\n")); err != nil || n == 0 || n >= 50 {
			t.Errorf("%s has %d lines: %v", name, n, err)
		}
	}
}
