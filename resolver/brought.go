package resolver

import (
	"cmp"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Brought is what a log may have brought to a context that it names.
type Brought struct {
	Context      uint64   // the number of the context
	Root         uint64   // of what it was finally merged into, or Context
	Observations []uint64 // numbers of those that were placed there first
}

// BroughtBy returns the context that a URI names, or the zero Brought if there is none, with some of its observations:
// those that the decision with the given id placed there, and those of robots that the log names. names reports whether
// it names a robot.
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
	for next := b.Context; next != 0; {
		b.Root = next
		x, err := load[record.Context](store, record.ContextKey(next))
		if err != nil {
			return Brought{}, err
		}
		if next = 0; x != nil {
			next = x.Into
		}
	}
	var failed error
	from, to := record.ObservationRange(b.Context)
	err = readUntil(readOnly(store), from, to, func(o *record.Observation) bool {
		its := decision != "" && o.Decision == mirror.Number(decision)
		if !its && o.Robot != "" {
			its, failed = names(o.Robot)
		}
		if its {
			b.Observations = append(b.Observations, o.Number)
		}
		return failed == nil
	})
	return b, cmp.Or(err, failed)
}

// HasContext reports whether a store has a context with a number.
func HasContext(store Store, number uint64) (bool, error) {
	value, err := store.Get(record.ContextKey(number))
	return value != nil, err
}
