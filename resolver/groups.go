package resolver

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// Cases about one event form a group. A case links its source with the targets whose
// probability is at least sameGroup. Linked contexts form one group, named by its oldest
// context. A case belongs to the group of its best target.

// sameGroup is the least probability that puts a target in the group of its source.
const sameGroup = 0.3

// groups holds the links of pending cases, in both directions. It is built on first use
// and then kept up to date.
type groups struct {
	links map[uint64][]uint64 // case to the contexts that it links; nil until built
	cases map[uint64][]uint64 // context to the cases that link it
}

// put replaces the links of a case: its source and its likely targets, which belong to one group while it is pending.
func (g *groups) put(k *record.Case) {
	if g.links == nil {
		return
	}
	for _, x := range g.links[k.Number] {
		if g.cases[x] = slices.DeleteFunc(g.cases[x], func(n uint64) bool { return n == k.Number }); len(g.cases[x]) == 0 {
			delete(g.cases, x)
		}
	}
	delete(g.links, k.Number)
	if k.Status != record.Pending {
		return
	}
	links := []uint64{k.Source}
	for _, t := range k.Targets {
		if t.Probability >= sameGroup {
			links = append(links, t.Context)
		}
	}
	if len(links) == 1 {
		return
	}
	g.links[k.Number] = links
	for _, x := range links {
		g.cases[x] = append(g.cases[x], k.Number)
	}
}

// makeGroups builds the groups from all pending cases, unless they exist.
func (c *committed) makeGroups() error {
	if c.groups.links != nil {
		return nil
	}
	from, to := record.PendingRange(0)
	numbers, err := numbersIn(c, from, to, math.MaxInt, record.Number)
	if err != nil {
		return err
	}
	made := groups{map[uint64][]uint64{}, map[uint64][]uint64{}}
	for _, n := range numbers {
		k, err := c.caseOf(n)
		if err != nil {
			return err
		}
		made.put(k)
	}
	c.groups = made
	return nil
}

// groupOf returns the URI of the oldest context in the group of a context. known caches
// results, by number.
func (u *unit) groupOf(x *shared, known map[uint64]string) (string, error) {
	if uri, ok := known[x.Number]; ok {
		return uri, nil
	}
	groups, err := u.groups()
	if err != nil {
		return "", err
	}
	oldest, all := x, []*shared{x}
	seen := map[uint64]bool{x.Number: true}
	asked := map[uint64]bool{} // visited cases
	for i := 0; i < len(all); i++ {
		for _, origin := range all[i].Origins {
			for _, k := range groups.cases[origin] {
				if asked[k] {
					continue
				}
				asked[k] = true
				for _, other := range groups.links[k] {
					root, err := u.root(other)
					if err != nil {
						return "", err
					}
					if seen[root.Number] {
						continue
					}
					seen[root.Number] = true
					all = append(all, root)
					if root.Number < oldest.Number {
						oldest = root
					}
				}
			}
		}
	}
	for _, s := range all {
		known[s.Number] = oldest.URI
	}
	return oldest.URI, nil
}
