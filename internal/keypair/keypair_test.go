package keypair

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write creates a certificate with the given serial number. It writes the certificate,
// its key or both, depending on what.
func write(t *testing.T, dir string, serial int64, what string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "robots.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	later := time.Now().Add(time.Duration(serial) * time.Minute) // file times may have a resolution of seconds
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if !strings.Contains(what, filepath.Base(path)) {
			continue
		}
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func serial(t *testing.T, p *Pair) int64 {
	t.Helper()
	c, err := p.Config().GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Leaf.SerialNumber.Int64()
}

const both = "cert.pem key.pem"

// opened returns a pair whose files are in a folder and have the serial number 1, its log, and its clock.
func opened(t *testing.T, dir string) (p *Pair, log *bytes.Buffer, clock *time.Time) {
	t.Helper()
	cert, key := write(t, dir, 1, both)
	log = new(bytes.Buffer)
	p, err := New(cert, key, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	p.now = func() time.Time { return now }
	return p, log, &now
}

func TestANewCertificateIsTakenAndABadOneIsNot(t *testing.T) {
	dir := t.TempDir()
	p, log, clock := opened(t, dir)
	write(t, dir, 2, both)
	if got := serial(t, p); got != 1 {
		t.Errorf("at once there is %d", got)
	}
	*clock = clock.Add(lookEvery)
	if got := serial(t, p); got != 2 {
		t.Errorf("after a second there is %d", got)
	}
	write(t, dir, 3, "cert.pem") // its key follows later
	*clock = clock.Add(lookEvery)
	if got := serial(t, p); got != 2 || !strings.Contains(log.String(), "the old one stays") {
		t.Errorf("between two writes there is %d, and the log says %s", got, log)
	}
	write(t, dir, 4, both)
	*clock = clock.Add(lookEvery)
	if got := serial(t, p); got != 4 || !strings.Contains(log.String(), "a new certificate is in use") {
		t.Errorf("in the end there is %d", got)
	}
	for _, path := range []string{p.cert, p.key} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	*clock = clock.Add(lookEvery)
	if got := serial(t, p); got != 4 {
		t.Errorf("without files there is %d", got)
	}
}

// The reason why files can't be read may pass without a change of them, as here their times and sizes show none.
func TestFilesThatCouldNotBeReadAreReadAgain(t *testing.T) {
	next := t.TempDir()
	p, log, clock := opened(t, t.TempDir())
	newCert, newKey := write(t, next, 2, both)
	before := p.versions()
	if err := os.Rename(newCert, p.cert); err != nil {
		t.Fatal(err)
	}
	*clock = clock.Add(lookEvery)
	if got := serial(t, p); got != 1 || strings.Count(log.String(), "the old one stays") != 1 {
		t.Errorf("without the key there is %d, and the log says %s", got, log)
	}
	if err := errors.Join(os.Chtimes(newKey, before[1].changed, before[1].changed), os.Rename(newKey, p.key)); err != nil || p.versions()[1] != before[1] {
		t.Fatal(err, p.versions(), before)
	}
	*clock = clock.Add(retryEvery - time.Second)
	if got := serial(t, p); got != 1 {
		t.Errorf("before a minute there is %d", got)
	}
	*clock = clock.Add(time.Second)
	if got := serial(t, p); got != 2 || strings.Count(log.String(), "the old one stays") != 1 {
		t.Errorf("after a minute there is %d, and the log says %s", got, log)
	}
}

func TestFilesThatAreNoPairAreRefused(t *testing.T) {
	dir := t.TempDir()
	cert, key := write(t, dir, 1, both)
	for _, tt := range [][2]string{{cert, "none"}, {"none", key}, {key, cert}, {cert, cert}} {
		if _, err := New(tt[0], tt[1], slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), tt[0]) {
			t.Errorf("%v: %v", tt, err)
		}
	}
}
