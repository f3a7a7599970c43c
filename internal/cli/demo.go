package cli

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/turtle"
)

// What two robots saw on one morning, and told the resolver of it.
var (
	//go:embed demo/logs.ttl
	demoLogs []byte
	//go:embed demo/observations.json
	demoObservations []byte
)

func demo() verb {
	return verb{
		name:    "demo",
		summary: "Run the service on sample data, for a look around.",
		detail: `Makes a store in a temporary folder, puts logs of two robots into it and observations of which some wait for
a person to decide, runs the service on this machine alone and, where there is a desktop, opens its pages. When it
ends, with Ctrl-C, all of it is gone.`,
		settings: serveSettings(),
		run:      runDemo,
	}
}

func runDemo(ctx context.Context, p *program, c *config.Config) (err error) {
	dir, err := os.MkdirTemp("", "segraph-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c.Data, c.SnapshotDir = filepath.Join(dir, "segraph.db"), ""
	for _, address := range []*string{&c.API, &c.UI} {
		if (*address)[0] == ':' { // every address of this machine, unless another was asked for
			*address = "127.0.0.1" + *address
		}
	}
	if err := fillDemo(ctx, c); err != nil {
		return fmt.Errorf("making the sample data: %w", err)
	}
	p.ready = func(ui string) {
		say(p.stdout, atLeisure, "The data of this demo is gone when it ends, with Ctrl-C.\n")
		openPage(ui)
	}
	return runServe(ctx, p, c)
}

// fillDemo makes the demo's store.
func fillDemo(ctx context.Context, c *config.Config) (err error) {
	s, err := cayley.Open(c.Data, cayley.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: time.Now().UTC(), Actor: "demo", Claimed: "ari"}
	if _, err := s.Load(ctx, bytes.NewReader(demoLogs), turtle.Turtle, turtle.Options{}, e, nil); err != nil {
		return err
	}
	contexts, err := resolver.Open(s.Contexts(), resolver.Options{Settings: c.Contexts})
	if err != nil {
		return err
	}
	var observations []resolver.Observation
	if err := json.Unmarshal(demoObservations, &observations); err != nil {
		return err
	}
	for _, o := range observations {
		if _, err := contexts.Resolve(ctx, o, "demo"); err != nil {
			return err
		}
	}
	return nil
}

// openPage has the desktop, if there is one, open a page.
func openPage(url string) {
	opener := "xdg-open"
	desktop := slices.ContainsFunc([]string{"DISPLAY", "WAYLAND_DISPLAY"}, func(name string) bool { return os.Getenv(name) != "" })
	if runtime.GOOS == "darwin" {
		opener, desktop = "open", true
	}
	if path, err := exec.LookPath(opener); err == nil && desktop {
		cmd := exec.Command(path, url)
		if cmd.Start() == nil { // what comes of it is the desktop's
			go func() { _ = cmd.Wait() }()
		}
	}
}
