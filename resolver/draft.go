package resolver

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// draft is what one operation is about to change. Nothing of it is seen by others before enter, so
// that one which fails halfway leaves no trace. It reads what it has changed itself, then what the
// resolver remembers.
type draft struct {
	*Resolver
	now       int64
	contexts  []edit[shared]
	cases     []edit[record.Case]
	decisions []record.Decision
	kindOf    *record.Kind // of kindHash
	kindHash  uint64
	counts    []counted
	clocks    []record.Clock
	repeats   []keyed
	scale     *record.Scale
	pairs     map[pairName]*record.Pair
	seen      map[string]*record.Subject // of which something was learnt
	relays    map[string]*record.Relay
	gone      struct { // which are no longer known
		subjects []string
		pairs    []pairName
		relays   []string
	}
	unsaid  []rdf.Quad // that go
	reviews *record.Reviews
	said    []rdf.Term // nodes of many records, whose quads are in this change
	totals  record.Totals
	records []Record
	anew    []rdf.Term
	quads   []rdf.Quad
	entry   *journal.Entry
	err     error // of a look-up that could not return one
}

// edit is a record before, nil if it is new, and after.
type edit[T any] struct{ before, after *T }

// keyed is what a repeat of a new observation will be answered with.
type keyed struct {
	key   record.Hash
	value record.Repeat
}

// counted is a frequency that changes, in one of the caches.
type counted struct {
	cache *cache[frequencyName, record.Frequency]
	key   []byte
	name  frequencyName
	value record.Frequency
}

func (r *Resolver) draft() *draft {
	return &draft{Resolver: r, now: r.now().UnixMicro(), totals: r.totals}
}

// context gives a context as the draft has it. It hides the Resolver's.
func (d *draft) context(number uint64) (*shared, error) {
	for _, e := range d.contexts {
		if e.after.Number == number {
			return e.after, nil
		}
	}
	return d.Resolver.context(number)
}

// root gives the context that one was merged into at last, or itself, as the draft has it.
func (d *draft) root(number uint64) (*shared, error) { return rootOf(d.context, number) }

// setContext puts a context in the place of the one of its number, or adds it.
func (d *draft) setContext(x record.Context) (*shared, error) {
	for i, e := range d.contexts {
		if e.after.Number == x.Number {
			d.contexts[i].after = newShared(x, e.after)
			return d.contexts[i].after, nil
		}
	}
	var before *shared
	if x.Number <= d.Resolver.totals.Contexts {
		var err error
		if before, err = d.Resolver.context(x.Number); err != nil {
			return nil, err
		}
	}
	after := newShared(x, before)
	d.contexts = append(d.contexts, edit[shared]{before, after})
	return after, nil
}

// caseOf gives a case as the draft has it.
func (d *draft) caseOf(number uint64) (*record.Case, error) {
	for _, e := range d.cases {
		if e.after.Number == number {
			return e.after, nil
		}
	}
	return d.Resolver.caseOf(number)
}

// setCase puts a case in the place of the one of its number, or adds it.
func (d *draft) setCase(k record.Case) error {
	for i, e := range d.cases {
		if e.after.Number == k.Number {
			d.cases[i].after = &k
			return nil
		}
	}
	var before *record.Case
	if k.Number <= d.Resolver.totals.Cases {
		var err error
		if before, err = d.Resolver.caseOf(k.Number); err != nil {
			return err
		}
	}
	d.cases = append(d.cases, edit[record.Case]{before, &k})
	return nil
}

// decide records a decision and gives its number.
func (d *draft) decide(x record.Decision) uint64 {
	d.totals.Decisions++
	x.Number, x.At, x.Plan = d.totals.Decisions, d.now, d.plan
	d.setDecision(x)
	switch x.Kind {
	case record.AutoMerge, record.AcceptedMerge, record.Rejection, record.Undoing:
		d.put(record.MeritKey(x.Number), []byte{})
	}
	d.quads = append(d.quads, d.names().OfDecision(&x)...)
	return x.Number
}

func (d *draft) setDecision(x record.Decision) {
	d.decisions = append(d.decisions, x)
	d.put(record.DecisionKey(x.Number), record.Encode(&x))
}

// decision gives a decision as the draft has it.
func (d *draft) decision(number uint64) (*record.Decision, error) {
	for _, x := range d.decisions {
		if x.Number == number {
			return &x, nil
		}
	}
	return d.Resolver.decision(number)
}

func (d *draft) put(key, value []byte) { d.records = append(d.records, Record{key, value}) }

// names gives the names of what the draft knows.
func (d *draft) names() mirror.Names {
	names := namesOf(&d.totals, d.series, d.context, &d.err)
	names.Said = d.say
	return names
}

// say tells whether the quads of a node of many records are stored, or are going to be: if not, they are now.
func (d *draft) say(node rdf.Term) bool {
	if _, ok := d.Resolver.said.get(node); ok || slices.Contains(d.said, node) {
		return true
	}
	d.said = append(d.said, node)
	return false
}

// enter makes the draft what the resolver remembers, and hands it on to be stored. The caller holds the lock.
func (d *draft) enter() (*commit, error) {
	if d.Resolver.totals.Stored == 0 && d.totals.Stored > 0 {
		d.quads = append(d.quads, mirror.Schema()...)
	}
	var remove []rdf.Quad
	add := [][]rdf.Quad{d.quads}
	names, old := d.names(), d.names()
	old.Said = func(rdf.Term) bool { return true } // which stay
	for _, e := range d.contexts {
		var before []rdf.Quad
		if e.before != nil {
			before = names.OfContext(&e.before.Context)
			d.countStatus(e.before.Status(), -1)
		} else {
			d.put(record.TimeKey(e.after.hash, record.Bucket(e.after.At), e.after.Number), []byte{})
		}
		d.countStatus(e.after.Status(), 1)
		less, more := mirror.Difference(before, names.OfContext(&e.after.Context))
		remove, add = append(remove, less...), append(add, more)
		d.put(record.ContextKey(e.after.Number), record.Encode(&e.after.Context))
	}
	for _, e := range d.cases {
		var before []rdf.Quad
		if e.before != nil {
			before = old.OfCase(e.before)
			d.countCase(e.before, -1)
		}
		d.countCase(e.after, 1)
		less, more := mirror.Difference(before, names.OfCase(e.after))
		remove, add = append(remove, less...), append(add, more)
		d.put(record.CaseKey(e.after.Number), record.Encode(e.after))
		if e.after.Status == record.Pending {
			d.put(record.PendingKey(e.after.Number), []byte{})
		} else if e.before != nil {
			d.put(record.PendingKey(e.after.Number), nil)
		}
	}
	if d.err != nil {
		return nil, fmt.Errorf("naming what was decided: %w", d.err)
	}
	if err := d.enterBuckets(); err != nil {
		return nil, err
	}
	d.putLearnt()
	remove = append(remove, d.unsaid...)
	add[0] = d.quads
	d.enterNames()
	d.put(record.TotalsKey(), record.Encode(&d.totals))
	w := d.enqueue(Change{Records: d.records, Anew: d.anew, Remove: remove, Add: slices.Concat(add...), Entry: d.entry})
	d.remember()
	return w, nil
}

// enterBuckets lists new contexts where they will be looked for, and those that lost an observation, which
// may be nobody's now. It comes before what can't fail.
func (d *draft) enterBuckets() error {
	for _, e := range d.contexts {
		if e.before != nil && len(e.after.Members) >= len(e.before.Members) {
			continue
		}
		name := bucketName{e.after.hash, record.Bucket(e.after.At)}
		b, err := d.bucket(name)
		if err != nil {
			return err
		}
		b.add(e.after)
	}
	return nil
}

// putLearnt adds the records of counts and clocks.
func (d *draft) putLearnt() {
	if d.kindOf != nil {
		d.put(record.KindKey(d.kindHash), record.Encode(d.kindOf))
	}
	for _, c := range d.counts {
		d.put(c.key, record.Encode(&c.value))
	}
	for _, c := range d.clocks {
		d.put(record.ClockKey(c.Robot), record.Encode(&c))
		before, _ := d.Resolver.clocks.get(c.Robot) // it was read to be changed
		less, more := mirror.Difference(mirror.OfClock(&before), mirror.OfClock(&c))
		d.unsaid, d.quads = append(d.unsaid, less...), append(d.quads, more...)
	}
	for _, k := range d.repeats {
		d.put(record.RepeatKey(k.key), record.Encode(&k.value))
	}
	d.putWatched()
	if d.scale != nil {
		d.put(record.ScaleKey(), record.Encode(d.scale))
	}
	if d.reviews != nil {
		d.put(record.ReviewsKey(), record.Encode(d.reviews))
	}
}

// remember puts the draft into the resolver's memory.
func (d *draft) remember() {
	r := d.Resolver
	for _, e := range d.contexts {
		r.contexts.put(e.after.Number, e.after)
	}
	for _, e := range d.cases {
		r.cases.put(e.after.Number, e.after)
		r.groups.put(e.after)
	}
	if d.kindOf != nil {
		r.kinds.put(d.kindHash, *d.kindOf)
	}
	for _, c := range d.counts {
		c.cache.put(c.name, c.value)
	}
	for _, c := range d.clocks {
		r.clocks.put(c.Robot, c)
		r.noteClock(c)
	}
	for _, k := range d.repeats {
		r.repeats.put(k.key, k.value)
	}
	for _, node := range d.said {
		r.said.put(node, struct{}{})
	}
	d.rememberWatched()
	if d.scale != nil {
		r.scale = *d.scale
	}
	if d.reviews != nil {
		r.reviews = *d.reviews
	}
	r.named = r.named || d.totals.Decisions > r.totals.Decisions
	r.totals = d.totals
	r.learnt()
}

func (d *draft) countStatus(s record.Status, by int64) {
	switch s {
	case record.Active:
		d.totals.Active += by
	case record.Ambiguous:
		d.totals.Ambiguous += by
	case record.Merged:
		d.totals.Merged += by
	}
}

func (d *draft) countCase(k *record.Case, by int64) {
	switch k.Status {
	case record.Pending:
		d.totals.Pending += by
	case record.Accepted:
		d.totals.Accepted += by
	case record.Rejected:
		d.totals.Rejected += by
	case record.Superseded:
		d.totals.Superseded += by
	}
}
