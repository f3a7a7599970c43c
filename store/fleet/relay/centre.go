package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
)

const (
	lookEvery = time.Second            // at the stream: whether it is the same, and how much is unread
	keepFor   = 14 * 24 * time.Hour    // of a stream that a centre makes
	most      = 3                      // replicas of a stream that a centre makes; one, if it knows fewer servers
	again     = 5 * time.Second        // after something failed
	placeWait = 500 * time.Millisecond // for the next message, before a place without a pack is stored
)

// Hub is the centre of a Reader. *centre.Centre implements it.
type Hub interface {
	ReceiveAt(ctx context.Context, sent []byte, at centre.Place) (note string, err error)
	Newest(log string) (note string, err error)
	Place() (centre.Place, error)
	Reached(ctx context.Context, p centre.Place) error
}

// ReaderOptions configure a Reader.
type ReaderOptions struct {
	Options
	Hub  Hub
	Name string // of the centre's key
	// Arrives is called before a message is used, with the time at which the stream got it. All centres have the same.
	Arrives func(time.Time)
	// Secret proves to centres with the same one that a decision is of one of them.
	Secret string
	// Decide carries out a decision that a centre sent; see Reader.Decide. It stores the place in the same unit of work.
	// The answer, or why the decision is refused for good, is for the one who decided. Any other error is err: then the
	// decision is tried again, and nothing after it is read.
	Decide func(ctx context.Context, decision []byte, at centre.Place) (answer any, refused, err error)
	// Panicked is told what a handler of reports panicked with.
	Panicked func(ctx context.Context, value any)
	Log      *slog.Logger
}

// Reader lets a centre read a stream, in order, from the place that its file has. Centres that read the same stream
// store the same.
type Reader struct {
	options ReaderOptions
	centre  string

	mu      sync.Mutex // guards the fields below; only Run writes the first two
	conn    *conn
	read    centre.Place
	current time.Time // it has read what the stream had then
	failure string    // why it does not read
	number  uint64    // of the last decision that was sent
	pending map[uint64]chan<- decided

	deciding sync.Mutex // held while a decision is sent, so that they get into the stream by their numbers
}

// NewReader returns a Reader. It does nothing until Run is called.
func NewReader(o ReaderOptions) *Reader {
	return &Reader{options: o, centre: centreOf(o.Name), current: time.Now().Add(-time.Hour), pending: map[uint64]chan<- decided{}}
}

// Lag returns for how long what this centre has not read has been in the stream, at most, and why. Before it has read
// anything, that is since NewReader, and at least an hour.
func (r *Reader) Lag() (lag time.Duration, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.current), r.failure
}

// Run reads until ctx ends.
func (r *Reader) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.session(ctx)
		if ctx.Err() != nil {
			break
		}
		if err == nil {
			continue // it is another stream now
		}
		r.mu.Lock()
		known := r.failure == err.Error()
		r.failure = err.Error()
		r.mu.Unlock()
		if !known {
			level := slog.LevelWarn
			if errors.Is(err, ErrStopped) {
				level = slog.LevelError
			}
			r.options.Log.Log(ctx, level, "the stream of packs can't be read; this is tried again", "url", r.options.URL, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
	r.conn.close()
}

// session reads until something fails, or the stream is another one.
func (r *Reader) session(ctx context.Context) (err error) {
	if r.conn.closed() {
		c, err := dial(r.options.Options, r.centre)
		if err == nil {
			_, err = c.nats.Subscribe(reports+"*", func(m *nats.Msg) { r.hear(ctx, c, m) })
		}
		if err != nil {
			c.close()
			return err
		}
		r.mu.Lock()
		r.conn = c
		r.mu.Unlock()
	}
	from, err := r.stream(ctx)
	if err != nil {
		return failed(err)
	}
	place, err := r.begin(ctx, from)
	if err != nil {
		return err
	}
	list, err := r.messages(ctx, place)
	if err != nil {
		return failed(err)
	}
	defer list.Stop()
	return r.follow(ctx, list)
}

// messages returns the messages of the stream after a place.
func (r *Reader) messages(ctx context.Context, after centre.Place) (jetstream.MessagesContext, error) {
	ctx, stop, err := r.conn.bound(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer stop()
	c, err := r.conn.jet.OrderedConsumer(ctx, packs, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after.Seq + 1, // without a name, which the consumer of an ended process may have
	})
	if err != nil {
		return nil, err
	}
	return c.Messages(jetstream.PullMaxMessagesWithBytesLimit(100, 2*pack.MaxSent))
}

// stream returns the stream of packs. It makes missing streams.
func (r *Reader) stream(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel, err := r.conn.bound(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer cancel()
	replicas := 1
	if servers := 1 + strings.Count(r.options.URL, ","); servers >= most {
		replicas = most
	}
	ofAnswers := jetstream.StreamConfig{Storage: jetstream.FileStorage, AllowDirect: true, Replicas: replicas}
	ofPacks := ofAnswers
	ofAnswers.Name, ofAnswers.Subjects, ofAnswers.MaxMsgsPerSubject, ofAnswers.Discard = stored, []string{answers + ">"}, 1, jetstream.DiscardOld
	ofPacks.Name, ofPacks.Subjects, ofPacks.MaxAge, ofPacks.Discard = packs, []string{journals + "*", decisions + "*"}, keepFor, jetstream.DiscardNew
	var from jetstream.Stream
	for _, c := range []jetstream.StreamConfig{ofAnswers, ofPacks} {
		from, err = r.conn.jet.Stream(ctx, c.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			from, err = r.conn.jet.CreateStream(ctx, c)
		}
		if err != nil {
			return nil, err
		}
	}
	return from, nil
}

// begin sets and returns the place from which a stream is read, and logs what the stream lost.
func (r *Reader) begin(ctx context.Context, from jetstream.Stream) (centre.Place, error) {
	stored, err := r.options.Hub.Place()
	if err != nil {
		return stored, err
	}
	place := stored
	if place.Stream == "" {
		place.Stream = created(from)
	}
	if what := lost(place.Stream, place.Seq, from); what == Purged && stored.Seq == 0 {
		r.options.Log.ErrorContext(ctx, "this centre has read nothing, and the stream has lost its beginning: it will differ from other centres; replace its file by a backup of one, if there are any",
			"first", from.CachedInfo().State.FirstSeq)
	} else if what != "" {
		r.options.Log.WarnContext(ctx, "the stream lost messages; boxes send again what no centre has confirmed", "stream", what, "read", place.Seq,
			"first", from.CachedInfo().State.FirstSeq, "last", from.CachedInfo().State.LastSeq)
		switch what {
		case Recreated:
			place = centre.Place{Stream: created(from), Decided: place.Decided}
		case Truncated:
			place.Seq = from.CachedInfo().State.LastSeq
		}
	}
	r.mu.Lock()
	r.read, r.failure = place, ""
	r.mu.Unlock()
	return place, nil
}

// gone reports whether the stream is missing, or is not the one that was read so far, or the connection was given up. It
// notes when all of it was read.
func (r *Reader) gone(ctx context.Context) bool {
	var now jetstream.Stream
	ctx, cancel, err := r.conn.bound(ctx, 0)
	if err == nil {
		defer cancel()
		now, err = r.conn.jet.Stream(ctx, packs)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = ""
	if err != nil {
		r.failure = failed(err).Error()
		return errors.Is(err, jetstream.ErrStreamNotFound) || r.conn.closed()
	}
	what := lost(r.read.Stream, r.read.Seq, now)
	state := now.CachedInfo().State
	if r.read.Seq >= state.LastSeq || state.Msgs == 0 {
		r.current = time.Now()
	}
	return what == Recreated || what == Truncated
}

// follow uses messages until one can't be read or used.
func (r *Reader) follow(ctx context.Context, list jetstream.MessagesContext) error {
	stored, looked := r.read.Seq, time.Time{}
	for {
		if time.Since(looked) >= lookEvery {
			if r.gone(ctx) {
				return nil
			}
			looked = time.Now()
		}
		next, cancel := context.WithTimeout(ctx, placeWait)
		m, err := list.Next(jetstream.NextContext(next))
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			if err = r.use(ctx, m); err != nil {
				return err
			}
		case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout):
			return failed(err)
		case r.read.Seq > stored: // the last ones were refused or decisions
			if err := r.options.Hub.Reached(ctx, r.read); err != nil {
				return err
			}
			stored = r.read.Seq
		}
	}
}

// use uses a message. An error means that it can't be used yet.
func (r *Reader) use(ctx context.Context, m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	at := centre.Place{Stream: r.read.Stream, Seq: meta.Sequence.Stream, Time: meta.Timestamp.UTC(), Decided: r.read.Decided}
	r.options.Arrives(at.Time)
	of, isPack := strings.CutPrefix(m.Subject(), journals)
	if !isPack {
		return r.decide(ctx, m, at)
	}
	note, refused, err := r.receive(ctx, of, m.Data(), at)
	if err != nil {
		return fmt.Errorf("a pack of %.100q: %w", of, err)
	}
	r.reached(at)
	r.answer(ctx, r.conn, of, note, refused, at)
	return nil
}

// reached notes that a message was used. What the stream got before that was read.
func (r *Reader) reached(at centre.Place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = at
	if at.Time.After(r.current) && at.Time.Before(time.Now()) {
		r.current = at.Time
	}
}

// receive stores a pack or a report of a box, and returns the newest confirmation, and why the centre refuses it. A
// pack that does not follow what is here is not refused: either the stream has it twice, or it lost the pack before.
func (r *Reader) receive(ctx context.Context, of string, sent []byte, at centre.Place) (note string, refused, err error) {
	note, err = r.options.Hub.ReceiveAt(ctx, sent, at)
	is, ok := errors.AsType[*pack.Refusal](err)
	if !ok && !errors.Is(err, centre.ErrUnknown) {
		return note, nil, err
	}
	refused = err
	if ok && is.Reason == pack.Gap {
		refused = nil
	}
	log, err := url.PathUnescape(of)
	if err != nil { // no box sends there
		return "", cmp.Or(refused, err), nil
	}
	note, err = r.options.Hub.Newest(log)
	if errors.Is(err, centre.ErrUnknown) {
		return "", cmp.Or(refused, err), nil
	}
	return note, refused, err
}

// hear answers a report that came over a connection. That of the Reader may be another by now.
func (r *Reader) hear(ctx context.Context, c *conn, m *nats.Msg) {
	defer func() {
		if value := recover(); value != nil {
			r.options.Panicked(ctx, value)
		}
	}()
	if !pack.IsReport(m.Data) {
		return
	}
	r.mu.Lock()
	read := r.read // before the confirmation is read: a later one would seem to be all that came of the packs
	r.mu.Unlock()
	of := strings.TrimPrefix(m.Subject, reports)
	note, refused, err := r.receive(ctx, of, m.Data, centre.Place{})
	if err != nil {
		if ctx.Err() == nil {
			r.options.Log.WarnContext(ctx, "a report can't be answered; the box asks again", "box", of, "error", err)
		}
		return
	}
	r.answer(ctx, c, of, note, refused, read)
}

// answer tells a box what this centre has of it, and how far it has read. If the answer is lost, the box asks again.
func (r *Reader) answer(ctx context.Context, c *conn, of, note string, refused error, read centre.Place) {
	if read.Stream == "" {
		return // it has not begun to read
	}
	m := nats.NewMsg(answers + of + "." + r.centre)
	m.Data = []byte(note)
	m.Header.Set(streamHeader, read.Stream)
	m.Header.Set(positionHeader, strconv.FormatUint(read.Seq, 10))
	if refused != nil {
		m.Header.Set(refusedHeader, strings.ReplaceAll(fmt.Sprintf("%.1000s", refused), "\n", " "))
	}
	bounded, cancel, err := c.bound(ctx, 0)
	if err != nil {
		return
	}
	defer cancel()
	if _, err = c.jet.PublishMsg(bounded, m, jetstream.WithExpectStream(stored)); err != nil && ctx.Err() == nil {
		r.options.Log.WarnContext(ctx, "an answer to a box could not be stored", "box", of, "error", err)
	}
}
