// Package signers keeps the public keys with which users sign requests. It also finds out
// whether a signed request was stored before. Adding or removing a key appends a journal
// entry that names the key and its user. Removed keys stay in the file, and all keys stay
// after delete_all, to verify what they signed.
package signers

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/publickey"
)

// Signers reads and changes the keys in a file. It is safe for concurrent use.
type Signers struct{ store *engine.Store }

// Of returns the keys of an open file.
func Of(s *engine.Store) *Signers { return &Signers{s} }

// AddKey adds a key and appends e to the journal. The error is a *store.UnfitError if the
// key is refused.
func (s *Signers) AddKey(ctx context.Context, k journal.SigningKey, e journal.Entry) error {
	k.ID = journal.IDOf(k.Public)
	e = journal.KeyEntry(e, k)
	k.Added, k.AddedBy = e.Time, e.Actor
	return changed("adding a key", s.store.Update(ctx, func(tx *engine.Tx) error {
		if err := journal.AddKey(tx.KV(), k); err != nil {
			return err
		}
		if err := e.Retry.Keep(k); err != nil {
			return err
		}
		return tx.Journal(e)
	}))
}

// RemoveKey makes a key invalid, appends e to the journal, and returns the key. The error
// is a *store.UnfitError if there is no such key.
func (s *Signers) RemoveKey(ctx context.Context, id journal.KeyID, e journal.Entry) (k journal.SigningKey, err error) {
	err = s.store.Update(ctx, func(tx *engine.Tx) error {
		if k, err = journal.RemoveKey(tx.KV(), id, e.Time); err != nil {
			return err
		}
		if err := e.Retry.Keep(k); err != nil {
			return err
		}
		return tx.Journal(journal.KeyEntry(e, k))
	})
	return k, changed("removing a key", err)
}

// changed returns the error of a change. A refusal becomes a *store.UnfitError.
func changed(what string, err error) error {
	for _, refused := range []error{journal.ErrKeyKnown, journal.ErrKeyRemoved, journal.ErrKeyTaken, journal.ErrKeyUnknown, journal.ErrKeys, publickey.ErrUnfit} {
		if errors.Is(err, refused) {
			return &store.UnfitError{Detail: refused.Error()}
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Key returns the key with an id, and reports whether there is one. It may have been
// removed.
func (s *Signers) Key(id journal.KeyID) (k journal.SigningKey, found bool, err error) {
	err = s.store.View(func(snap *engine.Snapshot) error {
		k, found, err = journal.KeyWith(snap.KV(), id)
		return err
	})
	return k, found, err
}

// Keys returns all keys, in order of their ids.
func (s *Signers) Keys(context.Context) ([]journal.SigningKey, error) {
	return engine.Read(s.store, func(snap *engine.Snapshot) ([]journal.SigningKey, error) { return journal.Keys(snap.KV()) })
}

// RepeatedBy returns the earlier request with the same signature, or nil; see
// journal.RepeatedBy.
func (s *Signers) RepeatedBy(sig *journal.Signature) (*journal.Repeated, error) {
	return engine.Read(s.store, func(snap *engine.Snapshot) (*journal.Repeated, error) { return journal.RepeatedBy(snap.KV(), sig) })
}

// Signed returns the kept data of an entry's request, or nil if it was not signed.
func (s *Signers) Signed(_ context.Context, seq uint64) (*journal.SignedRequest, error) {
	return engine.Read(s.store, func(snap *engine.Snapshot) (*journal.SignedRequest, error) {
		return journal.SignatureOf(snap.KV(), seq)
	})
}
