package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// revokedName is the bucket of revoked tokens. It maps revokedKey to the number of the
// last journal entry that revokes it. The bucket's sequence counts the keys.
const revokedName = "revoked"

// maxRevoked limits the keys, which a running service keeps in memory.
const maxRevoked = 100_000

// revokedKey returns the key of what an entry revokes: "j" followed by the id of a token,
// or "u" followed by a user.
func revokedKey(r journal.Revoked) []byte {
	if r.TokenID != "" {
		return []byte("j" + r.TokenID)
	}
	return []byte("u" + r.Username)
}

// Revoke revokes the tokens of e.Revoked, appends e to the journal, and returns it. If later tokens of the user are revoked
// already, it sets e.Revoked.UpTo to their time: only the last entry counts. It returns a *store.UnfitError if too many are
// revoked already.
func (s *Store) Revoke(ctx context.Context, e journal.Entry) (journal.Entry, error) {
	err := s.Update(ctx, func(tx *Tx) error {
		b, err := tx.KV().Writable(revokedName)
		if err != nil {
			return err
		}
		key := revokedKey(e.Revoked)
		if seq := b.Get(key); len(seq) == 8 {
			last, err := journal.Get(tx.KV(), binary.BigEndian.Uint64(seq))
			if err != nil {
				return err
			}
			if last.Revoked.UpTo.After(e.Revoked.UpTo) { // the clock was ahead, or e is of an older file
				e.Revoked.UpTo = last.Revoked.UpTo
			}
		} else {
			n, err := b.NextSequence()
			if err != nil {
				return err
			}
			if n > maxRevoked {
				return &store.UnfitError{Detail: fmt.Sprintf("%d tokens and users are revoked already; revoke users instead of tokens, or change SECRET_KEY", maxRevoked)}
			}
		}
		if err := e.Retry.Keep(e); err != nil {
			return err
		}
		if err := tx.Journal(e); err != nil {
			return err
		}
		return b.Put(key, binary.BigEndian.AppendUint64(nil, journal.HeadOf(tx.KV()).Seq))
	})
	if err != nil {
		return e, fmt.Errorf("revoking tokens: %w", err)
	}
	return e, nil
}

// Revocations returns the journal entries that revoke tokens, followed by those that
// revoke all tokens of a user. The error may be a *journal.DamagedError, if an entry does
// not revoke what it should.
func (s *Store) Revocations(ctx context.Context) ([]journal.Entry, error) {
	return Read(s, func(snap *Snapshot) ([]journal.Entry, error) { return revocations(ctx, snap.KV()) })
}

// revocations returns the journal's entries by which tokens are revoked. Each is the last one about its token or
// user.
func revocations(ctx context.Context, tx kv.Reader) (list []journal.Entry, err error) {
	for key, value := range kv.All(tx.Bucket(revokedName)) {
		if len(value) != 8 {
			return nil, &journal.DamagedError{Detail: "is not named by a revoked token"}
		}
		seq := binary.BigEndian.Uint64(value)
		e, err := journal.Get(tx, seq)
		if err != nil {
			return nil, err
		}
		if e.Erased.Has(journal.Who) { // the key stays, or the tokens would be valid again
			if kind, of := string(key[:1]), string(key[1:]); kind == "j" {
				e.Revoked.TokenID = of
			} else {
				e.Revoked.Username = of
			}
		}
		if string(revokedKey(e.Revoked)) != string(key) {
			return nil, &journal.DamagedError{Seq: seq, Detail: "does not revoke the tokens that it should"}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// checkRevoked verifies that the revoked tokens are exactly those of the journal: it has
// the numbers of the entries that revoke tokens. Which ones is not known of an entry whose
// values were erased.
type checkRevoked []uint64

// note notes an entry that revokes tokens. Few entries contain the bytes for which it looks first.
func (c *checkRevoked) note(h journal.Head, stored []byte) error {
	if !bytes.Contains(stored, []byte(`"action":"`+journal.Revoke+`"`)) {
		return nil
	}
	e, err := journal.Parse(stored)
	if err == nil && e.Action == journal.Revoke {
		*c = append(*c, h.Seq)
	}
	return err
}

// compare verifies that exactly what the entries revoke is revoked.
func (c checkRevoked) compare(tx kv.Reader) error {
	last, erased := map[string]uint64{}, map[uint64]bool{}
	for _, seq := range c {
		e, err := journal.Get(tx, seq)
		if err != nil {
			return err
		}
		if e.Erased.Has(journal.Who) { // it no longer says whose tokens
			erased[seq] = true
		} else {
			last[string(revokedKey(e.Revoked))] = seq
		}
	}
	for key, value := range kv.All(tx.Bucket(revokedName)) {
		if len(value) != 8 {
			return fmt.Errorf("%q is not revoked by an entry of the journal", key)
		}
		if seq := binary.BigEndian.Uint64(value); seq != last[string(key)] && !erased[seq] {
			return fmt.Errorf("%q is not revoked by the entry of the journal that it names", key)
		}
		delete(last, string(key))
	}
	for key, seq := range last {
		return fmt.Errorf("entry %d of the journal revokes %q, and it is not revoked", seq, key)
	}
	return nil
}
