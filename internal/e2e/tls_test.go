package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// curl runs curl and returns its output.
func curl(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("curl")
	if err != nil {
		suite.Missing(t, "no curl: install it, with Debian by apt-get install curl")
	}
	out, err := exec.CommandContext(context.Background(), path, append([]string{"-sS", "--max-time", "50"}, args...)...).CombinedOutput()
	if err != nil {
		t.Errorf("curl %q: %v: %s", args, err, out)
	}
	return string(out)
}

// TestBothListenersSpeakHTTP2 sends requests with curl, over HTTP/2 and HTTP/1.1.
func TestBothListenersSpeakHTTP2(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := certificate(t, dir, 1)
	s := serve(t, dir, nil, "--tls-cert", cert, "--tls-key", key)
	log := filepath.Join(dir, "log.nt")
	if err := os.WriteFile(log, []byte(strings.Repeat("<urn:s> <urn:p> \"x\" .\n", 40_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		version string
		args    []string
		want    string
	}{
		{"2", []string{s.api + "/healthz/live"}, `{"live":true}`},
		{"2", []string{s.ui + "/health"}, "segraph"},
		{"2", []string{"--data-binary", "@" + log, "-H", "Content-Type: application/n-triples", s.api + "/ttl"}, `"added":1`},
		{"2", []string{s.api + "/events"}, "<urn:s>"},
		{"2", []string{"-I", s.api + "/events"}, "HTTP/2 200"},
		{"1.1", []string{"--http1.1", s.api + "/healthz/live"}, `{"live":true}`},
	} {
		out := curl(t, append([]string{"--http2", "--cacert", cert, "-w", "\nversion %{http_version}"}, c.args...)...)
		if !strings.Contains(out, c.want) || !strings.HasSuffix(out, "\nversion "+c.version) {
			t.Errorf("%q: %.300s", c.args, out)
		}
	}
	if r := command(t, dir, nil, "", "healthcheck", "--api", strings.TrimPrefix(s.api, "https://"), "--tls-cert", cert); r.code != 0 {
		t.Errorf("healthcheck: %+v", r)
	}
	s.stop()
}

// pebbleModule is a small ACME server. It is built from its own module, so segraph does
// not depend on it.
const pebbleModule = "github.com/letsencrypt/pebble/v2/cmd/"

// pebble runs an ACME server that resolves every name to 127.0.0.1 and verifies it at a
// port. It returns the URL of the server's directory, the server's own certificate, a
// function that returns its root certificate, and one that stops it.
func pebble(t *testing.T, port string) (directory, ca string, roots func() string, stop func()) {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "install", "-ldflags=-s -w", pebbleModule+"pebble@v2.10.1", pebbleModule+"pebble-challtestsrv@v2.10.1")
	build.Dir, build.Env = dir, append(os.Environ(), "GOBIN="+dir)
	if out, err := build.CombinedOutput(); err != nil {
		suite.Missing(t, "no ACME server: building "+pebbleModule+"pebble: "+string(out))
	}
	ca, key := certificate(t, dir, 1)
	at := []string{freePort(t), freePort(t), freePort(t), freePort(t)}
	config := fmt.Sprintf(`{"pebble": {"listenAddress": "127.0.0.1:%s", "managementListenAddress": "127.0.0.1:%s",
		"certificate": %q, "privateKey": %q, "httpPort": 1, "tlsPort": %s}}`, at[0], at[1], ca, key, port)
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	dns := exec.Command(filepath.Join(dir, "pebble-challtestsrv"), "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dnsserver", "127.0.0.1:"+at[2],
		"-management", "127.0.0.1:"+at[3], "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "")
	server := exec.Command(filepath.Join(dir, "pebble"), "-config", file, "-dnsserver", "127.0.0.1:"+at[2])
	server.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	said := &output{}
	var running []*exec.Cmd
	for _, c := range []*exec.Cmd{dns, server} {
		c.Stdout, c.Stderr = said, said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	stop = func() {
		for _, c := range running {
			_ = c.Process.Kill() // it may have exited
			_ = c.Wait()
		}
		running = nil
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("pebble: %s", said)
		}
	})
	directory = "https://127.0.0.1:" + at[0] + "/dir"
	poll(t, "pebble answers", func() bool {
		connection, err := net.Dial("tcp", "127.0.0.1:"+at[0])
		if err == nil {
			_ = connection.Close() // nothing was sent
		}
		return err == nil
	})
	return directory, ca, func() string { return curl(t, "--cacert", ca, "https://127.0.0.1:"+at[1]+"/roots/0") }, stop
}

// freePort returns a free port.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // no connection was accepted
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestCertificatesComeFromAnACMEServer gets a certificate from Pebble, sends requests
// with curl, and restarts without Pebble.
func TestCertificatesComeFromAnACMEServer(t *testing.T) {
	suite.Slow(t, "it compiles an ACME server")
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	directory, ca, roots, stop := pebble(t, port)
	env := []string{"SEGRAPH_TLS_ACME=segraph.test", "SEGRAPH_TLS_ACME_URL=" + directory, "SSL_CERT_FILE=" + ca}
	s := serve(t, dir, env, "--ui", "127.0.0.1:"+port)
	poll(t, "the certificate is there", func() bool { return strings.Contains(s.stderr.String(), "the certificate is ready") })
	trusted := filepath.Join(dir, "roots.pem")
	if err := os.WriteFile(trusted, []byte(roots()), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(base, path string) string {
		_, port, err := net.SplitHostPort(strings.TrimPrefix(base, "https://"))
		if err != nil {
			t.Fatal(err)
		}
		return curl(t, "--http2", "--cacert", trusted, "--resolve", "segraph.test:"+port+":127.0.0.1", "-w", " %{http_version}", "https://segraph.test:"+port+path)
	}
	if got := ask(s.ui, "/api/healthz/live"); !strings.HasPrefix(got, `{"live":true}`) || !strings.HasSuffix(got, " 2") {
		t.Errorf("the web UI's listener answers %q", got)
	}
	if got := ask(s.api, "/healthz/live"); !strings.HasPrefix(got, `{"live":true}`) {
		t.Errorf("the API's listener answers %q", got)
	}
	if r := command(t, dir, env, "", "healthcheck", "--api", strings.TrimPrefix(s.api, "https://")); r.code != 0 {
		t.Errorf("healthcheck: %+v", r)
	}
	if _, err := (&http.Client{Timeout: patience}).Get(s.api + "/healthz/live"); err == nil {
		t.Error("an address got a certificate")
	}
	kept, err := os.ReadDir(filepath.Join(dir, "segraph.db.acme"))
	if err != nil || len(kept) < 2 {
		t.Errorf("kept are %v, %v", kept, err)
	}
	for _, file := range kept {
		if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file.Name(), info.Mode(), err)
		}
	}
	s.stop()
	stop() // there is no ACME server any more
	s = serve(t, dir, env, "--ui", "127.0.0.1:"+port)
	if got := ask(s.ui, "/api/healthz/live"); !strings.HasPrefix(got, `{"live":true}`) {
		t.Errorf("after a restart without the ACME server: %q", got)
	}
	s.stop()
}

// http2Client returns an HTTP/2 client that trusts a certificate.
func http2Client(t *testing.T, cert string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// TestOneConnectionOfHTTP2ServesManyAtOnce leaves an export unread while other requests
// on the same connection are answered.
func TestOneConnectionOfHTTP2ServesManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := certificate(t, dir, 1)
	s := serve(t, dir, nil, "--tls-cert", cert, "--tls-key", key)
	client := http2Client(t, cert)
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "<urn:s%d> <urn:p> \"%s\" .\n", i, strings.Repeat("x", 40))
	}
	stored, err := client.Post(s.api+"/ttl", "application/n-triples", strings.NewReader(text.String()))
	if err != nil || stored.StatusCode != 201 {
		t.Fatalf("storing: %v %v", stored, err)
	}
	_ = stored.Body.Close() // only the status matters
	slow, err := client.Get(s.api + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Body.Close() }() // already read
	for range 20 {
		response, err := client.Get(s.api + "/healthz/ready")
		if err != nil || response.StatusCode != 200 || response.ProtoMajor != 2 {
			t.Fatalf("%v %v", response, err)
		}
		_ = response.Body.Close() // only the status matters
	}
	n, err := io.Copy(io.Discard, slow.Body)
	if err != nil || n < 3_000_000 {
		t.Errorf("the export has %d bytes: %v", n, err)
	}
	s.stop()
}
