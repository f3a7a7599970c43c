package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// inNamespace starts a shell script in new namespaces according to flags. It skips the
// test if the system does not permit it.
func inNamespace(t *testing.T, flags, script string) *service {
	t.Helper()
	if out, err := exec.Command("unshare", flags, "true").CombinedOutput(); err != nil {
		suite.Missing(t, fmt.Sprintf("unshare %s: %v %s: needs a Linux that lets this user make namespaces", flags, err, out))
	}
	s := &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	s.cmd = exec.Command("unshare", flags, "sh", "-ec", script)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = t.TempDir(), environ("BINARY="+binary), s.stdout, s.stderr
	s.run(start)
	t.Cleanup(s.kill)
	return s
}

// On a full disk, writes get 507 with a message, reading works, and nothing is lost or
// damaged. Writing works again once there is room.
func TestAFullDiskLosesNothingAndWritesResumeWithSpace(t *testing.T) {
	t.Parallel()
	mount := t.TempDir()
	s := inNamespace(t, "-rm", fmt.Sprintf(`mount -t tmpfs -o size=24m tmpfs %[1]s
dd if=/dev/zero of=%[1]s/ballast bs=1M count=12 2>/dev/null
exec "$BINARY" serve --data %[1]s/segraph.db --api 127.0.0.1:0 --ui 127.0.0.1:0 --snapshot-keep 0`, mount))
	s.waitUntilItListens()
	inside := fmt.Sprintf("/proc/%d/root%s", s.cmd.Process.Pid, mount) // the service has replaced unshare and sh
	stored := map[string]bool{}
	var full answer
	for n := 0; full.status == 0 && n < 500; n++ {
		name := fmt.Sprintf("d%d", n)
		var text strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&text, "<http://example.org/%s> <http://example.org/p> \"%s %d %x\" .\n", name, name, i, i*7919)
		}
		switch a := s.publish(text.String(), "ari"); a.status {
		case http.StatusCreated:
			stored[name] = true
		case http.StatusInsufficientStorage:
			full = a
		default:
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if full.status == 0 || !strings.Contains(full.member(t, "detail").(string), "disk is full") {
		t.Fatalf("after %d documents: %d %s", len(stored), full.status, full.body)
	}
	count := func() int {
		t.Helper()
		a := request(t, "GET", s.api+"/query?format=csv&query=SELECT+(COUNT(*)+AS+%3Fn)+%7B%3Fs+%3Fp+%3Fo%7D", nil)
		var n int
		if _, err := fmt.Sscanf(string(a.body), "n\n%d", &n); err != nil {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return n
	}
	if n := count(); n != 2000*len(stored) {
		t.Errorf("%d triples are there, and %d documents were stored", n, len(stored))
	}
	if got := len(strings.Split(string(s.events()), "\n")); got < 100 {
		t.Errorf("an export of %d lines", got)
	}
	if a := request(t, "GET", s.api+"/healthz/ready", nil); a.status != 200 {
		t.Errorf("not ready: %s", a.body)
	}
	if err := os.Remove(filepath.Join(inside, "ballast")); err != nil {
		t.Fatal(err)
	}
	if a := s.publish(document("after"), "ari"); a.status != http.StatusCreated {
		t.Errorf("once there is room: %d %s", a.status, a.body)
	}
	if n := count(); n != 2000*len(stored)+width {
		t.Errorf("%d triples are there in the end", n)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	content, err := os.ReadFile(filepath.Join(inside, "segraph.db")) // the service has stopped writing
	if err == nil {
		err = os.WriteFile(copied, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := command(t, t.TempDir(), nil, "", "check", copied); r.code != 0 {
		t.Errorf("check: exit %d\n%s", r.code, r.stderr)
	}
}

// The service works without a route to any network: it opens no connection.
func TestTheServiceWorksWithoutANetwork(t *testing.T) {
	t.Parallel()
	s := inNamespace(t, "-rn", `ip link set lo up
"$BINARY" serve --api 127.0.0.1:5000 --ui 127.0.0.1:8080 2>log &
service=$!
for i in $(seq 600); do "$BINARY" healthcheck 2>/dev/null && break; sleep 0.1; done
printf '<urn:s> <urn:p> "alone" .' > log.ttl
"$BINARY" query --url http://127.0.0.1:5000 'ASK {}'
"$BINARY" query --url http://127.0.0.1:5000 'SELECT * { SERVICE <http://192.0.2.1/> {} }' 2>&1 || true
"$BINARY" query --url http://127.0.0.1:5000 'SELECT * FROM <http://192.0.2.1/> { ?s ?p ?o }' 2>&1 || true
"$BINARY" backup copy.db --url http://127.0.0.1:5000
kill $service; wait $service; echo "ended with $?"; cat log`)
	code := s.wait()
	out := s.stdout.String()
	for _, want := range []string{"ready\n", `"boolean":true`, "SERVICE", "copy.db: ", "ended with 0", "INFO | segraph | "} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if code != 0 || strings.Contains(out, "ERROR") || strings.Contains(out, "unreachable") || t.Failed() {
		t.Errorf("exit %d\n%s\n%s", code, out, s.stderr)
	}
}
