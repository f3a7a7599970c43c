package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var metricsAt = regexp.MustCompile(`(?m)^metrics (https?://\S+)/metrics$`)

// If a network can reach the metrics, they are protected, or the service does not start.
func TestMetricsAreNeverOpenToANetwork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, address := range []string{":9090", "0.0.0.0:9090", "192.0.2.1:9090", "[::]:0", "robots.example:1"} {
		r := command(t, dir, nil, "", "serve", "--metrics", address)
		if r.code != 2 || !strings.Contains(r.stderr, "without protection") || !strings.Contains(r.stderr, "SEGRAPH_METRICS_TOKEN_FILE") {
			t.Errorf("--metrics %s: exit %d\n%s", address, r.code, r.stderr)
		}
	}
	for _, token := range []string{"guessable", strings.Repeat("x", 64), strings.Repeat("two words ", 10)} {
		r := command(t, dir, []string{"SEGRAPH_METRICS_TOKEN=" + token}, "", "serve", "--metrics", ":0")
		if r.code != 2 || !strings.Contains(r.stderr, "SEGRAPH_METRICS_TOKEN") || strings.Contains(r.stderr, token) {
			t.Errorf("the token %q: exit %d\n%s", token, r.code, r.stderr)
		}
	}
	path, token := filepath.Join(dir, "token"), strings.Repeat("0123456789abcdef", 2)
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := certificate(t, dir, 1)
	for name, c := range map[string]struct {
		env, args []string
		token     string
	}{
		"a token in a file":        {[]string{"SEGRAPH_METRICS_TOKEN_FILE=" + path}, []string{"--metrics", "0.0.0.0:0"}, token},
		"a token of an auditor":    {[]string{"SECRET_KEY=" + secret}, []string{"--metrics", ":0"}, issue(t, "auditor")},
		"this machine and a token": {[]string{"SEGRAPH_METRICS_TOKEN_FILE=" + path}, []string{"--metrics", "127.0.0.1:0"}, token},
		"TLS":                      {[]string{"SECRET_KEY=" + secret}, []string{"--metrics", ":0", "--tls-cert", cert, "--tls-key", key}, issue(t, "admin")},
	} {
		s := serve(t, t.TempDir(), c.env, c.args...)
		at := metricsAt.FindStringSubmatch(s.stdout.String())
		if at == nil || (name == "TLS") != strings.HasPrefix(at[1], "https") {
			t.Fatalf("%s: the address of the metrics is not printed:\n%s", name, s.stdout)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		for path, want := range map[string][2]int{"/metrics": {401, 200}, "/debug/pprof/": {404, 404}, "/events": {404, 404}} {
			for i, header := range [][]string{nil, {"Authorization", "Bearer " + c.token}} {
				a, err := try(client, "GET", at[1]+path, nil, header...)
				if err != nil || a.status != want[i] || (a.status == 200) != strings.Contains(string(a.body), "segraph_ready 1") {
					t.Errorf("%s: %s with %q: %d, %v", name, path, header, a.status, err)
				}
			}
		}
		s.stop()
	}
}

func TestMetricsAreOpenToThisMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, []string{"SECRET_KEY=" + secret}, "--metrics", "127.0.0.1:0")
	at := metricsAt.FindStringSubmatch(s.stdout.String())
	if at == nil {
		t.Fatalf("the address of the metrics is not printed:\n%s", s.stdout)
	}
	s.publish(document("x"), "ari") // without a token
	request(t, "GET", s.api+"/none/"+strings.Repeat("x", 100), nil)
	request(t, "GET", s.ui+"/api/healthz/live", nil)
	text := string(request(t, "GET", at[1]+"/metrics", nil).body)
	for _, want := range []string{
		`segraph_requests_total{method="POST",route="/ttl",status="401"} 1`,
		`segraph_requests_total{method="GET",route="none",status="404"} 1`,
		`segraph_requests_total{method="GET",route="/healthz/live",status="200"} 1`,
		`segraph_request_seconds_count{route="/ttl"} 1`,
		`segraph_refusals_total{limit="query_memory"} 0`,
		"segraph_ready 1", "segraph_store_triples 0", "segraph_journal_entries 0", "segraph_store_file_bytes ", "segraph_store_text_index_bytes 0", "segraph_retries_kept 0", "segraph_retries_oldest_seconds 0", "segraph_file_written_bytes_total ", "segraph_file_syncs_total ", "segraph_snapshot_time_seconds 0",
		"segraph_queries_running 0", "segraph_spool_bytes 0", "go_goroutines ", "process_resident_memory_bytes ", `segraph_build{version="`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if a := request(t, "GET", at[1]+"/debug/pprof/goroutine?debug=1", nil); a.status != 200 || !strings.Contains(string(a.body), "goroutine profile") {
		t.Errorf("no profile: %d", a.status)
	}
	for _, listener := range []string{s.api, s.ui, s.ui + "/api"} {
		for _, path := range []string{"/metrics", "/debug/pprof/"} {
			if a := request(t, "GET", listener+path, nil); a.status != 404 && a.status != 401 && a.status != 303 {
				t.Errorf("%s%s answers %d", listener, path, a.status)
			}
		}
	}
	s.stop()
}

// certificate writes a self-signed certificate and its key.
func certificate(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, // clients may trust it
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestTLSWithACertificateThatIsRenewedWhileItServes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := certificate(t, dir, 1)
	s := serve(t, dir, nil, "--tls-cert", cert, "--tls-key", key)
	client := func() *http.Client {
		return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	}
	serial := func() int64 {
		res, err := client().Get(s.api + "/healthz/ready")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != 200 || res.TLS.Version < tls.VersionTLS12 || res.ProtoMajor != 2 {
			t.Errorf("%d, TLS %x, %s", res.StatusCode, res.TLS.Version, res.Proto)
		}
		return res.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(); n != 1 || !strings.HasPrefix(s.api, "https://") || !strings.HasPrefix(s.ui, "https://") {
		t.Errorf("certificate %d at %s and %s", n, s.api, s.ui)
	}
	if a, err := try(client(), "POST", s.ui+"/api/ttl", []byte(document("x")), "Content-Type", "text/turtle"); err != nil || a.status != 201 {
		t.Errorf("POST /api/ttl: %d, %v", a.status, err)
	}
	if r := command(t, dir, nil, "", "healthcheck", "--api", strings.TrimPrefix(s.api, "https://"), "--tls-cert", cert); r.code != 0 {
		t.Errorf("healthcheck: %d\n%s", r.code, r.stderr)
	}
	old := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}}}
	if a, err := try(old, "GET", s.api+"/healthz/live", nil); err == nil {
		t.Errorf("TLS 1.1 is answered with %d", a.status)
	}
	if a := request(t, "GET", strings.Replace(s.api, "https", "http", 1)+"/healthz/live", nil); a.status != 400 {
		t.Errorf("plain HTTP is answered with %d", a.status)
	}
	certificate(t, dir, 2)
	poll(t, "the new certificate is shown", func() bool { return serial() == 2 })
	s.stop()
	for _, args := range [][]string{{"--tls-cert", cert}, {"--tls-key", key}, {"--tls-cert", key, "--tls-key", key}, {"--tls-cert", "none", "--tls-key", key}} {
		if r := command(t, dir, nil, "", append([]string{"serve"}, args...)...); r.code != 2 {
			t.Errorf("%q: exit %d\n%s", args, r.code, r.stderr)
		}
	}
}

// metric returns a metric of a service that runs with --metrics.
func (s *service) metric(name string) int64 {
	s.t.Helper()
	at := metricsAt.FindStringSubmatch(s.stdout.String())
	if at == nil {
		s.t.Fatalf("the address of the metrics is not printed:\n%s", s.stdout)
	}
	text := request(s.t, "GET", at[1]+"/metrics", nil).body
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
	if found == nil {
		s.t.Fatalf("there is no metric %s", name)
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return int64(n)
}
