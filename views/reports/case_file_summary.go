package reports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/views"
)

// Limits of the summary of a case file; its lines have all.
const (
	toldNames     = 6 // who spoke, and what was read
	toldReaders   = 3
	toldDecisions = 2
)

// summary tells in a few paragraphs what the lines of a case file say: when, who spoke, what robots read in whom, and
// what they decided why. The sentences are segraph's; names and labels in them are quoted.
func (m CaseDocument) summary() (out []string) {
	var speakers, readers []string
	said, read := map[string]*counts[string]{}, map[string]*counts[string]{} // by speaker: to whom; by robot: which emotions in whom
	var decided []string
	for _, r := range m.Rows {
		switch who := views.List(r.whos); {
		case r.Said:
			to := ""
			if len(r.To) > 0 {
				to = " to " + views.List(r.To)
			}
			if speakers = with(speakers, who); said[who] == nil {
				said[who] = &counts[string]{}
			}
			said[who].add(to)
		case r.feeling != "":
			if readers = with(readers, who); read[who] == nil {
				read[who] = &counts[string]{}
			}
			read[who].add(r.feeling)
		case r.decided != "":
			text := who + " decided " + r.decided + " (line " + strconv.Itoa(r.Number) + ")"
			if len(r.Because) > 0 {
				text += ", because of " + views.Noun(len(r.Because), "line") + " " + views.List(numbers(r.Because))
			}
			decided = append(decided, text+".")
		}
	}
	begin, in := "these logs report "+views.Plural(len(m.Rows), "event"), ""
	if len(speakers) > 0 {
		in = "In these logs, "
		begin = spoken(speakers, said)
	}
	if when := m.when(); !when.From.IsZero() {
		in = "From " + when.Words() + ", "
	}
	out = []string{views.Capital(in+begin) + "."}
	var told []string
	for _, who := range readers[:min(len(readers), toldReaders)] {
		told = append(told, who+" read "+read[who].told(func(what string, n int) string {
			if n == 1 {
				return what + " once"
			}
			return what + " " + views.Count(n) + " times"
		})+".")
	}
	if len(readers) > toldReaders {
		told = append(told, "Others read emotions too.")
	}
	if more := len(decided) - toldDecisions; more > 0 {
		decided = append(decided[:toldDecisions], "There are "+views.Plural(more, "more decision")+".")
	}
	for _, part := range [][]string{told, decided} {
		if len(part) > 0 {
			out = append(out, strings.Join(part, " "))
		}
	}
	return out
}

// when returns from when to when the lines are that have a time, in UTC; zero if none has.
func (m CaseDocument) when() (when views.Period) {
	for _, r := range m.Rows {
		if !r.At.IsZero() {
			when.Widen(r.At.UTC())
		}
	}
	return when
}

// spoken tells how much each said, and to whom: “ARI said 4 sentences, 3 to Maria”.
func spoken(speakers []string, said map[string]*counts[string]) string {
	var out []string
	for _, who := range speakers[:min(len(speakers), toldNames)] {
		all := 0
		for _, n := range said[who].n {
			all += n
		}
		text := who + " said " + views.Plural(all, "sentence")
		if to := said[who].keys; len(to) == 1 {
			text += to[0]
		} else {
			text += ", " + said[who].told(func(to string, n int) string { return views.Count(n) + cmp.Or(to, " to nobody named") })
		}
		out = append(out, text)
	}
	if len(speakers) > toldNames {
		out = append(out, "others spoke")
	}
	return strings.Join(out, "; ")
}

// counts counts keys, in the order of their first.
type counts[K comparable] struct {
	keys []K
	n    map[K]int
}

func (c *counts[K]) add(key K) {
	if c.n == nil {
		c.n = map[K]int{}
	}
	c.keys = with(c.keys, key)
	c.n[key]++
}

// told lists the most frequent keys, in the words of form.
func (c *counts[K]) told(form func(key K, n int) string) string {
	slices.SortStableFunc(c.keys, func(a, b K) int { return c.n[b] - c.n[a] })
	var out []string
	for _, key := range c.keys[:min(len(c.keys), toldNames)] {
		out = append(out, form(key, c.n[key]))
	}
	if len(c.keys) > len(out) {
		out = append(out, "others")
	}
	return views.List(out)
}

func numbers(list []int) (out []string) {
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return out
}
