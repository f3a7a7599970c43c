package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views/reports"
)

func demo() verb {
	return verb{
		name:    "demo",
		summary: "Run the service on sample data.",
		detail: `Creates a store in a temporary folder with two hours in a museum, up to now: three robots, forty visitors,
three sessions, and thirty cases that need review. Serves it on this machine alone and, where there
is a desktop, opens the web UI. It listens at the same ports as serve. Ctrl-C ends it and deletes
everything.

With --live the third session happens now, at /live, the page for a projector. Twice the audience
decides whether two robots heard the same sentence. Phones open the address in a QR code. The web UI then
listens on all addresses, and other machines can only vote.

With --fleet each robot has a box of its own. The boxes forward to a centre, whose page /boxes opens: it
resolves what two robots saw of one event. The file of one box is then replaced by an older copy, and
the centre refuses that box.

Variables of other settings, such as the key of the transparency log, are ignored.`,
		settings: slices.Concat(demoSettings, config.ContextSettings(), []string{"live", "fleet"}),
		run:      runDemo,
	}
}

// demoSettings names the settings of the service that a demo takes. None makes its invented entries look real: it signs
// them with a key of its own, and sends them nowhere.
var demoSettings = []string{"api", "ui", "base-path", "tls-cert", "tls-key", "metrics", "metrics-token", "cors-origins", "trusted-proxies", "hosts",
	"query-time", "memory", "query-memory", "queries", "connections", "client-connections", "text-index", "compat", "strict-iris",
	"log-level", "log-format", "allow-short-secret", "secret-key", "secret-key-previous"}

// ofDemo returns the settings of a service: those that a demo takes are as the command line and the environment say, and all
// others are as by default.
func (p *program) ofDemo() (*config.Config, error) {
	taken, err := config.Select(p.settings)
	if err != nil {
		return nil, err
	}
	environ := slices.DeleteFunc(slices.Clone(p.environ), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return !slices.ContainsFunc(taken, func(s config.Setting) bool { return s.Env != "" && strings.TrimSuffix(name, "_FILE") == s.Env })
	})
	return config.Load(append(config.ServiceSettings(), "live", "fleet"), p.args, environ)
}

// runDemo runs a service with sample data in a temporary folder, which it removes at the end.
func runDemo(ctx context.Context, p *program, _ *config.Config) (err error) {
	c, err := p.ofDemo()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "segraph-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c.Data = filepath.Join(dir, "segraph.db")
	for _, address := range []*string{&c.API, &c.UI} {
		forGuests := address == &c.UI && c.Live // at all addresses of this machine, unless --ui names one
		if (*address)[0] == ':' && !forGuests {
			*address = "127.0.0.1" + *address
		}
	}
	curator := auth.Actor{Username: "curator", Roles: auth.Roles()}
	o := p.service(c)
	o.Fill = func(ctx context.Context, core *service.Service) error {
		if err := core.PlayDemo(ctx, curator); err != nil {
			return fmt.Errorf("making the sample data: %w", err)
		}
		return nil
	}
	if c.Live {
		o.Play = reports.NewPlay(curator, time.Now().Add(liveDelay), time.Now)
		o.Fill = o.Play.Fill
	}
	o.Ready = func(ui string) {
		if o.Print != nil {
			o.Print(false, "The demo's data is deleted when it ends, with Ctrl-C.\n")
		}
		if c.Live {
			ui += "/live"
		}
		openPage(ui)
	}
	if c.Fleet {
		return runFleet(ctx, c, o, curator)
	}
	return app.Run(ctx, o)
}

// liveDelay is the time from the start of a live demo to the first visitor.
const liveDelay = 15 * time.Second

// openPage opens a page on the desktop, if there is one.
func openPage(url string) {
	opener := "xdg-open"
	desktop := slices.ContainsFunc([]string{"DISPLAY", "WAYLAND_DISPLAY"}, func(name string) bool { return os.Getenv(name) != "" })
	args := []string{url}
	switch runtime.GOOS {
	case "darwin":
		opener, desktop = "open", true
	case "windows":
		opener, desktop, args = "rundll32", true, []string{"url.dll,FileProtocolHandler", url}
	}
	if program, err := exec.LookPath(opener); err == nil && desktop {
		cmd := exec.Command(program, args...)
		if cmd.Start() == nil { // the desktop handles errors
			go func() { _ = cmd.Wait() }() // not awaited: the opener may be the browser itself
		}
	}
}
