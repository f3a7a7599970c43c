// Package witness implements a witness of transparency logs (C2SP tlog-witness). It cosigns
// a checkpoint of a log only if a proof shows that it continues the last one. So a log
// whose checkpoints are cosigned can't change its past.
//
// One file beside the data holds the witness's key and its record, the last checkpoint of
// each log. No backup contains the file: with an older record, the witness would cosign a
// second history. The record is written and synced before a cosignature is returned.
package witness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/time/rate"

	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/publickey"
)

// Reason is the reason for refusing a request.
type Reason int

// The reasons, with their status in tlog-witness.
const (
	Malformed    Reason = iota // 400
	Forbidden                  // 403: no signature of a known key
	Unknown                    // 404: not one of the witness's logs
	Inconsistent               // 422: the checkpoint does not continue the last one
	Busy                       // 429: too many checkpoints
)

// RefusalError refuses a request.
type RefusalError struct {
	Reason Reason
	Detail string
}

func (e *RefusalError) Error() string { return e.Detail }

func refuse(r Reason, format string, args ...any) *RefusalError {
	return &RefusalError{r, fmt.Sprintf(format, args...)}
}

// SizeError reports that a proof does not begin with the last cosigned checkpoint (409).
// Size is the size of that checkpoint.
type SizeError struct{ Size uint64 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("the last checkpoint that this witness cosigned has %d entries", e.Size)
}

// Options configure a Witness.
type Options struct {
	Path string   // the file with the key and the record; it is made if it does not exist
	Logs []string // verifier keys of the logs; keys with the same name belong to one log
	Log  *slog.Logger
	Now  func() time.Time // nil means time.Now
}

// Limits of a Witness. It writes only for checkpoints signed by a log's key. Each log may
// send maxBurst of them at once, and then one each second.
const (
	maxBurst   = 10
	maxWaiting = 64
)

// Witness cosigns checkpoints of logs. It is safe for concurrent use.
type Witness struct {
	options Options
	signer  *cosignature.Signer
	known   map[string]note.Verifiers // by origin
	names   []string                  // origins, in the order of the options
	turn    chan struct{}             // held while a checkpoint is compared and recorded
	waiting chan struct{}

	mu     sync.Mutex // guards the following, for readers; writers also hold turn
	record record
	growth map[string]*rate.Limiter // of the record, by origin; time.Now is monotonic, so the clock may be set back
}

// Open returns the witness with the key and record in a file.
func Open(o Options) (*Witness, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &Witness{options: o, known: map[string]note.Verifiers{}, growth: map[string]*rate.Limiter{},
		turn: make(chan struct{}, 1), waiting: make(chan struct{}, maxWaiting)}
	keys := map[string][]note.Verifier{}
	for _, k := range o.Logs {
		v, err := publickey.NewVerifier(k)
		if err != nil {
			return nil, fmt.Errorf("%.100q is not the verifier key of a log, as segraph audit key prints it: %w", k, err)
		}
		if !slices.Contains(w.names, v.Name()) {
			w.names = append(w.names, v.Name())
		}
		keys[v.Name()] = append(keys[v.Name()], v)
	}
	for name, list := range keys {
		w.known[name] = note.VerifierList(list...)
		w.growth[name] = rate.NewLimiter(1, maxBurst)
	}
	var err error
	if w.record, w.signer, err = recordIn(o.Path); err != nil {
		return nil, err
	}
	return w, nil
}

// Key returns the witness's verifier key.
func (w *Witness) Key() string { return w.signer.Verifier().String() }

// Add handles add-checkpoint: it returns the witness's cosignature line. The error is a
// *RefusalError, a *SizeError, the context's, or the disk's.
func (w *Witness) Add(ctx context.Context, body []byte) (line string, err error) {
	r, err := parse(body)
	if err != nil {
		return "", refuse(Malformed, "%v", err)
	}
	known, ok := w.known[r.origin]
	if !ok {
		return "", refuse(Unknown, "this service does not witness the log %.100q", r.origin)
	}
	c, err := r.open(known)
	if err != nil {
		return "", err
	}
	if r.old > c.size {
		return "", refuse(Malformed, "the old size %d is larger than the checkpoint's, %d", r.old, c.size)
	}
	select {
	case w.waiting <- struct{}{}:
		defer func() { <-w.waiting }()
	default:
		return "", refuse(Busy, "too many checkpoints are waiting")
	}
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return w.add(ctx, r, c)
}

// add compares a checkpoint with the last one, records it and cosigns it. The caller holds
// the turn.
func (w *Witness) add(ctx context.Context, r request, c checkpoint) (line string, err error) {
	last := w.record.Logs[r.origin] // only the holder of the turn writes
	if err := compare(last, r, c); err != nil {
		return "", w.refused(ctx, last, r, c, err)
	}
	now := w.options.Now()
	grown := c.size > last.Size || last.Note == ""
	if grown && !w.growth[r.origin].AllowN(now, 1) {
		return "", refuse(Busy, "%.100q sends more than a checkpoint a second", r.origin)
	}
	line = w.signer.Line([]byte(c.text), now)
	next := seen{Size: c.size, Root: c.root[:], Note: c.signed() + line, Time: now.UTC(), Doubt: last.Doubt}
	if grown && next.Doubt != nil && !next.Doubt.Proven {
		next.Doubt = nil
		w.options.Log.InfoContext(ctx, "a witnessed log continues what it showed before", "log", r.origin, "entries", c.size)
	}
	if err := w.put(r.origin, next, grown); err != nil {
		return "", err
	}
	return line, nil
}

// compare returns a *SizeError or a *RefusalError unless a checkpoint continues the last one of its log.
func compare(last seen, r request, c checkpoint) error {
	if r.old != last.Size {
		return &SizeError{last.Size}
	}
	switch hasher := rfc6962.DefaultHasher; {
	case c.size == 0 && string(c.root[:]) != string(hasher.EmptyRoot()):
		return refuse(Inconsistent, "the checkpoint has no entries, but not the root of an empty tree")
	case r.old == 0:
		if len(r.proof) > 0 {
			return refuse(Inconsistent, "nothing was cosigned before, so the proof must be empty")
		}
	default:
		if err := proof.VerifyConsistency(hasher, r.old, c.size, r.proof, last.Root, c.root[:]); err != nil {
			return refuse(Inconsistent, "the checkpoint with %d entries does not continue the one with %d entries: %v", c.size, r.old, err)
		}
	}
	return nil
}

// refused returns why, the reason for refusing a checkpoint. If the checkpoint contradicts the
// last one, it also records the doubt about the log.
func (w *Witness) refused(ctx context.Context, last seen, r request, c checkpoint, why error) error {
	d := &Doubt{Time: w.options.Now().UTC(), Checkpoint: c.signed()}
	_, stale := why.(*SizeError)
	switch {
	case c.size == last.Size && last.Size > 0 && string(c.root[:]) != string(last.Root):
		d.Proven = true
		d.Detail = fmt.Sprintf("its key signed two histories with %d entries: its file was rewritten or forked", c.size)
	case c.size < last.Size:
		d.Detail = fmt.Sprintf("it showed %d entries after %d: its file was rolled back, or somebody repeated an old checkpoint", c.size, last.Size)
	case stale || last.Size == 0:
		return why // after a kill, a log may not know which checkpoint it sent last
	default:
		d.Detail = fmt.Sprintf("it showed %d entries that do not continue the %d it showed before: its file was rewritten or forked, or somebody sent a wrong proof", c.size, last.Size)
	}
	if last.Doubt != nil && (last.Doubt.Proven || !d.Proven) {
		return why // the first doubt stays recorded until the log continues
	}
	w.options.Log.ErrorContext(ctx, "a witnessed log contradicts what it showed before", "log", r.origin, "detail", d.Detail,
		"proven", d.Proven, "checkpoint", d.Checkpoint, "cosigned", last.Note)
	last.Doubt = d
	if err := w.put(r.origin, last, true); err != nil {
		w.options.Log.ErrorContext(ctx, "the doubt about a witnessed log could not be recorded", "log", r.origin, "error", err)
	}
	return why
}

// put replaces the state of a log. If durable is set, it writes the file first. The caller holds
// turn, so that nobody else changes w.record.
func (w *Witness) put(origin string, s seen, durable bool) error {
	next := w.record.with(origin, s)
	if durable {
		if err := next.write(w.options.Path); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record = next
	return nil
}

// Status is what the witness knows about a log.
type Status struct {
	Origin string
	Size   uint64    // entries of the last checkpoint that was cosigned
	Time   time.Time // of that cosignature; zero if there is none
	Doubt  *Doubt    // nil if the log never contradicted itself
}

// Status returns what the witness knows about each of its logs.
func (w *Witness) Status() []Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Status, len(w.names))
	for i, name := range w.names {
		s := w.record.Logs[name]
		out[i] = Status{name, s.Size, s.Time, s.Doubt}
	}
	return out
}

// Checkpoint returns the last cosigned checkpoint of the log with a hash, the hexadecimal
// SHA-256 of its name. ok is false if there is none.
func (w *Witness) Checkpoint(hash string) (signed string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.names {
		if sum := sha256.Sum256([]byte(name)); strings.EqualFold(hex.EncodeToString(sum[:]), hash) {
			signed = w.record.Logs[name].Note
		}
	}
	return signed, signed != ""
}
