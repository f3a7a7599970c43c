package replace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/signers"
)

// endings are what a file ended for good: a restore must not make it valid again.
type endings struct {
	revoked []journal.Entry      // of tokens
	removed []journal.SigningKey // keys of robots
}

// ended reads the endings of the file at path.
func ended(ctx context.Context, path string) (e endings, err error) {
	s, err := persist.Open(path, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return e, fmt.Errorf("opening the store: %w", err)
	}
	e.revoked, err = s.Revocations(ctx)
	keys, unread := signers.Of(s.Store).Keys(ctx)
	for _, k := range keys {
		if !k.Removed.IsZero() {
			e.removed = append(e.removed, k)
		}
	}
	return e, errors.Join(err, unread, s.Close())
}

// endIn ends in s what is not ended there. The entries of removed keys are by actor.
func (e endings) endIn(ctx context.Context, s *persist.Store, actor string) error {
	known, err := s.Revocations(ctx)
	if err != nil {
		return err
	}
	there := map[journal.Revoked]bool{}
	for _, r := range known {
		there[r.Revoked] = true
	}
	for _, r := range e.revoked {
		if there[r.Revoked] {
			continue
		}
		r.Detail = "as in the file before the restore, by the entry " + r.LogID
		r.LogID = journal.NewLogID()
		if err := s.Revoke(ctx, r); err != nil {
			return err
		}
	}
	keys := signers.Of(s.Store)
	for _, k := range e.removed {
		now, found, err := keys.Key(k.ID)
		if err != nil {
			return err
		}
		if !found || !now.Removed.IsZero() {
			continue
		}
		entry := journal.Entry{LogID: journal.NewLogID(), Action: journal.DropKey, Time: time.Now().UTC(), Actor: actor, Detail: "as in the file before the restore"}
		if _, err := keys.RemoveKey(ctx, k.ID, entry); err != nil {
			return err
		}
	}
	return nil
}
