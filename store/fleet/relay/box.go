package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/pack"
)

// patience is how long a box waits for the answer of a centre before it goes on with the next pack. It waits no more
// once a centre did not answer in time, until that answers again.
const patience = 2 * time.Second

// maxNote limits the answer of a centre, in bytes. A larger one is ignored.
const maxNote = 64 << 10

// Stream is a box's way to all centres that read a stream. It is safe for concurrent use.
type Stream struct {
	options Options

	sending sync.Mutex // held while a pack is published: each goes into the stream once, however many centres get it
	conn    *conn
	tail    tail
	unsure  bool // a message that was published after the tail may have arrived
	room    int  // how many bytes look waits for

	mu      sync.Mutex // guards the fields below
	centres map[string]*told
	changed chan struct{} // closed when a centre answers
}

// tail is the last message of a box in the stream.
type tail struct {
	known    bool
	stream   string
	seq, end uint64 // 0 if there is none
}

// told is what a centre said last.
type told struct {
	stream   string // "" before it said anything
	position uint64
	note     string
	refused  string
	answers  int  // since the start
	slow     bool // it did not answer in time
}

// waits reports whether the centre has not read up to the last message of the box.
func (t *told) waits(of tail) bool {
	return of.seq > 0 && (t.stream != of.stream || t.position < of.seq)
}

// New returns a Stream, which connects when it is first used.
func New(o Options) *Stream {
	return &Stream{options: o, centres: map[string]*told{}, changed: make(chan struct{})}
}

// Close ends the connection. Nothing may be sent meanwhile.
func (s *Stream) Close() error {
	s.conn.close()
	return nil
}

// To returns the way to the centre whose key has a name.
func (s *Stream) To(name string) box.Centre {
	s.centres[centreOf(name)] = &told{}
	return &way{s, centreOf(name)}
}

type way struct {
	stream *Stream
	centre string
}

// Send implements box.Centre. A report asks the centre for an answer, and looks at what the streams have. If a refusal came
// since the last message, Send returns it instead: it would be taken for the answer to this report.
func (w *way) Send(ctx context.Context, m box.Message) (box.Answer, error) {
	s := w.stream
	report := m.Report()
	before := s.told(w.centre)
	if report && before.refused != "" {
		before = s.wait(ctx, w.centre, false, nil)
		return box.Answer{}, &box.RefusedError{Detail: before.refused, Kept: true}
	}
	at, err := s.deliver(ctx, m, w.centre)
	if err != nil {
		return box.Answer{}, err
	}
	now := s.wait(ctx, w.centre, report || !before.slow, func(t *told) bool {
		if report {
			return t.refused != "" || t.answers > before.answers
		}
		return t.refused != "" || !t.waits(at)
	})
	if now.refused != "" {
		return box.Answer{}, &box.RefusedError{Detail: now.refused, Kept: !report}
	}
	answer := box.Answer{Note: now.note, Silent: report && now.answers == before.answers}
	if now.waits(at) {
		answer.Held = at.end
	}
	return answer, nil
}

// told returns what a centre said.
func (s *Stream) told(centre string) told {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.centres[centre]
}

// wait returns what a centre said: with long, once that is enough, or after patience; otherwise at once. A refusal is
// returned once, also one that came late.
func (s *Stream) wait(ctx context.Context, centre string, long bool, enough func(*told) bool) told {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		s.mu.Lock()
		t, changed := s.centres[centre], s.changed
		if ctx.Err() != nil {
			t.slow = true
		}
		now, done := *t, !long || enough(t) || ctx.Err() != nil
		if done {
			t.refused = ""
		}
		s.mu.Unlock()
		if done {
			return now
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// deliver publishes a report, or a pack unless the stream has its entries and the centre has yet to read them. It
// returns the last message of the box in the stream.
func (s *Stream) deliver(ctx context.Context, m box.Message, centre string) (tail, error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.open(m.Log); err != nil {
		return s.tail, err
	}
	var err error
	report, t := m.Report(), s.told(centre)
	if report {
		err = s.ask(ctx, m, centre, t)
	}
	if err == nil && (!s.tail.known || report && t.waits(s.tail)) {
		err = s.look(ctx, m)
	}
	inStream := s.tail.end > m.First && t.waits(s.tail)
	if err == nil && !report && !inStream {
		err = s.publish(ctx, m)
	}
	return s.tail, err
}

// bound is conn.bound. Without a server, the stream must be looked at again.
func (s *Stream) bound(ctx context.Context, size int) (context.Context, context.CancelFunc, error) {
	ctx, cancel, err := s.conn.bound(ctx, size)
	s.tail.known = s.tail.known && err == nil
	return ctx, cancel, err
}

// open connects, once, or when that connection was given up.
func (s *Stream) open(log string) (err error) {
	if !s.conn.closed() {
		return nil
	}
	c, err := dial(s.options, log)
	if err == nil {
		_, err = c.nats.Subscribe(answers+token(log)+".*", s.hear)
	}
	if err != nil {
		c.close()
		return err
	}
	s.conn = c
	return nil
}

// hear keeps an answer of a centre.
func (s *Stream) hear(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.centres[m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]]
	if t == nil || len(m.Data) > maxNote {
		return
	}
	before := t.refused
	t.read(m.Header, m.Data)
	t.refused = cmp.Or(t.refused, before)
	t.answers, t.slow = t.answers+1, false
	close(s.changed)
	s.changed = make(chan struct{})
}

// read keeps an answer. A centre that could not read a message refuses it without a note: then the last note stays.
func (t *told) read(h nats.Header, note []byte) {
	t.stream, t.refused = h.Get(streamHeader), h.Get(refusedHeader)
	if t.refused == "" || len(note) > 0 {
		t.note = string(note)
	}
	t.position, _ = strconv.ParseUint(h.Get(positionHeader), 10, 64)
}

// ask sends centres the state of the box, which running centres answer. If a centre has not answered since the
// start, ask reads its last answer from the stream.
func (s *Stream) ask(ctx context.Context, m box.Message, centre string, t told) error {
	ctx, cancel, err := s.bound(ctx, maxNote)
	if err != nil {
		return err
	}
	defer cancel()
	if err := s.conn.nats.Publish(reports+token(m.Log), m.Pack); err != nil {
		return err
	}
	if t.stream != "" {
		return nil
	}
	notes, err := s.conn.jet.Stream(ctx, stored)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // no centre has read the stream yet
	}
	if err != nil {
		return failed(err)
	}
	last, err := notes.GetLastMsgForSubject(ctx, answers+token(m.Log)+"."+centre)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return failed(err)
	}
	if len(last.Data) > maxNote {
		return nil
	}
	s.mu.Lock()
	if t := s.centres[centre]; t.stream == "" {
		t.read(last.Header, last.Data)
		t.refused = ""
	}
	s.mu.Unlock()
	return nil
}

// look reads what the stream has of the box. The error may say that the stream lost messages; then it is another one
// from now on. It reads the last message only if that is not the one that it knows: it gets all of a message, which may
// take long, so it waits longer each time.
func (s *Stream) look(ctx context.Context, m box.Message) error {
	ctx, cancel, err := s.bound(ctx, s.room)
	if err != nil {
		return err
	}
	defer cancel()
	from, err := s.conn.jet.Stream(ctx, packs)
	if err != nil {
		return failed(err)
	}
	subject, now, before := journals+token(m.Log), tail{known: true, stream: created(from)}, s.tail
	what := lost(before.stream, before.seq, from)
	if what == "" && !s.unsure { // nobody else publishes there: if something is left, then the last message
		info, err := from.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err != nil {
			return failed(err)
		}
		hasSome, hadSome := info.State.Subjects[subject] > 0, before.seq > 0
		s.tail.known = hasSome == hadSome
		if s.tail.known {
			return nil
		}
	}
	last, err := from.GetLastMsgForSubject(ctx, subject)
	switch {
	case err == nil:
		now.seq = last.Sequence
		_, end, _ := strings.Cut(last.Header.Get(entriesHeader), "-")
		now.end, _ = strconv.ParseUint(end, 10, 64)
	case errors.Is(err, context.DeadlineExceeded):
		s.room = min(4*s.room+256<<10, pack.MaxSent)
		return failed(err)
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return failed(err)
	}
	s.tail, s.unsure, s.room = now, false, 0
	if before.end > m.First && (what != "" || now.seq < before.seq) {
		if what == "" && from.CachedInfo().State.FirstSeq <= before.seq {
			return nil // a replica that is behind answered
		}
		if what == "" {
			what = Purged
		}
		return fmt.Errorf("%s: the stream lost what this box sent; what the centre has not confirmed is sent again", what)
	}
	return nil
}

// publish puts a pack into the stream.
func (s *Stream) publish(ctx context.Context, m box.Message) error {
	ctx, cancel, err := s.bound(ctx, len(m.Pack))
	if err != nil {
		return err
	}
	defer cancel()
	if most := s.conn.nats.MaxPayload(); int64(len(m.Pack)) > most-1024 {
		return &box.RefusedError{Detail: fmt.Sprintf("entry %d is too large for the NATS server: %d bytes compressed; set its max_payload, which is %d, to 17MB", m.First, len(m.Pack), most)}
	}
	sent := nats.NewMsg(journals + token(m.Log))
	sent.Data = m.Pack
	sent.Header.Set(entriesHeader, fmt.Sprintf("%d-%d", m.First, m.End))
	ack, err := s.conn.jet.PublishMsg(ctx, sent, jetstream.WithExpectStream(packs), jetstream.WithExpectLastSequencePerSubject(s.tail.seq))
	if err != nil {
		s.tail.known, s.unsure = false, true // it may have arrived
		return failed(err)
	}
	s.tail.seq, s.tail.end = ack.Sequence, m.End
	return nil
}

// The states of a stream that lost messages.
const (
	Recreated = "recreated" // it is another stream with the same name
	Truncated = "truncated" // its newest messages are gone
	Purged    = "purged"    // older messages are gone
)

// lost returns how a stream lost messages, given the identity and a message that it had, or "".
func lost(identity string, seq uint64, now jetstream.Stream) string {
	switch state := now.CachedInfo().State; {
	case created(now) != identity:
		return Recreated
	case state.LastSeq < seq:
		return Truncated
	case state.FirstSeq > seq+1:
		return Purged
	}
	return ""
}

// failed returns an error with words for what a server answered.
func failed(err error) error {
	api, ok := errors.AsType[*jetstream.APIError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the NATS servers do not answer")
	case errors.Is(err, context.Canceled):
		return errors.New("the connection to the NATS server broke off")
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("no stream %s answers; a centre makes it: %w", packs, err)
	case ok && (api.ErrorCode == 10077 || api.ErrorCode == 10047): // of the stream, and of the server
		return fmt.Errorf("full: the stream takes nothing more: %w", err)
	case ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return errors.New("the stream has another last message of this box; it is read again")
	}
	return err
}
