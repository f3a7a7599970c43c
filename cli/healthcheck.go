package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
)

func healthcheck() verb {
	return verb{
		name:    "healthcheck",
		summary: "Check whether the service on this machine is ready.",
		detail: `Asks /healthz/ready at the API address that ` + "`segraph serve`" + ` is configured with. Prints "ready"
and exits with 0, or prints the reason and exits with 1. With --wait 30s it asks again until the
service is ready, for at most that time.`,
		settings: []string{"api", "tls-cert", "tls-acme", "wait"},
		run:      runHealthcheck,
	}
}

// askAgain is how long a check that waits pauses between two questions.
const askAgain = 200 * time.Millisecond

func runHealthcheck(ctx context.Context, p *program, c *config.Config) error {
	address, err := app.Dialable(c.API)
	if err != nil {
		return err
	}
	name := app.CertificateName(c)
	waited, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	for {
		if err = app.Ask(ctx, address, "/healthz/ready", c.TLSCert != "" || name != "", name); err == nil || waited.Err() != nil {
			break
		}
		select {
		case <-time.After(askAgain):
		case <-waited.Done():
		}
	}
	if err != nil {
		return fmt.Errorf("checking whether the service at %s is ready: %w", address, err)
	}
	_, err = fmt.Fprintln(p.stdout, "ready")
	return err
}
