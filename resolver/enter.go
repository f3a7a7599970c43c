package resolver

import (
	"context"
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/rdf"
)

// spare is memory that each unit of work leaves to the next one.
type spare struct {
	add           []rdf.Quad
	before, after []rdf.Quad // of a record that changes
	records       []Record
	reports       []report // of an interval
	candidates    []candidate
	weighed       []weigh.Candidate
	lists         []list // of a search
	clocks        changed[string, record.Clock]
}

// manyQuads is how many quads or records a unit of work must have for its memory not to
// be reused.
const manyQuads = 1000

// begin returns a unit of work. The caller holds the lock while using it.
func (r *Resolver) begin() *unit {
	c := &r.committed
	m := r.spare
	r.spare = spare{}
	return &unit{add: m.add, records: m.records, clocks: m.clocks, spare: m, committed: c, policy: r.policy, known: &c.learnt, began: c.totals, totals: c.totals, current: r.now, random: r.random}
}

// reading runs do with a unit of work that changes nothing.
func (r *Resolver) reading(do func(*unit) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.recall(); err != nil {
		return err
	}
	return r.cause(do(r.begin()))
}

type alongside struct{}

// Alongside returns a context for one decision, with which also is stored; see Change.Also. It is not for Reconcile and
// DecideRelay: their decisions may need several units of work, and also would be stored with the first.
func Alongside(ctx context.Context, also any) context.Context {
	return context.WithValue(ctx, alongside{}, also)
}

// write runs do with a unit of work, and returns once its changes are stored.
func write[T any](ctx context.Context, r *Resolver, do func(*unit) (T, error)) (T, error) {
	var none T
	answer, w, err := submit(ctx, r, do)
	if err == nil {
		err = r.await(w)
	}
	if err != nil {
		return none, err
	}
	return answer, nil
}

// submit does a unit of work. It returns before the changes are stored, but later units see them. w waits for that. If the
// store refuses the change because the one before it was lost, the error is that loss.
func submit[T any](ctx context.Context, r *Resolver, do func(*unit) (T, error)) (answer T, w *commit, err error) {
	answer, w, err = submitted(ctx, r, do)
	if err != nil && w != nil {
		if lost := r.await(w); lost != nil {
			err = lost
		}
	}
	return answer, w, err
}

// submitted is submit, but if the store refuses the change, it returns at once, and w is the change before it, or nil.
func submitted[T any](ctx context.Context, r *Resolver, do func(*unit) (T, error)) (answer T, w *commit, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.recall(); err != nil {
		return answer, nil, err
	}
	u := r.begin()
	u.now() // sets the time of the operation
	u.also = ctx.Value(alongside{})
	u.seen = SeenOf(ctx)
	answer, err = do(u)
	if err == nil && u.entry != nil {
		err = u.entry.Retry.Keep(answer)
	}
	if err == nil {
		w, err = r.enter(u)
	}
	return answer, w, r.cause(err)
}

// untilStored runs do under the lock, and then waits without it until all changes submitted so far are stored, also those of
// others: they are stored in order, so it waits for the last. do calls begin for each unit of work, and enters those with
// changes. An error of do undoes no unit that it has entered.
func (r *Resolver) untilStored(do func(begin func() *unit) error) error {
	r.mu.Lock()
	err := r.recall()
	if err == nil {
		err = r.cause(do(r.begin))
	}
	last := r.last
	r.mu.Unlock()
	if last != nil {
		if lost := r.await(last); err == nil {
			err = lost
		}
	}
	return err
}

// enter commits a unit of work: its changes become visible to others and are submitted to
// the store. The caller holds the lock. After an error nothing has changed, and the commit is what Resolver.submit returns then.
func (r *Resolver) enter(u *unit) (*commit, error) {
	change, err := u.change()
	if err != nil {
		return nil, err
	}
	if u.renames() {
		r.renames.Add(1)
	}
	w, err := r.submit(change)
	if err != nil {
		for _, e := range u.contexts.values { // change has listed them already
			u.committed.buckets.remove(e.after.bucket())
		}
		return w, err
	}
	u.remember()
	r.spare = u.spare
	r.spare.add, r.spare.records, r.spare.candidates, r.spare.clocks = u.add[:0], u.records[:0], u.spare.candidates[:0], u.clocks.empty()
	if cap(u.add)+cap(u.records)+cap(u.spare.candidates) > manyQuads {
		r.spare = spare{}
	}
	return w, nil
}

// change returns all changes of the unit, as records and as quads. Quads that stay as they are are in neither list.
func (u *unit) change() (Change, error) {
	if u.began.Stored == 0 && u.totals.Stored > 0 {
		u.add = append(u.add, mirror.Schema()...)
	} else if u.began.Stored > 0 && u.totals.Stored == 0 {
		u.remove = append(u.remove, mirror.Schema()...)
	}
	names, old := u.names(), u.names()
	old.Said = func(rdf.Term) bool { return true } // leave out nodes that other records share: they stay
	for _, e := range u.contexts.values {
		if e.before != nil {
			u.countStatus(e.before.Status(), -1)
			spare := &u.spare
			spare.before, spare.after = names.AppendContext(spare.before[:0], &e.before.Context), names.AppendContext(spare.after[:0], &e.after.Context)
			less, more := mirror.Difference(spare.before, spare.after)
			u.remove, u.add = append(u.remove, less...), append(u.add, more...)
		} else {
			u.put(u.hashes().TimeKey(e.after.kindHash, record.Bucket(e.after.At), e.after.Number), []byte{})
			u.add = names.AppendContext(u.add, &e.after.Context)
		}
		u.countStatus(e.after.Status(), 1)
		u.put(record.ContextKey(e.after.Number), record.Encode(&e.after.Context))
	}
	for _, e := range u.cases.values {
		var before []rdf.Quad
		if e.before != nil {
			before = old.OfCase(e.before)
			u.countCase(e.before, -1)
		}
		u.countCase(e.after, 1)
		less, more := mirror.Difference(before, names.OfCase(e.after))
		u.remove, u.add = append(u.remove, less...), append(u.add, more...)
		u.put(record.CaseKey(e.after.Number), record.Encode(e.after))
		if e.after.Status == record.Pending {
			u.put(record.PendingKey(e.after.Number), []byte{})
		} else if e.before != nil {
			u.put(record.PendingKey(e.after.Number), nil)
		}
	}
	if u.err != nil {
		return Change{}, fmt.Errorf("naming the records of a decision: %w", u.err)
	}
	if err := u.listContexts(); err != nil {
		return Change{}, err
	}
	u.putLearnt()
	u.putSeries()
	u.put(record.TotalsKey(), record.Encode(&u.totals))
	return Change{Records: u.records, Remove: u.remove, Add: u.add, Entry: u.entry, Also: u.also}, nil
}

// listContexts adds to their buckets the new contexts, and those that got observations and so may have other subjects and
// texts. It drops the buckets of those that lost an observation. It looks all buckets up before it changes one, because that
// may fail, and it runs before the part that can't fail.
func (u *unit) listContexts() error {
	var buckets []*bucket
	var listed []*shared
	var dropped []bucketName // the next look-up reads them
	for _, e := range u.contexts.values {
		if e.before != nil && len(e.after.Members) == len(e.before.Members) {
			continue
		}
		if e.before != nil && len(e.after.Members) < len(e.before.Members) {
			dropped = append(dropped, e.after.bucket())
			continue
		}
		name := e.after.bucket()
		if i := slices.IndexFunc(buckets, func(b *bucket) bool { return b.name == name }); i >= 0 { // it may not be in memory any more
			buckets, listed = append(buckets, buckets[i]), append(listed, e.after)
			continue
		}
		b, err := u.committed.bucket(name)
		if err != nil {
			return err
		}
		buckets, listed = append(buckets, b), append(listed, e.after)
	}
	for i, b := range buckets {
		b.add(listed[i])
		u.committed.buckets.put(b.name, b)
		if len(b.all) >= 2*listedAtLeast {
			dropped = append(dropped, b.name)
		}
	}
	for _, name := range dropped {
		u.committed.buckets.remove(name)
	}
	return nil
}

// putLearnt adds the records of counts and clocks, and everything else that was learnt.
func (u *unit) putLearnt() {
	if u.kindOf != nil {
		u.put(u.hashes().KindKey(u.kindHash), record.Encode(u.kindOf))
	}
	for i, c := range u.counts.keys {
		u.put(c.of.key(u.hashes(), c.name), record.Encode(&u.counts.values[i]))
	}
	for i := range u.clocks.values {
		c := &u.clocks.values[i]
		u.put(u.hashes().ClockKey(c.Robot), record.Encode(c))
		before, _ := u.committed.clocks.get(c.Robot) // in the cache, because it was read before the change
		less, more := mirror.Difference(u.names().OfClock(&before), u.names().OfClock(c))
		u.remove, u.add = append(u.remove, less...), append(u.add, more...)
	}
	u.evictClocks()
	for i, key := range u.repeats.keys {
		u.put(record.RepeatKey(key), record.Encode(&u.repeats.values[i]))
	}
	u.putWatched()
	if u.newScale != nil {
		u.put(record.ScaleKey(), record.Encode(u.newScale))
	}
	if u.newReviews != nil {
		u.put(record.ReviewsKey(), record.Encode(u.newReviews))
	}
}

// putSeries stores the series of names for new contexts, once, with the first decision.
func (u *unit) putSeries() {
	if u.committed.named || u.totals.Decisions == u.began.Decisions {
		return
	}
	last := u.committed.series[len(u.committed.series)-1]
	u.totals.Names = last.Bits
	u.put(record.SeriesKey(last.Decisions), record.Encode(&last))
}

// remember makes the unit's state the committed one.
func (u *unit) remember() {
	c := u.committed
	for _, e := range u.contexts.values {
		c.contexts.put(e.after.Number, e.after)
	}
	for _, e := range u.cases.values {
		c.cases.put(e.after.Number, e.after)
		c.groups.put(e.after)
	}
	c.forget(&u.gone)
	if u.kindOf != nil {
		c.kinds.put(u.kindHash, *u.kindOf)
	}
	for i, x := range u.counts.keys {
		c.frequencies[x.of].put(x.name, u.counts.values[i])
	}
	for _, x := range u.clocks.values {
		before, _ := c.clocks.get(x.Robot)
		c.learnt.unanchored += unanchored(&x) - unanchored(&before)
		c.clocks.put(x.Robot, x)
		c.learnt.noteClock(&x)
	}
	for i, key := range u.repeats.keys {
		c.repeats.put(key, u.repeats.values[i])
	}
	for _, node := range u.said {
		c.said.put(node, struct{}{})
	}
	u.rememberWatched()
	if u.newScale != nil {
		c.scale = *u.newScale
	}
	if u.newReviews != nil {
		c.reviews = *u.newReviews
	}
	c.named = c.named || u.totals.Decisions > u.began.Decisions
	c.totals = u.totals
	if u.newScale != nil || u.newReviews != nil {
		c.learnt.derive(&c.scale, &c.reviews)
	}
}

// forget drops what was removed.
func (c *committed) forget(gone *departed) {
	for _, s := range gone.contexts {
		c.contexts.remove(s.Number)
		c.buckets.remove(s.bucket())
	}
	for _, k := range gone.cases {
		c.cases.remove(k.Number)
		c.groups.put(&record.Case{Number: k.Number, Status: record.Superseded}) // without links, as it is not pending
	}
	for _, key := range gone.repeats {
		c.repeats.remove(key)
	}
	for _, node := range gone.nodes {
		c.said.remove(node)
	}
	for _, robot := range gone.clocks {
		c.clocks.remove(robot)
		delete(c.learnt.offsets, robot)
		c.learnt.countClock(robot)
	}
}

// rememberWatched makes what the unit learnt of subjects, pairs of robots, relays and persons known.
func (u *unit) rememberWatched() {
	known := &u.committed.learnt
	u.pairs.remember(known.pairs)
	u.relays.remember(known.relays)
	for robot := range u.relays.changed {
		known.countClock(robot)
	}
	for _, robot := range u.relays.evicted {
		known.countClock(robot)
	}
	relist := u.renames() || len(u.persons.evicted) > 0 // known.paired has the evicted ones
	for name := range u.persons.changed {
		if name.first != name.second {
			known.paired[name.first], known.paired[name.second] = true, true
		}
	}
	u.persons.remember(known.persons)
	if relist {
		known.listNames()
	}
	u.subjects.remember(known.watched)
	if len(u.subjects.changed) > 0 {
		known.listPlaceholders()
	}
}

// renames reports whether the names of a person change. Pairs that make room give nobody a name.
func (u *unit) renames() bool {
	for name, p := range u.persons.changed {
		if p.State == record.OnePerson || u.known.persons[name].State == record.OnePerson {
			return true
		}
	}
	return false
}

// countStatus adds by to the number of contexts with a status.
func (u *unit) countStatus(s record.Status, by int64) {
	switch s {
	case record.Active:
		u.totals.Active += by
	case record.Ambiguous:
		u.totals.Ambiguous += by
	case record.Merged:
		u.totals.Merged += by
	}
}

// countCase adds by to the number of cases that have the status of k.
func (u *unit) countCase(k *record.Case, by int64) {
	switch k.Status {
	case record.Pending:
		u.totals.Pending += by
	case record.Accepted:
		u.totals.Accepted += by
	case record.Rejected:
		u.totals.Rejected += by
	case record.Superseded:
		u.totals.Superseded += by
	}
}
