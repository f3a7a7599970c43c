package trigram

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a condition on the trigrams of a text. A nil Query is true for all texts.
type Query struct {
	// Any means that one of Trigrams and Sub suffices. Otherwise the text must have all
	// Trigrams and satisfy all of Sub.
	Any      bool
	Trigrams []Trigram // sorted and distinct
	Sub      []*Query
}

// Limits of a query. Parts beyond them count as true.
const (
	maxTrigrams     = 4096 // in total
	maxPartTrigrams = 128  // for one substring
)

// Contains returns the query for texts that contain part, both folded.
func Contains(part string) *Query {
	if !utf8.ValidString(part) || strings.ContainsRune(part, utf8.RuneError) {
		return nil // LCASE and regular expressions replace invalid UTF-8 by U+FFFD
	}
	return containsFolded(string(Fold(nil, part)))
}

// containsFolded returns the query for texts that contain a folded part, or nil if it is too short
// for a trigram. It takes the first trigrams of a long one.
func containsFolded(part string) *Query {
	var ts []Trigram
	Each([]byte(part[:min(len(part), maxPartTrigrams+2)]), func(t Trigram) { ts = append(ts, t) })
	if len(ts) == 0 {
		return nil
	}
	slices.Sort(ts)
	return &Query{Trigrams: slices.Compact(ts)}
}

// And returns the query for texts that satisfy all queries.
func And(queries ...*Query) *Query {
	all := &Query{}
	for _, q := range queries {
		switch {
		case q == nil: // nil demands nothing
		case q.Any:
			all.Sub = append(all.Sub, q)
		default:
			all.Trigrams = append(all.Trigrams, q.Trigrams...)
			all.Sub = append(all.Sub, q.Sub...)
		}
	}
	slices.Sort(all.Trigrams)
	all.Trigrams = slices.Compact(all.Trigrams)
	switch {
	case len(all.Trigrams) == 0 && len(all.Sub) == 0:
		return nil
	case len(all.Trigrams) == 0 && len(all.Sub) == 1:
		return all.Sub[0]
	}
	return all
}

// Or returns the query for texts that satisfy at least one of the queries.
func Or(queries ...*Query) *Query {
	some := &Query{Any: true}
	for _, q := range queries {
		switch {
		case q == nil:
			return nil
		case q.Any:
			some.Sub = append(some.Sub, q.Sub...)
			some.Trigrams = append(some.Trigrams, q.Trigrams...)
		case len(q.Trigrams) == 1 && len(q.Sub) == 0:
			some.Trigrams = append(some.Trigrams, q.Trigrams...)
		default:
			some.Sub = append(some.Sub, q)
		}
	}
	slices.Sort(some.Trigrams)
	some.Trigrams = slices.Compact(some.Trigrams)
	switch {
	case some.size() > maxTrigrams:
		return nil
	case len(some.Trigrams) == 0 && len(some.Sub) == 1:
		return some.Sub[0]
	}
	return some
}

// size returns the total number of trigrams.
func (q *Query) size() int {
	n := len(q.Trigrams)
	for _, sub := range q.Sub {
		n += sub.size()
	}
	return n
}

// Matches reports whether q is true for a text. has reports whether the text has a
// trigram.
func (q *Query) Matches(has func(Trigram) bool) bool {
	if q == nil {
		return true
	}
	// With Any, the first condition that is true decides, and otherwise the first that is false.
	for _, t := range q.Trigrams {
		if has(t) == q.Any {
			return q.Any
		}
	}
	for _, sub := range q.Sub {
		if sub.Matches(has) == q.Any {
			return q.Any
		}
	}
	return !q.Any
}
