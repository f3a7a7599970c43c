package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/museum"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/webui"
)

// Times of a live demo: from its start to the first visitor, and how long it asks an
// audience that does not answer.
const (
	liveDelay   = 15 * time.Second
	livePatient = 75 * time.Second
)

// livePlay plays the last session of the demo in real time.
type livePlay struct {
	curator auth.Actor
	reports []museum.Report // not yet sent
	events  museum.Events
	asked   string    // the case that the audience decides, or ""
	since   time.Time // when it was asked
}

// newLivePlay returns a play whose live part begins at a time.
func newLivePlay(curator auth.Actor, start time.Time) *livePlay {
	return &livePlay{curator: curator, reports: museum.Live(start), events: museum.Events{}}
}

// fill sends the reports of the sessions before the last.
func (l *livePlay) fill(ctx context.Context, core *service.Service) error {
	for l.reports[0].Session < museum.Sessions-1 {
		if _, err := core.ReportDemo(ctx, l.curator, l.reports[0], l.events); err != nil {
			return fmt.Errorf("making the sample data: %w", err)
		}
		l.reports = l.reports[1:]
	}
	return nil
}

// run plays until the end of the story or of ctx.
func (l *livePlay) run(ctx context.Context, core *service.Service, stage *webui.Live, log *slog.Logger) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			over, err := l.step(ctx, core, stage, now)
			if err != nil && ctx.Err() == nil {
				log.ErrorContext(ctx, "the live demo has ended", "error", err)
			}
			if over || err != nil {
				return
			}
		}
	}
}

// step sends the reports that are due, and decides a case once the audience has. It
// reports whether the story is over.
func (l *livePlay) step(ctx context.Context, core *service.Service, stage *webui.Live, now time.Time) (over bool, err error) {
	for len(l.reports) > 0 && !now.Before(l.reports[0].At) {
		r := l.reports[0]
		l.reports = l.reports[1:]
		sent, err := core.ReportDemo(ctx, l.curator, r, l.events)
		if err != nil {
			return false, err
		}
		stage.Say(r, r.RobotName(), sent.Event, sent.Shared, sent.Case != "" && r.Verdict == "")
		if r.Ask && l.asked == "" {
			l.asked, l.since = sent.Case, now
			if err := stage.Ask(sent.Case); err != nil {
				return false, err
			}
		}
	}
	if l.asked != "" {
		if err := l.judge(ctx, core, stage, now); err != nil {
			return false, err
		}
	}
	if len(l.reports) == 0 && l.asked == "" {
		stage.Over()
		return true, nil
	}
	return false, nil
}

// judge does what the audience has decided. A case that nobody votes on stays in the
// review queue.
func (l *livePlay) judge(ctx context.Context, core *service.Service, stage *webui.Live, now time.Time) (err error) {
	audience := auth.Actor{Username: "audience"}
	switch stage.Verdict() {
	case "accept":
		_, err = core.Accept(ctx, audience, l.asked, "", false)
	case "reject":
		_, err = core.Reject(ctx, audience, l.asked)
	default:
		if now.Sub(l.since) < livePatient || stage.Voting() {
			return nil
		}
		stage.Close()
	}
	l.asked = ""
	if err != nil {
		return fmt.Errorf("deciding the case of the audience: %w", err)
	}
	return nil
}

// guestLink returns the address of the guests' listener, as a phone opens it: with the
// first address of this machine on a private network.
func guestLink(a net.Addr, secure *tls.Config) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return browsable(a, secure)
	}
	found, _ := net.InterfaceAddrs() // none: localhost remains
	for _, address := range found {
		if n, ok := address.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsPrivate() {
			return browsable(&net.TCPAddr{IP: n.IP, Port: tcp.Port}, secure)
		}
	}
	return browsable(a, secure)
}
