package resolver

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Brought is what a log may have brought to a context that it names.
type Brought struct {
	Context      uint64   // the number of the context
	Root         uint64   // of what it was finally merged into, or Context
	Observations []uint64 // numbers of those that were placed there first, also if they left it since
}

// BroughtBy returns the context that a URI names, or the zero Brought if there is none, with some of the observations that
// were placed there first: the one that the decision with the given id placed, and those of robots that the log names. names
// reports whether it names a robot.
func BroughtBy(store Store, uri, decision string, names func(robot string) (bool, error)) (b Brought, err error) {
	x, err := load[record.Context](store, record.ContextKey(mirror.Number(uri)))
	if err == nil && x != nil && x.URI == uri {
		b.Context = x.Number
	} else if err == nil {
		var a *record.Alias
		if a, err = load[record.Alias](store, record.AliasKey(uri)); a != nil && a.URI == uri {
			b.Context = a.Context
		}
	}
	if err != nil || b.Context == 0 {
		return Brought{}, err
	}
	c := readOnly(store)
	root, err := rootOf(b.Context, c.context)
	if err != nil {
		return Brought{}, err
	}
	b.Root = root.Number
	var failed error
	add := func(o *record.Observation, placed uint64) bool {
		its := decision != "" && placed == mirror.Number(decision)
		if !its && o.Robot != "" {
			its, failed = names(o.Robot)
		}
		if its {
			b.Observations = append(b.Observations, o.Number)
		}
		return failed == nil
	}
	from, to := record.ObservationRange(b.Context)
	err = readUntil(c, from, to, func(o *record.Observation) bool { return add(o, o.Decision) })
	if err = cmp.Or(err, failed); err != nil {
		return b, err
	}
	in, err := c.context(b.Context)
	if err != nil {
		return b, err
	}
	// An observation whose match was undone has a context of its own, which is kept separate, or was merged again since.
	others := slices.Clone(root.Origins)
	for _, s := range in.Separations {
		if !slices.Contains(others, s.Other) {
			others = append(others, s.Other)
		}
	}
	for _, n := range others {
		o, match, err := c.leftFor(n, b.Context)
		if err != nil {
			return b, err
		}
		if o != nil && !add(o, match) {
			return b, failed
		}
	}
	return b, nil
}

// leftFor returns the observation that left the context origin for one of its own when its match was undone, and the
// number of the match. It returns nil if own is no such context.
func (c *committed) leftFor(own, origin uint64) (left *record.Observation, match uint64, err error) {
	from, to := record.ObservationRange(own)
	err = readUntil(c, from, to, func(o *record.Observation) bool { left = o; return false })
	if err != nil || left == nil {
		return nil, 0, err
	}
	d, err := c.decision(left.Decision)
	if err != nil || d.Kind != record.Undoing || d.Target != origin {
		return nil, 0, err
	}
	return left, d.Undone, nil
}

// HasContext reports whether a store has a context with a number.
func HasContext(store Store, number uint64) (bool, error) {
	value, err := store.Get(record.ContextKey(number))
	return value != nil, err
}
