package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

const hello = `@prefix ex: <http://example.org/> .
ex:m1 a ex:Message ; ex:text "Hello"@en, "¡Hola!"@es ; ex:sender [ a ex:Robot ; ex:battery 0.80 ] .
`

// Published data is there, byte for byte, after a shutdown and after a kill.
func TestTheGraphSurvivesRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	if a := s.publish(hello, "ari"); a.status != http.StatusCreated {
		t.Fatalf("POST /ttl: %d\n%s", a.status, a.body)
	}
	want := s.events()
	if !bytes.Contains(want, []byte("¡Hola!")) {
		t.Fatalf("the export lacks what was published:\n%s", want)
	}
	s.stop()
	s = serve(t, dir, nil)
	if !bytes.Equal(s.events(), want) {
		t.Error("after SIGTERM and a start the export is not the same bytes")
	}
	s.kill()
	s = serve(t, dir, nil)
	if !bytes.Equal(s.events(), want) {
		t.Error("after a kill and a start the export is not the same bytes")
	}
}

// A second process on the same file exits within 2 s with code 3 and says why.
func TestASecondProcessOnTheFileIsTurnedAway(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, nil)
	if err := os.WriteFile(filepath.Join(dir, "a.ttl"), []byte("<urn:s> <urn:p> 1 ."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0"}, {"load", "a.ttl"}, {"dump"},
	} {
		r := command(t, dir, nil, "", args...)
		if r.code != 3 || !strings.Contains(r.stderr, "segraph.db") || !strings.Contains(r.stderr, "in use by") || r.stdout != "" {
			t.Errorf("%v: exit %d, want 3 and words\n%s%s", args, r.code, r.stdout, r.stderr)
		}
		if r.took > 2*time.Second && float64(r.took) > suite.Slowness()*float64(2*time.Second) {
			t.Errorf("%v: it took %v, more than 2 s", args, r.took)
		}
	}
	if a := s.publish(hello, "ari"); a.status != http.StatusCreated {
		t.Errorf("the first process no longer takes documents: %d\n%s", a.status, a.body)
	}
}

func TestADamagedFileIsExitCode4(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	if r := command(t, ".", nil, hello, "load", "--data", whole, "--format", "turtle", "-"); r.code != 0 {
		t.Fatalf("load: exit %d\n%s", r.code, r.stderr)
	}
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"garbage":   bytes.Repeat([]byte("this is no store "), 4096),
		"zeros":     make([]byte, 65536),
		"cut short": good[:16384],
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "segraph.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		r := command(t, dir, nil, "", "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0")
		if r.code != 4 || !strings.Contains(r.stderr, "segraph.db") {
			t.Errorf("%s: exit %d, want 4 and the name of the file\n%s", name, r.code, r.stderr)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
			t.Errorf("%s: the damaged file was changed (%v)", name, err)
		}
	}
}

func TestABannerSaysThatAuthIsOff(t *testing.T) {
	t.Parallel()
	const banner = "AUTHENTICATION IS OFF"
	for value, want := range map[string]bool{"": true, secret: false} {
		s := serve(t, t.TempDir(), []string{"SECRET_KEY=" + value})
		s.stop() // then all its output has arrived
		if got := strings.Contains(s.stderr.String(), banner); got != want {
			t.Errorf("with SECRET_KEY=%q there is a banner: %v, want %v\n%s", value, got, want, s.stderr)
		}
	}
}

// A secret may come from a file. A weak one prevents the start unless it is allowed.
func TestSecretFromAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long, short := filepath.Join(dir, "long"), filepath.Join(dir, "short")
	for path, key := range map[string]string{long: secret + "\n", short: "short\n"} {
		if err := os.WriteFile(path, []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, t.TempDir(), []string{"SECRET_KEY_FILE=" + long})
	if a := request(t, "GET", s.api+"/events", nil); a.status != http.StatusUnauthorized {
		t.Errorf("GET /events without a token: %d", a.status)
	}
	if a := request(t, "GET", s.api+"/events", nil, "Authorization", "Bearer "+issue(t, "auditor")); a.status != http.StatusOK {
		t.Errorf("GET /events with a token: %d\n%s", a.status, a.body)
	}
	r := command(t, t.TempDir(), []string{"SECRET_KEY_FILE=" + short}, "", "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0")
	if r.code != 2 || !strings.Contains(r.stderr, "32 bytes") || strings.Contains(r.stderr, "short\n") {
		t.Errorf("with a short secret: exit %d, want 2 and words\n%s", r.code, r.stderr)
	}
	s = serve(t, t.TempDir(), []string{"SECRET_KEY_FILE=" + short, "SEGRAPH_ALLOW_SHORT_SECRET=true"})
	if a := request(t, "GET", s.api+"/events", nil); a.status != http.StatusUnauthorized {
		t.Errorf("GET /events without a token: %d", a.status)
	}
}

func TestAnUnknownSettingStopsTheStart(t *testing.T) {
	t.Parallel()
	r := command(t, t.TempDir(), []string{"SEGRAPH_DTA=x.db"}, "", "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0")
	if r.code != 2 || !strings.Contains(r.stderr, "SEGRAPH_DTA") || !strings.Contains(r.stderr, "SEGRAPH_DATA") {
		t.Errorf("exit %d, want 2 and both names\n%s", r.code, r.stderr)
	}
}

func TestHealthcheckAsksTheService(t *testing.T) {
	t.Parallel()
	// A port that was free, because a check must know it in advance.
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	dir := t.TempDir()
	if r := command(t, dir, []string{"SEGRAPH_API=127.0.0.1:" + port}, "", "healthcheck"); r.code != 1 || r.stderr == "" {
		t.Errorf("nothing listens: exit %d, want 1 and words\n%s", r.code, r.stderr)
	}
	s := serve(t, dir, nil, "--api", ":"+port)
	for _, address := range []string{":" + port, "0.0.0.0:" + port, "127.0.0.1:" + port, "localhost:" + port} {
		if r := command(t, dir, []string{"SEGRAPH_API=" + address}, "", "healthcheck"); r.code != 0 || r.stdout != "ready\n" {
			t.Errorf("at %s: exit %d\n%s%s", address, r.code, r.stdout, r.stderr)
		}
	}
	s.stop()
	if r := command(t, dir, []string{"SEGRAPH_API=:" + port}, "", "healthcheck"); r.code != 1 {
		t.Errorf("after the stop: exit %d, want 1", r.code)
	}
}

func TestAnAddressInUseIsSaid(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	r := command(t, t.TempDir(), nil, "", "serve", "--ui", "127.0.0.1:0", "--api", strings.TrimPrefix(s.api, "http://"))
	if r.code != 1 || !strings.Contains(r.stderr, "address already in use") {
		t.Errorf("exit %d, want 1 and words\n%s", r.code, r.stderr)
	}
}

// slowPost begins a post with an unfinished body, and returns when the service has read
// its beginning.
func slowPost(t *testing.T, s *service) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /ttl?user=ari HTTP/1.1\r\nHost: x\r\nContent-Type: text/turtle\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(hello))
	// The service requests the body when the handler reads it, and is then busy.
	buf := make([]byte, 256)
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	n, err := conn.Read(buf)
	if err != nil || !strings.Contains(string(buf[:n]), "100 Continue") {
		t.Fatalf("the service does not ask for the body: %q %v", buf[:n], err)
	}
	return conn
}

// After the first signal, a post in progress can finish: it is stored and answered.
func TestShutdownLetsAPostEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	conn := slowPost(t, s)
	s.signal(syscall.SIGTERM)
	poll(t, "the service takes no new connections", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.api, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	if _, err := io.WriteString(conn, hello); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(reply), "201 Created") {
		t.Errorf("the post that had begun was answered with %q, %v", reply, err)
	}
	if code := s.wait(); code != 0 {
		t.Errorf("exit %d after SIGTERM, want 0\n%s", code, s.stderr)
	}
	if !bytes.Contains(serve(t, dir, nil).events(), []byte("¡Hola!")) {
		t.Error("the post that was answered during the shutdown is not stored")
	}
}

// The second signal ends the service at once with exit code 1, whatever is in progress.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	slowPost(t, s)
	s.signal(syscall.SIGINT)
	poll(t, "the first signal is heard", func() bool { return strings.Contains(s.stderr.String(), "a second signal ends it at once") })
	begin := time.Now()
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 1 {
		t.Errorf("exit %d after two signals, want 1\n%s", code, s.stderr)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v after the second signal", took)
	}
	serve(t, dir, nil).events() // the file is still valid
}
