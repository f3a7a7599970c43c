package translog

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/publickey"
)

// bundleHead begins every text that Sign signs. A checkpoint and a handover begin
// differently, so none can be passed off as another.
const bundleHead = "segraph evidence bundle "

// ReportHead is the first line of what a box tells a centre of itself.
const ReportHead = "segraph box report"

// Excerpt reads the log as of one checkpoint, to prove entries to others.
type Excerpt struct {
	Origin     string // the log's name
	Key        string // its verifier key
	Checkpoint []byte // signed
	Size       uint64 // number of entries

	log  *Log
	r    kv.Reader
	tree *tree.Reader
}

// Excerpt calls do with the current state of the log. The Excerpt is valid until do
// returns.
func (l *Log) Excerpt(ctx context.Context, do func(*Excerpt) error) error {
	if _, _, err := l.checkpoint(ctx, 0); err != nil { // the first one begins the log
		return err
	}
	now, err := l.latest()
	if err != nil {
		return err
	}
	signed, head, err := l.checkpoint(ctx, now.Size)
	if err != nil {
		return err
	}
	l.mu.Lock()
	x := &Excerpt{Origin: l.origin.Name, Key: l.origin.Key, Checkpoint: signed, Size: head.Size, log: l}
	l.mu.Unlock()
	return l.read(func(r kv.Reader, t *tree.Reader) error {
		x.r, x.tree = r, t
		return do(x)
	})
}

// Each calls f with each entry from an index on, in order: its index and its stored bytes,
// which are valid until f returns.
func (x *Excerpt) Each(ctx context.Context, from uint64, f func(index uint64, stored []byte) error) error {
	if from >= x.Size {
		return nil
	}
	index := from
	return journal.Stored(x.r, from+1, x.Size-from, func(stored []byte) error {
		if index%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		index++
		return f(index-1, stored)
	})
}

// Entry returns the stored bytes of an entry, and the entry with its erasable part.
func (x *Excerpt) Entry(index uint64) (stored []byte, e journal.Entry, err error) {
	if index >= x.Size {
		return nil, e, ErrBehind
	}
	err = journal.Stored(x.r, index+1, 1, func(b []byte) error { stored = append([]byte{}, b...); return nil })
	if err == nil {
		e, err = journal.Get(x.r, index+1)
	}
	return stored, e, err
}

// Head returns the head of the tree when it had a size, at most x.Size.
func (x *Excerpt) Head(size uint64) (tree.Head, error) {
	if size > x.Size {
		return tree.Head{}, ErrBehind
	}
	return x.tree.Head(size)
}

// CheckpointAt returns a signed checkpoint of the log when it had a size, at most x.Size. Its text ends with more lines.
func (x *Excerpt) CheckpointAt(size uint64, more string) ([]byte, error) {
	head, err := x.Head(size)
	if err != nil {
		return nil, err
	}
	signed, err := x.sign(head.Text(x.Origin) + more)
	if err != nil {
		return nil, fmt.Errorf("signing a checkpoint: %w", err)
	}
	return signed, nil
}

// sign signs a text with the log's key.
func (x *Excerpt) sign(text string) ([]byte, error) {
	x.log.mu.Lock()
	signer := x.log.signer
	x.log.mu.Unlock()
	return note.Sign(&note.Note{Text: text}, signer)
}

// Signed returns the kept data of an entry's signed request, or nil if it was not signed.
func (x *Excerpt) Signed(index uint64) (*journal.SignedRequest, error) {
	if index >= x.Size {
		return nil, ErrBehind
	}
	return journal.SignatureOf(x.r, index+1)
}

// Proof returns a tlog-proof of an entry, without the entry itself.
func (x *Excerpt) Proof(index uint64) (string, error) {
	hashes, err := x.tree.Inclusion(index, x.Size)
	if err != nil {
		return "", fmt.Errorf("proving entry %d: %w", index, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "c2sp.org/tlog-proof@v1\nindex %d\n", index)
	for _, h := range hashes {
		b.WriteString(base64.StdEncoding.EncodeToString(h) + "\n")
	}
	return b.String() + "\n" + string(x.Checkpoint), nil
}

// Sign signs the list of a bundle's members, or a report of a box, with the log's key. The text begins
// with "segraph evidence bundle " or ReportHead, and the log's name is its second line.
func (x *Excerpt) Sign(text string) ([]byte, error) {
	first, rest, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, bundleHead) && first != ReportHead || !strings.HasPrefix(rest, x.Origin+"\n") {
		return nil, errors.New("the log's key signs no other texts")
	}
	signed, err := x.sign(text)
	if err != nil {
		return nil, fmt.Errorf("signing with the key of the log: %w", err)
	}
	return signed, nil
}

// NextKey returns the new verifier key that a rotation's entry names. It returns an error
// unless the old key signed it.
func NextKey(e journal.Entry, old string) (key string, err error) {
	if key, err = Successor(e.Handover, old); err == nil && key != e.Key {
		err = errNoKey
	}
	return key, err
}

var errNoKey = errors.New("the note does not name a new key of the same log")

// Successor returns the verifier key that a rotation's note names. It returns an error unless the old
// key signed it, and both are keys of one log: a log with another name has another history.
func Successor(signed, old string) (key string, err error) {
	verifier, err := publickey.NewVerifier(old)
	if err != nil {
		return "", fmt.Errorf("reading a verifier key: %w", err)
	}
	n, err := note.Open([]byte(signed), note.VerifierList(verifier))
	if err != nil {
		return "", fmt.Errorf("verifying the note that names a new key: %w", err)
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) < 3 || lines[0] != handover || lines[2] != verifier.Name() {
		return "", errNoKey
	}
	next, err := publickey.NewVerifier(lines[1])
	if err == nil && next.Name() != verifier.Name() {
		err = errNoKey
	}
	return lines[1], err
}
