package replace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/signers"
)

// endings are what a file ended for good, which a restore must not make valid again, and its legal holds, which a restore
// must not end, and the erasures that its centres must still have.
type endings struct {
	revoked []journal.Entry      // of tokens
	removed []journal.SigningKey // keys of robots
	held    []holds.Hold         // in force
	known   map[string]bool      // ids of holds that were ever added
	issued  []journal.Numbered   // entries of tokens, which say who issued them: nobody may confirm their own request with one

	erased  []erasure
	centres []string        // which have not confirmed one of erased
	list    *forgotten.List // beside the file
}

// erasure is an erasure that a centre has not confirmed: its entry, and whom it erased, which begins with the salt of that.
type erasure struct {
	journal.Entry
	whom []byte
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
	var failed error
	e.held, failed = holds.Of(s.Store).All(time.Now())
	e.known = map[string]bool{}
	unlisted := s.View(func(snap *engine.Snapshot) error {
		f := journal.Filter{Action: journal.Hold, Oldest: true, Limit: math.MaxInt, Look: math.MaxUint64}
		all, err := journal.List(ctx, snap.KV(), f)
		for _, n := range all.Entries {
			e.known[n.LogID] = true
		}
		f.Action = journal.Issue
		issued, failed := journal.List(ctx, snap.KV(), f)
		e.issued = issued.Entries
		return errors.Join(err, failed, e.waiting(s, snap))
	})
	return e, errors.Join(err, unread, failed, unlisted, s.Close())
}

// endIn ends in s what is not ended there, and adds the legal holds that it lacks. The entries of removed keys and of holds are by
// actor.
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
		if _, err := s.Revoke(ctx, r); err != nil {
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
	return errors.Join(e.issueIn(ctx, s), e.holdIn(ctx, s, actor), e.eraseIn(ctx, s))
}

// waiting reads the erasures that a centre has not confirmed.
func (e *endings) waiting(s *persist.Store, snap *engine.Snapshot) error {
	var indexes []uint64
	e.list = s.Forgotten
	e.centres, indexes = box.Waiting(snap.KV())
	for _, index := range indexes {
		entry, err := journal.Get(snap.KV(), index+1)
		if err != nil {
			return err
		}
		text, salt, err := s.Sent(index, &entry)
		if err != nil {
			return err
		}
		if text != nil { // otherwise the list is another file's
			e.erased = append(e.erased, erasure{entry, slices.Concat(salt[:], text)})
		}
	}
	return nil
}

// eraseIn gives s the erasures that it lacks and that a centre has not confirmed. A start then takes the people out of s.
func (e endings) eraseIn(ctx context.Context, s *persist.Store) error {
	if len(e.erased) == 0 {
		return nil
	}
	return s.Update(ctx, func(tx *engine.Tx) error {
		err := box.BeginAgain(tx.KV(), e.centres)
		for _, x := range e.erased {
			there, failed := journal.Find(tx.KV(), x.LogID, 1)
			if err = cmp.Or(err, failed); err != nil || len(there) > 0 {
				continue
			}
			number := new(uint64)
			err = tx.Journal(journal.Entry{LogID: x.LogID, Action: journal.Erasure, Time: x.Time, Actor: x.Actor, Claimed: x.Claimed, Detail: x.Detail, Person: x.Person, Number: number})
			if err == nil {
				key := box.ErasureKey(*number - 1)
				err = box.KeepErasure(tx.KV(), key, e.list.Seal(key, x.whom))
			}
		}
		return err
	})
}

// issueIn enters in s which tokens were issued by whom, with the ids and times of the entries that it lacks.
func (e endings) issueIn(ctx context.Context, s *persist.Store) error {
	return s.Update(ctx, func(tx *engine.Tx) error {
		for _, n := range e.issued {
			there, err := journal.Find(tx.KV(), n.LogID, 1)
			if err == nil && len(there) == 0 && n.Actor != "" { // or it was erased
				err = tx.Journal(journal.Entry{LogID: n.LogID, Action: journal.Issue, Time: n.Time, Actor: n.Actor, Owner: n.Owner, Detail: n.Detail})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// holdIn gives s the legal holds that are in force in the file, and lifts those that the file lifted. A hold that was never
// in the file stays: the backup is of another file, or newer.
func (e endings) holdIn(ctx context.Context, s *persist.Store, actor string) error {
	all := holds.Of(s.Store)
	there, err := all.All(time.Now())
	if err != nil {
		return err
	}
	has := func(list []holds.Hold, id string) bool {
		return slices.ContainsFunc(list, func(h holds.Hold) bool { return h.ID == id })
	}
	entry := journal.Entry{Time: time.Now().UTC(), Actor: actor, Detail: "as in the file before the restore"}
	for _, h := range there {
		if entry.LogID, entry.Action = journal.NewLogID(), journal.Lift; e.known[h.ID] && !has(e.held, h.ID) {
			if _, _, err := all.Lift(ctx, h.ID, entry); err != nil {
				return err
			}
		}
	}
	for _, h := range e.held {
		if entry.LogID, entry.Action = h.ID, journal.Hold; !has(there, h.ID) { // its id, by which the next restore knows it
			if err := all.Keep(ctx, h, entry); err != nil {
				return err
			}
		}
	}
	return nil
}
