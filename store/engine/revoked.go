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

// revokedName is the bucket of revoked tokens: revokedKey -> the number of the last
// journal entry about it. Its sequence counts the keys.
const revokedName = "revoked"

// maxRevoked limits the keys, which a running service keeps in memory.
const maxRevoked = 100_000

// revokedKey returns the key of what an entry revokes: "j" and the id of a token, or "u"
// and a user.
func revokedKey(r journal.Revoked) []byte {
	if r.TokenID != "" {
		return []byte("j" + r.TokenID)
	}
	return []byte("u" + r.Username)
}

// Revoke notes that the tokens of e.Revoked were revoked, with e as the journal's entry
// of that. The error is a *store.UnfitError where too many are revoked already.
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

// Revocations returns the journal's entries by which tokens are revoked, users after
// tokens. The error may be a *journal.DamagedError: an entry is not about what it should
// be.
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

// checkRevoked verifies that exactly those tokens are revoked that the journal says. It
// has, by revokedKey, the numbers of the last entries that note was given.
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
