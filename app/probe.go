package app

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/segraph/segraph/config"
)

// probeTimeout is ample for a healthy service, and below the 30 s after which
// container engines abort a check.
const probeTimeout = 5 * time.Second

// CertificateName returns the name of the service in its certificate, or "".
func CertificateName(c *config.Config) string {
	if len(c.TLSACME) > 0 {
		return c.TLSACME[0]
	}
	return ""
}

// Dialable returns an address at which this machine can reach a listener. For a listener
// on all addresses that is a loopback address.
func Dialable(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("reading the API's address: %w", err)
	}
	if port == "0" {
		return "", &config.Error{Msg: "port 0 means any free port, so the service's port is unknown", Hint: "Set --api to the address that `segraph serve` printed."}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}

// Ask returns nil if the service at address is ready or live, as path asks, or an error with the reason. It uses TLS
// if secure; name is the server name then, or "".
func Ask(ctx context.Context, address, path string, secure bool, name string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+address+path, nil)
	if err != nil {
		return err
	}
	// Never use a proxy to reach this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		// The certificate is for the public name, and no secret is sent.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: name},
	}}
	res, err := client.Do(req)
	if err != nil {
		var request *url.Error
		if errors.As(err, &request) {
			err = request.Err // omit the URL, which the caller names
		}
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	var said struct{ Ready, Live bool }
	if err := json.Unmarshal(body, &said); err != nil || res.StatusCode != http.StatusOK || !said.Ready && !said.Live {
		return fmt.Errorf("it is not ready: %s %s", res.Status, body)
	}
	return nil
}
