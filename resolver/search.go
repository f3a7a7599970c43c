package resolver

import (
	"cmp"
	"maps"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// reach is how far, in microseconds, a context may have moved from its position in time
// order. Observations that join it move it, and so do clocks learnt since.
const reach = 3 * second

// candidate is a context that may be the same event, and the evidence.
type candidate struct {
	*shared
	comparison
}

// candidates returns the contexts that a side may belong to, in order of creation,
// excluding the context with number self. It replaces merged contexts by their roots.
func (u *unit) candidates(s side, self uint64) ([]candidate, error) {
	when, err := u.sideTime(s)
	if err != nil {
		return nil, err
	}
	numbers, err := u.near(s, when.median)
	if err != nil {
		return nil, err
	}
	before := u.spare.candidates // results of earlier calls, which stay valid: this one goes behind them
	if len(before) > manyQuads {
		before = nil // growing would copy them
	}
	before = slices.Grow(before, len(numbers))
	out := before[len(before):]
	seen := make(map[uint64]bool, len(numbers)+1)
	seen[self] = true
	for _, n := range numbers {
		root, err := u.root(n)
		if err != nil {
			return nil, err
		}
		if seen[root.Number] || root.kindHash != s.kind {
			continue
		}
		if u.known.isLate(root) && !u.known.isRelay(s.members[0].Robot) {
			continue // only relays add to late reports
		}
		seen[root.Number] = true
		c, err := u.compare(s, root.side(s.window))
		if err != nil {
			return nil, err
		}
		if c.Gap > c.Window || c.Evidence.Subject == weigh.Different && u.policy.SubjectConflict == SubjectsSeparate {
			continue
		}
		out = append(out, candidate{root, c})
	}
	slices.SortFunc(out, func(a, b candidate) int { return cmp.Compare(a.Number, b.Number) })
	u.spare.candidates = before[:len(before)+len(out)]
	return slices.Clip(out), nil
}

// near returns the numbers of the contexts to compare with a side that was at a time: contexts of its subjects or of
// nobody, whose time may fit. If there are more than crowded, it returns only the likeliest.
func (u *unit) near(s side, at int64) ([]uint64, error) {
	from, to := at-s.window-reach, at+s.window+reach
	var buckets []*bucket
	lists := u.spare.lists[:0]
	defer func() { u.spare.lists = lists }()
	count := 0
	for t := record.Bucket(from); t <= record.Bucket(to); t++ {
		b, err := u.bucket(bucketName{s.kind, t})
		if err != nil {
			return nil, err
		}
		buckets = append(buckets, b)
		all := len(lists)
		lists = u.appendLists(lists, b, s)
		near := lists[:all]
		for _, l := range lists[all:] {
			if l = l.between(from, to); len(l) > 0 {
				near = append(near, l)
				count += len(l)
			}
		}
		lists = near
	}
	if count > crowded {
		return u.pick(s, at, buckets, lists)
	}
	out := make([]uint64, 0, count)
	for _, l := range lists {
		for _, e := range l {
			out = append(out, e.number)
		}
	}
	return out, nil
}

// appendLists appends the lists of a bucket whose contexts may have the subject of a side.
func (u *unit) appendLists(out []list, b *bucket, s side) []list {
	before := len(out)
	out = u.appendOwn(out, b, s)
	if len(out) == before || u.policy.SubjectConflict == SubjectsReview { // any subject may be the same
		return append(out[:before], b.all)
	}
	out = append(out, b.nobody)
	if len(b.subjects) < len(u.known.placeholders) {
		for name, l := range b.subjects {
			if _, is := slices.BinarySearch(u.known.placeholders, name); is {
				out = append(out, l)
			}
		}
		return out
	}
	for _, name := range u.known.placeholders {
		out = append(out, b.subjects[name])
	}
	return out
}

// appendOwn appends the lists of a bucket whose contexts have a person whom a side names.
func (u *unit) appendOwn(out []list, b *bucket, s side) []list {
	for _, m := range s.members {
		if u.known.isNobody(m) {
			continue
		}
		for _, name := range u.known.allNames(m.Subject) {
			out = append(out, b.subjects[name])
		}
	}
	return out
}

// Limits of a search in a crowded bucket.
const (
	crowdedOwn = crowded / 2 // candidates of the same person, which alone can match
	rareWords  = 3           // the rarest words of a text
	rareThrees = 32          // number of contexts up to which a trigram is rare
)

// pick chooses candidates from crowded buckets: the nearest in time of the same person, then
// those that share one of the rarest words or two rare trigrams, then the nearest of all.
func (u *unit) pick(s side, at int64, buckets []*bucket, lists []list) ([]uint64, error) {
	for _, b := range buckets {
		if err := u.crowd(b); err != nil {
			return nil, err
		}
	}
	words, threes := gramsOf(s.texts)
	size := func(gram string) (n int) {
		for _, b := range buckets {
			n += len(b.grams[gram])
		}
		return n
	}
	sizes := map[string]int{}
	for _, w := range words {
		if n := size(w); n > 0 {
			sizes[w] = n
		}
	}
	rare := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[a], sizes[b]), cmp.Compare(a, b)) })
	var found list
	for _, w := range rare[:min(len(rare), rareWords)] {
		for _, b := range buckets {
			found = append(found, b.grams[w].nearest(at, crowded)...)
		}
	}
	hits := map[uint64]int{}
	for _, g := range threes {
		if size(g) > rareThrees {
			continue
		}
		for _, b := range buckets {
			for _, e := range b.grams[g] {
				if hits[e.number]++; hits[e.number] == 2 {
					found = append(found, e)
				}
			}
		}
	}
	var own, rest list
	for _, b := range buckets {
		for _, l := range u.appendOwn(nil, b, s) {
			own = append(own, l.nearest(at, crowdedOwn)...)
		}
	}
	for _, l := range lists {
		rest = append(rest, l.nearest(at, crowded)...)
	}
	out := nearestOf(own, at, crowdedOwn, nil)
	out = nearestOf(found, at, crowded, out)
	return nearestOf(rest, at, crowded, out), nil
}

// nearestOf adds the entries nearest to a time to numbers, until these are most.
func nearestOf(l list, at int64, most int, numbers []uint64) []uint64 {
	slices.SortFunc(l, func(a, b entry) int {
		return cmp.Or(cmp.Compare(abs(a.at-at), abs(b.at-at)), cmp.Compare(a.number, b.number))
	})
	for _, e := range l {
		if len(numbers) < most && !slices.Contains(numbers, e.number) {
			numbers = append(numbers, e.number)
		}
	}
	return numbers
}
