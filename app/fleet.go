package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/fleet/relay"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/vocabulary"
)

// CentreKeyFile returns the path of the key with which a centre confirms what boxes send.
func CentreKeyFile(c *config.Config) string { return c.Data + ".centre" }

// fleetParts are the parts of a service that is a box, a centre, or both.
type fleetParts struct {
	centre service.Centre          // nil if it is no centre
	reader *relay.Reader           // nil unless the centre reads a stream
	status func() []box.Status     // nil if it is no box
	work   []func(context.Context) // to run in the background
}

// openCentre opens the centre of the boxes that the settings name, and the reader of their stream.
func (a *app) openCentre(ctx context.Context, parts *fleetParts) error {
	c, file, graph := a.c, a.file, a.resolved()
	o := centre.Options{KeyFile: CentreKeyFile(c), Boxes: c.Boxes, Term: file.Forgotten.Term, Sentences: vocabulary.Sentences, Observe: graph.Observe, Erase: a.eraseForwarded,
		Blank: func(text string, isName bool) string {
			if isName && file.Forgotten.Has(text) {
				return journal.ErasedText
			}
			return file.Forgotten.Blank(text, journal.ErasedText)
		}, Log: a.log.Logger("segraph.centre")}
	// It waits for room, and looks at no terms: what boxes forward is stored even if a graph store can't take it.
	if store, ok := a.graph.(interface{ AwaitRoom(context.Context) error }); ok {
		o.Admit = store.AwaitRoom
	}
	if c.ForwardedDeletes != "keep" {
		o.Withdraw = centre.Withdrawing(graph.WithdrawLogs)
		o.Held = func(ctx context.Context, logIDs []string) ([]string, error) {
			return graph.HeldLogs(ctx, logIDs, time.Now())
		}
	}
	hub, err := centre.Open(file.Store, o)
	if err != nil {
		if errors.Is(err, centre.ErrBoxes) {
			return &config.Error{Msg: "SEGRAPH_BOXES: " + err.Error(), Hint: "Copy the keys of the boxes from `segraph audit key`."}
		}
		return err
	}
	if o.Withdraw != nil {
		hub.Resume(ctx)
	}
	parts.centre = hub
	if c.ForwardFrom != "" {
		parts.reader = a.reader(hub)
		parts.work = append(parts.work, parts.reader.Run)
	}
	return nil
}

// forwarding opens what the settings ask for of a fleet: a centre, which receives journals, and the senders of a box.
func (a *app) forwarding(ctx context.Context) (parts fleetParts, err error) {
	c, file, log := a.c, a.file, a.log
	if err := checkStream(c); err != nil {
		return parts, err
	}
	if len(c.Boxes) > 0 {
		if err := a.openCentre(ctx, &parts); err != nil {
			return parts, err
		}
	}
	room := roomOf(file, c.Data)
	self := func() (string, int64) {
		free, _, known := room()
		if !known {
			free = -1
		}
		return a.version, free
	}
	var senders []*box.Sender
	var centres []string
	streams := map[string]*relay.Stream{} // by their servers: centres that read the same one get each pack once
	for _, text := range c.ForwardTo {
		key, url, _ := strings.Cut(text, " ")
		v, err := cosignature.NewVerifier(key)
		if err != nil {
			return parts, &config.Error{Msg: "SEGRAPH_FORWARD_TO: " + err.Error(), Hint: "Ask the centre's operator for the key that `segraph audit key centre` prints."}
		}
		url, centres = strings.TrimSuffix(url, "/"), append(centres, v.String())
		to := box.Over(box.HTTP{URL: url, TokenFile: c.ForwardTokenFile})
		if relay.Is(url) {
			at := serversOf(url)
			if streams[at] == nil {
				streams[at] = relay.New(relay.Options{URL: url, KeyFile: c.ForwardKeyFile})
				a.later(streams[at].Close)
			}
			to = streams[at].To(v.Name())
		}
		senders = append(senders, box.New(box.Options{Store: file.Store, Log: a.translog, Logs: file, Sent: file.Sent, Self: self, Dropped: a.purgeSoon, Key: v, URL: url, Rate: c.ForwardRate << 10,
			Centre: to, Logger: log.Logger("segraph.forward")}))
	}
	if !a.works {
		lost, err := box.SetCentres(ctx, file.Store, centres)
		if err != nil {
			return parts, err
		}
		if len(lost) > 0 {
			log.Logger("segraph.forward").WarnContext(ctx, "a centre that SEGRAPH_FORWARD_TO names no more has not confirmed these erasures, and will not get the names; erase there by hand", "log_index", lost)
		}
	}
	for _, s := range senders {
		parts.work = append(parts.work, s.Run)
	}
	if len(senders) > 0 {
		parts.status = func() (out []box.Status) { return sent(senders) }
	}
	return parts, nil
}

// sent returns how far each centre has what this box sends.
func sent(senders []*box.Sender) (out []box.Status) {
	for _, s := range senders {
		out = append(out, s.Status())
	}
	return out
}

// serversOf returns the URL of a stream with its servers in order, so that the same ones are the same stream.
func serversOf(url string) string {
	scheme, hosts, _ := strings.Cut(url, "://")
	list := strings.Split(hosts, ",")
	slices.Sort(list)
	return scheme + "://" + strings.Join(list, ",")
}

func (a *app) eraseForwarded(ctx context.Context, whom *pack.Erasure, e journal.Entry, also func(*engine.Tx) error) error {
	return a.core.EraseForwarded(ctx, whom.IRIs, func(ctx context.Context) error {
		_, err := a.resolved().EraseForwarded(ctx, whom, e, also)
		return err
	})
}

// gaugesOfFleet registers gauges of the links to centres, and of the boxes of a centre. It registers none
// for a side that is not configured.
func gaugesOfFleet(m *metrics.Set, core *service.Service) {
	now, err := core.Fleet()
	if err != nil {
		return // the file can't be read, which /health says
	}
	started := time.Now()
	gauge := func(name, help string, of func(service.Fleet) float64) {
		m.Gauge(name, help, func() float64 {
			f, _ := core.Fleet() // empty if the file can't be read
			return of(f)
		})
	}
	if len(now.Centres) > 0 {
		gauge("forward_lag_entries", "Entries of the journal that the slowest centre has not confirmed.", func(f service.Fleet) (most float64) {
			for _, c := range f.Centres {
				most = max(most, float64(c.Entries)-float64(c.Confirmed))
			}
			return most
		})
		gauge("forward_refused", "Centres that refuse this box.", func(f service.Fleet) (n float64) {
			for _, c := range f.Centres {
				if c.State == box.Refused {
					n++
				}
			}
			return n
		})
	}
	if len(now.Boxes) > 0 {
		gauge("boxes_refused", "Boxes whose packs are refused.", func(f service.Fleet) (n float64) {
			for _, b := range f.Boxes {
				if b.Detail != "" {
					n++
				}
			}
			return n
		})
		gauge("boxes_oldest_seconds", "Seconds since the box that has been silent longest was heard, or since this centre started.", func(f service.Fleet) (most float64) {
			for _, b := range f.Boxes {
				if b.Alarm != centre.Unseen {
					most = max(most, time.Since(cmp.Or(b.Heard, started)).Seconds())
				}
			}
			return most
		})
	}
}
