package relay

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
)

// stream has nothing but a state.
type stream struct {
	jetstream.Stream
	info jetstream.StreamInfo
}

func (s stream) CachedInfo() *jetstream.StreamInfo { return &s.info }

// A centre that has read nothing can't have what a stream lost, and other centres may have it.
func TestACentreThatBeginsTooLateSaysSo(t *testing.T) {
	t.Parallel()
	for first, want := range map[uint64]bool{0: false, 1: false, 7: true} {
		var said bytes.Buffer
		r := NewReader(ReaderOptions{Hub: &hub{}, Log: slog.New(slog.NewTextHandler(&said, nil))})
		_, err := r.begin(t.Context(), stream{info: jetstream.StreamInfo{State: jetstream.StreamState{FirstSeq: first, LastSeq: 9}}})
		if err != nil || strings.Contains(said.String(), "level=ERROR") != want || !want && said.Len() > 0 {
			t.Errorf("the stream begins with message %d: %v, %s", first, err, said.String())
		}
	}
}

// While messages keep coming, a centre is as late as the last one that it has read.
func TestTheLagIsThatOfTheLastMessage(t *testing.T) {
	t.Parallel()
	r := NewReader(ReaderOptions{Hub: &hub{}})
	r.current = time.Now().Add(-time.Minute)
	for _, ago := range []time.Duration{2 * time.Second, 90 * time.Second, -time.Hour} { // a later one may come from another clock
		r.reached(centre.Place{Stream: "s", Time: time.Now().Add(-ago)})
		if lag, _ := r.Lag(); lag < 0 || lag > 10*time.Second {
			t.Errorf("after a message of %v ago the lag is %v, want 2s", ago, lag)
		}
	}
}

// A refusal that comes after the box has gone on is not lost: neither to the next message of the centre, nor to a report.
func TestALateRefusalIsHeardOnce(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	w := s.To("segraph/centre/b").(*way)
	say := func(refused string) {
		m := nats.NewMsg(answers + "hall.b")
		if refused != "" {
			m.Header.Set(refusedHeader, refused)
		}
		s.hear(m)
	}
	say("it is forged")
	say("")
	all := func(*told) bool { return true }
	if got := s.wait(t.Context(), w.centre, true, all).refused; got != "it is forged" {
		t.Errorf("the refusal is %q", got)
	}
	if got := s.wait(t.Context(), w.centre, true, all).refused; got != "" {
		t.Errorf("%q is heard twice", got)
	}
	say("it is unknown") // a report is not even sent then: there is no server
	_, err := w.Send(t.Context(), box.Message{Log: "hall"})
	if refused, ok := errors.AsType[*box.RefusedError](err); !ok || refused.Detail != "it is unknown" || !refused.Kept {
		t.Errorf("a report after a refusal: %v", err)
	}
	if got := s.told(w.centre).refused; got != "" {
		t.Errorf("%q stays for the next report", got)
	}
}

// A report is answered over the connection that it came over, while the Reader may dial another one.
func TestAReportIsAnsweredOverItsConnection(t *testing.T) {
	t.Parallel()
	report, err := (&pack.Pack{Log: "hall"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(ReaderOptions{Hub: &hub{}, Panicked: func(_ context.Context, value any) { t.Error(value) }})
	r.read.Stream = "s"
	r.hear(t.Context(), &conn{nats: &nats.Conn{}}, &nats.Msg{Subject: reports + "hall", Data: report}) // r.conn is nil
}
