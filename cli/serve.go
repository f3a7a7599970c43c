package cli

import (
	"context"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
)

func serve() verb {
	return verb{
		name:    "serve",
		summary: "Run the service: the API and the web UI.",
		detail: `Opens the store, or creates it, listens on both addresses, and then prints them on stdout. Log lines go
to stderr. With --log-format json nothing goes to stdout, and every line on stderr is a JSON object.

SIGINT or SIGTERM ends it gracefully: it reports that it is not ready, accepts no new connections,
finishes running requests within 10 s, and closes the store. A second signal ends it at once, with
exit code 1. A log that was answered with 201 survives this, and also a kill or a power cut.`,
		settings: config.ServiceSettings(),
		run: func(ctx context.Context, p *program, c *config.Config) error {
			return app.Run(ctx, p.service(c))
		},
	}
}

// service returns how to run the service of these settings.
func (p *program) service(c *config.Config) app.Options {
	o := app.Options{Settings: c, Stderr: p.stderr, Ready: p.ready, Sourced: func() ([]config.Sourced, error) { return config.Explain(p.settings, p.args, p.environ) }}
	if !p.json {
		o.Print = func(warning bool, words string) {
			w := p.stdout
			if warning {
				w = p.stderr
			}
			say(w, atLeisure, words)
		}
	}
	return o
}
