package resolver

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

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
	if e.last = last; e.Only != nil {
		e.last = 0 // others that are related may come before
	}
	for more := true; more; {
		e.reset()
		for _, step := range []func(*committed) error{e.findRelated, e.findCases, e.findDecisions, e.findAliases, e.findBatches, e.findOld} {
			if err := errors.Join(ctx.Err(), step(c)); err != nil {
				return 0, err
			}
		}
		if more, err = e.widen(c); err != nil {
			return 0, err
		}
	}
	for n := range e.open {
		e.stays[n] = true
	}
	return last, e.findNamed()
}

// window adds contexts after one that may be too old, until they have e.Window observations. It returns the last one, or the
// largest number at the end.
func (e *expiring) window(c *committed, after uint64) (last uint64, err error) {
	last = math.MaxUint64
	if e.Only != nil {
		return last, e.choose(c)
	}
	left := cmp.Or(e.Window, usualWindow)
	err = readUntil(c, record.ContextKey(after+1), []byte{record.ContextKey(0)[0] + 1}, func(x *record.Context) bool {
		if left <= 0 {
			return false
		}
		if !e.End.IsZero() && x.Created >= e.End.UnixMicro() { // others that follow may be older, if the clock was set back
			return true
		}
		e.group[x.Number], e.uris[x.Number] = x.Number, x.URI
		if left -= int(max(x.Count, 1)); left <= 0 {
			last = x.Number
		}
		return true
	})
	return last, err
}

// choose adds those contexts of Only that are there and that nothing names.
func (e *expiring) choose(c *committed) error {
	for _, n := range e.Only {
		x, err := fetch[record.Context](c, record.ContextKey(n))
		if err != nil {
			return err
		}
		if x == nil {
			continue
		}
		named, err := e.Named(x.URI)
		if err != nil {
			return err
		}
		if !named {
			e.group[n], e.uris[n] = n, x.URI
		}
	}
	return nil
}

// findRelated joins each context with those that it names.
func (e *expiring) findRelated(c *committed) error {
	first := uint64(0)
	if e.Only == nil {
		first = slices.Min(slices.Collect(maps.Keys(e.group)))
	}
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

// findCases joins the contexts of each case.
func (e *expiring) findCases(c *committed) error {
	return readAll(c, record.CaseKey(0), []byte{record.CaseKey(0)[0] + 1}, func(k *record.Case) {
		if n := e.join(relatedToCase(k)...); n != 0 {
			e.cases[k.Number] = n
			e.hold(n, k.DecidedBy, k.Decision, k.Decided)
		}
	})
}

// hold has a context stay if a decision on it must.
func (e *expiring) hold(n uint64, by string, decision uint64, at int64) {
	if by != "" && e.Held != nil && e.Held(by, e.names.Decision(decision), time.UnixMicro(at).UTC()) {
		e.stays[n] = true
	}
}

// relatedToCase returns the contexts that a case is about.
func relatedToCase(k *record.Case) []uint64 {
	all := []uint64{k.Source}
	for _, t := range k.Targets {
		all = append(all, t.Context)
	}
	return all
}

// findDecisions joins the contexts that one decision is about, and notes which decision placed each
// observation.
func (e *expiring) findDecisions(c *committed) error {
	type ofCase struct{ within, number uint64 }
	var others []ofCase // cases that are not among e's, of decisions that are
	from, to := record.DecisionRange()
	err := readAll(c, from, to, func(d *record.Decision) {
		e.shared[mirror.AssociationOf(d)]++
		var unknown []uint64
		n := e.join(relatedToDecision(d, func(k uint64) uint64 {
			if e.cases[k] == 0 {
				unknown = append(unknown, k)
			}
			return e.cases[k]
		})...)
		if n == 0 {
			return
		}
		for _, k := range unknown {
			others = append(others, ofCase{n, k})
		}
		e.decisions[d.Number] = n
		e.hold(n, d.By, d.Number, d.At)
		switch d.Kind {
		case record.Creation, record.Match, record.Doubtful:
			e.placed[d.Observation] = placed{d.Number, cmp.Or(d.Source, d.Target), d.At} // a match has no source
		}
	})
	if err != nil {
		return err
	}
	for _, o := range others {
		k, err := fetch[record.Case](c, record.CaseKey(o.number))
		if err != nil {
			return err
		}
		if k != nil {
			e.join(append(relatedToCase(k), o.within)...)
		}
	}
	return nil
}

// relatedToDecision returns the contexts that a decision is about. contextOf returns a context that the case
// with a number is about.
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

// findBatches notes the records of batches that name a decision that may go.
func (e *expiring) findBatches(c *committed) error {
	from, to := record.BatchesRange()
	return c.scan(from, to, func(key, _ []byte) bool {
		if n := record.VerdictNumber(key); e.decisions[n] != 0 {
			e.batches[n] = append(e.batches[n], slices.Clone(key))
		}
		return true
	})
}

// findOld marks contexts with observations that are not too old, and notes the rules and entries of the others.
func (e *expiring) findOld(c *committed) error {
	var all []Aged
	if err := e.observations(c, func(o *record.Observation) {
		first, known := e.placed[o.Number]
		contexts := []uint64{o.Context}
		for _, uri := range o.Aliases() {
			contexts = append(contexts, e.aliases[uri])
		}
		if e.join(contexts...) == 0 {
			return
		}
		switch {
		case !known: // it came with a context outside the window that was then joined with this one
			e.open[o.Context] = true
			return
		case !e.End.IsZero() && first.at >= e.End.UnixMicro():
			e.stays[o.Context] = true
			return
		}
		all = append(all, Aged{Decision: e.names.Decision(first.decision), IRIs: namedBy(o), Kind: o.Kind, Robot: o.Robot,
			Decided: time.UnixMicro(first.at).UTC(), At: time.UnixMicro(o.At).UTC(), Number: o.Number, First: first.context, Context: o.Context})
	}); err != nil {
		return err
	}
	for i := range all {
		all[i].Group = e.root(all[i].Context)
	}
	if err := e.Old(all); err != nil {
		return err
	}
	for _, o := range all {
		if e.rules[o.Context] = o.Rule; o.Rule < 0 {
			e.stays[o.Context] = true
		}
		if o.Entry != 0 {
			e.entries[o.Context] = append(e.entries[o.Context], o.Entry)
		}
	}
	return nil
}

// observations calls f with the observations in the contexts that e has, and perhaps others.
func (e *expiring) observations(c *committed, f func(o *record.Observation)) error {
	contexts := slices.Sorted(maps.Keys(e.group))
	for len(contexts) > 0 {
		n := 1 // those up to e.last are read at once, with the observations between them
		for n < len(contexts) && contexts[n] <= e.last {
			n++
		}
		from, _ := record.ObservationRange(contexts[0])
		_, to := record.ObservationRange(contexts[n-1])
		if err := readAll(c, from, to, f); err != nil {
			return err
		}
		contexts = contexts[n:]
	}
	return nil
}

// findNamed marks contexts that something names.
func (e *expiring) findNamed() error {
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

// spread has all contexts of a group stay if one stays: it marks the roots of groups, and then all contexts.
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
