package reports

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/service"
)

// voteTimeout is how long a live demo waits for the first vote on a case.
const voteTimeout = 75 * time.Second

// Play plays the last session of the demo in real time, on its stage.
type Play struct {
	Stage   *Live
	curator auth.Actor
	reports []demo.Report // not yet sent
	events  demo.Events
	asked   string    // the case that the audience decides, or ""
	since   time.Time // when it was asked
}

// NewPlay returns a play whose live part begins at a time, on an empty stage.
func NewPlay(curator auth.Actor, start time.Time, now func() time.Time) *Play {
	return &Play{Stage: NewLive(now), curator: curator, reports: demo.Live(start), events: demo.Events{}}
}

// Fill sends the reports of the sessions before the last.
func (p *Play) Fill(ctx context.Context, core *service.Service) error {
	for p.reports[0].Session < demo.Sessions-1 {
		if _, err := core.ReportDemo(ctx, p.curator, p.reports[0], p.events); err != nil {
			return fmt.Errorf("make the sample data: %w", err)
		}
		p.reports = p.reports[1:]
	}
	return nil
}

// Run plays until the end of the story or of ctx.
func (p *Play) Run(ctx context.Context, core *service.Service, log *slog.Logger) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			over, err := p.Step(ctx, core, now)
			if err != nil && ctx.Err() == nil {
				log.ErrorContext(ctx, "the live demo has ended", "error", err)
			}
			if over || err != nil {
				return
			}
		}
	}
}

// Step sends the reports that are due, and carries out what the audience decided. It
// reports whether the story is over.
func (p *Play) Step(ctx context.Context, core *service.Service, now time.Time) (over bool, err error) {
	for len(p.reports) > 0 && !now.Before(p.reports[0].At) {
		r := p.reports[0]
		p.reports = p.reports[1:]
		sent, err := core.ReportDemo(ctx, p.curator, r, p.events)
		if err != nil {
			return false, err
		}
		p.Stage.Say(r, r.RobotName(), sent.Event, sent.Shared, sent.Case != "" && r.Verdict == "")
		if r.Ask && p.asked == "" {
			p.asked, p.since = sent.Case, now
			if err := p.Stage.Ask(sent.Case); err != nil {
				return false, err
			}
		}
	}
	if p.asked != "" {
		if err := p.judge(ctx, core, now); err != nil {
			return false, err
		}
	}
	if len(p.reports) == 0 && p.asked == "" {
		p.Stage.Over()
		return true, nil
	}
	return false, nil
}

// judge carries out what the audience decided. A case that nobody votes on stays in the
// review queue.
func (p *Play) judge(ctx context.Context, core *service.Service, now time.Time) (err error) {
	audience := auth.Actor{Username: "audience"}
	switch p.Stage.Verdict() {
	case "accept":
		_, err = core.Accept(ctx, audience, p.asked, "", false)
	case "reject":
		_, err = core.Reject(ctx, audience, p.asked)
	default:
		if now.Sub(p.since) < voteTimeout || p.Stage.Voting() {
			return nil
		}
		p.Stage.Close()
	}
	p.asked = ""
	if err != nil {
		return fmt.Errorf("decide the case of the audience: %w", err)
	}
	return nil
}
