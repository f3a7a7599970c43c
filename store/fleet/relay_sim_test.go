package fleet_test

import (
	"fmt"
	"os"
	"slices"
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
	if m.First == m.End && r.w.random.IntN(3) > 0 { // the centre runs, and gets the report
		note, err := answered(r.w.hub.Receive(r.w.t.Context(), m.Pack))
		if err != nil {
			return box.Answer{}, err
		}
		r.tell(m.Log, note, nil)
	}
	var tail held
	for _, h := range r.messages {
		if h.Log == m.Log {
			tail = h
		}
	}
	said, heard := r.said[m.Log]
	waits := func() bool { return tail.seq > 0 && (said.identity != r.identity || said.seq < tail.seq) }
	if m.First < m.End && !(tail.End > m.First && waits()) {
		r.last++
		tail = held{r.last, time.Now(), m}
		r.messages = append(r.messages, tail)
		if l.harm() { // the acknowledgement is lost
			return box.Answer{}, errLost
		}
	}
	if said.refused != nil && m.First < m.End {
		r.said[m.Log] = answer{said.note, nil, said.identity, said.seq}
		return box.Answer{}, said.refused
	}
	a := box.Answer{Note: said.note, Silent: !heard}
	if waits() {
		a.Held = tail.End
	}
	return a, nil
}

// tell keeps an answer to a box: what the centre has, and how far it has read.
func (r *relay) tell(log, note string, refused error) {
	at, err := r.w.hub.Place()
	if err != nil {
		r.w.t.Fatal(err)
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
		note, err := w.hub.ReceiveAt(w.t.Context(), m.Pack, at)
		if _, refused := answered("", err); err != nil && refused == err {
			if note, err = w.hub.Newest(m.Log); err != nil {
				w.t.Fatal(err)
			}
		} else {
			err = refused
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
	n := 200
	if os.Getenv("SEGRAPH_LONG") != "" {
		n = 50_000
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, 100+seed, 2)
			w.relay = &relay{w: w, identity: 1, said: map[string]answer{}}
			w.faults = 20
			for range n {
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
			w.faults = 0
			for range 300 {
				done := true
				for _, b := range w.boxes {
					b.sender.Step(t.Context())
					done = done && b.sender.Status().State == box.Current
				}
				w.relay.read(10)
				if done {
					break
				}
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
