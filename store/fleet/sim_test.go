package fleet_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	graph "github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// world is boxes, a centre and the network between them.
type world struct {
	t      *testing.T
	random *rand.Rand
	folder string
	centre *site
	hub    *centre.Centre
	boxes  []*site
	// faults is how many of a hundred messages the network harms.
	faults   int
	resolver func(context.Context, []byte, journal.Entry, func(*engine.Tx, bool) error) (func() error, error) // nil means resolve
	erased   string                                                                                           // an IRI, or ""
	shared   bool                                                                                             // whom boxes erase is no person at the centre
	held     bool                                                                                             // a legal hold forbids erasures at the centre
	keeps    string                                                                                           // a log that a legal hold of the centre keeps, or ""
	relay    *relay                                                                                           // between the boxes and the centre, or nil
	others   []string                                                                                         // keys of further centres
	// renewed says that an older backup replaced the centre's file. It lacks erasures that boxes no longer keep; a real
	// centre has those in the list beside its file.
	renewed bool
	keys    []string                    // of the boxes, which the centre's operator named
	fixed   bool                        // they stay, whatever the boxes do
	carried atomic.Int64                // messages of boxes
	now     time.Time                   // of all clocks; the zero Time means the machine's
	admit   func(context.Context) error // of the centre, or nil
	said    bytes.Buffer                // the centre's log
}

// site is a file with what is open on it.
type site struct {
	name, path string
	store      *engine.Store
	logs       *provenance.Provenance
	log        *translog.Log
	sender     *box.Sender
	spoilt     func(*pack.Pack) // changes packs on their way; nil
	withdrawn  map[string]bool
	observed   map[string][]byte // the texts of observations, by what their entries commit to
	backups    []string
	dropped    int           // how often it was told that erasures were dropped
	ahead      time.Duration // of its clock
}

func (w *world) open(s *site) {
	w.t.Helper()
	s.logs = provenance.New(provenance.Options{})
	var err error
	s.store, err = engine.Open(s.path, engine.Options{Extensions: []engine.Extension{s.logs.Extension(), centre.Extension(), box.Extension()}})
	if err != nil {
		w.t.Fatal(err)
	}
	s.log = translog.New(s.store, translog.Options{KeyFile: filepath.Join(w.folder, s.name+".key"), Origin: s.name})
}

func (w *world) openHub() {
	var keys []string
	if w.fixed {
		keys = w.keys
	}
	for _, b := range w.boxes[:max(0, len(w.boxes)-len(keys))] {
		if err := b.log.Excerpt(w.t.Context(), func(x *translog.Excerpt) error { keys = append(keys, x.Key); return nil }); err != nil {
			w.t.Fatal(err)
		}
	}
	w.keys = keys
	var err error
	w.hub, err = centre.Open(w.centre.store, centre.Options{KeyFile: filepath.Join(w.folder, "centre.seed"), Boxes: keys,
		Log: slog.New(slog.NewTextHandler(&w.said, nil)), Now: w.clock, Observe: w.observed, Erase: w.forget, Withdraw: centre.Withdrawing(w.centre.logs.WithdrawLogs), Held: w.heldLogs, Admit: w.admit,
		Term: func(t rdf.Term) rdf.Term {
			if t.IsIRI() && t.Value() == w.erased {
				return rdf.Term{}
			}
			return t
		},
		Blank: func(text string, name bool) string {
			if w.erased == "" {
				return text
			}
			if name && text == "maria the cook" {
				return journal.ErasedText
			}
			return strings.ReplaceAll(text, w.erased, journal.ErasedText)
		}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.hub.Resume(w.t.Context())
}

func (w *world) clock() time.Time {
	if w.now.IsZero() {
		return time.Now()
	}
	return w.now
}

func (w *world) start(b *site) {
	key, err := cosignature.NewVerifier(w.hub.Key())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := box.SetCentres(w.t.Context(), b.store, append(w.others, w.hub.Key())); err != nil {
		w.t.Fatal(err)
	}
	b.sender = box.New(box.Options{Store: b.store, Log: b.log, Logs: b.logs, Sent: b.sent, Dropped: func() { b.dropped++ }, Key: key, URL: "sim", Now: func() time.Time { return w.clock().Add(b.ahead) }, Centre: link{w, b}, Logger: slog.New(slog.DiscardHandler)})
}

func newWorld(t *testing.T, seed uint64, boxes int) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 1)), folder: t.TempDir()}
	for i := range boxes + 1 {
		s := &site{name: fmt.Sprintf("box-%d", i), withdrawn: map[string]bool{}, observed: map[string][]byte{}}
		if i == boxes {
			s.name, w.centre = "centre", s
		} else {
			w.boxes = append(w.boxes, s)
		}
		s.path = filepath.Join(w.folder, s.name+".db")
		w.open(s)
	}
	w.openHub()
	for _, b := range w.boxes {
		w.start(b)
	}
	t.Cleanup(func() {
		for _, s := range append(w.boxes, w.centre) {
			_ = s.store.Close()
		}
	})
	return w
}

// link is the network between a box and the centre.
type link struct {
	w *world
	b *site
}

var errLost = errors.New("the network lost a message")

func (l link) harm() bool { return l.w.faults > 0 && l.w.random.IntN(100) < l.w.faults }

// answered makes refusals of the centre those of the wire.
func answered(note string, err error) (string, error) {
	var refused *pack.Refusal
	if errors.Is(err, centre.ErrUnknown) || errors.As(err, &refused) && refused.Reason != pack.Gap && refused.Reason != pack.Garbled {
		err = &box.RefusedError{Detail: err.Error()}
	}
	return note, err
}

func (l link) Send(ctx context.Context, m box.Message) (box.Answer, error) {
	if l.w.relay != nil {
		return l.w.relay.send(l, m)
	}
	note, err := l.carry(ctx, m.Pack)
	return box.Answer{Note: note}, err
}

func (l link) carry(ctx context.Context, sent []byte) (string, error) {
	l.w.carried.Add(1)
	if l.b.spoilt != nil {
		p, err := pack.Decode(sent)
		if err != nil {
			return "", err
		}
		if len(p.Entries) > 0 {
			l.b.spoilt(p)
		}
		if sent, err = p.Encode(); err != nil {
			return "", err
		}
	}
	if l.harm() {
		switch l.w.random.IntN(4) {
		case 0: // lost
			return "", errLost
		case 1: // cut
			sent = sent[:l.w.random.IntN(len(sent))]
		case 2: // changed
			sent = bytes.Clone(sent)
			sent[l.w.random.IntN(len(sent))] ^= 1 << l.w.random.IntN(8)
		case 3: // repeated, as by a proxy
			_, _ = l.w.hub.ReceiveAt(ctx, sent, centre.Place{})
		}
	}
	note, err := answered(l.w.hub.ReceiveAt(ctx, sent, centre.Place{}))
	if l.harm() { // the answer is lost
		return "", errLost
	}
	return note, err
}

// publish stores a log at a box.
func (w *world) publish(b *site) {
	n := w.random.IntN(1000)
	text := fmt.Sprintf("@prefix ex: <http://ex/> . ex:a%d ex:says \"%s\"@en , 0.50 ; ex:of [ ex:robot %q ; ex:n %d ] .", n, strings.Repeat("hé ", w.random.IntN(40)), b.name, n)
	d := storetest.Document(w.t, turtle.Turtle, text)
	e := journal.Entry{LogID: journal.NewLogID(), Actor: b.name + " robot", Claimed: "someone", Triples: d.Distinct(), Secret: journal.NewSecret()}
	hash := e.Secret.Content().Hash()
	e.Commitment = e.Secret.Content().Commit([]byte(text))
	e.Canon, _ = d.WriteCanonical(hash, 20_000)
	e.Graph = journal.Committed(hash)
	if _, err := b.store.Add(w.t.Context(), d, e); err != nil {
		w.t.Fatal(err)
	}
}

// salt is that of all observations: their entries have others too.
var salt = journal.Salt{1}

// observe stores the entry of an observation at a box.
func (w *world) observe(b *site) {
	text := fmt.Appendf(nil, `{"event_kind":"heard","text":"%d"}`, w.random.IntN(1000))
	e := journal.Entry{Action: journal.Resolve, Actor: b.name + " robot", Context: "http://ex/" + b.name, Commitment: salt.Commit(text)}
	b.observed[e.Commitment] = text
	if err := b.store.Note(w.t.Context(), e); err != nil {
		w.t.Fatal(err)
	}
}

// erase stores the entry of an erasure at a box: of a random person, unless the names are given.
func (w *world) erase(b *site, names ...string) {
	whom := pack.Erasure{IRIs: names}
	if names == nil {
		whom.IRIs = []string{fmt.Sprintf("http://ex/person%d", w.random.IntN(1000)), "http://ex/other"}
	}
	e := journal.Entry{Action: journal.Erasure, Actor: "eva", Person: journal.PersonOf(salt, whom.IRIs), Number: new(uint64)}
	if err := b.store.Update(w.t.Context(), func(tx *engine.Tx) error {
		return errors.Join(tx.Journal(e), box.KeepErasure(tx.KV(), box.ErasureKey(*e.Number-1), whom.Text()))
	}); err != nil {
		w.t.Fatal(err)
	}
}

// kept returns what a box keeps of an erasure, by the index of its entry.
func (s *site) kept(index uint64) (text []byte, err error) {
	err = s.store.View(func(snap *engine.Snapshot) error {
		text = bytes.Clone(box.Erasure(snap.KV(), box.ErasureKey(index)))
		return nil
	})
	return text, err
}

// sent returns what the entry of an observation or of an erasure commits to.
func (s *site) sent(index uint64, e *journal.Entry) ([]byte, journal.Salt, error) {
	if e.Action == journal.Erasure {
		text, err := s.kept(index)
		return text, salt, err
	}
	return s.observed[e.Commitment], salt, nil
}

// forget stands for the erasure at the centre.
func (w *world) forget(ctx context.Context, whom *pack.Erasure, e journal.Entry, also func(tx *engine.Tx) error) error {
	if w.shared {
		return graph.ErrShared
	}
	if w.held {
		return &graph.UnfitError{Detail: whom.IRIs[0]}
	}
	if w.faults > 0 && w.random.IntN(3) == 0 {
		return errLost
	}
	e.Person = journal.PersonOf(salt, whom.IRIs)
	return w.centre.store.Update(ctx, func(tx *engine.Tx) error { return errors.Join(tx.Journal(e), also(tx)) })
}

// heldLogs stands for the legal holds of the centre.
func (w *world) heldLogs(_ context.Context, logIDs []string) (held []string, err error) {
	if slices.Contains(logIDs, w.keeps) {
		held = []string{w.keeps}
	}
	return held, nil
}

func (w *world) observed(ctx context.Context, text []byte, e journal.Entry, also func(tx *engine.Tx, entered bool) error) (func() error, error) {
	if w.resolver != nil {
		return w.resolver(ctx, text, e, also)
	}
	return w.resolve(ctx, text, e, also)
}

// resolve stands for the resolver of the centre: a text with a 7 is a repeat, and one with two can't be used.
func (w *world) resolve(ctx context.Context, text []byte, e journal.Entry, also func(tx *engine.Tx, entered bool) error) (func() error, error) {
	sevens := bytes.Count(text, []byte("7"))
	if w.faults > 0 && w.random.IntN(10) == 0 {
		return nil, errLost // what comes before it is stored
	}
	if sevens > 1 {
		return nil, nil
	}
	ticket, err := w.centre.store.Submit(ctx, func(tx *engine.Tx) error {
		if sevens == 0 {
			e.Action, e.Detail = journal.Resolve, string(text)
			if err := tx.Journal(e); err != nil {
				return err
			}
		}
		return also(tx, sevens == 0)
	})
	if err != nil {
		return nil, err
	}
	return ticket.Wait, nil
}

// inserts returns the entries of logs in a journal.
func (w *world) inserts(s *site) []journal.Numbered { return w.entries(s, journal.Insert) }

// entries returns the entries of an action in a journal.
func (w *world) entries(s *site, action journal.Action) (out []journal.Numbered) {
	err := s.store.View(func(snap *engine.Snapshot) error {
		for seq := uint64(1); seq <= journal.Count(snap.KV()); seq++ {
			e, err := journal.Get(snap.KV(), seq)
			if err != nil {
				return err
			}
			if e.Action == action {
				out = append(out, journal.Numbered{Seq: seq, Entry: e})
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) withdraw(b *site) {
	all := w.inserts(b)
	if len(all) == 0 {
		return
	}
	id := all[w.random.IntN(len(all))].LogID
	_ = b.logs.WithdrawLogs(w.t.Context(), []string{id}, journal.Entry{Action: journal.Withdraw, Actor: "eva"}, func(graph.WithdrawnLog) {})
	b.withdrawn[id] = true
}

// restart ends a site and opens it again.
func (w *world) restart(s *site) {
	if err := s.store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open(s)
}

// backUp keeps a copy of a site.
func (w *world) backUp(s *site) {
	path := filepath.Join(w.folder, fmt.Sprintf("%s-%d.backup", s.name, len(s.backups)))
	f, err := os.Create(path)
	if err == nil {
		_, err = s.store.Backup(w.t.Context(), f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s.backups = append(s.backups, path)
}

// restore puts a copy into a site's place, as cp does.
func (w *world) restore(s *site) {
	from, err := os.Open(s.backups[w.random.IntN(len(s.backups))])
	if err != nil {
		w.t.Fatal(err)
	}
	defer from.Close()
	if err := s.store.Close(); err != nil {
		w.t.Fatal(err)
	}
	to, err := os.Create(s.path)
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.open(s)
}

// settle lets the boxes send until none has anything left, without faults.
func (w *world) settle() {
	w.faults = 0
	for _, b := range w.boxes {
		for range 1000 {
			b.sender.Step(w.t.Context())
			if state := b.sender.Status().State; state == box.Current || state == box.Refused {
				break
			}
		}
	}
}

// agree checks that the centre has each log of a box once, with its triples and who sent it.
func (w *world) agree(b *site) {
	w.t.Helper()
	if got := b.sender.Status(); got.State != box.Current {
		w.t.Fatalf("%s is %s: %s", b.name, got.State, got.Detail)
	}
	here := map[string]journal.Numbered{}
	for _, e := range w.inserts(w.centre) {
		if e.Box != b.name {
			continue
		}
		if _, twice := here[e.LogID]; twice {
			w.t.Errorf("the centre has log %s twice", e.LogID)
		}
		here[e.LogID] = e
	}
	for _, e := range w.inserts(b) {
		got, ok := here[e.LogID]
		if !ok {
			w.t.Errorf("the centre lacks log %s of %s", e.LogID, b.name)
			continue
		}
		delete(here, e.LogID)
		if got.Actor != e.Actor || got.Claimed != e.Claimed || !got.BoxTime.Equal(e.Time) || got.BoxIndex != e.Seq-1 {
			w.t.Errorf("log %s arrived as %+v, and was %+v", e.LogID, got, e)
		}
		want, theirs := w.quads(b, e), w.quads(w.centre, got)
		if !canon.Isomorphic(want, theirs) {
			w.t.Errorf("log %s says %v at the centre, and %v at %s (withdrawn: %t)", e.LogID, theirs, want, b.name, b.withdrawn[e.LogID])
		}
	}
	arrived := map[uint64]string{}
	for _, e := range append(w.entries(w.centre, journal.Resolve), w.entries(w.centre, journal.Forwarded)...) {
		if e.Box == b.name && (e.Action == journal.Resolve || e.BoxAction == journal.Resolve) {
			if _, twice := arrived[e.BoxIndex]; twice {
				w.t.Errorf("the centre has entry %d of %s twice", e.BoxIndex, b.name)
			}
			arrived[e.BoxIndex] = e.Detail
		}
	}
	for _, e := range w.entries(b, journal.Resolve) {
		got, ok := arrived[e.Seq-1]
		want := string(b.observed[e.Commitment])
		if strings.Contains(want, "7") {
			want = ""
		}
		if !ok || got != want {
			w.t.Errorf("the centre has the observation %q of entry %d of %s, want %q (arrived: %t)", got, e.Seq-1, b.name, want, ok)
		}
	}
	erasures := map[uint64]string{}
	for _, e := range w.entries(w.centre, journal.Erasure) {
		if e.Box == b.name && erasures[e.BoxIndex] != "" {
			w.t.Errorf("the centre has erasure %d of %s twice", e.BoxIndex, b.name)
		}
		if e.Box == b.name {
			erasures[e.BoxIndex] = e.Person
		}
	}
	for _, e := range w.entries(b, journal.Erasure) {
		kept, err := b.kept(e.Seq - 1)
		if err != nil || len(w.others) == 0 && kept != nil {
			w.t.Errorf("%s keeps the erasure %q, %v", b.name, kept, err)
		}
		if got := erasures[e.Seq-1]; got != e.Person && !w.renewed {
			w.t.Errorf("the centre has %q of erasure %d of %s", got, e.Seq-1, b.name)
		}
	}
	for id := range here {
		w.t.Errorf("the centre has log %s, and %s does not", id, b.name)
	}
}

func (w *world) quads(s *site, n journal.Numbered) []rdf.Quad {
	quads, _, err := s.logs.Part(w.t.Context(), n, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	return quads
}

// steps runs random steps of everything but restores of boxes.
func (w *world) steps(n int) {
	for range n {
		b := w.boxes[w.random.IntN(len(w.boxes))]
		switch k := w.random.IntN(100); {
		case k < 20:
			w.publish(b)
		case k < 29:
			w.observe(b)
		case k < 30:
			w.erase(b)
		case k < 33:
			w.withdraw(b)
		case k < 94:
			b.sender.Step(w.t.Context())
		case k < 96:
			w.restart(b)
			w.start(b)
		case k < 97:
			w.restart(w.centre)
			w.openHub()
		case k < 98:
			w.backUp(w.centre)
		case k < 99 && len(w.centre.backups) > 0:
			w.restore(w.centre)
			w.renewed = true
			w.openHub()
		}
	}
}

// seeds returns how many seeds a simulation runs, and for how many steps each: with SEGRAPH_LONG a million steps in all.
func seeds(usual int) (n uint64, steps int) {
	switch {
	case os.Getenv("SEGRAPH_LONG") != "":
		return 1000, 1000
	case testing.Short():
		return 3, usual / 3
	}
	return 3, usual
}

// TestNothingIsLostOrTwiceWhateverFails lets a network drop, cut, change and repeat messages, ends
// boxes and the centre, and puts older backups of the centre in its place.
func TestNothingIsLostOrTwiceWhateverFails(t *testing.T) {
	t.Parallel()
	n, steps := seeds(250)
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, seed, 3)
			w.faults = 20
			w.steps(steps)
			for _, b := range w.boxes {
				w.start(b) // it asks at once what the centre, which may be an older one, has
			}
			w.settle()
			for _, b := range w.boxes {
				w.agree(b)
				storetest.Check(t, b.store)
			}
			storetest.Check(t, w.centre.store)
		})
	}
}

// TestACentreMayBeginAsABackupOfAnother gives a centre's file another key.
func TestACentreMayBeginAsABackupOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 22, 1)
	b := w.boxes[0]
	w.publish(b)
	w.settle()
	if err := os.Remove(filepath.Join(w.folder, "centre.seed")); err != nil {
		t.Fatal(err)
	}
	w.openHub()
	w.start(b)
	w.settle()
	w.agree(b)
	w.publish(b)
	w.settle()
	w.agree(b)
}

// TestABoxOfAnOlderBackupIsRefusedByName puts an older backup in a box's place.
func TestABoxOfAnOlderBackupIsRefusedByName(t *testing.T) {
	t.Parallel()
	for _, more := range []bool{false, true} {
		w := newWorld(t, 7, 1)
		b := w.boxes[0]
		w.publish(b)
		w.backUp(b)
		w.publish(b)
		w.publish(b)
		w.settle()
		w.agree(b)
		w.restore(b)
		want := "ahead: the centre has"
		if more { // it goes on as if nothing had happened
			want = "fork: the first"
			for range 5 {
				w.publish(b)
			}
		}
		w.start(b)
		w.settle()
		if got := b.sender.Status(); got.State != box.Refused || !strings.HasPrefix(got.Detail, want) {
			t.Errorf("the restored box is %s: %s; want a refusal that begins %q", got.State, got.Detail, want)
		}
	}
}

// TestAPackThatBreaksOffGoesOnWhereItDid lets the centre fail within a pack, and then the box send other entries: more
// than before, or fewer.
func TestAPackThatBreaksOffGoesOnWhereItDid(t *testing.T) {
	t.Parallel()
	for others, want := range map[int]string{0: "", 4: "entry 4 is not the one that a pack had before", 1: "entry 4 is missing"} {
		w := newWorld(t, 8, 1)
		b := w.boxes[0]
		w.publish(b)
		w.settle()
		w.backUp(b)
		w.publish(b)
		w.observe(b)
		w.publish(b)
		w.observe(b)
		observe := w.resolve
		w.resolver = func(ctx context.Context, text []byte, e journal.Entry, also func(*engine.Tx, bool) error) (func() error, error) {
			if e.BoxIndex > 4 {
				return nil, errLost
			}
			return observe(ctx, text, e, also)
		}
		b.sender.Step(t.Context())
		if n := len(w.inserts(w.centre)); n != 3 || b.sender.Status().Confirmed != 2 {
			t.Fatalf("%d logs are stored, and %d entries confirmed; the pack did not break off", n, b.sender.Status().Confirmed)
		}
		w.resolver = observe
		if others > 0 {
			w.restore(b)
			for range others {
				w.publish(b)
			}
		}
		w.restart(w.centre)
		w.openHub()
		w.start(b)
		w.settle()
		if got := b.sender.Status(); others > 0 && (got.State != box.Refused || !strings.Contains(got.Detail, want)) {
			t.Errorf("the box with %d other entries is %s: %s", others, got.State, got.Detail)
		} else if others == 0 {
			w.agree(b)
		}
	}
}

// TestACentreStoresNothingBeforeItsStoresHaveRoom lets the stores that follow a centre be too far behind for a time.
func TestACentreStoresNothingBeforeItsStoresHaveRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9, 1)
	behind := true
	w.admit = func(context.Context) error {
		if behind {
			return graph.ErrUnavailable
		}
		return nil
	}
	w.openHub()
	b := w.boxes[0]
	w.publish(b)
	b.sender.Step(t.Context())
	if n, s := len(w.inserts(w.centre)), b.sender.Status(); n > 0 || s.Confirmed > 0 || s.State == box.Refused {
		t.Fatalf("%d logs are stored, %d entries confirmed, and the box is %s: %s", n, s.Confirmed, s.State, s.Detail)
	}
	behind = false
	w.settle()
	w.agree(b)
}

// TestAnAlteredPackIsRefusedByName changes one thing of a pack: on its way, where nobody has the box's key, or at the box, which
// signs it.
func TestAnAlteredPackIsRefusedByName(t *testing.T) {
	suite.OneGoroutine(t)
	t.Parallel()
	const onItsWay = "the pack was altered on its way"
	alike := "<http://ex/forged> <http://ex/p> \"forged\" .\n"
	for i := range 12 * 12 {
		alike += fmt.Sprintf("_:b%d <http://ex/p> _:b%d .\n", i/12, i%12)
	}
	for name, spoil := range map[string]struct {
		do   func(*pack.Pack)
		want string // of the box's; "" if it may do that
		way  string // of others'
	}{
		"a triple": {func(p *pack.Pack) {
			for i := range p.Entries {
				if e := &p.Entries[i]; e.Content != nil {
					e.Content = bytes.Replace(e.Content, []byte("0.50"), []byte("0.51"), 1)
				}
			}
		}, "the triples of log", onItsWay},
		"triples that are too alike": {func(p *pack.Pack) {
			for i := range p.Entries {
				if e := &p.Entries[i]; e.Content != nil {
					e.Content = []byte(alike)
				}
			}
		}, "the triples of log", onItsWay},
		"all that is beside": {func(p *pack.Pack) {
			for i := range p.Entries {
				p.Entries[i] = pack.Entry{JSON: p.Entries[i].JSON, Open: []byte("null")}
			}
		}, "", onItsWay},
		"an entry": {func(p *pack.Pack) {
			e := &p.Entries[len(p.Entries)-1]
			e.JSON = bytes.Replace(e.JSON, []byte(`"triples":`), []byte(`"triples":1`), 1)
		}, "the box's key signed other entries", "the box's key signed other entries"},
		"its salt": {func(p *pack.Pack) {
			for i := range p.Entries {
				p.Entries[i].Salt = nil
			}
		}, "comes without the salt", onItsWay},
		"an observation": {func(p *pack.Pack) {
			p.Entries[len(p.Entries)-1].Content = []byte(`{"text":"another"}`)
		}, "the observation is not the one", onItsWay},
		"an erasure": {func(p *pack.Pack) {
			p.Entries[len(p.Entries)-1].Content = pack.Erasure{IRIs: []string{"http://ex/another"}}.Text()
		}, "it is not of the person", onItsWay},
		"what replaces a person": {func(p *pack.Pack) {
			e := &p.Entries[len(p.Entries)-1]
			e.Content = append([]byte("http://ex/another"), e.Content...)
		}, "a person is not replaced by urn:uuid:", onItsWay},
		"everybody": {func(p *pack.Pack) {
			p.Entries[len(p.Entries)-1].Content = pack.Erasure{IRIs: []string{"https://"}}.Text()
		}, "it names nobody", onItsWay},
		"segraph's graph": {func(p *pack.Pack) {
			for i := range p.Entries {
				if e := &p.Entries[i]; e.Content != nil {
					e.Content = append(e.Content, "<u:s> <u:p> <u:o> <urn:segraph:contexts> .\n"...)
				}
			}
		}, "a graph that segraph itself writes", onItsWay},
		"who": {func(p *pack.Pack) {
			e := &p.Entries[len(p.Entries)-1]
			e.Open = bytes.Replace(e.Open, []byte("robot"), []byte("eva"), 1)
		}, "has another hash than the entry", onItsWay},
		"more values than any entry has": {func(p *pack.Pack) {
			p.Entries[0].Open = []byte(`{"who":{"values":[""` + strings.Repeat(`,""`, 6*journal.MaxStored/3) + `]}}`)
		}, "and at most 360000 are allowed", onItsWay},
		"another log": {func(p *pack.Pack) { p.Log = "box-9" }, "does not know the log", "does not know the log"},
		"no entries":  {func(p *pack.Pack) { p.Entries = nil }, "the report is not signed", "the report is not signed"},
	} {
		altered := func(t *testing.T, want string, seal bool) {
			w := newWorld(t, 9, 1)
			b := w.boxes[0]
			w.publish(b)
			switch name {
			case "an observation":
				w.observe(b)
			case "an erasure", "what replaces a person", "everybody":
				w.erase(b)
			}
			before := len(w.inserts(w.centre))
			b.spoilt = func(p *pack.Pack) {
				if spoil.do(p); !seal {
					return
				}
				if err := b.log.Excerpt(t.Context(), p.Seal); err != nil {
					t.Error(err)
				}
			}
			w.settle()
			got := b.sender.Status()
			if seal && want == "" {
				if got.State != box.Current || len(w.inserts(w.centre)) == before {
					t.Errorf("the box that keeps something to itself is %s: %s", got.State, got.Detail)
				}
				return
			}
			if got.State != box.Refused || !strings.Contains(got.Detail, want) {
				t.Errorf("the box is %s: %s; want a refusal with %q", got.State, got.Detail, want)
			}
			if len(w.inserts(w.centre)) != before {
				t.Error("the centre stored a part of a pack that it refused")
			}
			b.spoilt = nil
			w.settle()
			w.settle()
			w.agree(b) // the others go on, and so does this one, once its packs are good
		}
		t.Run(name, func(t *testing.T) { altered(t, spoil.want, true) })
		t.Run(name+" on its way", func(t *testing.T) { altered(t, spoil.way, false) })
	}
}

// TestALegalHoldOfTheCentreStopsAnErasureByName also lifts it. Before, the erasure is one of what is no person's.
func TestALegalHoldOfTheCentreStopsAnErasureByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20, 1)
	b := w.boxes[0]
	w.publish(b)
	w.erase(b)
	w.shared = true
	w.settle()
	got := b.sender.Status()
	if got.State != box.Refused || !strings.Contains(got.Detail, "entry 2 erases what is no person's") {
		t.Errorf("the box is %s: %s", got.State, got.Detail)
	}
	w.shared, w.held = false, true
	w.settle()
	w.settle()
	got = b.sender.Status()
	if got.State != box.Refused || !strings.Contains(got.Detail, "legal hold of this centre") || strings.Contains(got.Detail, "http://ex/person") {
		t.Errorf("the box is %s: %s", got.State, got.Detail)
	}
	if all, err := w.hub.Boxes(); err != nil || all[0].Alarm != centre.Denied || all[0].Detail == "" {
		t.Errorf("the centre shows %+v, %v", all, err)
	}
	w.held = false
	w.settle()
	w.settle()
	w.agree(b)
	if all, err := w.hub.Boxes(); err != nil || all[0].Alarm != centre.Quiet {
		t.Errorf("once it goes on, the centre shows %+v, %v", all, err)
	}
}

// TestALegalHoldOfTheCentreDelaysAWithdrawal withdraws two logs, of which one is held. A restart does not forget it.
func TestALegalHoldOfTheCentreDelaysAWithdrawal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 30, 1)
	b := w.boxes[0]
	w.now = time.Now()
	w.publish(b)
	w.publish(b)
	w.settle()
	all := w.inserts(w.centre)
	w.keeps = all[0].LogID
	for _, e := range all {
		if err := b.logs.WithdrawLogs(t.Context(), []string{e.LogID}, journal.Entry{Action: journal.Withdraw, Actor: "eva"}, func(graph.WithdrawnLog) {}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(when string, want ...bool) {
		t.Helper()
		for i, e := range all {
			if got := len(w.quads(w.centre, e)) > 0; got != want[i] {
				t.Errorf("%s, the centre has log %d: %v", when, i, got)
			}
		}
	}
	w.settle()
	has("with a hold", true, false)
	w.restart(w.centre)
	w.openHub()
	has("after a restart", true, false)
	w.keeps = ""
	w.now = w.now.Add(10 * time.Minute)
	for range 2 { // one reports
		b.sender.Step(t.Context())
	}
	has("without the hold", false, false)
	if got := strings.Count(w.said.String(), "legal holds of this centre keep logs"); got != 2 {
		t.Errorf("it is said %d times: %s", got, w.said.String())
	}
	w.agree(b)
}

// TestAnErasureLeavesTheLabelsOfOtherBoxes erases somebody whom one box calls "person 1", as others call somebody else.
func TestAnErasureLeavesTheLabelsOfOtherBoxes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 29, 1)
	w.erase(w.boxes[0], "http://ex/maria", "person 1")
	w.settle()
	all := w.entries(w.centre, journal.Erasure)
	if want := journal.PersonOf(salt, []string{"http://ex/maria"}); len(all) != 1 || all[0].Person != want {
		t.Errorf("the box is %+v; the centre erases %+v, want %q", w.boxes[0].sender.Status(), all, want)
	}
}

// TestAnErasureThatABoxDroppedIsReported starts a box without a centre once, before the centre has its erasure.
func TestAnErasureThatABoxDroppedIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 25, 1)
	b := w.boxes[0]
	w.erase(b)
	if lost, err := box.SetCentres(t.Context(), b.store, nil); err != nil || len(lost) != 1 {
		t.Errorf("the box drops %d, %v; want its erasure", lost, err)
	}
	w.start(b)
	w.erase(b)
	w.settle()
	if got := w.said.String(); strings.Count(got, "came without the names") != 1 || len(w.entries(w.centre, journal.Erasure)) != 1 {
		t.Errorf("the centre says %s", got)
	}
}

// TestAnEntryThatCannotBeStoredIsRefused lets the centre's own entry of an observation be too large. A reader of a stream goes
// on after a refusal.
func TestAnEntryThatCannotBeStoredIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 24, 1)
	w.settle()
	b := w.boxes[0]
	w.resolver = func(ctx context.Context, _ []byte, e journal.Entry, also func(*engine.Tx, bool) error) (func() error, error) {
		e.Action, e.Detail = journal.Resolve, strings.Repeat("a", journal.MaxStored)
		ticket, err := w.centre.store.Submit(ctx, func(tx *engine.Tx) error { return errors.Join(tx.Journal(e), also(tx, true)) })
		if err != nil {
			return nil, err
		}
		return ticket.Wait, nil
	}
	w.publish(b)
	w.observe(b)
	w.settle()
	if got := b.sender.Status(); got.State != box.Refused || !strings.Contains(got.Detail, "at most 60000 are allowed") {
		t.Errorf("the box is %s: %s", got.State, got.Detail)
	}
	if all, err := w.hub.Boxes(); err != nil || all[0].Alarm != centre.Denied {
		t.Errorf("the centre shows %+v, %v", all, err)
	}
	w.resolver = nil
	w.settle()
	w.settle()
	w.agree(b)
}

// TestALogThatDoesNotFitStopsNothing publishes 22 MiB that can't be compressed, between other logs.
func TestALogThatDoesNotFitStopsNothing(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	w := newWorld(t, 26, 1)
	b := w.boxes[0]
	w.publish(b)
	var text strings.Builder
	random, raw := rand.NewChaCha8([32]byte{}), make([]byte, 8<<20)
	for range 2 {
		_, _ = random.Read(raw)
		fmt.Fprintf(&text, "<http://ex/a> <http://ex/image> %q .\n", base64.StdEncoding.EncodeToString(raw))
	}
	d := storetest.Document(t, turtle.NTriples, text.String())
	if _, err := b.store.Add(t.Context(), d, journal.Entry{Actor: "eva", Triples: 2}); err != nil {
		t.Fatal(err)
	}
	w.publish(b)
	w.settle()
	got := w.inserts(w.centre)
	if state := b.sender.Status(); state.State != box.Current || len(got) != 3 || len(w.quads(w.centre, got[1])) != 0 || len(w.quads(w.centre, got[2])) == 0 {
		t.Errorf("the box is %s: %s; the centre has %d logs", state.State, state.Detail, len(got))
	}
}

// TestALogInPartsArrivesAsOne loads a log with a blank node in both of its parts, which arrive on two sides of a restart.
func TestALogInPartsArrivesAsOne(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	w := newWorld(t, 27, 1)
	b := w.boxes[0]
	var text strings.Builder
	text.WriteString("_:x <http://ex/first> 1 .\n")
	for i := range 250_000 {
		fmt.Fprintf(&text, "<http://ex/%d> <http://ex/n> %d .\n", i, i)
	}
	text.WriteString("_:x <http://ex/last> <<( _:x <http://ex/n> _:y )>> .\n")
	if _, err := b.store.Load(t.Context(), strings.NewReader(text.String()), turtle.Turtle, turtle.Options{}, journal.Entry{Actor: "eva"}, nil); err != nil {
		t.Fatal(err)
	}
	for b.sender.Status().Confirmed < 2 {
		b.sender.Step(t.Context())
	}
	w.restart(w.centre)
	w.openHub()
	w.settle()
	theirs, here := w.inserts(b), w.inserts(w.centre)
	if len(here) != 2 || len(theirs) != 2 {
		t.Fatalf("the box is %+v; the centre has %d of %d parts", b.sender.Status(), len(here), len(theirs))
	}
	var blank []rdf.Quad
	for i, e := range here {
		if want := theirs[i]; e.LogID != want.LogID || e.Part != want.Part || e.Bytes != want.Bytes {
			t.Errorf("part %d of %s (%s) arrived as part %d of %s (%s)", want.Part, want.LogID, want.Bytes, e.Part, e.LogID, e.Bytes)
		}
		quads, _, err := w.centre.logs.Part(t.Context(), e, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range quads {
			if q.S.IsBlank() {
				blank = append(blank, q)
			}
		}
	}
	if len(blank) != 2 || blank[0].S != blank[1].S || blank[1].O.Triple().S != blank[0].S || blank[1].O.Triple().O == blank[0].S {
		t.Errorf("the blank nodes are %v", blank)
	}
	storetest.Check(t, w.centre.store)
}

// TestABoxActsOnItsOwnLogsAlone lets a box withdraw a log of another, and take its id.
func TestABoxActsOnItsOwnLogsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 11, 2)
	w.publish(w.boxes[0])
	w.settle()
	id := w.inserts(w.boxes[0])[0].LogID
	evil := w.boxes[1]
	if err := evil.store.Note(t.Context(), journal.Entry{Action: journal.Withdraw, Actor: "eva", Withdrawn: id}); err != nil {
		t.Fatal(err)
	}
	d := storetest.Document(t, turtle.Turtle, "<http://ex/other> <http://ex/p> 1 .")
	if _, err := evil.store.Add(t.Context(), d, journal.Entry{LogID: id, Actor: "eva", Triples: d.Distinct()}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.agree(w.boxes[0])
	if state := evil.sender.Status(); state.State != box.Current {
		t.Errorf("the other box is %s: %s", state.State, state.Detail)
	}
	var theirs []journal.Numbered
	for _, e := range w.inserts(w.centre) {
		if e.Box == evil.name {
			theirs = append(theirs, e)
		}
	}
	if len(theirs) != 1 || theirs[0].LogID == id || len(w.quads(w.centre, theirs[0])) != 1 {
		t.Errorf("the log of the other box arrived as %+v", theirs)
	}
}

// TestNobodyComesBackFromABox erases a person at the centre.
func TestNobodyComesBackFromABox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12, 1)
	w.erased = "http://ex/robot"
	w.openHub()
	w.start(w.boxes[0])
	d := storetest.Document(t, turtle.Turtle, "<http://ex/robot> <http://ex/p> 1 . <http://ex/b> <http://ex/p> 2 .")
	if _, err := w.boxes[0].store.Add(t.Context(), d, journal.Entry{Actor: "eva", Claimed: w.erased, Triples: d.Distinct()}); err != nil {
		t.Fatal(err)
	}
	const cook = "maria the cook" // another name of the same person
	for _, e := range []journal.Entry{{Action: journal.Look, Actor: w.erased, Subject: w.erased + "#x", Detail: "see " + w.erased}, {Action: journal.Subject, Actor: "eva", Subject: cook}} {
		if err := w.boxes[0].store.Note(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	w.settle()
	got := w.inserts(w.centre)
	if len(got) != 1 || got[0].Withheld != 1 || len(w.quads(w.centre, got[0])) != 1 {
		t.Errorf("the centre has %+v", got)
	}
	for _, e := range append(got, w.entries(w.centre, journal.Forwarded)...) {
		if all := e.Actor + e.Claimed + e.Subject + e.Detail; strings.Contains(all, w.erased) || strings.Contains(all, cook) {
			t.Errorf("the centre has the entry %+v", e)
		}
	}
}

// TestAWithdrawnLogDoesNotComeBackUnderAnotherOrigin withdraws it at the centre alone.
func TestAWithdrawnLogDoesNotComeBackUnderAnotherOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 16, 1)
	b := w.boxes[0]
	w.publish(b)
	w.publish(b)
	w.settle()
	got := w.inserts(w.centre)
	err := w.centre.logs.WithdrawLogs(t.Context(), []string{got[0].LogID}, journal.Entry{Action: journal.Withdraw, Actor: "eva"}, func(graph.WithdrawnLog) {})
	if err == nil {
		err = translog.Retire(t.Context(), b.store)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.name = "box-again"
	w.restart(b)
	w.openHub()
	w.start(b)
	w.publish(b)
	w.settle()
	if state := b.sender.Status(); state.State != box.Current {
		t.Errorf("the box is %s: %s", state.State, state.Detail)
	}
	if got := w.inserts(w.centre); len(got) != 3 || len(w.quads(w.centre, got[0])) > 0 || len(w.quads(w.centre, got[1])) == 0 {
		t.Errorf("the centre has %d logs, want 3", len(got))
	}
}

// A document that is too complex to canonicalize arrives once too, and does not come back.
func TestALogThatNoGraphIsCommittedOfArrivesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 31, 1)
	b := w.boxes[0]
	for n := range 2 {
		text := fmt.Sprintf("_:b0 <http://ex/log> %d .\n", n)
		for i := range 12 {
			for j := range 12 {
				if i != j {
					text += fmt.Sprintf("_:b%d <http://ex/knows> _:b%d .\n", i+1, j+1)
				}
			}
		}
		d := storetest.Document(t, turtle.Turtle, text)
		if _, err := b.store.Add(t.Context(), d, journal.Entry{LogID: journal.NewLogID(), Actor: "eva", Triples: d.Distinct()}); err != nil {
			t.Fatal(err)
		}
	}
	w.settle()
	got := w.inserts(w.centre)
	if len(got) != 2 || got[0].Graph != "" {
		t.Fatalf("the box is %+v; the centre has %+v", b.sender.Status(), got)
	}
	err := w.centre.logs.WithdrawLogs(t.Context(), []string{got[0].LogID}, journal.Entry{Action: journal.Withdraw, Actor: "eva"}, func(graph.WithdrawnLog) {})
	if err == nil {
		err = translog.Retire(t.Context(), b.store)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.name = "box-again"
	w.restart(b)
	w.openHub()
	w.start(b)
	w.settle()
	got = w.inserts(w.centre)
	if state := b.sender.Status(); state.State != box.Current || len(got) != 2 || len(w.quads(w.centre, got[0])) > 0 || len(w.quads(w.centre, got[1])) == 0 {
		t.Errorf("the box is %+v; the centre has %d logs, want 2", state, len(got))
	}
}

// What a box withdrew while a legal hold kept it goes although the box was retired since.
func TestARetiredBoxIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 32, 1)
	b := w.boxes[0]
	w.publish(b)
	w.settle()
	log := w.inserts(w.centre)[0]
	w.keeps = log.LogID
	w.withdraw(b)
	w.settle()
	if len(w.quads(w.centre, log)) == 0 {
		t.Fatal("the hold keeps nothing")
	}
	w.keeps, w.boxes = "", nil
	w.openHub()
	if len(w.quads(w.centre, log)) > 0 {
		t.Error("what a box withdrew before it was retired stays")
	}
	w.boxes = []*site{b} // to be closed
}

// TestARestoredBoxWithdrawsItsEarlierLogs renames a box. Its new name replaces the former one at the centre, or joins it.
func TestARestoredBoxWithdrawsItsEarlierLogs(t *testing.T) {
	t.Parallel()
	for _, both := range []bool{false, true} {
		w := newWorld(t, 28, 1)
		b := w.boxes[0]
		w.publish(b)
		w.settle()
		if err := translog.Retire(t.Context(), b.store); err != nil {
			t.Fatal(err)
		}
		b.name = "box-again"
		former := w.keys
		w.restart(b)
		if w.openHub(); both {
			w.keys, w.fixed = append(w.keys, former...), true
			w.openHub()
		}
		w.start(b)
		w.settle()
		w.withdraw(b)
		w.settle()
		got := w.inserts(w.centre)
		if state := b.sender.Status(); state.State != box.Current || len(got) != 1 {
			t.Fatalf("the box is %+v; the centre has %d logs", state, len(got))
		}
		if left := len(w.quads(w.centre, got[0])); left > 0 != both {
			t.Errorf("%d triples of the withdrawn log are left; the former box is named: %t", left, both)
		}
	}
}

// TestARestoredBoxHasItsLogsOnceWhereSomebodyWasErased renames a box whose log names somebody whom only the centre erased.
func TestARestoredBoxHasItsLogsOnceWhereSomebodyWasErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 29, 1)
	b := w.boxes[0]
	w.erased = "http://ex/robot"
	w.openHub()
	w.start(b)
	d := storetest.Document(t, turtle.Turtle, "<http://ex/robot> <http://ex/p> 1 . <http://ex/b> <http://ex/p> 2 .")
	id := journal.NewLogID()
	if _, err := b.store.Add(t.Context(), d, journal.Entry{LogID: id, Action: journal.Insert, Actor: "eva", Triples: d.Distinct()}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if err := translog.Retire(t.Context(), b.store); err != nil {
		t.Fatal(err)
	}
	b.name = "box-again"
	w.restart(b)
	w.openHub()
	w.start(b)
	w.settle()
	err := b.logs.WithdrawLogs(t.Context(), []string{id}, journal.Entry{Action: journal.Withdraw, Actor: "eva"}, func(graph.WithdrawnLog) {})
	w.settle()
	if got := w.inserts(w.centre); err != nil || len(got) != 1 || len(w.quads(w.centre, got[0])) != 0 {
		t.Errorf("the centre has %+v, %v", got, err)
	}
}

// TestAnIdleBoxIsNotSilent lets a box without logs go on, and another one end.
func TestAnIdleBoxIsNotSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 13, 3)
	w.now = time.Now().UTC()
	w.openHub()
	for _, b := range w.boxes {
		w.start(b)
	}
	idle, slow := w.boxes[0], w.boxes[2]
	alarms := func(want ...centre.Alarm) {
		t.Helper()
		got, err := w.hub.Boxes()
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range got {
			if b.Alarm != want[i] {
				t.Errorf("%s has the alarm %q, want %q: %+v", b.Log, b.Alarm, want[i], b)
			}
		}
	}
	alarms(centre.Unseen, centre.Unseen, centre.Unseen)
	w.publish(idle)
	w.publish(slow)
	w.settle()
	alarms("", "", "")
	for range 10 {
		w.now = w.now.Add(20 * time.Second)
		idle.sender.Step(t.Context())
		idle.sender.Step(t.Context())
	}
	alarms("", centre.Silent, centre.Silent)
	w.publish(slow)
	w.now = w.now.Add(5 * time.Minute)
	w.start(slow) // its first step reports what waits
	slow.spoilt = func(p *pack.Pack) { p.Checkpoint[0] ^= 1 }
	slow.sender.Step(t.Context())
	alarms(centre.Silent, centre.Silent, centre.Behind)
	if got, _ := w.hub.Boxes(); got[2].Report.Entries != got[2].Entries+1 {
		t.Errorf("the slow box reports %+v", got[2])
	}
	w.openHub() // a centre that starts again waits for reports
	alarms("", "", "")
}

// TestAReportThatTheBoxDidNotSignIsRefused sends the report of one box as that of another.
func TestAReportThatTheBoxDidNotSignIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 14, 2)
	w.settle()
	var report []byte
	w.boxes[0].spoilt = func(p *pack.Pack) { report = p.Report }
	w.now = time.Now().Add(20 * time.Second) // when the next report is due
	w.publish(w.boxes[0])
	w.settle()
	if len(report) == 0 {
		t.Fatal("no pack had a report")
	}
	forged := &pack.Pack{Log: w.boxes[1].name, Report: report}
	sent, err := forged.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var refused *pack.Refusal
	if _, err := w.hub.ReceiveAt(t.Context(), sent, centre.Place{}); !errors.As(err, &refused) || refused.Reason != pack.Key {
		t.Errorf("a report of another box: %v", err)
	}
}

// TestAKeyMayChangeWhileEntriesWait rotates the key of a box twice, with more entries than a pack holds
// before, between and after.
func TestAKeyMayChangeWhileEntriesWait(t *testing.T) {
	suite.OneGoroutine(t)
	t.Parallel()
	w := newWorld(t, 15, 1)
	b := w.boxes[0]
	w.settle()
	w.backUp(w.centre)
	w.fixed = true
	large := strings.Repeat("ab", pack.Usual/2)
	for range 2 {
		for i := range 3 {
			d := storetest.Document(t, turtle.Turtle, fmt.Sprintf("<http://ex/a> <http://ex/p> %q, %d .", large, i))
			if _, err := b.store.Add(t.Context(), d, journal.Entry{LogID: journal.NewLogID(), Actor: "eva", Triples: d.Distinct()}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := translog.Rotate(t.Context(), b.store, translog.Options{KeyFile: filepath.Join(w.folder, b.name+".key"), Origin: b.name}, nil, "eva"); err != nil {
			t.Fatal(err)
		}
	}
	w.publish(b)
	w.restart(b)
	w.start(b)
	packs, forged := 0, false
	b.spoilt = func(p *pack.Pack) {
		if packs++; packs == 1 && len(p.Handovers) != 2 {
			t.Errorf("the first pack has %d handovers, want 2", len(p.Handovers))
		}
		if !forged { // without them, nothing leads to the key that signs
			p.Handovers, forged = nil, true
		}
	}
	b.sender.Step(t.Context())
	if got := b.sender.Status(); got.State != box.Refused || !strings.Contains(got.Detail, "not signed with the log's key") {
		t.Errorf("without handovers the box is %s: %s", got.State, got.Detail)
	}
	w.settle()
	w.settle()
	w.agree(b)
	if packs < 5 {
		t.Errorf("all was sent in %d packs, which tests nothing", packs)
	}
	w.openHub()
	w.publish(b)
	w.settle()
	w.agree(b)
	w.restore(w.centre) // from before the changes
	w.openHub()
	w.start(b)
	w.settle()
	w.agree(b)
}

// TestABusyBoxReportsWithItsPacks counts what it sends in a busy minute. Then the centre reads an old pack from a stream.
func TestABusyBoxReportsWithItsPacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 21, 1)
	b := w.boxes[0]
	w.now = time.Now().UTC()
	w.start(b)
	w.settle()
	before, reports := w.carried.Load(), 0
	b.spoilt = func(p *pack.Pack) { reports += min(len(p.Report), 1) }
	for range 60 {
		w.now = w.now.Add(time.Second)
		w.publish(b)
		b.sender.Step(t.Context())
		b.sender.Step(t.Context())
	}
	w.agree(b)
	if got := w.carried.Load() - before; got != 60 || reports != 3 {
		t.Errorf("60 logs took %d messages, %d with a report", got, reports)
	}
	heard := func() {
		t.Helper()
		if all, err := w.hub.Boxes(); err != nil || !all[0].Heard.Equal(w.now) || all[0].Ahead != 0 || all[0].Alarm != centre.Quiet {
			t.Errorf("at %v, the centre shows %+v, %v", w.now, all, err)
		}
	}
	w.now = w.now.Add(10 * time.Second)
	w.publish(b)
	b.sender.Step(t.Context())
	heard()
	b.spoilt = func(p *pack.Pack) {
		if sent, err := p.Encode(); err != nil || len(p.Report) > 0 {
			t.Errorf("an old pack with a report tests nothing; %v", err)
		} else if _, err := w.hub.ReceiveAt(t.Context(), sent, centre.Place{Stream: "1", Seq: 1, Time: w.now.Add(-time.Hour)}); err != nil {
			t.Error(err)
		}
		heard()
	}
	w.publish(b)
	b.sender.Step(t.Context())
}

// TestBoxesForwardAtTheSameTime receives packs of several boxes at the same time, and the same pack twice.
func TestBoxesForwardAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 16, 3)
	w.settle()
	var group sync.WaitGroup
	for _, b := range w.boxes {
		for range 10 {
			w.publish(b)
		}
		b.spoilt = func(p *pack.Pack) {
			sent, err := p.Encode()
			if err != nil {
				t.Error(err)
			}
			group.Go(func() { _, _ = w.hub.ReceiveAt(t.Context(), sent, centre.Place{}) }) // whichever of the two comes second is refused as repeated
		}
	}
	for _, b := range w.boxes {
		group.Go(func() { b.sender.Step(t.Context()) })
	}
	group.Wait()
	for _, b := range w.boxes {
		b.spoilt = nil
	}
	w.settle()
	for _, b := range w.boxes {
		w.agree(b)
	}
	storetest.Check(t, w.centre.store)
}

// TestABoxForwardsToTwoCentres cuts the way to one of them meanwhile, and ends the box.
func TestABoxForwardsToTwoCentres(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t, 17, 1), newWorld(t, 18, 0)
	b := w.boxes[0]
	other.boxes = w.boxes
	other.openHub()
	w.others, other.others = []string{other.hub.Key()}, []string{w.hub.Key()}
	w.erase(b)
	w.start(b)
	w.erase(b)
	erasure := w.entries(b, journal.Erasure)[1].Seq - 1
	for round := range 3 {
		w.faults, other.faults = 20, 100
		w.restart(b)
		w.start(b)
		for range 10 {
			w.publish(b)
			b.sender.Step(t.Context())
		}
		w.settle()
		if kept, err := b.kept(erasure); round == 0 && (kept == nil || err != nil || b.dropped > 0) {
			t.Errorf("what one centre has not confirmed is gone: %v", err)
		}
		other.start(b)
		b.sender.Step(t.Context())
		if got := b.sender.Status(); got.State != box.Connecting || round > 0 && got.Confirmed == 0 || got.Entries <= got.Confirmed {
			t.Errorf("without a way, the link to the other centre is %+v", got)
		}
		other.settle()
		w.agree(b)
		other.agree(b)
		if kept, err := b.kept(erasure); kept != nil || err != nil || b.dropped == 0 {
			t.Errorf("an erasure that both centres have confirmed is kept: %q, %v; dropped %d times", kept, err, b.dropped)
		}
	}
}
