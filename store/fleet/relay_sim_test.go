package fleet_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/log/journal"
)

// relay stands for a stream between boxes and centres: it loses messages in the ways that a stream can.
type relay struct {
	w        *world
	identity int
	last     uint64
	messages []held
	said     map[string]answer // the centre's last answer to a box
	deaf     bool              // the centre answers no report
	refuse   int               // so many reports
	late     bool              // the centre refuses all, and the box hears that only after it has gone on
}

type held struct {
	seq uint64
	at  time.Time
	box.Message
}

type answer struct {
	note     string
	refused  error
	identity int
	seq      uint64
}

// send is what store/fleet/relay does at a box.
func (r *relay) send(l link, m box.Message) (box.Answer, error) {
	if l.harm() {
		return box.Answer{}, errLost
	}
	report, answers := m.Report(), false
	if report && r.refuse > 0 {
		r.refuse--
		return box.Answer{}, &box.RefusedError{Detail: "no"}
	}
	hear := func(kept bool) error {
		said := r.said[m.Log]
		refused, ok := errors.AsType[*box.RefusedError](said.refused)
		if !ok {
			return nil
		}
		said.refused = nil
		r.said[m.Log] = said
		return &box.RefusedError{Detail: refused.Detail, Kept: kept}
	}
	if report {
		if err := hear(true); err != nil {
			return box.Answer{}, err
		}
		if r.late {
			defer r.tell(m.Log, "", centre.ErrUnknown)
			return box.Answer{Silent: true}, nil
		}
		if answers = !r.deaf && r.w.random.IntN(3) > 0; answers { // the centre runs, and gets the report
			note, err := r.w.hub.ReceiveAt(r.w.t.Context(), m.Pack, centre.Place{})
			r.tell(m.Log, note, err)
		}
	}
	var tail held
	for _, h := range r.messages {
		if h.Log == m.Log {
			tail = h
		}
	}
	said := r.said[m.Log]
	waits := func() bool { return tail.seq > 0 && (said.identity != r.identity || said.seq < tail.seq) }
	if !report && !(tail.End > m.First && waits()) {
		r.last++
		tail = held{r.last, time.Now(), m}
		r.messages = append(r.messages, tail)
		if l.harm() { // the acknowledgement is lost
			return box.Answer{}, errLost
		}
	}
	if err := hear(!report); err != nil {
		return box.Answer{}, err
	}
	a := box.Answer{Note: said.note, Silent: report && !answers}
	if waits() {
		a.Held = tail.End
	}
	return a, nil
}

// tell keeps an answer to a box: what the centre has, and how far it has read.
func (r *relay) tell(log, note string, err error) {
	var refused error
	if err != nil {
		if _, refused = answered("", err); refused == err { // it does not follow what is here
			refused = nil
		}
		if note, err = r.w.hub.Newest(log); err != nil && refused == nil {
			r.w.t.Fatal(err)
		}
	}
	at, err := r.w.hub.Place()
	if err != nil {
		r.w.t.Fatal(err)
	}
	if refused == nil {
		refused = r.said[log].refused // until the box has heard it
	}
	a := answer{note: note, refused: refused, seq: at.Seq}
	_, _ = fmt.Sscan(at.Stream, &a.identity)
	r.said[log] = a
}

// read lets the centre read some messages, as a Reader does.
func (r *relay) read(n int) {
	w := r.w
	for ; n > 0; n-- {
		at, err := w.hub.Place()
		if err != nil {
			w.t.Fatal(err)
		}
		if at.Stream != fmt.Sprint(r.identity) {
			at = centre.Place{Stream: fmt.Sprint(r.identity)}
		}
		at.Seq = min(at.Seq, r.last)
		i := slices.IndexFunc(r.messages, func(h held) bool { return h.seq > at.Seq })
		if i < 0 {
			return
		}
		m := r.messages[i]
		at.Seq, at.Time = m.seq, m.at
		note, err := "", centre.ErrUnknown
		if !r.late {
			note, err = w.hub.ReceiveAt(w.t.Context(), m.Pack, at)
		}
		if reached := w.hub.Reached(w.t.Context(), at); reached != nil {
			w.t.Fatal(reached)
		}
		r.tell(m.Log, note, err)
	}
}

// TestNothingIsLostOrTwiceOverAStream lets a stream be purged, recreated and truncated, while boxes and the centre are
// restarted, and older backups of the centre come back.
func TestNothingIsLostOrTwiceOverAStream(t *testing.T) {
	t.Parallel()
	n, steps := seeds(200)
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, 100+seed, 2)
			w.relay = &relay{w: w, identity: 1, said: map[string]answer{}}
			w.faults = 20
			for range steps {
				w.steps(1)
				switch r, k := w.relay, w.random.IntN(100); {
				case k < 20:
					r.read(1 + w.random.IntN(3))
				case k < 22:
					r.messages = r.messages[:0] // purged
				case k < 24 && len(r.messages) > 0:
					r.messages = r.messages[1:]
				case k < 25 && len(r.messages) > 0: // truncated
					r.messages = r.messages[:len(r.messages)-1]
					r.last--
				case k < 26: // recreated
					r.identity, r.last, r.messages = r.identity+1, 0, nil
				case k < 27:
					r.said = map[string]answer{} // so is the stream of answers
				}
			}
			w.faults, w.now = 0, time.Now().UTC()
			// A box may believe that the centre has all, while that is an older one, until it reports.
			for current, round := 0, 0; current < 30; current, round = current+1, round+1 {
				if round == 1000 {
					t.Fatal("the boxes do not become current")
				}
				w.now = w.now.Add(30 * time.Second) // more than between two reports
				for _, b := range w.boxes {
					b.sender.Step(t.Context())
					if b.sender.Status().State != box.Current {
						current = -1
					}
				}
				w.relay.read(10)
			}
			for _, b := range w.boxes {
				w.agree(b)
			}
			if len(w.entries(w.centre, journal.Insert)) == 0 {
				t.Error("nothing arrived, which tests nothing")
			}
			storetest.Check(t, w.centre.store)
		})
	}
}

// TestARefusalCostsOnePack lets the centre refuse what a box sends: the box does not send what the centre has again,
// neither then nor while no centre runs.
func TestARefusalCostsOnePack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7, 1)
	r := &relay{w: w, identity: 1, said: map[string]answer{}}
	w.relay = r
	b := w.boxes[0]
	for range 5 {
		w.publish(b)
	}
	step := func(n int) {
		for range n {
			b.sender.Step(t.Context())
			r.read(10)
		}
	}
	step(10)
	before := b.sender.Status().Confirmed
	if before < 5 {
		t.Fatalf("the centre confirmed %d entries", before)
	}
	w.publish(b)
	r.deaf = true
	b.sender.Step(t.Context())
	r.messages = r.messages[:0]
	r.said[b.name] = answer{identity: 1, seq: r.last}
	b.sender.Step(t.Context()) // the pack is lost
	r.refuse = 1
	for range 4 {
		b.sender.Step(t.Context())
	}
	if got := b.sender.Status(); got.Confirmed != before {
		t.Errorf("a refusal took the confirmation of %d entries to %d", before, got.Confirmed)
	}
	if len(r.messages) == 0 {
		t.Error("nothing is sent, which tests nothing")
	}
	for _, m := range r.messages {
		if m.First < before {
			t.Errorf("the entries from %d are sent again, and the centre has %d", m.First, before)
		}
	}
}

// TestARefusedPackDoesNotFillTheStream lets the centre refuse an erasure for half a month. The box tries it again ever more
// rarely, goes on within a day after the hold is lifted, and sends what follows at once then.
func TestARefusedPackDoesNotFillTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8, 1)
	r := &relay{w: w, identity: 1, said: map[string]answer{}}
	w.relay, w.held, w.now = r, true, time.Now()
	b := w.boxes[0]
	days := func(n int) {
		for end := w.now.Add(time.Duration(n) * 24 * time.Hour); w.now.Before(end); w.now = w.now.Add(5 * time.Minute) {
			b.sender.Step(t.Context())
			r.read(10)
		}
	}
	w.publish(b)
	w.erase(b)
	days(14)
	if got := b.sender.Status(); got.State != box.Refused || !strings.Contains(got.Detail, "legal hold") {
		t.Errorf("the box is %s: %s", got.State, got.Detail)
	}
	if n := len(r.messages); n < 14 || n > 25 {
		t.Errorf("the stream has %d copies of a refused pack, want one for a day and a few more", n)
	}
	w.held = false
	days(1)
	w.publish(b)
	days(1)
	w.agree(b)
}

// TestLateRefusalsOfReportsCostNothing lets a centre that does not know a box answer its reports late. Once it knows the
// box, that goes on as soon as its one pack may be sent again.
func TestLateRefusalsOfReportsCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9, 1)
	r := &relay{w: w, identity: 1, said: map[string]answer{}, late: true}
	w.relay, w.now = r, time.Now()
	b := w.boxes[0]
	w.publish(b)
	step := func(n int) {
		for ; n > 0; n, w.now = n-1, w.now.Add(20*time.Second) {
			b.sender.Step(t.Context())
			r.read(10)
		}
	}
	step(12)
	if got := b.sender.Status(); got.State != box.Refused || len(r.messages) != 1 {
		t.Fatalf("the box is %s, and the stream has %d packs", got.State, len(r.messages))
	}
	r.late = false
	step(15)
	if got := b.sender.Status(); got.State != box.Current || got.Entries == 0 {
		t.Errorf("after five minutes the box is %s: %s", got.State, got.Detail)
	}
	w.agree(b)
}
