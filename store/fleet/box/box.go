// Package box sends the journal of a box to a centre. Nothing waits for it: a goroutine reads the
// file behind the writes, sends one pack at a time, and keeps the centre's last confirmation in the
// file. A pack counts as delivered only with the cosignature of the centre's key on the box's own
// checkpoint. After any failure the sender asks the centre what it has, compares that with its own
// tree, and goes on from there, so failures cost sending again and never data.
package box

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/rdf"
)

// Centre is the other side, over HTTP or a relay.
type Centre interface {
	// Send delivers a pack, or tells a relay to. The error is a *RefusedError if the centre looked at the pack, or at
	// an earlier one, and refuses it.
	Send(ctx context.Context, m Message) (Answer, error)
}

// Message is an encoded pack with the entries from First to before End. Without entries it is a report.
type Message struct {
	Log        string
	First, End uint64
	Pack       []byte
}

// Report reports whether the message has no entries: it only asks what the centre has.
func (m Message) Report() bool { return m.First == m.End }

// Answer is what is known of a log on the other side.
type Answer struct {
	Note string // the newest confirmation; "" if no entry has arrived, or if it is not known
	// Held is up to which entry a relay holds packs that the centre has not read; 0 if there is no relay, or if the
	// centre has read all. Silent says that the centre did not answer a report; then Note is what it said before.
	Held   uint64
	Silent bool
}

// State is a state of a Sender.
type State string

// The states.
const (
	Connecting State = "connecting" // it asks the centre what it has, or waits to ask again
	Sending    State = "sending"
	Current    State = "current" // the centre has confirmed every entry
	Refused    State = "refused" // the centre, or this box, refuses; a person must look
)

// Status is what a sender knows.
type Status struct {
	Name      string // of the centre's key
	URL       string
	State     State
	Detail    string    // why it is not Sending or Current
	Confirmed uint64    // entries that the centre has confirmed
	Entries   uint64    // entries of the journal
	At        time.Time // of the last confirmation; zero if there is none
}

// Logs reads what logs said. *provenance.Provenance implements it.
type Logs interface {
	Part(ctx context.Context, n journal.Numbered, limit int) (quads []rdf.Quad, ok bool, err error)
}

// Options configure a Sender.
type Options struct {
	Store *engine.Store
	Log   *translog.Log
	Logs  Logs
	// Sent returns the text of an observation or of an erasure (see pack.Erasure), and the salt with which its entry
	// commits to it, given the entry and its log index. The text is nil if it is gone. If Sent is nil, the entries
	// are forwarded alone.
	Sent   func(index uint64, e *journal.Entry) (text []byte, salt journal.Salt, err error)
	Key    *cosignature.Verifier // of the centre's confirmations
	URL    string
	Centre Centre
	Rate   int // bytes a second at most, as sent; 0 means no limit
	Logger *slog.Logger
	Now    func() time.Time // nil means time.Now
	// Self returns the program's version and the bytes left on the disk, or -1; nil tells neither.
	Self func() (version string, free int64)
	// Dropped is called once the names of people who were erased are out of the file, except for old bytes, which
	// forgotten.MarkOld marked. It may be nil.
	Dropped func()
}

const (
	idle       = time.Second // between two looks at the journal, once the centre has all
	backoff    = time.Second // after the first failure; it doubles
	maxBackoff = 5 * time.Minute
	beat       = 20 * time.Second // between two reports
	// maxTriples and maxContent limit what one entry said; more does not fit into a pack.
	maxTriples = 500_000
	maxContent = pack.Max / 2
)

// Sender sends the journal to one centre. Status may be called at any time; the rest by one goroutine.
type Sender struct {
	options   Options
	connected bool
	confirmed uint64 // what the centre has, or had before it was asked
	held      uint64 // up to which entry a relay has packs for the centre
	fails     int
	waits     int       // looks at a relay since the centre last confirmed something
	refusal   refusal   // of a pack that a relay keeps
	reported  time.Time // of the last report, unless the next pack needs one
	run       uint64    // see pack.Report
	beats     uint64
	rotations *rotations

	mu     sync.Mutex // guards status
	status Status
}

// New returns a sender. It does nothing until Run or Step is called.
func New(o Options) *Sender {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Sender{options: o, run: rand.Uint64(), status: Status{Name: o.Key.Name(), URL: o.URL, State: Connecting}}
	_ = o.Store.View(func(snap *engine.Snapshot) error { // an error appears again with the first step
		c, err := confirmationOf(snap.KV(), o.Key.String())
		s.confirmed, s.status.Confirmed, s.status.At = c.Size, c.Size, c.Time
		return err
	})
	return s
}

// Status returns the state of the link. What the journal got since the last step counts as not sent.
func (s *Sender) Status() Status {
	s.mu.Lock()
	now := s.status
	s.mu.Unlock()
	_ = s.options.Store.View(func(snap *engine.Snapshot) error { // an error appears again with the next step
		now.Entries = journal.HeadOf(snap.KV()).Seq
		if now.State == Current && now.Entries > now.Confirmed {
			now.State = Sending
		}
		return nil
	})
	return now
}

// Run takes one Step after another until ctx ends, and reports to the centre during long waits.
func (s *Sender) Run(ctx context.Context) {
	_ = s.options.Log.Excerpt(ctx, func(x *translog.Excerpt) error { // an error appears again with the first step
		s.options.Logger.InfoContext(ctx, "the journal is forwarded", "url", s.options.URL, "key", x.Key)
		return nil
	})
	for ctx.Err() == nil {
		wait := s.Step(ctx)
		for ; wait > beat; wait -= beat { // the centre hears of a box that it refuses, too
			sleep(ctx, beat)
			if _, err := s.report(ctx); err == nil && s.Status().State == Connecting {
				wait = 0
			}
		}
		sleep(ctx, wait)
	}
}

// Step does one thing: it asks what the centre has, or sends a pack. It returns how long to wait
// before the next step.
func (s *Sender) Step(ctx context.Context) (wait time.Duration) {
	if !s.connected {
		if err := s.connect(ctx); err != nil {
			return s.failed(ctx, err)
		}
		s.connected = true
	}
	sent, err := s.send(ctx)
	if err != nil {
		s.connected = false
		return s.failed(ctx, err)
	}
	s.fails = 0
	if sent == 0 && s.confirmed < s.status.Entries { // a relay has the rest; only this goroutine changes status
		s.connected = false
		s.waits++
		return min(beat, idle<<min(s.waits-1, 5))
	}
	if sent == 0 {
		s.set(ctx, func(now *Status) { now.State, now.Detail = Current, "" })
		if s.options.Now().Sub(s.reported) >= beat {
			s.connected = false // the report of the next step also finds a centre that lost what it had
		}
		return idle
	}
	if s.options.Rate > 0 {
		return time.Duration(float64(sent) / float64(s.options.Rate) * float64(time.Second))
	}
	return 0
}

// failed reports an error and returns how long to wait, with jitter.
func (s *Sender) failed(ctx context.Context, err error) time.Duration {
	if ctx.Err() != nil {
		return 0
	}
	state := Connecting
	if _, refused := errors.AsType[*RefusedError](err); refused {
		state = Refused
	}
	s.fails++
	s.set(ctx, func(now *Status) { now.State, now.Detail = state, err.Error() })
	wait := min(maxBackoff, backoff<<min(s.fails-1, 10))
	return wait/2 + rand.N(wait/2+1)
}

// set changes the status, and logs a change of state.
func (s *Sender) set(ctx context.Context, change func(*Status)) {
	s.mu.Lock()
	before := s.status
	change(&s.status)
	now := s.status
	s.mu.Unlock()
	if before.State == now.State && before.Detail == now.Detail {
		return
	}
	log := s.options.Logger.With("centre", now.Name, "url", now.URL)
	switch now.State {
	case Refused:
		log.ErrorContext(ctx, "this box is refused", "detail", now.Detail)
	case Connecting:
		log.WarnContext(ctx, "the centre can't be reached", "detail", now.Detail)
	case Current:
		if before.State != Sending {
			log.InfoContext(ctx, "the centre has all entries", "entries", now.Confirmed)
		}
	}
}

// connect asks the centre what it has, and compares that with this log.
func (s *Sender) connect(ctx context.Context) error {
	answer, err := s.report(ctx)
	if refused, ok := errors.AsType[*RefusedError](err); ok && !refused.Kept && s.confirmed > 0 {
		was := s.confirmed
		s.confirmed = 0 // an older backup of the centre may need what leads to this key from an earlier one
		if answer, err = s.report(ctx); err != nil || answer.Silent {
			s.confirmed = was
		}
	}
	if err != nil {
		return err
	}
	s.held = answer.Held
	if answer.Note == "" && !answer.Silent {
		s.confirmed = 0
		s.set(ctx, func(now *Status) { now.Confirmed = 0 })
	}
	return s.accept(ctx, answer.Note)
}

// accept verifies a confirmation and keeps it.
func (s *Sender) accept(ctx context.Context, answer string) (err error) {
	if answer == "" {
		return nil
	}
	var c confirmation
	if err := s.options.Log.Excerpt(ctx, func(x *translog.Excerpt) (err error) { c, err = s.read(answer, x); return err }); err != nil {
		return err
	}
	if c.Size > s.confirmed {
		s.waits = 0
	}
	s.confirmed = c.Size
	if now := s.Status(); c.Size == now.Confirmed && !now.At.IsZero() {
		return nil // a report changed nothing
	}
	return s.keep(ctx, c)
}

// read verifies a confirmation: that the centre's key cosigned it, and that it is of this log's own
// tree.
func (s *Sender) read(answer string, x *translog.Excerpt) (c confirmation, err error) {
	text, signatures, ok := strings.Cut(answer, "\n\n")
	if !ok {
		return c, &RefusedError{Detail: "the centre's answer is no checkpoint"}
	}
	text += "\n"
	_, at, err := s.options.Key.Read([]byte(text), signatures)
	if err != nil {
		return c, &RefusedError{Detail: "the centre's answer is not signed with the key that was configured: " + err.Error()}
	}
	log, claimed, err := tree.ParseText(text)
	if err == nil && log != x.Origin {
		err = fmt.Errorf("it is of the log %.100q", log)
	}
	if err != nil {
		return c, &RefusedError{Detail: "the centre's answer can't be used: " + err.Error()}
	}
	size := claimed.Size
	if size > x.Size {
		return c, &RefusedError{Detail: fmt.Sprintf("ahead: the centre has %d entries of this box, and its file only %d: the file was restored from an older backup. "+
			"Restore it with segraph restore, which begins a log with a new name, and let the centre's operator replace its key", size, x.Size)}
	}
	head, err := x.Head(size)
	if err != nil {
		return c, err
	}
	if head != claimed {
		return c, &RefusedError{Detail: fmt.Sprintf("fork: the first %d entries of this file are not those that the centre has: the file was rewritten, or copied and used twice", size)}
	}
	return confirmation{Size: size, Note: answer, Time: at}, nil
}

// errFull ends the search for entries of a pack.
var errFull = errors.New("the pack is full")
