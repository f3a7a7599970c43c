package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
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

// Revoke revokes the tokens of e.Revoked and appends e to the journal. It returns a
// *store.UnfitError if too many are revoked already.
func (s *Store) Revoke(ctx context.Context, e journal.Entry) error {
	err := s.Update(ctx, func(tx *Tx) error {
		b, err := tx.KV().Writable(revokedName)
		if err != nil {
			return err
		}
		key := revokedKey(e.Revoked)
		if b.Get(key) == nil {
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
		return fmt.Errorf("revoking tokens: %w", err)
	}
	return nil
}

// Revocations returns the journal entries that revoke tokens, followed by those that
// revoke all tokens of a user. The error may be a *journal.DamagedError, if an entry does
// not revoke what it should.
func (s *Store) Revocations(ctx context.Context) (list []journal.Entry, err error) {
	err = s.View(func(snap *Snapshot) error {
		list, err = revocations(ctx, snap.KV())
		return err
	})
	return list, err
}

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

// checkRevoked verifies that the revoked tokens are exactly those of the journal. It maps
// revokedKey to the number of the last entry passed to note.
type checkRevoked map[string]uint64

func (c checkRevoked) note(h journal.Head, stored []byte) error {
	if !bytes.Contains(stored, []byte(`"action":"`+journal.Revoke+`"`)) {
		return nil
	}
	e, err := journal.Parse(stored)
	if err == nil && e.Action == journal.Revoke {
		c[string(revokedKey(e.Revoked))] = h.Seq
	}
	return err
}

func (c checkRevoked) compare(tx kv.Reader) error {
	for key, value := range kv.All(tx.Bucket(revokedName)) {
		if len(value) != 8 || binary.BigEndian.Uint64(value) != c[string(key)] {
			return fmt.Errorf("%q is not revoked by the entry of the journal that it names", key)
		}
		delete(c, string(key))
	}
	for key, seq := range c {
		return fmt.Errorf("entry %d of the journal revokes %q, and it is not revoked", seq, key)
	}
	return nil
}
