package relay

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
)

// hub has a confirmation, and answers packs with an error.
type hub struct {
	err     error
	reached []centre.Place
}

func (h *hub) ReceiveAt(context.Context, []byte, centre.Place) (string, error) { return "", h.err }
func (h *hub) Newest(log string) (string, error)                               { return "newest of " + log, nil }
func (h *hub) Place() (centre.Place, error)                                    { return centre.Place{}, nil }
func (h *hub) Reached(_ context.Context, p centre.Place) error {
	h.reached = append(h.reached, p)
	return nil
}

// message is a message of a stream.
type message struct {
	jetstream.Msg
	sent *nats.Msg
	seq  uint64
}

func (m message) Data() []byte         { return m.sent.Data }
func (m message) Subject() string      { return m.sent.Subject }
func (m message) Headers() nats.Header { return m.sent.Header }
func (m message) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: m.seq}, Timestamp: time.Unix(int64(m.seq), 0)}, nil
}

// decisionOf returns a decision of the centre "b" that a reader with a secret proves.
func decisionOf(t *testing.T, secret, text string, number, seq uint64) message {
	t.Helper()
	r := NewReader(ReaderOptions{Secret: secret})
	proof, err := r.proof("b", number, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m := nats.NewMsg(decisions + "b")
	m.Data = []byte(text)
	m.Header.Set(decisionHeader, strconv.FormatUint(number, 10))
	m.Header.Set(proofHeader, proof)
	return message{sent: m, seq: seq}
}

func TestADecisionCountsOnceAndOnlyOfACentre(t *testing.T) {
	t.Parallel()
	var did []string
	var at centre.Place
	h := &hub{}
	r := NewReader(ReaderOptions{Name: "segraph/centre/a", Secret: "key", Hub: h, Log: slog.New(slog.DiscardHandler), Arrives: func(time.Time) {},
		Decide: func(_ context.Context, text []byte, p centre.Place) (any, error, error) {
			did, at = append(did, string(text)), p
			return nil, nil, nil
		}})
	r.read = centre.Place{Stream: "s"}
	altered := decisionOf(t, "key", "forged", 9, 4)
	altered.sent.Data = []byte("altered")
	moved := decisionOf(t, "key", "moved", 9, 5)
	moved.sent.Subject = decisions + "c"
	bare := message{sent: nats.NewMsg(decisions + "b"), seq: 6}
	for _, m := range []message{decisionOf(t, "key", "one", 7, 1), decisionOf(t, "key", "one", 7, 2), decisionOf(t, "other", "forged", 9, 3), altered, moved, bare, decisionOf(t, "key", "two", 8, 7)} {
		if err := r.use(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if r.read.Seq != m.seq {
			t.Errorf("message %d is not read", m.seq)
		}
	}
	if want := []string{"one", "two"}; !reflect.DeepEqual(did, want) {
		t.Errorf("carried out: %q, want %q", did, want)
	}
	if at.Stream != "s" || at.Seq != 7 || at.Decided["b"] != 8 || at.Time.Unix() != 7 {
		t.Errorf("the place of the last decision is %+v", at)
	}
	if len(h.reached) != 2 || h.reached[0].Seq != 1 || h.reached[0].Decided["b"] != 7 {
		t.Errorf("stored places: %+v", h.reached)
	}
}

func TestADecisionThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	var failed, refused error
	calls := 0
	r := NewReader(ReaderOptions{Name: "b", Hub: &hub{}, Log: slog.New(slog.DiscardHandler), Arrives: func(time.Time) {},
		Decide: func(context.Context, []byte, centre.Place) (any, error, error) {
			calls++
			return "yes", refused, failed
		}})
	who := make(chan decided, 1)
	r.pending[3] = who
	m := decisionOf(t, "", "d", 3, 5)
	failed = errors.New("the disk is full")
	if err := r.use(t.Context(), m); !errors.Is(err, failed) || r.read.Seq != 0 || len(who) != 0 {
		t.Errorf("error %v, read up to %d, %d answers", err, r.read.Seq, len(who))
	}
	failed, refused = nil, errors.New("no such case")
	for range 2 {
		if err := r.use(t.Context(), m); err != nil || r.read.Seq != 5 {
			t.Errorf("error %v, read up to %d", err, r.read.Seq)
		}
	}
	if got := <-who; got.answer != "yes" || !errors.Is(got.err, refused) || calls != 2 {
		t.Errorf("the answer is %+v, after %d calls", got, calls)
	}
}

func TestARefusalHasTheNewestConfirmation(t *testing.T) {
	t.Parallel()
	h := &hub{}
	r := NewReader(ReaderOptions{Hub: h})
	full := errors.New("the disk is full")
	for _, c := range []struct {
		is, refused, err error
		note             string
	}{
		{&pack.Refusal{Reason: pack.Fork, Detail: "fork"}, errors.New("fork"), nil, "newest of hall.2"},
		{&pack.Refusal{Reason: pack.Garbled, Detail: "cut"}, errors.New("cut"), nil, "newest of hall.2"},
		{&pack.Refusal{Reason: pack.Gap, Detail: "gap"}, nil, nil, "newest of hall.2"},
		{centre.ErrUnknown, centre.ErrUnknown, nil, "newest of hall.2"},
		{full, nil, full, ""},
		{nil, nil, nil, ""},
	} {
		h.err = c.is
		note, refused, err := r.receive(t.Context(), token("hall.2"), nil, centre.Place{})
		same := (refused == nil) == (c.refused == nil) && (refused == nil || refused.Error() == c.refused.Error())
		if note != c.note || !same || !errors.Is(err, c.err) {
			t.Errorf("%v: %q, %v, %v", c.is, note, refused, err)
		}
	}
	if _, refused, err := r.receive(t.Context(), "%ZZ", nil, centre.Place{}); err != nil || refused != nil {
		t.Errorf("without a refusal, the subject matters: %v, %v", refused, err)
	}
	h.err = &pack.Refusal{Reason: pack.Garbled, Detail: "cut"}
	if _, refused, err := r.receive(t.Context(), "%ZZ", nil, centre.Place{}); err != nil || !errors.Is(refused, h.err) {
		t.Errorf("a subject that is no box's: %v, %v", refused, err)
	}
	kept := told{note: "old"}
	kept.read(nats.Header{refusedHeader: {"no"}}, nil)
	if kept.note != "old" || kept.refused != "no" {
		t.Errorf("after a refusal, a box has %+v", kept)
	}
	if kept.read(nats.Header{}, nil); kept.note != "" || kept.refused != "" {
		t.Errorf("after an answer without a note, a box has %+v", kept)
	}
}
