package resolver

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// Clear deletes contexts, cases and decisions, and keeps what was learnt of clocks,
// subjects and robots. It returns the number of deleted contexts. Their names are never
// reused. apply clears the published graph and stores the change in one transaction.
func (r *Resolver) Clear(ctx context.Context, apply func(context.Context, Change) error) (contexts int64, err error) {
	return r.clear(ctx, apply, func() (Change, error) { return r.committed.cleared(nil) })
}

// clear deletes all contexts, and returns how many there were. deletion returns the change that does so, and apply
// stores it.
func (r *Resolver) clear(ctx context.Context, apply func(context.Context, Change) error, deletion func() (Change, error)) (contexts int64, err error) {
	err = r.exclusive(ctx, func() error {
		change, err := deletion()
		if err != nil {
			return err
		}
		t := &r.committed.totals
		contexts = t.Active + t.Ambiguous + t.Merged
		change.Contexts = contexts
		if err := apply(ctx, change); err != nil {
			return err
		}
		return r.reread()
	})
	return contexts, err
}

// ErrOthers reports that a store has observations that ClearContexts must not delete.
var ErrOthers = errors.New("others have sent observations")

// ClearContexts is like Clear, but leaves the published graph, except for the triples of
// merges. It also deletes what was learnt of the robots and subjects that forget accepts.
// If there is an observation whose URI is not in observed, it deletes nothing, and the
// error is ErrOthers. apply stores the change.
func (r *Resolver) ClearContexts(ctx context.Context, observed map[string]bool, forget func(iri string) bool, apply func(context.Context, Change) error) (contexts int64, err error) {
	return r.clear(ctx, apply, func() (Change, error) {
		from, to := record.ObservationKey(0, 0), record.ObservationKey(math.MaxUint64, math.MaxUint64)
		others := false
		err := readUntil(&r.committed, from, to, func(o *record.Observation) bool {
			others = !observed[o.URI]
			return !others
		})
		if others {
			err = ErrOthers
		}
		if err != nil {
			return Change{}, err
		}
		change, err := r.committed.cleared(forget)
		if err != nil {
			return change, err
		}
		merges, stale, err := r.committed.republished() // the triples of merges, whether they are valid or not
		for _, q := range slices.Concat(merges.Add, stale) {
			if q.G.IsZero() {
				change.Remove = append(change.Remove, q)
			}
		}
		return change, err
	})
}

// ClearPublished clears only the published graph. Contexts, cases and decisions stay.
// apply is as in Clear.
func (r *Resolver) ClearPublished(ctx context.Context, apply func(context.Context, Change) error) error {
	return r.exclusive(ctx, func() error {
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

// unpublished returns the totals after the published graph was cleared, and the change that stores them: the merges and
// aliases so far are no longer in that graph. The change is empty if there are none.
func unpublished(t record.Totals) (after record.Totals, change Change) {
	if t.AutoMerges+t.ManualMerges+t.Aliases == 0 {
		return t, Change{}
	}
	t.Unpublished = t.Decisions
	return t, Change{Records: []Record{{record.TotalsKey(), record.Encode(&t)}}}
}

// exclusive runs do after all changes are stored, while no other operation runs. After an
// error it rereads the memory, because the state of the store is unknown.
func (r *Resolver) exclusive(ctx context.Context, do func() error) error {
	end, err := r.alone(ctx)
	if err != nil {
		return err
	}
	defer end()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && r.last.wait() != nil {
		r.reset()
	}
	err = r.recall()
	if err == nil {
		err = do()
	}
	if err != nil {
		r.reset()
	}
	return err
}

// reread rereads the memory after something else has changed the store.
func (r *Resolver) reread() error {
	r.reset()
	return r.recall()
}

// cleared returns the change that deletes everything but the series of numbers that go
// on, and what was learnt of robots and subjects. If forget is not nil, what was learnt
// of an IRI for which it returns true is deleted too.
func (c *committed) cleared(forget func(iri string) bool) (Change, error) {
	t := c.totals
	kept := record.Totals{Contexts: t.Contexts, Observations: t.Observations, Cases: t.Cases, Decisions: t.Decisions,
		Cleared: t.Contexts, Names: t.Names, Secret: t.Secret}
	names := mirror.Names{Hasher: c.hasher}
	change := Change{Clear: true, Records: []Record{
		{record.TotalsKey(), record.Encode(&kept)}, {record.ScaleKey(), record.Encode(&c.scale)},
	}}
	keep := func(iris ...string) bool { return forget == nil || !slices.ContainsFunc(iris, forget) }
	err := errors.Join(
		keepIn(c, &change, record.SeriesRange, func(*record.Series) ([]rdf.Quad, bool) { return nil, true }),
		keepIn(c, &change, record.ClockRange, func(x *record.Clock) ([]rdf.Quad, bool) {
			x.Claims = slices.DeleteFunc(x.Claims, func(c record.Claim) bool { return !keep(c.Partner) })
			return names.OfClock(x), keep(x.Robot)
		}),
		keepIn(c, &change, record.WatchedRange, func(x *record.Subject) ([]rdf.Quad, bool) {
			x.Pairs = slices.DeleteFunc(x.Pairs, func(p record.SubjectPair) bool { return !keep(p.First, p.Second) })
			return names.OfSubject(x), keep(x.Subject)
		}),
		keepIn(c, &change, record.PairRange, func(x *record.Pair) ([]rdf.Quad, bool) { return nil, keep(x.First, x.Second) }),
		keepIn(c, &change, record.PeopleRange, func(x *record.Person) ([]rdf.Quad, bool) { return names.OfPerson(x), keep(x.First, x.Second) }),
		keepIn(c, &change, record.RelayRange, func(x *record.Relay) ([]rdf.Quad, bool) {
			x.Sources = slices.DeleteFunc(x.Sources, func(s record.RelaySource) bool { return !keep(s.Robot) })
			return names.OfRelay(x), keep(x.Robot, x.Of)
		}),
	)
	return change, err
}

// keepIn adds, to a change that deletes everything, the records of a range that keep accepts, as keep has edited them,
// and the quads that it returns for them.
func keepIn[T any, P interface {
	*T
	record.Coded
}](c *committed, change *Change, within func() (from, to []byte), keep func(P) ([]rdf.Quad, bool)) error {
	from, to := within()
	var failed error
	err := c.scan(from, to, func(key, value []byte) bool {
		var x *T
		if x, failed = record.Decode[T, P](value); failed != nil {
			return false
		}
		if quads, ok := keep(x); ok {
			change.Records = append(change.Records, Record{slices.Clone(key), record.Encode[T, P](x)})
			change.Add = append(change.Add, quads...)
		}
		return true
	})
	return errors.Join(err, failed)
}

// republished returns the change after which the published graph has every valid merge and every alias,
// and the quads of the merges that are not valid.
func (c *committed) republished() (change Change, stale []rdf.Quad, err error) {
	var all []*record.Decision
	from, to := record.DecisionRange()
	err = readAll(c, from, to, func(d *record.Decision) {
		if mirror.IsMerge(d) {
			all = append(all, d)
		}
	})
	var aliases []*record.Alias
	if err == nil {
		from, to = record.AliasRange()
		err = readAll(c, from, to, func(a *record.Alias) { aliases = append(aliases, a) })
	}
	if err != nil || len(all)+len(aliases) == 0 {
		return Change{}, nil, err
	}
	t := c.totals
	t.Unpublished = 0
	var broken error
	names := namesOf(&t, c.hasher, c.series, c.context, &broken)
	change.Records = []Record{{record.TotalsKey(), record.Encode(&t)}}
	standing := map[rdf.Quad]bool{}
	for _, d := range all {
		for _, q := range names.Published(d) {
			standing[q] = true
			change.Add = append(change.Add, q)
		}
	}
	for _, a := range aliases {
		change.Add = append(change.Add, names.OfAlias(a)...)
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
