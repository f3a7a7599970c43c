package box

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/turtle"
)

// send sends the next pack, and returns how many bytes it had; 0 if the centre, or a relay, has every entry.
func (s *Sender) send(ctx context.Context) (n int, err error) {
	var sent *Message
	err = s.options.Log.Excerpt(ctx, func(x *translog.Excerpt) (err error) {
		s.set(ctx, func(now *Status) { now.Entries = x.Size })
		if first := max(s.confirmed, s.held); first < x.Size {
			if r := s.refusal; r.err != nil && r.first == first && s.options.Now().Before(r.until) {
				return r.err
			}
			sent, err = s.pack(ctx, x)
		} else if s.confirmed < x.Size {
			s.set(ctx, func(now *Status) {
				now.State, now.Detail = Sending, "the relay holds all entries, and the centre has not confirmed the last ones"
			})
		}
		return err
	})
	if err != nil || sent == nil {
		return 0, err
	}
	s.set(ctx, func(now *Status) { now.State, now.Detail = Sending, "" })
	answer, err := s.exchange(ctx, *sent)
	if err != nil {
		return 0, err
	}
	s.held = answer.Held
	err = s.accept(ctx, answer.Note)
	if err == nil && max(s.confirmed, s.held) <= sent.First {
		err = errors.New("the centre confirmed no entry of the pack")
	}
	return len(sent.Pack), err
}

// refusal is the last refusal of a pack that a relay keeps. The pack from the same entry on is sent again later each time.
type refusal struct {
	err   error
	first uint64
	wait  time.Duration
	until time.Time
}

// exchange sends a message, and notes the refusal of a pack that a relay keeps. Before a report, a late refusal is that of a
// pack only if the relay had one that the centre had not read; otherwise it is that of an earlier report, which costs nothing.
func (s *Sender) exchange(ctx context.Context, m Message) (Answer, error) {
	answer, err := s.options.Centre.Send(ctx, m)
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok || !refused.Kept {
		return answer, err
	}
	if m.Report() && s.held <= s.confirmed {
		return answer, &RefusedError{Detail: refused.Detail}
	}
	r, now := &s.refusal, s.options.Now()
	if r.first != m.First {
		r.wait = 0
	}
	if r.wait == 0 || !now.Before(r.until) {
		r.wait = min(max(2*r.wait, maxBackoff), 24*time.Hour)
		r.until = now.Add(r.wait)
	}
	r.err, r.first = err, m.First
	return answer, err
}

// pack makes the pack that begins after what is confirmed, or held by a relay.
func (s *Sender) pack(ctx context.Context, x *translog.Excerpt) (*Message, error) {
	p := &pack.Pack{Log: x.Origin, First: max(s.confirmed, s.held)}
	size := 0
	err := x.Each(ctx, p.First, func(index uint64, stored []byte) error {
		if size >= pack.Usual || len(p.Entries) == pack.MaxEntries {
			return errFull
		}
		e := pack.Entry{JSON: bytes.Clone(stored[sha256.Size:])} // the centre has the hash of the entry before
		if err := s.beside(ctx, x, index, &e); err != nil {
			return err
		}
		if size += e.Size(); size > pack.Max && len(p.Entries) > 0 {
			return errFull
		}
		p.Entries = append(p.Entries, e)
		return nil
	})
	if err != nil && !errors.Is(err, errFull) {
		return nil, fmt.Errorf("reading the journal for the centre: %w", err)
	}
	if err := s.fit(ctx, p, size); err != nil {
		return nil, &RefusedError{Detail: err.Error()}
	}
	if err = p.Seal(x); err != nil {
		return nil, err
	}
	if err := s.sign(ctx, x, p); err != nil {
		return nil, err
	}
	sent, err := p.Encode()
	if err != nil {
		return nil, &RefusedError{Detail: err.Error()}
	}
	return &Message{Log: p.Log, First: p.First, End: p.First + uint64(len(p.Entries)), Pack: sent}, nil
}

// maxFront limits what a pack has before its entries, in bytes.
const maxFront = 1 << 20

// fit makes a pack of some bytes fit when it is compressed: it takes off the last entry, which made it so large, or, of a
// single entry, the content.
func (s *Sender) fit(ctx context.Context, p *pack.Pack, size int) error {
	if size <= pack.MaxSent-maxFront {
		return nil
	}
	sent, err := p.Encode()
	if err != nil || len(sent) <= pack.MaxSent-maxFront {
		return err
	}
	if n := len(p.Entries) - 1; n > 0 {
		p.Entries = p.Entries[:n]
		return nil
	}
	s.options.Logger.ErrorContext(ctx, "a log is too large to be forwarded; the centre gets its entry alone", "log_index", p.First, "compressed", len(sent))
	p.Entries[0].Content, p.Entries[0].Salt = nil, nil
	return nil
}

// beside adds to an entry the values of who and what, and what a log said.
func (s *Sender) beside(ctx context.Context, x *translog.Excerpt, index uint64, to *pack.Entry) error {
	_, e, err := x.Entry(index)
	if err != nil {
		return err
	}
	if to.Open, err = json.Marshal(e.Show(journal.GroupsOf(journal.Who, journal.What))); err != nil {
		return err
	}
	if e.Action != journal.Insert && s.options.Sent != nil {
		text, salt, err := s.options.Sent(index, &e)
		if text != nil {
			to.Content, to.Salt = text, salt[:]
		}
		return err
	}
	if e.Action != journal.Insert {
		return nil
	}
	salt, ok := e.Salted.Salt(journal.Content)
	if !ok && e.Graph != "" {
		return nil // withdrawn, or a person was erased from it: nothing could show what is left
	}
	if ok {
		to.Salt = salt[:]
	}
	quads, kept, err := s.options.Logs.Part(ctx, journal.Numbered{Seq: index + 1, Entry: e}, maxTriples)
	if err != nil || !kept {
		to.Salt = nil
		return err
	}
	var b bytes.Buffer
	w := format.NewWriter(&b, turtle.NQuads, nil)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if b.Len() > maxContent {
		s.options.Logger.ErrorContext(ctx, "a log is too large to be forwarded; the centre gets its entry alone", "log_id", e.LogID, "bytes", b.Len())
		to.Salt = nil
		return nil
	}
	to.Content = append([]byte{}, b.Bytes()...)
	return nil
}
