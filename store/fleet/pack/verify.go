package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/publickey"
	"github.com/segraph/segraph/store/turtle"
)

// CanonSteps limits the steps that labelling the blank nodes of a log takes, to about 100 ms: as
// many as segraph load takes to commit to a log, which is more than a post takes.
const CanonSteps = 200_000

// Reason says why a pack is refused. A refusal stays until a person has looked.
type Reason string

// The reasons.
const (
	Garbled   Reason = "garbled"   // no pack; it may have been cut on its way
	Malformed Reason = "malformed" // an entry can't be read
	Gap       Reason = "gap"       // it does not begin where the last pack ended
	Key       Reason = "key"       // its checkpoint is not signed with the log's key
	Fork      Reason = "fork"      // its entries do not continue those before, or are not those of the checkpoint
	Altered   Reason = "altered"   // a value or a triple is not what its entry commits to, or what the log's key signed
	Held      Reason = "held"      // a legal hold of the centre forbids an erasure
	Shared    Reason = "shared"    // an erasure of what is no person's
)

// Refusal is why a pack is refused.
type Refusal struct {
	Reason Reason
	Index  uint64 // of the entry concerned, from 0
	Detail string
	// Signed reports whether the log's key signed what is refused. Otherwise anybody with a token
	// may have sent it.
	Signed bool
}

func (r *Refusal) Error() string { return r.Detail }

func refuse(reason Reason, index uint64, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Index: index, Detail: fmt.Sprintf(format, args...)}
}

// State is what is known of a log.
type State struct {
	Log string
	Key string // its verifier key
	// Named is a key that an operator named and the log did not have yet, or "". It counts too, so that a key that changed
	// while entries waited can be named. The old key of a rotation, which a thief may have, does not count again.
	Named string
	Edge  tree.Edge
	Last  [sha256.Size]byte // the hash of its last entry; zeros if it has none
}

// Verified is a pack that continues a log.
type Verified struct {
	State      // after the pack
	Text       string
	Checkpoint []byte
	Entries    []Known
}

// Known is a verified entry.
type Known struct {
	Index    uint64
	Entry    journal.Entry // with the values that are open
	Hash     [sha256.Size]byte
	Document *store.Document // what a log said; nil if that is not kept
	Content  []byte          // its text, or that of an observation, which the entry commits to
	Erasure  *Erasure        // nil unless the entry erased somebody whom the box still names
}

// Verify verifies that the pack continues a log: that the entries before and in the pack have the
// root of its checkpoint, that the log's key signed the checkpoint and what is beside the entries, and
// that the entries commit to that. from is what was known before the pack; Verify does not change it.
// The error is a *Refusal, or the context's.
func (p *Pack) Verify(ctx context.Context, from State) (*Verified, error) {
	switch {
	case p.Log != from.Log:
		return nil, refuse(Malformed, p.First, "the pack is of the log %.100q, not of %.100q", p.Log, from.Log)
	case p.First != from.Edge.Size():
		return nil, refuse(Gap, p.First, "the pack begins with entry %d, and entry %d is next", p.First, from.Edge.Size())
	case len(p.Entries) == 0:
		return nil, refuse(Malformed, p.First, "the pack has no entry")
	}
	v := &Verified{State: from, Checkpoint: p.signed()}
	v.Edge = from.Edge.Clone()
	for i := range p.Entries {
		k, err := v.add(p.First+uint64(i), &p.Entries[i])
		if err != nil {
			return nil, err
		}
		v.Entries = append(v.Entries, k)
	}
	if err := v.verifyCheckpoint(p.Keys(v.State)); err != nil {
		return nil, err
	}
	for i := range v.Entries { // only what the log's key signed is parsed
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := v.Entries[i].read(&p.Entries[i]); err != nil {
			err.Signed = true
			return nil, err
		}
	}
	return v, nil
}

// add appends an entry to the tree.
func (v *Verified) add(index uint64, sent *Entry) (k Known, err error) {
	stored := slices.Concat(v.Last[:], sent.JSON)
	if len(sent.JSON) > journal.MaxStored {
		return k, refuse(Malformed, index, "entry %d has %d bytes, and at most %d are allowed", index, len(sent.JSON), journal.MaxStored)
	}
	k.Index = index
	if k.Entry, err = journal.Parse(stored); err != nil {
		return k, refuse(Malformed, index, "entry %d can't be read: %v", index, err)
	}
	if k.Entry.Action == journal.Rotate {
		if next, err := translog.NextKey(k.Entry, v.Key); err == nil {
			v.Key = next // another one is of a time before the key that is known
		}
	}
	if err := v.Edge.Append(stored); err != nil {
		return k, refuse(Malformed, index, "entry %d: %v", index, err)
	}
	k.Hash = sha256.Sum256(stored)
	v.Last = k.Hash
	return k, nil
}

// Keys returns the keys that may sign for a log: the known key, the keys to which handovers from it
// lead, and the key that an operator named.
func (p *Pack) Keys(s State) []string {
	keys := []string{s.Key}
	for _, h := range p.Handovers {
		if next, err := translog.Successor(h, keys[len(keys)-1]); err == nil {
			keys = append(keys, next)
		}
	}
	if s.Named != "" {
		keys = append(keys, s.Named)
	}
	return keys
}

// verifyCheckpoint verifies that one of keys signed the checkpoint, and that it is of this log and
// of these entries. If the key that the operator named signed it, this is the log's key
// from now on. The error is a *Refusal.
func (v *Verified) verifyCheckpoint(keys []string) error {
	last := v.Edge.Size() - 1
	var text string
	var err error
	altered := false
	for _, key := range keys {
		if text, err = opened(v.Checkpoint, key); err == nil {
			if key == v.Named {
				v.Key = key
			}
			break
		}
		_, invalid := errors.AsType[*note.InvalidSignatureError](err)
		altered = altered || invalid
	}
	if err != nil && altered {
		return refuse(Altered, last, "the log's key did not sign this checkpoint with what is beside the entries: the pack was altered on its way")
	}
	if err != nil {
		return refuse(Key, last, "the checkpoint is not signed with the log's key: %v", err)
	}
	v.Text = text
	head, err := v.Edge.Head()
	if err != nil {
		return refuse(Malformed, last, "%v", err)
	}
	log, claimed, err := tree.ParseText(text)
	var r *Refusal
	switch {
	case err != nil:
		r = refuse(Malformed, last, "%v", err)
	case log != v.Log:
		r = refuse(Malformed, last, "the checkpoint is of the log %.100q", log)
	case claimed.Size != head.Size:
		r = refuse(Malformed, last, "the checkpoint is of %d entries, and the pack ends after %d", claimed.Size, head.Size)
	case claimed != head:
		r = refuse(Fork, last, "the box's key signed other entries up to %d than these and those before: its file was rewritten or forked, or an entry was altered on its way", last)
	default:
		return nil
	}
	r.Signed = true
	return r
}

// opened returns the text of a checkpoint that a key signed.
func opened(checkpoint []byte, key string) (string, error) {
	verifier, err := publickey.NewVerifier(key)
	if err != nil {
		return "", err
	}
	n, err := note.Open(checkpoint, note.VerifierList(verifier))
	if err != nil {
		return "", err
	}
	return n.Text, nil
}

// maxOpened is the largest size of an entry's values, in bytes. It leaves room for what a centre adds to the entry.
const maxOpened = journal.MaxStored - 4<<10

// maxOpen is the largest size of their JSON, which takes up to six bytes for one.
const maxOpen = 6 * journal.MaxStored

// read reads what is beside an entry, and verifies that the entry commits to it.
func (k *Known) read(sent *Entry) *Refusal {
	var open *journal.Open
	if n := len(sent.Open); n > maxOpen {
		return refuse(Malformed, k.Index, "the values of entry %d have %d bytes, and at most %d are allowed", k.Index, n, maxOpen)
	}
	if err := json.Unmarshal(sent.Open, &open); err != nil {
		return refuse(Malformed, k.Index, "the values of entry %d can't be read: %v", k.Index, err)
	}
	if err := k.Entry.Read(open); err != nil {
		return refuse(Altered, k.Index, "of entry %d, %v", k.Index, err)
	}
	if n := open.Size(); n > maxOpened {
		return refuse(Malformed, k.Index, "entry %d says %d bytes, and at most %d are allowed", k.Index, n, maxOpened)
	}
	if sent.Content != nil && k.Entry.Action == journal.Resolve {
		if len(sent.Salt) != len(journal.Salt{}) || journal.Salt(sent.Salt).Commit(sent.Content) != k.Entry.Commitment {
			return refuse(Altered, k.Index, "the observation is not the one that entry %d commits to", k.Index)
		}
		k.Content = sent.Content
		return nil
	}
	if sent.Content != nil && k.Entry.Action == journal.Erasure {
		var err error
		if k.Erasure, err = readErasure(sent.Content, sent.Salt, k.Entry.Person); err != nil {
			return refuse(Altered, k.Index, "the erasure of entry %d can't be used: %v", k.Index, err)
		}
		return nil
	}
	if k.Entry.Action != journal.Insert || sent.Content == nil {
		return nil
	}
	d, err := parse(sent.Content)
	if err != nil {
		return refuse(Malformed, k.Index, "what entry %d said can't be read: %v", k.Index, err)
	}
	k.Document, k.Content = d, sent.Content
	e := &k.Entry
	if e.Graph == "" {
		return nil
	}
	if len(sent.Salt) != len(journal.Salt{}) {
		return refuse(Altered, k.Index, "entry %d commits to triples, and comes without the salt that shows it", k.Index)
	}
	graph, canon := d.Commitment(journal.Salt(sent.Salt), CanonSteps)
	if canon != e.Canon || graph != e.Graph { // graph is "" if these are more intricate than any that an entry commits to
		return refuse(Altered, k.Index, "the triples of log %.50q are not those that entry %d commits to", e.LogID, k.Index)
	}
	return nil
}

// maxNesting limits how deeply triple terms are nested.
const maxNesting = 100

// own begins the names of graphs that segraph itself writes.
const own = "urn:segraph:"

// parse reads N-Quads. Its errors say where they are, and quote nothing.
func parse(text []byte) (*store.Document, error) {
	d := &store.Document{}
	for r := format.NewReader(bytes.NewReader(text), turtle.NQuads, turtle.Options{MaxDepth: maxNesting}); ; {
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if wrong, ok := errors.AsType[*turtle.SyntaxError](err); ok {
			return nil, fmt.Errorf("line %d, column %d is no N-Quads", wrong.Line, wrong.Column)
		}
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(q.G.Value(), own) {
			return nil, errors.New("a log has a graph that segraph itself writes")
		}
		d.Add(q)
	}
}
