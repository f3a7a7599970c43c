package resolver

import (
	"context"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// Clear deletes contexts, cases and decisions, and keeps what was learnt of clocks,
// subjects and robots. It returns the number of deleted contexts. Their names are never
// reused. apply clears the published graph and stores the change in one transaction.
func (r *Resolver) Clear(ctx context.Context, apply func(context.Context, Change) error) (contexts int64, err error) {
	err = r.exclusive(func() error {
		change, err := r.committed.cleared()
		if err != nil {
			return err
		}
		t := &r.committed.totals
		contexts = t.Active + t.Ambiguous + t.Merged
		if err := apply(ctx, change); err != nil {
			return err
		}
		return r.reread()
	})
	return contexts, err
}

// ClearPublished clears only the published graph. Contexts, cases and decisions stay.
// apply is as in Clear.
func (r *Resolver) ClearPublished(ctx context.Context, apply func(context.Context, Change) error) error {
	return r.exclusive(func() error {
		totals, change := unpublished(r.committed.totals)
		if err := apply(ctx, change); err != nil {
			return err
		}
		r.committed.totals = totals
		return nil
	})
}

// Unpublished returns the change that goes with clearing the published graph, for a store
// that no Resolver uses.
func Unpublished(store Store) (Change, error) {
	totals, err := fetch[record.Totals](readOnly(store), record.TotalsKey())
	if err != nil || totals == nil {
		return Change{}, err
	}
	_, change := unpublished(*totals)
	return change, nil
}

// unpublished records which merges are no longer in the published graph, if any.
func unpublished(t record.Totals) (record.Totals, Change) {
	if t.AutoMerges+t.ManualMerges == 0 {
		return t, Change{}
	}
	t.Unpublished = t.Decisions
	return t, Change{Records: []Record{{record.TotalsKey(), record.Encode(&t)}}}
}

// exclusive runs do after all changes are stored, while no other operation runs. After an
// error it rereads the memory, because the state of the store is unknown.
func (r *Resolver) exclusive(do func() error) error {
	r.reconciling.Lock()
	defer r.reconciling.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && r.last.wait() != nil {
		r.forget()
	}
	err := r.recall()
	if err == nil {
		err = do()
	}
	if err != nil {
		r.forget()
	}
	return err
}

// reread rereads the memory after something else has changed the store.
func (r *Resolver) reread() error {
	r.forget()
	return r.recall()
}

// cleared returns the change that deletes everything except the records that stay.
func (c *committed) cleared() (Change, error) {
	t := c.totals
	kept := record.Totals{Salt: t.Salt, Contexts: t.Contexts, Observations: t.Observations, Cases: t.Cases, Decisions: t.Decisions,
		Cleared: t.Contexts, Form: mirror.Form, Names: t.Names}
	change := Change{Clear: true, Records: []Record{
		{record.TotalsKey(), record.Encode(&kept)}, {record.ScaleKey(), record.Encode(&c.scale)},
	}}
	for _, learnt := range []func() (from, to []byte){record.SeriesRange, record.ClockRange, record.WatchedRange, record.PairRange} {
		from, to := learnt()
		err := c.scan(from, to, func(key, value []byte) bool {
			change.Records = append(change.Records, Record{append([]byte(nil), key...), append([]byte(nil), value...)})
			return true
		})
		if err != nil {
			return Change{}, err
		}
	}
	_, change.Add = c.learnt.mirror()
	from, to := record.ClockRange()
	err := readAll(c, from, to, func(x *record.Clock) { change.Add = append(change.Add, mirror.OfClock(x)...) })
	return change, err
}

// Fit describes how a backup fits the current state of the store.
type Fit struct {
	// Whole means that contexts were cleared after the backup was made, and nothing was
	// resolved since. Then all records of the backup are imported, except those whose key
	// the store already has.
	Whole bool
	// Kept means that contexts were not cleared since the backup was made. They stay
	// unchanged.
	Kept bool
	// Stale are the quads in the backup's published graph about merges that were undone
	// since. They are not imported.
	Stale []rdf.Quad
	// Change is applied after the import.
	Change Change
}

// Regain imports a backup. apply calls fit with the backup's records, and imports what
// the Fit says, with the published graph, in one transaction. What was learnt of clocks,
// subjects and robots stays.
func (r *Resolver) Regain(ctx context.Context, apply func(ctx context.Context, fit func(from Store) (Fit, error)) error) error {
	return r.exclusive(func() error {
		if err := apply(ctx, r.committed.fit); err != nil {
			return err
		}
		return r.reread()
	})
}

// fit compares a backup's records with the current ones.
func (c *committed) fit(from Store) (out Fit, err error) {
	value, err := from.Get(record.TotalsKey())
	if err != nil {
		return out, err
	}
	now, then := c.totals, &record.Totals{}
	if value != nil {
		if then, err = record.Decode[record.Totals](value); err != nil {
			return out, err
		}
		since := record.Totals{Salt: then.Salt, Contexts: then.Contexts, Observations: then.Observations, Cases: then.Cases, Decisions: then.Decisions,
			Cleared: then.Contexts, Form: now.Form, Names: then.Names}
		if now == since {
			out = Fit{Whole: true, Change: Change{Records: []Record{{record.TotalsKey(), value}}}}
			out.Change.Replace, out.Change.Add = c.learnt.mirror() // which is newer than the backup's
			return out, nil
		}
	}
	out.Kept = now.Cleared == then.Cleared
	out.Change, out.Stale, err = c.republished()
	return out, err
}

// republished returns the change after which the published graph has every valid merge,
// and the quads of the merges that are not valid.
func (c *committed) republished() (change Change, stale []rdf.Quad, err error) {
	var all []*record.Decision
	from, to := record.DecisionRange()
	err = readAll(c, from, to, func(d *record.Decision) {
		if mirror.IsMerge(d) {
			all = append(all, d)
		}
	})
	if err != nil || len(all) == 0 {
		return Change{}, nil, err
	}
	t := c.totals
	t.Unpublished = 0
	var broken error
	names := namesOf(&t, c.series, c.context, &broken)
	change.Records = []Record{{record.TotalsKey(), record.Encode(&t)}}
	standing := map[rdf.Quad]bool{}
	for _, d := range all {
		for _, q := range names.Published(d) {
			standing[q] = true
			change.Add = append(change.Add, q)
		}
	}
	for _, d := range all {
		if d.Undone != 0 {
			d.Undone = 0 // as it was when published
			stale = append(stale, names.Published(d)...)
		}
	}
	stale = slices.DeleteFunc(stale, func(q rdf.Quad) bool { return standing[q] }) // quads of pairs that were merged again
	return change, stale, broken
}
