// Package acme gets certificates from an ACME server (RFC 8555), such as Let's Encrypt,
// and renews them while the service runs. The server verifies each host name with a TLS
// handshake at port 443 (tls-alpn-01, RFC 8737). Listeners that use Config answer it.
// Keys and certificates are kept in a folder, so a restart requests none.
package acme

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"

	xacme "golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Issuer gets certificates. It is safe for concurrent use.
type Issuer struct {
	manager *autocert.Manager
	hosts   []string
	log     *slog.Logger
}

// New returns an Issuer for hosts that uses the ACME server at directory; "" means Let's
// Encrypt. It accepts the server's terms of service, and creates folder.
func New(hosts []string, directory, folder string, log *slog.Logger) (*Issuer, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of certificates: %w", err)
	}
	return &Issuer{hosts: hosts, log: log, manager: &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(folder),
		HostPolicy: autocert.HostWhitelist(hosts...),
		Client:     &xacme.Client{DirectoryURL: directory, UserAgent: "segraph"},
	}}, nil
}

// Config returns the TLS settings of a server: TLS 1.2 and above, HTTP/2 and HTTP/1.1.
func (i *Issuer) Config() *tls.Config {
	c := i.manager.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	return c
}

// Prepare gets the certificates that are missing from the folder, so that the first
// client need not wait and the log shows failures. The listeners must be serving already.
// A certificate that fails is requested again when a client connects.
func (i *Issuer) Prepare(ctx context.Context) {
	for _, host := range i.hosts {
		certificate, err := i.manager.GetCertificate(&tls.ClientHelloInfo{
			ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			i.log.ErrorContext(ctx, "there is no certificate: port 443 of this name must lead to a listener of this service, and the ACME server must be reachable",
				"host", host, "error", err)
			continue
		}
		i.log.InfoContext(ctx, "the certificate is ready", "host", host, "until", certificate.Leaf.NotAfter.UTC())
	}
}
