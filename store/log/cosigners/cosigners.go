// Package cosigners asks the witnesses of the log to cosign its checkpoints (C2SP
// tlog-witness). It works in the background: no write waits for a witness. If a witness's
// record contradicts the log, Status reports it until the witness cosigns again.
package cosigners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/translog"
)

// Log is a log that has witnesses. *translog.Log implements it.
type Log interface {
	// Send returns the newest checkpoint. The caller must call Keep afterwards, even if
	// no witness cosigned it.
	Send(ctx context.Context) (translog.Checkpoint, error)
	Keep(ctx context.Context, c translog.Checkpoint, by []translog.Cosignature) error
	Consistency(ctx context.Context, from, to uint64) ([][]byte, error)
	// SizeFor returns the size of the last checkpoint that a witness cosigned.
	SizeFor(ctx context.Context, witness string) (uint64, error)
}

const (
	roundInterval  = 5 * time.Second
	resendInterval = time.Hour // between two requests with the same checkpoint
	answerTimeout  = 5 * time.Second
	maxBackoff     = 5 * time.Minute
)

// Witness is a witness to ask.
type Witness struct {
	Key *cosignature.Verifier
	URL string // without /add-checkpoint
}

// Parse reads a witness: its verifier key and its URL, separated by spaces.
func Parse(s string) (w Witness, err error) {
	fields := strings.Fields(s)
	if len(fields) != 2 {
		return w, fmt.Errorf("%.200q is not a verifier key, a space and a URL", s)
	}
	if w.Key, err = cosignature.NewVerifier(fields[0]); err != nil {
		return w, err
	}
	u, err := url.Parse(fields[1])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return w, fmt.Errorf("%.200q is not the URL of a witness such as https://witness.example.org", fields[1])
	}
	w.URL = strings.TrimSuffix(fields[1], "/")
	return w, nil
}

// Options configure a Sender.
type Options struct {
	Log       Log
	Witnesses []Witness
	Logger    *slog.Logger
	Panicked  func(context.Context, any) // called with the value of a panic
	Transport http.RoundTripper          // nil means the network
	Now       func() time.Time           // nil means time.Now
}

// Sender sends checkpoints to witnesses. It is safe for concurrent use.
type Sender struct {
	options Options
	http    *http.Client
	peers   []*peer

	mu sync.Mutex // held during a round
}

// peer is a witness and what is known about it.
type peer struct {
	Witness
	known bool   // size is set; only Round uses these
	size  uint64 // of the last checkpoint it cosigned

	mu     sync.Mutex // guards the following
	status Status
	fails  int
	next   time.Time // when to ask it next
	asked  time.Time // when it was asked last
}

// New returns a Sender. It sends nothing until Run or Round is called.
func New(o Options) *Sender {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{
			DialContext: (&net.Dialer{Timeout: answerTimeout}).DialContext, Proxy: http.ProxyFromEnvironment,
			MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, DisableCompression: true, MaxResponseHeaderBytes: 32 << 10,
		}
	}
	s := &Sender{options: o, http: &http.Client{
		Transport: o.Transport, Timeout: answerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, w := range o.Witnesses {
		s.peers = append(s.peers, &peer{Witness: w, status: Status{Name: w.Key.Name(), URL: w.URL}})
	}
	return s
}

// Run runs a Round at once and then every five seconds, until ctx ends. It logs an error once,
// until it changes.
func (s *Sender) Run(ctx context.Context) {
	defer s.http.CloseIdleConnections()
	ticker := time.NewTicker(roundInterval)
	defer ticker.Stop()
	for said := ""; ; {
		why := ""
		if err := s.Round(ctx); err != nil && ctx.Err() == nil {
			why = err.Error()
		}
		if why != said && why != "" {
			s.options.Logger.WarnContext(ctx, "no checkpoint could be sent to the witnesses", "error", why)
		}
		said = why
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Round sends the newest checkpoint to the witnesses that have not cosigned it, except
// those that failed recently. It returns once all have answered and their cosignatures
// are stored.
func (s *Sender) Round(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.options.Log.Send(ctx)
	if err != nil {
		return err
	}
	var by []translog.Cosignature
	defer func() { err = errors.Join(err, s.options.Log.Keep(ctx, c, by)) }()
	for _, p := range s.peers {
		if p.known {
			continue
		}
		if p.size, err = s.options.Log.SizeFor(ctx, p.Key.String()); err != nil {
			return err
		}
		p.known = true
	}
	answers := make([]*translog.Cosignature, len(s.peers))
	var work sync.WaitGroup
	for i, p := range s.peers {
		if !p.due(c.Head.Size, s.options.Now()) {
			continue
		}
		work.Go(func() {
			defer func() {
				if value := recover(); value != nil {
					s.options.Panicked(ctx, value)
				}
			}()
			answers[i] = s.ask(ctx, p, c)
		})
	}
	work.Wait()
	for _, a := range answers {
		if a != nil {
			by = append(by, *a)
		}
	}
	return nil
}

// due reports whether it is time to send a checkpoint to a witness.
func (p *peer) due(size uint64, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.next) {
		return false
	}
	return p.status.State != Agrees || size != p.status.Size || now.Sub(p.asked) >= resendInterval
}

// ask asks a witness to cosign a checkpoint, and updates its status. It returns nil if the
// witness did not cosign.
func (s *Sender) ask(ctx context.Context, p *peer, c translog.Checkpoint) *translog.Cosignature {
	lines, at, forgot, err := s.submit(ctx, p, c)
	if ctx.Err() != nil {
		return nil // the service is ending
	}
	now := s.options.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.status
	p.asked = now
	if err != nil {
		p.fails++
		p.next = now.Add(min(maxBackoff, roundInterval<<min(p.fails-1, 10)))
		p.status.State, p.status.Detail = stateOf(err), err.Error()
	} else {
		p.fails, p.next, p.size = 0, time.Time{}, c.Head.Size
		p.status.State, p.status.Detail, p.status.Size, p.status.Time = Agrees, "", c.Head.Size, at
		if off := now.Sub(at).Round(time.Second); off.Abs() > maxOffset {
			p.status.Detail = fmt.Sprintf("its clock differs from this one by %s", off.Abs())
		}
	}
	if forgot != "" {
		p.status.Warning = forgot
		s.options.Logger.ErrorContext(ctx, "a witness forgot what it cosigned", "witness", p.status.Name, "detail", forgot)
	}
	s.report(ctx, before, &p.status, now)
	if err != nil {
		return nil
	}
	return &translog.Cosignature{By: p.Key.String(), Time: at, Lines: lines}
}

// report logs a change of a witness's state, and sets since when it has the state.
func (s *Sender) report(ctx context.Context, before Status, now *Status, at time.Time) {
	if before.State == now.State && before.Detail == now.Detail {
		return
	}
	if before.State != now.State {
		now.Since = at
	}
	log := s.options.Logger.With("witness", now.Name, "url", now.URL)
	switch {
	case now.State == Contradicts:
		log.ErrorContext(ctx, "a witness refuses this log: its file may have been rolled back, rewritten or forked", "detail", now.Detail)
	case now.State != Agrees:
		log.WarnContext(ctx, "a witness does not cosign", "state", now.State.String(), "detail", now.Detail)
	case now.Detail != "":
		log.WarnContext(ctx, "a witness cosigns", "detail", now.Detail)
	case before.State != Agrees:
		log.InfoContext(ctx, "a witness cosigns", "entries", now.Size)
	}
}
