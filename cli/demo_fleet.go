package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	museum "github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/log/translog"
)

// fleetRobots are the robots of the demo. Each has a box of its own; the file of the last one is altered.
var fleetRobots = [3]string{"ari", "lumen", "tiago"}

// demoBox is a box of demo --fleet.
type demoBox struct {
	settings config.Config
	by       auth.Actor
	reports  []museum.Report
	service  *service.Service // that of the last run
}

// runFleet runs a centre with the settings c, and a box for each robot, whose file is beside the centre's.
func runFleet(ctx context.Context, c *config.Config, o app.Options, by auth.Actor) (err error) {
	if c.SecretKey != "" || c.Live || c.TLSCert != "" || c.TLSKey != "" {
		return &config.Error{Msg: "demo --fleet has no tokens and no TLS, and can't be live", Hint: "Unset SECRET_KEY, and leave out --tls-cert, --tls-key and --live."}
	}
	key, err := centre.KeyIn(app.CentreKeyFile(c))
	if err != nil {
		return err
	}
	boxes, morning := make([]demoBox, len(fleetRobots)), museum.Morning(time.Now())
	for i, robot := range fleetRobots {
		b := demoBox{settings: *c, by: by}
		b.settings.Data, b.settings.Origin = filepath.Join(filepath.Dir(c.Data), robot+".db"), "box-"+robot
		b.settings.API, b.settings.UI, b.settings.Metrics, b.settings.Boxes = "127.0.0.1:0", "127.0.0.1:0", "", nil
		for _, r := range morning {
			if r.Robot == robot {
				b.reports = append(b.reports, r)
			}
		}
		name, err := b.key(ctx)
		if err != nil {
			return err
		}
		c.Boxes, boxes[i] = append(c.Boxes, name), b
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	defer func() {
		cancel(nil)
		running.Wait()
	}()
	ready := o.Ready
	o.Fill, o.Ready = nil, func(ui string) {
		for i := range boxes {
			b := &boxes[i]
			b.settings.ForwardTo = []string{key + " " + ui + "/api"}
			run := b.run
			if i == len(boxes)-1 {
				run = b.runAltered
			}
			running.Go(func() {
				if err := run(ctx); err != nil && ctx.Err() == nil {
					cancel(fmt.Errorf("the box %s: %w", b.settings.Origin, err))
				}
			})
		}
		ready(ui + "/boxes")
	}
	err = app.Run(ctx, o)
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// key begins the box's transparency log, and returns its key.
func (b *demoBox) key(ctx context.Context) (key string, err error) {
	s, err := persist.Open(b.settings.Data, persist.Options{})
	if err != nil {
		return "", fmt.Errorf("making a box: %w", err)
	}
	log := translog.New(s.Store, app.SigningKey(&b.settings))
	err = log.Excerpt(ctx, func(x *translog.Excerpt) error { key = x.Key; return nil })
	return key, errors.Join(err, log.Close(ctx), s.Close())
}

// options returns the options of a run that first sends some reports of the robot.
func (b *demoBox) options(reports []museum.Report, events museum.Events) app.Options {
	return app.Options{Settings: &b.settings, Stderr: io.Discard, Guest: true, Fill: func(ctx context.Context, core *service.Service) error {
		b.service = core
		for _, r := range reports {
			if _, err := core.ReportDemo(ctx, b.by, r, events); err != nil {
				return fmt.Errorf("making the sample data: %w", err)
			}
		}
		return nil
	}}
}

// run runs the box until ctx ends.
func (b *demoBox) run(ctx context.Context) error {
	return app.Run(ctx, b.options(b.reports, museum.Events{}))
}

// runAltered runs the box until the centre has all. Then somebody puts an older copy of the file in its place, and
// the box goes on from there with other entries.
func (b *demoBox) runAltered(ctx context.Context) error {
	half, events := len(b.reports)/2, museum.Events{}
	if err := app.Work(ctx, b.options(b.reports[:half], events)); err != nil {
		return err
	}
	older, err := os.ReadFile(b.settings.Data)
	if err != nil {
		return err
	}
	sent, stop := context.WithCancel(ctx)
	defer stop()
	o := b.options(b.reports[half:], events)
	var waiting sync.WaitGroup
	o.Ready = func(string) { waiting.Go(func() { b.await(sent, stop) }) }
	err = app.Run(sent, o)
	stop()
	waiting.Wait()
	if err != nil || ctx.Err() != nil {
		return err
	}
	if err := os.WriteFile(b.settings.Data, older, 0o600); err != nil {
		return err
	}
	return app.Run(ctx, b.options(b.reports[half:], events))
}

// await calls stop, which ends ctx too, once the centre has all entries.
func (b *demoBox) await(ctx context.Context, stop func()) {
	each := time.NewTicker(100 * time.Millisecond)
	defer each.Stop()
	for {
		f, err := b.service.Fleet()
		if err == nil && len(f.Centres) > 0 && f.Centres[0].State == box.Current {
			stop()
		}
		select {
		case <-ctx.Done():
			return
		case <-each.C:
		}
	}
}
