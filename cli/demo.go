package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/docs"
	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/turtle"
)

func demo() verb {
	return verb{
		name:    "demo",
		summary: "Run the service on sample data.",
		detail: `Creates a store in a temporary folder with the data of the documentation: what three robots in a museum
observed and published, and a case that needs review. Serves it on this machine alone and, where there
is a desktop, opens the web UI. It listens at the same ports as serve. Ctrl-C ends it and deletes
everything.`,
		settings: slices.DeleteFunc(config.ServiceSettings(), func(name string) bool {
			return name == "data" || name == "snapshot-dir" // the demo has a folder of its own
		}),
		run: runDemo,
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
		if (*address)[0] == ':' { // all addresses of this machine, unless --ui names one
			*address = "127.0.0.1" + *address
		}
	}
	if err := fillDemo(ctx, c.Data); err != nil {
		return fmt.Errorf("making the sample data: %w", err)
	}
	p.ready = func(ui string) {
		if !p.json {
			say(p.stdout, atLeisure, "The demo's data is deleted when it ends, with Ctrl-C.\n")
		}
		openPage(ui)
	}
	return runServe(ctx, p, c)
}

// demoNames is the source of names and demoTime the clock while the demo's store is made,
// so that both match the documentation.
const demoNames = "a museum at nine"

var demoTime = time.Date(2026, 2, 11, 9, 30, 0, 0, time.UTC)

// fillDemo creates the demo's store: what three robots observed and published in a
// museum, with two decided cases and one undecided.
func fillDemo(ctx context.Context, file string) (err error) {
	s, err := persist.Open(file, persist.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	now := demoTime
	contexts, err := resolver.Open(s.Contexts(), resolver.Options{
		Settings: resolver.Defaults(), Random: strings.NewReader(demoNames),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	})
	if err != nil {
		return err
	}
	for line := range bytes.Lines(docs.Observations) {
		var o resolver.Observation
		if err := json.Unmarshal(line, &o); err != nil {
			return err
		}
		if _, err := contexts.Resolve(ctx, o, path.Base(o.RobotURI)); err != nil {
			return err
		}
	}
	if err := decideDemo(ctx, contexts, now); err != nil {
		return err
	}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: now, Actor: "demo", Claimed: "ari"}
	_, err = s.Load(ctx, bytes.NewReader(docs.Log), turtle.Turtle, turtle.Options{}, e, nil)
	return err
}

// decideDemo accepts the first case of the demo and rejects the second.
func decideDemo(ctx context.Context, contexts *resolver.Resolver, now time.Time) error {
	queue, err := contexts.Pending(ctx, 3, 0)
	if err != nil {
		return err
	}
	if len(queue.PendingCases) != 3 {
		return fmt.Errorf("the observations open %d cases, want 3", len(queue.PendingCases))
	}
	entry := func(action journal.Action) journal.Entry {
		return journal.Entry{LogID: journal.NewLogID(), Action: action, Actor: "eva", Time: now}
	}
	if _, err := contexts.Accept(ctx, queue.PendingCases[0].CaseID, "", false, entry(journal.Accept)); err != nil {
		return err
	}
	_, err = contexts.Reject(ctx, queue.PendingCases[1].CaseID, entry(journal.Reject))
	return err
}

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
			go func() { _ = cmd.Wait() }()
		}
	}
}
