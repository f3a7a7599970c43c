package resolver

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Expiry says which contexts Expire removes.
type Expiry struct {
	// View calls do with a state of the store's records that does not change meanwhile.
	View func(do func(Store) error) error
	// End is a time from which on no observation is too old. Zero means that there is none.
	End time.Time
	// Old sets Rule and Entry of observations. It is called within View, as Named is.
	Old func(all []Aged) error
	// Named reports whether something that stays names a context by a URI.
	Named func(uri string) (bool, error)
	// Also returns what is stored with the removal; see Change.Also.
	Also func(Expired) any
}

// Aged is an observation whose age matters.
type Aged struct {
	Decision    string   // the id of the decision that placed it first, which the journal's entry names
	IRIs        []string // that it names
	Kind, Robot string
	Decided, At time.Time // when it was decided on, and its timestamp
	Rule        int       // the rule by which it is too old; negative if it stays
	Entry       uint64    // the number of its entry in the journal; 0 if there is none

	context uint64
}

// Expired is what one unit of work removes.
type Expired struct {
	Rules   []int    // for each context the rule by which it was too old
	Entries []uint64 // numbers of the entries of their observations
	Names   []string // URIs of the contexts, those of other services that led to them, and ids of their cases
}

// Limits of Expire: how many contexts it looks at together, and about how many it removes in a unit of work.
const (
	expiryWindow = 1 << 15
	expirySlice  = 4
)

// Expire removes contexts of which all observations are too old, with these observations, their cases and decisions.
// Contexts that merges, cases, decisions or late reports relate stay together as long as one has a younger observation
// or is named elsewhere. What was learnt stays. It looks at a view, and then removes in small units of work, between
// which others get a turn.
func (r *Resolver) Expire(ctx context.Context, x Expiry) error {
	for after := uint64(0); after < math.MaxUint64; {
		var err error
		if after, err = r.expireWindow(ctx, &x, after); err != nil {
			return err
		}
	}
	return nil
}

// expireWindow does what Expire does for the contexts of a window, which begins after one, and returns the last, or
// after if it left others the turn before the end.
func (r *Resolver) expireWindow(ctx context.Context, x *Expiry, after uint64) (last uint64, err error) {
	end, err := r.alone(ctx) // otherwise cases get new targets meanwhile
	if err != nil {
		return after, err
	}
	defer end()
	e := newExpiring(x)
	if err := x.View(func(s Store) (err error) {
		last, err = e.find(ctx, readOnly(s), after)
		return err
	}); err != nil {
		return after, err
	}
	for _, part := range e.parts() {
		begin := time.Now()
		if err := r.flushed(ctx, func(begin func() *unit) error {
			u := begin()
			some, err := u.expire(e, part)
			if some && err == nil {
				_, err = r.enter(u)
			}
			return err
		}); err != nil {
			return after, err
		}
		select {
		case <-time.After(time.Since(begin)): // others get the processor as long
		case <-ctx.Done():
			return after, ctx.Err()
		}
		if r.waiting.Load() > 0 {
			return after, nil
		}
	}
	return last, nil
}

// expiring is a search for contexts that go. Its maps have what refers to a context of the window, by one of these.
type expiring struct {
	*Expiry
	names     mirror.Names
	seen      record.Totals     // of the view, or of what was looked at since
	group     map[uint64]uint64 // context of the window -> another one that goes with it, or itself
	stays     map[uint64]bool   // contexts that stay, and so does their group
	uris      map[uint64]string
	cases     map[uint64]uint64
	decisions map[uint64]uint64
	aliases   map[string]uint64
	batches   map[uint64][][]byte        // keys, by decision
	placed    map[uint64]placed          // by observation
	shared    map[mirror.Association]int // how many decisions have each
	rules     map[uint64]int             // the rule of a context
	entries   map[uint64][]uint64        // of a context
}

// placed is the first decision on an observation.
type placed struct {
	decision uint64
	at       int64
}

func newExpiring(x *Expiry) *expiring {
	return &expiring{Expiry: x, group: map[uint64]uint64{}, stays: map[uint64]bool{}, uris: map[uint64]string{}, cases: map[uint64]uint64{},
		decisions: map[uint64]uint64{}, aliases: map[string]uint64{}, batches: map[uint64][][]byte{}, placed: map[uint64]placed{},
		shared: map[mirror.Association]int{}, rules: map[uint64]int{}, entries: map[uint64][]uint64{}}
}

// root returns the context that names a group.
func (e *expiring) root(n uint64) uint64 {
	for e.group[n] != n {
		e.group[n] = e.group[e.group[n]]
		n = e.group[n]
	}
	return n
}

// join puts the known ones of some contexts into one group, and returns one of them, or 0 if there is none. If one is
// unknown, being outside the window, the group stays. 0 is no context.
func (e *expiring) join(contexts ...uint64) (within uint64) {
	outside := false
	for _, n := range contexts {
		switch _, known := e.group[n]; {
		case n == 0:
		case !known:
			outside = true
		case within == 0:
			within = n
		default:
			e.group[e.root(n)] = e.root(within)
		}
	}
	if outside && within != 0 {
		e.stays[within] = true
	}
	return within
}

// find fills e with a window of contexts after one, and returns the last one of these, or the largest number at the end.
func (e *expiring) find(ctx context.Context, c *committed, after uint64) (last uint64, err error) {
	totals, err := fetch[record.Totals](c, record.TotalsKey())
	if err != nil || totals == nil {
		return math.MaxUint64, err
	}
	e.seen = *totals
	series, err := c.storedSeries()
	if err != nil {
		return 0, err
	}
	e.names = mirror.Names{Series: series}
	if last, err = e.window(c, after); err != nil || len(e.group) == 0 {
		return math.MaxUint64, err
	}
	steps := []func(*committed) error{e.findRelated, e.findCases, e.findDecisions, e.findAliases, e.findBatches, e.findOld, e.findNamed}
	for _, step := range steps {
		if err := errors.Join(ctx.Err(), step(c)); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// window adds contexts after one.
func (e *expiring) window(c *committed, after uint64) (last uint64, err error) {
	last = math.MaxUint64
	err = readUntil(c, record.ContextKey(after+1), []byte{record.ContextKey(0)[0] + 1}, func(x *record.Context) bool {
		if len(e.group) == expiryWindow {
			return false
		}
		if !e.End.IsZero() && x.Created >= e.End.UnixMicro() { // others that follow may be older, if the clock was set back
			return true
		}
		e.group[x.Number], e.uris[x.Number] = x.Number, x.URI
		if len(e.group) == expiryWindow {
			last = x.Number
		}
		return true
	})
	return last, err
}

func (e *expiring) findRelated(c *committed) error {
	first := slices.Min(slices.Collect(maps.Keys(e.group)))
	return readAll(c, record.ContextKey(first), []byte{record.ContextKey(0)[0] + 1}, func(x *record.Context) { e.join(relatedToContext(x)...) })
}

// relatedToContext returns the contexts that a context names, and itself.
func relatedToContext(x *record.Context) []uint64 {
	all := []uint64{x.Number, x.Into, x.LateOf}
	for _, s := range x.Separations {
		all = append(all, s.Own, s.Other)
	}
	return all
}

func (e *expiring) findCases(c *committed) error {
	return readAll(c, record.CaseKey(0), []byte{record.CaseKey(0)[0] + 1}, func(k *record.Case) {
		if n := e.join(relatedToCase(k)...); n != 0 {
			e.cases[k.Number] = n
		}
	})
}

// relatedToCase returns the contexts that a case is about.
func relatedToCase(k *record.Case) []uint64 {
	all := []uint64{k.Source}
	for _, t := range k.Targets {
		all = append(all, t.Context)
	}
	return all
}

func (e *expiring) findDecisions(c *committed) error {
	from, to := record.DecisionRange()
	return readAll(c, from, to, func(d *record.Decision) {
		e.shared[mirror.AssociationOf(d)]++
		n := e.join(relatedToDecision(d, func(k uint64) uint64 {
			if in := e.cases[k]; in != 0 {
				return in
			}
			return math.MaxUint64
		})...)
		if n == 0 {
			return
		}
		e.decisions[d.Number] = n
		switch d.Kind {
		case record.Creation, record.Match, record.Doubtful:
			e.placed[d.Observation] = placed{d.Number, d.At}
		}
	})
}

// relatedToDecision returns the contexts that a decision is about. contextOf returns one that a case is about.
func relatedToDecision(d *record.Decision, contextOf func(number uint64) uint64) []uint64 {
	all := []uint64{d.Source, d.Target}
	for _, s := range d.Joined {
		all = append(all, s.Own, s.Other)
	}
	if d.Case != 0 {
		all = append(all, contextOf(d.Case))
	}
	for _, k := range d.Closed {
		all = append(all, contextOf(k))
	}
	return all
}

func (e *expiring) findAliases(c *committed) error {
	from, to := record.AliasRange()
	return readAll(c, from, to, func(a *record.Alias) { e.aliases[a.URI] = a.Context })
}

func (e *expiring) findBatches(c *committed) error {
	from, to := record.BatchesRange()
	return c.scan(from, to, func(key, _ []byte) bool {
		if n := record.VerdictNumber(key); e.decisions[n] != 0 {
			e.batches[n] = append(e.batches[n], slices.Clone(key))
		}
		return true
	})
}

// findOld marks contexts with observations that are not too old.
func (e *expiring) findOld(c *committed) error {
	var all []Aged
	contexts := slices.Sorted(maps.Keys(e.group))
	from, _ := record.ObservationRange(contexts[0])
	_, to := record.ObservationRange(contexts[len(contexts)-1])
	if err := readAll(c, from, to, func(o *record.Observation) {
		first, known := e.placed[o.Number]
		if e.join(o.Context, e.aliases[o.Alias]) == 0 {
			return
		}
		if !known || !e.End.IsZero() && first.at >= e.End.UnixMicro() {
			e.stays[o.Context] = true
			return
		}
		all = append(all, Aged{Decision: e.names.Decision(first.decision), IRIs: []string{o.Subject, o.URI, o.Robot, o.Location, o.Alias}, Kind: o.Kind, Robot: o.Robot,
			Decided: time.UnixMicro(first.at).UTC(), At: time.UnixMicro(o.At).UTC(), context: o.Context})
	}); err != nil {
		return err
	}
	if err := e.Old(all); err != nil {
		return err
	}
	for _, o := range all {
		if e.rules[o.context] = o.Rule; o.Rule < 0 {
			e.stays[o.context] = true
		}
		if o.Entry != 0 {
			e.entries[o.context] = append(e.entries[o.context], o.Entry)
		}
	}
	return nil
}

// findNamed marks contexts that something names.
func (e *expiring) findNamed(*committed) error {
	look := func(uri string, n uint64) error {
		if _, within := e.group[n]; !within || e.stays[n] {
			return nil
		}
		named, err := e.Named(uri)
		e.stays[n] = named
		return err
	}
	e.spread()
	for n, uri := range e.uris {
		if err := look(uri, n); err != nil {
			return err
		}
	}
	for uri, n := range e.aliases {
		if err := look(uri, n); err != nil {
			return err
		}
	}
	e.spread()
	return nil
}

// spread has all contexts of a group stay if one stays.
func (e *expiring) spread() {
	for n, stays := range maps.Clone(e.stays) {
		if stays {
			e.stays[e.root(n)] = true
		}
	}
	for n := range e.group {
		if e.stays[e.root(n)] {
			e.stays[n] = true
		}
	}
}

// parting is what one unit of work removes, in whole groups.
type parting struct{ contexts, cases, decisions []uint64 }

// parts returns what goes.
func (e *expiring) parts() (out []*parting) {
	of := map[uint64]*parting{} // by the root of a group
	for _, n := range slices.Sorted(maps.Keys(e.group)) {
		if e.stays[n] {
			continue
		}
		root := e.root(n)
		p := of[root]
		if p == nil {
			if len(out) == 0 || len(out[len(out)-1].contexts) >= expirySlice {
				out = append(out, &parting{})
			}
			p = out[len(out)-1]
			of[root] = p
		}
		p.contexts = append(p.contexts, n)
	}
	for _, k := range slices.Sorted(maps.Keys(e.cases)) {
		if p := of[e.root(e.cases[k])]; p != nil {
			p.cases = append(p.cases, k)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(e.decisions)) {
		if p := of[e.root(e.decisions[d])]; p != nil {
			p.decisions = append(p.decisions, d)
		}
	}
	return out
}
