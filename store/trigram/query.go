package trigram

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a condition on the trigrams of a text. A nil Query is true of all texts.
type Query struct {
	// Any says that one of Trigrams and Sub is enough. Otherwise the text has all
	// Trigrams, and all of Sub are true of it.
	Any      bool
	Trigrams []Trigram // sorted, each once
	Sub      []*Query
}

// Bounds of a query. What needs more is taken for true.
const (
	mostTrigrams = 4096 // in all
	mostOfText   = 128  // of one text that a text contains
)

// Contains returns the query for texts that contain part, if both are folded.
func Contains(part string) *Query {
	if !utf8.ValidString(part) || strings.ContainsRune(part, utf8.RuneError) {
		return nil // LCASE and expressions take what is not UTF-8 for that character
	}
	return containsFolded(string(Fold(nil, part)))
}

func containsFolded(part string) *Query {
	var ts []Trigram
	Each([]byte(part[:min(len(part), mostOfText+2)]), func(t Trigram) { ts = append(ts, t) })
	if len(ts) == 0 {
		return nil
	}
	slices.Sort(ts)
	return &Query{Trigrams: slices.Compact(ts)}
}

// And returns the query for texts that all queries are true of.
func And(queries ...*Query) *Query {
	all := &Query{}
	for _, q := range queries {
		switch {
		case q == nil:
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

// Or returns the query for texts that one of the queries, at least, is true of.
func Or(queries ...*Query) *Query {
	any := &Query{Any: true}
	for _, q := range queries {
		switch {
		case q == nil:
			return nil
		case q.Any:
			any.Sub = append(any.Sub, q.Sub...)
			any.Trigrams = append(any.Trigrams, q.Trigrams...)
		case len(q.Trigrams) == 1 && len(q.Sub) == 0:
			any.Trigrams = append(any.Trigrams, q.Trigrams...)
		default:
			any.Sub = append(any.Sub, q)
		}
	}
	slices.Sort(any.Trigrams)
	any.Trigrams = slices.Compact(any.Trigrams)
	switch {
	case any.size() > mostTrigrams:
		return nil
	case len(any.Trigrams) == 0 && len(any.Sub) == 1:
		return any.Sub[0]
	}
	return any
}

// size returns how many trigrams there are in all.
func (q *Query) size() int {
	n := len(q.Trigrams)
	for _, sub := range q.Sub {
		n += sub.size()
	}
	return n
}

// Matches reports whether q is true of a text that has those trigrams of which has is true.
func (q *Query) Matches(has func(Trigram) bool) bool {
	if q == nil {
		return true
	}
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
