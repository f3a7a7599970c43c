package cli

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

	"github.com/segraph/segraph/internal/config"
)

// healthcheckTimeout is long for a service that is well, and short of the 30 s after which
// container engines give up on a check.
const healthcheckTimeout = 5 * time.Second

func healthcheck() verb {
	return verb{
		name:    "healthcheck",
		summary: "Ask the service on this machine whether it is ready.",
		detail: `Asks /healthz/ready at the API address that ` + "`segraph serve`" + ` is configured with. Prints "ready"
and exits with 0, or prints the reason and exits with 1.`,
		settings: []string{"api", "tls-cert", "tls-acme"},
		run:      runHealthcheck,
	}
}

func runHealthcheck(ctx context.Context, p *program, c *config.Config) error {
	address, err := dialable(c.API)
	if err != nil {
		return err
	}
	name := ""
	if len(c.TLSACME) > 0 {
		name = c.TLSACME[0]
	}
	if err := askReady(ctx, address, c.TLSCert != "" || name != "", name); err != nil {
		return fmt.Errorf("asking the service at %s whether it is ready: %w", address, err)
	}
	_, err = fmt.Fprintln(p.stdout, "ready")
	return err
}

// dialable returns the address at which a listener on address can be reached from this
// machine: one that listens everywhere is asked over loopback.
func dialable(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("reading the API's address: %w", err)
	}
	if port == "0" {
		return "", &config.Error{Msg: "port 0 is any free port, so it is not known where the service listens", Hint: "Give --api the address that `segraph serve` printed."}
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

// askReady returns an error that says why the service at address is not ready, if so. By
// name it is asked for its certificate; "" is none in particular.
func askReady(ctx context.Context, address string, secure bool, name string) error {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTimeout)
	defer cancel()
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+address+"/healthz/ready", nil)
	if err != nil {
		return err
	}
	// A proxy of the environment has no business between this machine and itself.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		// The certificate is for the name that others use, and nothing secret is sent or
		// learnt.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: name},
	}}
	res, err := client.Do(req)
	if err != nil {
		var request *url.Error
		if errors.As(err, &request) {
			err = request.Err // without the URL, which the caller names
		}
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	var ready struct {
		Ready bool `json:"ready"`
	}
	if err := json.Unmarshal(body, &ready); err != nil || res.StatusCode != http.StatusOK || !ready.Ready {
		return fmt.Errorf("it is not: %s %s", res.Status, body)
	}
	return nil
}
