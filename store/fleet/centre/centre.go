// Package centre receives the journals of boxes. It verifies each pack, stores its logs with entries
// of its own, and cosigns the box's checkpoint: only that tells a box that a pack is delivered.
//
// Each unit of work stores some entries of a pack, and how far the box is stored, so that others get their turn. The
// last one confirms the pack. If it fails before, the box sends the pack again, and what is stored is skipped. A pack
// that begins elsewhere than the last confirmed one ended changes nothing.
package centre

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/publickey"
	"github.com/segraph/segraph/store/rdf"
)

// Options configure a Centre.
type Options struct {
	KeyFile string   // of the key that signs confirmations; it is made if it does not exist, and is in no backup
	Boxes   []string // verifier keys of the boxes' logs, as segraph audit key prints them
	// Withdraw withdraws logs. Those that are gone, or can't be withdrawn, are no failure. nil means
	// that what boxes withdraw stays here.
	Withdraw func(ctx context.Context, logIDs []string, box string) error
	// Held returns those of some logs that a legal hold keeps: they are withdrawn once none does. nil means that there are no holds.
	Held func(ctx context.Context, logIDs []string) ([]string, error)
	// Observe resolves an observation of a box: its text, with e as the journal's entry, whose Context is the one
	// that the box answered. It returns before that is on the disk; wait returns once it is. also is called in the
	// same unit of work, and is told whether the observation got the entry, which a repeated one does not. A nil
	// wait without an error means that the observation can't be used, and that nothing was stored. Observe and Erase take
	// people who were erased here out of e. nil keeps the entries alone.
	Observe func(ctx context.Context, text []byte, e journal.Entry, also func(tx *engine.Tx, entered bool) error) (wait func() error, err error)
	// Erase erases whom a box erased, with e as the journal's entry, and calls also in the same unit of work. whom has
	// only IRIs: a name such as "person 1" may be somebody else's at another box. The error is store.ErrShared, or
	// another *store.UnfitError if a legal hold forbids it. nil keeps the entries alone.
	Erase func(ctx context.Context, whom *pack.Erasure, e journal.Entry, also func(tx *engine.Tx) error) error
	// Term replaces a term that names somebody who was erased, by the zero Term if nothing does;
	// nil means that nobody was. Sentences are the texts that go with it; see store.Document.Map.
	Term      func(rdf.Term) rdf.Term
	Sentences store.Sentences
	// Blank takes those people out of a text, or out of a name, which need not be an IRI; nil means that there are none.
	Blank func(text string, isName bool) string
	Admit func(ctx context.Context) error // waits before each unit of work; nil waits for nothing
	Log   *slog.Logger
	Now   func() time.Time // nil means time.Now
}

// atOnce is how many packs are received at the same time: one waits for the disk while another is parsed.
const atOnce = 2

// ErrUnknown says that a log is none of the centre's boxes.
var ErrUnknown = errors.New("this centre does not know the log; add its key to SEGRAPH_BOXES, as segraph audit key prints it")

// Centre receives packs. It is safe for concurrent use.
type Centre struct {
	options Options
	store   *engine.Store
	signer  *cosignature.Signer
	keys    map[string]string // the configured key of each log

	receiving   chan struct{} // holds a value for each pack that is received: it bounds the memory for packs
	locks       sync.Map      // the name of a box -> *sync.Mutex, held while a pack of it is received
	withdrawing sync.Mutex
	kept        map[string]kept // what legal holds keep of what a box withdrew, by its name; withdrawing guards it

	heard   sync.Map // the name of a box -> heard
	beats   beats
	started time.Time
}

// ErrBoxes is in the error of Open for Options.Boxes.
var ErrBoxes = errors.New("the keys of the boxes")

// Open returns a centre on a file.
func Open(s *engine.Store, o Options) (*Centre, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Centre{options: o, store: s, keys: map[string]string{}, kept: map[string]kept{}, beats: beats{of: map[string][]run{}}, receiving: make(chan struct{}, atOnce), started: o.Now()}
	for _, key := range o.Boxes {
		v, err := publickey.NewVerifier(key)
		if err != nil {
			return nil, fmt.Errorf("%w: %.100q is not the verifier key of a box, as segraph audit key prints it: %w", ErrBoxes, key, err)
		}
		if c.keys[v.Name()] != "" {
			return nil, fmt.Errorf("%w: two are of the box %.100q", ErrBoxes, v.Name())
		}
		c.keys[v.Name()] = key
	}
	var err error
	c.signer, err = signerIn(o.KeyFile)
	return c, err
}

// signerIn reads the signer of confirmations, or makes one.
func signerIn(path string) (*cosignature.Signer, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		seed := make([]byte, ed25519.SeedSize)
		rand.Read(seed)
		text = []byte(hex.EncodeToString(seed) + "\n")
		err = file.WriteSecret(path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the centre's key: %w", err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("the file %s holds no key of a centre; remove it, and give boxes the new key", path)
	}
	key := ed25519.NewKeyFromSeed(seed)
	sum := sha256.Sum256(key.Public().(ed25519.PublicKey))
	return cosignature.NewSigner("segraph/centre/"+hex.EncodeToString(sum[:8]), key)
}

// KeyIn returns the verifier key of the centre whose key is in a file. It makes a missing one.
func KeyIn(path string) (string, error) {
	s, err := signerIn(path)
	if err != nil {
		return "", err
	}
	return s.Verifier().String(), nil
}

// Key returns the verifier key of the centre's confirmations.
func (c *Centre) Key() string { return c.signer.Verifier().String() }

// Newest returns the newest confirmation for a log, or "" if nothing of it arrived. The error may be
// ErrUnknown.
func (c *Centre) Newest(log string) (string, error) {
	if c.keys[log] == "" {
		return "", ErrUnknown
	}
	b, err := c.stored(log)
	return c.own(b.Note), err
}

// Receive stores a pack, which sent returns, and returns the confirmation: the box's checkpoint with the cosignature of
// this centre. It calls sent once there is memory for the pack. Of a pack without entries it keeps the report in memory,
// and returns the newest confirmation, or "". The error is ErrUnknown, a *pack.Refusal, sent's, or the store's.
func (c *Centre) Receive(ctx context.Context, sent func() ([]byte, error)) (note string, err error) {
	return c.receiveAt(ctx, sent, Place{})
}

// ReceiveAt receives a pack that came at a place of a stream, and stores the place with it unless it refuses the
// pack. Its time of arrival is when the stream got it.
func (c *Centre) ReceiveAt(ctx context.Context, sent []byte, at Place) (note string, err error) {
	return c.receiveAt(ctx, func() ([]byte, error) { return sent, nil }, at)
}

// receiveAt is Receive with a place. The zero Place says that there is no stream.
func (c *Centre) receiveAt(ctx context.Context, sent func() ([]byte, error), at Place) (note string, err error) {
	log, after, err := c.receive(ctx, sent, at)
	if err != nil {
		return "", err
	}
	if err := c.withdraw(ctx, log, after); err != nil && ctx.Err() == nil { // the logs stay in the box's state: see Resume
		c.options.Log.ErrorContext(ctx, "what a box withdrew could not be withdrawn yet", "box", log, "error", err)
	}
	return c.own(after.Note), nil
}

// own returns a confirmation with the cosignature of this centre. A file that is a backup of another centre has that
// one's alone.
func (c *Centre) own(note string) string {
	text, signatures, ok := strings.Cut(note, "\n\n")
	if !ok {
		return note
	}
	text += "\n"
	if _, _, err := c.signer.Verifier().Read([]byte(text), signatures); err == nil {
		return note
	}
	return note + c.signer.Line([]byte(text), c.options.Now())
}

// receive receives one pack, which sent reads once it is its turn, and returns the box after it. The error is a *pack.Refusal, ErrUnknown for a box that is
// not in the settings, a *store.UnreadyError while another pack of the box is received, or the store's.
func (c *Centre) receive(ctx context.Context, sent func() ([]byte, error), at Place) (log string, after box, err error) {
	select {
	case c.receiving <- struct{}{}:
		defer func() { <-c.receiving }()
	case <-ctx.Done():
		return "", after, ctx.Err()
	}
	text, err := sent()
	if err != nil {
		return "", after, err
	}
	p, err := pack.Decode(text)
	if err != nil {
		return "", after, &pack.Refusal{Reason: pack.Garbled, Detail: err.Error()}
	}
	if c.keys[p.Log] == "" {
		return "", after, ErrUnknown
	}
	if len(p.Entries) > 0 { // a report changes nothing in the file
		known, _ := c.locks.LoadOrStore(p.Log, new(sync.Mutex))
		lock := known.(*sync.Mutex)
		if at.Stream != "" {
			lock.Lock()
		} else if !lock.TryLock() { // waiting would keep other boxes out
			return "", after, &store.UnreadyError{Detail: "another pack of this box is being received; send this one after it"}
		}
		defer lock.Unlock()
	}
	before, err := c.stored(p.Log)
	if err != nil {
		return "", after, err
	}
	from, err := before.state(p.Log, c.keys[p.Log])
	if err != nil {
		return "", after, err
	}
	if len(p.Entries) == 0 {
		return p.Log, before, c.hears(p, from, before.Size, at)
	}
	v, err := p.Verify(ctx, from)
	if err == nil {
		_ = c.hears(p, v.State, before.Size, at) // an unsigned report is ignored
		after, err = c.put(ctx, before, v, at)
	}
	if refused, ok := errors.AsType[*pack.Refusal](err); ok {
		return "", after, errors.Join(refused, c.refused(ctx, p.Log, before, refused))
	}
	if err != nil {
		return "", after, fmt.Errorf("storing a pack: %w", err)
	}
	return p.Log, after, nil
}

// refused records a refusal that a person must look at: of something that the box's key signed.
func (c *Centre) refused(ctx context.Context, log string, b box, r *pack.Refusal) error {
	if !r.Signed || b.Refused != nil && b.Refused.Detail == r.Detail {
		return nil
	}
	c.options.Log.ErrorContext(ctx, "a box is refused", "box", log, "reason", string(r.Reason), "detail", r.Detail)
	return c.store.Update(ctx, func(tx *engine.Tx) error {
		b, err := read(tx.KV(), log) // a part of the pack may be stored
		if err != nil {
			return err
		}
		b.Refused = &Refused{Time: c.options.Now().UTC(), Reason: r.Reason, Detail: r.Detail}
		return b.put(tx.KV(), log)
	})
}

// Resume goes on with withdrawals that an end of the service interrupted, also of boxes that the operator does not name any more.
func (c *Centre) Resume(ctx context.Context) {
	all := map[string]box{}
	err := c.store.View(func(snap *engine.Snapshot) error {
		for log := range kv.All(snap.KV().Bucket(bucketName)) {
			b, err := read(snap.KV(), string(log))
			if err != nil {
				return err
			}
			all[string(log)] = b
		}
		return nil
	})
	for log, b := range all {
		err = errors.Join(err, c.withdraw(ctx, log, b))
	}
	if err != nil && ctx.Err() == nil {
		c.options.Log.ErrorContext(ctx, "what boxes withdrew could not be withdrawn yet", "error", err)
	}
}

// withdraw withdraws what a box withdrew. Until that is done, the logs stay in the box's state.
func (c *Centre) withdraw(ctx context.Context, log string, b box) error {
	if len(b.Withdraw) == 0 || c.options.Withdraw == nil {
		return nil
	}
	c.withdrawing.Lock()
	defer c.withdrawing.Unlock()
	done, err := c.unheld(ctx, log, b.Withdraw)
	if err == nil && len(done) == 0 {
		return nil
	}
	if err == nil {
		err = c.options.Withdraw(ctx, done, log)
	}
	if err != nil {
		return fmt.Errorf("withdrawing what a box withdrew: %w", err)
	}
	return c.store.Update(ctx, func(tx *engine.Tx) error {
		now, err := read(tx.KV(), log)
		if err != nil {
			return err
		}
		now.Withdraw = slices.DeleteFunc(now.Withdraw, func(id string) bool { return slices.Contains(done, id) })
		return now.put(tx.KV(), log)
	})
}

// heldAgain is after how long a centre looks again for the holds of logs: that may read what all later logs report.
const heldAgain = 10 * time.Minute

// kept is how many logs holds kept, and when a centre looked.
type kept struct {
	logs int
	at   time.Time
}

// unheld returns those of some logs of a box that no legal hold keeps, or none if it looked for the same ones less than heldAgain ago.
func (c *Centre) unheld(ctx context.Context, log string, some []string) ([]string, error) {
	if c.options.Held == nil {
		return some, nil
	}
	last, now := c.kept[log], c.options.Now()
	if since := now.Sub(last.at); last.logs == len(some) && since >= 0 && since < heldAgain {
		return nil, nil
	}
	held, err := c.options.Held(ctx, some)
	if err != nil {
		return nil, err
	}
	if c.kept[log] = (kept{len(held), now}); len(held) > last.logs {
		c.options.Log.WarnContext(ctx, "legal holds of this centre keep logs that a box withdrew; they are withdrawn once the holds end", "box", log, "logs", len(held))
	}
	return slices.DeleteFunc(slices.Clone(some), func(id string) bool { return slices.Contains(held, id) }), nil
}

// Refused is a refusal of a box's packs.
type Refused struct {
	Time   time.Time   `json:"time"`
	Reason pack.Reason `json:"reason"`
	Detail string      `json:"detail"`
}

type named struct {
	log string
	box
}

// all returns the configured boxes, by name.
func (c *Centre) all() (out []named, err error) {
	err = c.store.View(func(snap *engine.Snapshot) error {
		for log, key := range c.keys {
			b, err := read(snap.KV(), log)
			if err != nil {
				return err
			}
			if b.Key == "" {
				b.Key = key
			}
			out = append(out, named{log, b})
		}
		return nil
	})
	slices.SortFunc(out, func(a, b named) int { return strings.Compare(a.log, b.log) })
	return out, err
}
