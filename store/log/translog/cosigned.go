package translog

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/tree"
)

var cosignedKey = []byte("cosigned") // beside originKey

// Checkpoint is a checkpoint that the log signed.
type Checkpoint struct {
	Head   tree.Head
	Signed []byte // the text, an empty line, and the log's signature
}

// Text returns the text that witnesses sign.
func (c Checkpoint) Text() []byte {
	text, _, _ := strings.Cut(string(c.Signed), "\n\n")
	return []byte(text + "\n")
}

// Cosignature is a witness's answer to a checkpoint.
type Cosignature struct {
	By    string    `json:"by"`    // the witness's verifier key
	Time  time.Time `json:"time"`  // as the witness says
	Lines string    `json:"lines"` // signature lines
}

// Cosigned is a checkpoint with the cosignatures of witnesses.
type Cosigned struct {
	Key          string        `json:"key"` // verifier key of the log
	Size         uint64        `json:"size"`
	Root         []byte        `json:"root"`
	Signed       []byte        `json:"signed"`
	Cosignatures []Cosignature `json:"cosignatures"`
}

// note returns the checkpoint with all signatures.
func (c Cosigned) note() []byte {
	out := slices.Clone(c.Signed)
	for _, x := range c.Cosignatures {
		out = append(out, x.Lines...)
	}
	return out
}

// by describes the signers of the checkpoint.
func (c Cosigned) by() string {
	if len(c.Cosignatures) > 0 {
		return "witnesses cosigned"
	}
	return "its key signed"
}

func (c Cosigned) has(witness string) bool {
	return slices.ContainsFunc(c.Cosignatures, func(x Cosignature) bool { return x.By == witness })
}

// cosigned returns the checkpoints of an origin that witnesses cosigned, by ascending size, also those that a former key
// signed. It returns none if the file was restored since: it may lack entries that they have.
func cosigned(r kv.Reader, o origin) ([]Cosigned, error) {
	list, err := kv.GetJSON[[]Cosigned](r.Bucket(bucketName), cosignedKey)
	if err != nil {
		return nil, fmt.Errorf("reading the cosignatures: %w", err)
	}
	return slices.DeleteFunc(list, func(c Cosigned) bool { return o.Retired || !bytes.HasPrefix(c.Signed, []byte(o.Name+"\n")) }), nil
}

// present returns the checkpoints that witnesses cosigned and the present key signed, by ascending size. The caller holds
// l.mu.
func (l *Log) present() []Cosigned {
	return slices.DeleteFunc(slices.Clone(l.cosigned), func(c Cosigned) bool { return c.Key != l.origin.Key })
}

// CosignedBy returns the checkpoints of a file's log that witnesses cosigned, by size: the last one of each witness,
// also if a former key signed it.
func CosignedBy(s *engine.Store) ([]Cosigned, error) {
	return engine.Read(s, func(snap *engine.Snapshot) (v []Cosigned, err error) {
		o, err := originOf(snap.KV())
		if err == nil {
			v, err = cosigned(snap.KV(), o)
		}
		return v, err
	})
}

// Send returns the newest checkpoint, signed. The caller sends it to the witnesses and then calls Keep,
// even if none answers. Until then /log/checkpoint shows no newer one, so that readers get this one with
// its cosignatures.
func (l *Log) Send(ctx context.Context) (Checkpoint, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.begin(ctx); err != nil {
		return Checkpoint{}, err
	}
	head, err := l.latest()
	if err != nil {
		return Checkpoint{}, err
	}
	signed, head, err := l.sign(ctx, head.Size)
	if err != nil {
		return Checkpoint{}, err
	}
	l.sending = &Checkpoint{head, signed}
	return *l.sending, nil
}

// Keep stores the cosignatures of the checkpoint that Send returned. The log keeps the last
// checkpoint that each witness cosigned.
func (l *Log) Keep(ctx context.Context, c Checkpoint, by []Cosignature) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sending = nil
	if len(by) == 0 {
		return nil
	}
	next := Cosigned{l.origin.Key, c.Head.Size, c.Head.Root[:], c.Signed, by}
	list := slices.DeleteFunc(slices.Clone(l.cosigned), func(old Cosigned) bool { return string(old.Signed) == string(next.Signed) })
	for _, old := range l.cosigned { // keep those of witnesses that did not answer this time
		if string(old.Signed) != string(next.Signed) {
			continue
		}
		for _, x := range old.Cosignatures {
			if !next.has(x.By) {
				next.Cosignatures = append(next.Cosignatures, x)
			}
		}
	}
	list = append(list, next)
	slices.SortStableFunc(list, func(a, b Cosigned) int { return cmp.Compare(a.Size, b.Size) })
	list = lastOfEach(list)
	err := l.store.Update(ctx, func(tx *engine.Tx) error {
		return put(tx.KV(), cosignedKey, list)
	})
	if err != nil {
		return fmt.Errorf("storing cosignatures: %w", err)
	}
	l.cosigned, l.cosignedAt = list, time.Now()
	return nil
}

// maxCosigned limits the kept checkpoints, since an operator may change witnesses often.
const maxCosigned = 32

// lastOfEach returns, of a list, the last checkpoint of each witness, at most the newest maxCosigned.
func lastOfEach(list []Cosigned) (out []Cosigned) {
	known := map[string]bool{}
	for _, c := range slices.Backward(list) {
		last := false
		for _, x := range c.Cosignatures {
			last = last || !known[x.By]
			known[x.By] = true
		}
		if last && len(out) < maxCosigned {
			out = append(out, c)
		}
	}
	slices.Reverse(out)
	return out
}

// SizeFor returns the size of the last checkpoint that a witness cosigned, 0 for none.
func (l *Log) SizeFor(ctx context.Context, witness string) (size uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.begin(ctx); err != nil {
		return 0, err
	}
	for _, c := range l.present() {
		if c.has(witness) {
			size = c.Size
		}
	}
	return size, nil
}

// Consistency returns the proof that the tree of one size continues that of a smaller one.
func (l *Log) Consistency(_ context.Context, from, to uint64) (proof [][]byte, err error) {
	err = l.read(func(_ kv.Reader, t *tree.Reader) (err error) { proof, err = t.Consistency(from, to); return err })
	return proof, err
}

// shownFor is how long /log/checkpoint shows a cosigned checkpoint while the log grows.
const shownFor = 10 * time.Second

// show returns the checkpoint for readers of /log/checkpoint: a cosigned one if it is
// recent. Its size never decreases. The caller holds l.mu.
func (l *Log) show(newest Checkpoint) []byte {
	out := newest
	if l.sending != nil {
		out = *l.sending
	}
	signed := out.Signed
	if all := l.present(); len(all) > 0 {
		last := all[len(all)-1]
		current := last.Size == newest.Head.Size || time.Since(l.cosignedAt) < shownFor
		if current && last.Size >= l.shown {
			out.Head.Size, signed = last.Size, last.note()
		}
	}
	l.shown = max(l.shown, out.Head.Size)
	return signed
}

// witnessed returns the checkpoint with the most cosignatures among those that include an
// entry, the largest if there are several. The caller holds l.mu.
func (l *Log) witnessed(seq uint64) (best Cosigned, ok bool) {
	for _, c := range l.present() {
		if c.Size >= seq && len(c.Cosignatures) >= len(best.Cosignatures) {
			best, ok = c, true
		}
	}
	return best, ok
}

// Verify verifies the cosignatures of a checkpoint, or the log's signature if it has
// none, and that the tree of the file's log had the checkpoint's root. If one of them is
// wrong, the error is a *tree.DamagedError.
func Verify(s *engine.Store, c Cosigned) error {
	checkpoint := Checkpoint{Signed: c.Signed}
	if len(c.Cosignatures) == 0 {
		verifier, err := note.NewVerifier(c.Key)
		if err == nil {
			_, err = note.Open(c.Signed, note.VerifierList(verifier))
		}
		if err != nil {
			return &tree.DamagedError{Detail: fmt.Sprintf("has a last checkpoint that its key did not sign: %v", err)}
		}
	}
	for _, x := range c.Cosignatures {
		v, err := cosignature.NewVerifier(x.By)
		if err != nil {
			return fmt.Errorf("reading the cosignatures: %w", err)
		}
		if _, _, err := v.Read(checkpoint.Text(), x.Lines); err != nil {
			return &tree.DamagedError{Detail: fmt.Sprintf("has a cosignature of %s that is not valid: %v", v.Name(), err)}
		}
	}
	return s.View(func(snap *engine.Snapshot) error {
		o, err := originOf(snap.KV())
		if err != nil {
			return err
		}
		t, err := tree.NewReader(snap.KV())
		if err != nil {
			return err
		}
		if c.Size > t.Size() {
			return &tree.DamagedError{Detail: fmt.Sprintf("has %d entries, and %s %d", t.Size(), c.by(), c.Size)}
		}
		head, err := t.Head(c.Size)
		if err != nil {
			return err
		}
		if head.Text(o.Name) != string(checkpoint.Text()) {
			return &tree.DamagedError{Detail: fmt.Sprintf("does not continue the %d entries that %s", c.Size, c.by())}
		}
		return nil
	})
}
