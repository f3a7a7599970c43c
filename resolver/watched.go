package resolver

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// judgeWatched decides which of the changed subjects are placeholders.
func (u *unit) judgeWatched() error {
	for _, name := range sortedKeys(u.subjects) {
		if err := u.judge(u.subjects[name]); err != nil {
			return err
		}
	}
	return nil
}

// putWatched adds the records of subjects, pairs and relays, and their quads. If there
// are too many, the least informative make room for new ones.
func (u *unit) putWatched() {
	for _, name := range sortedKeys(u.subjects) {
		s, before := u.subjects[name], u.known.watched[name]
		u.put(u.hashes().WatchedKey(name), record.Encode(s))
		less, more := mirror.Difference(u.names().OfSubject(&before), u.names().OfSubject(s))
		u.remove, u.add = append(u.remove, less...), append(u.add, more...)
	}
	for name, p := range u.pairs {
		halve(p)
		u.put(u.hashes().PairKey(name.first, name.second), record.Encode(p))
	}
	for _, robot := range sortedKeys(u.relays) {
		k, before := u.relays[robot], u.known.relays[robot]
		u.put(u.hashes().RelayKey(robot), record.Encode(k))
		less, more := mirror.Difference(u.names().OfRelay(&before), u.names().OfRelay(k))
		u.remove, u.add = append(u.remove, less...), append(u.add, more...)
	}
	u.putPersons()
	for _, s := range least(u.known.watched, u.subjects, maxWatched, strings.Compare, func(s record.Subject) int64 {
		if s.State != record.Watched {
			return math.MaxInt64
		}
		n := int64(0)
		for _, p := range s.Pairs {
			n += p.Conflicts
		}
		return n
	}) {
		u.put(u.hashes().WatchedKey(s), nil)
		u.evicted.subjects = append(u.evicted.subjects, s)
	}
	for _, p := range least(u.known.pairs, u.pairs, maxPairs, comparePairs, func(p record.Pair) int64 {
		return p.Similar + p.Conflicts + p.Accepted + p.Rejected
	}) {
		u.put(u.hashes().PairKey(p.first, p.second), nil)
		u.evicted.pairs = append(u.evicted.pairs, p)
	}

	for _, robot := range least(u.known.relays, u.relays, maxRelays, strings.Compare, func(k record.Relay) int64 {
		if k.State != record.Ordinary {
			return math.MaxInt64
		}
		return k.Reports
	}) {
		u.put(u.hashes().RelayKey(robot), nil)
		u.evicted.relays = append(u.evicted.relays, robot)
	}
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// least returns keys to remove from known so that at most limit remain, counting the
// changed ones. It chooses unchanged ones, those of least worth first. If the worth is the same, order decides.
func least[K comparable, T any](known map[K]T, changed map[K]*T, limit int, order func(a, b K) int, worth func(T) int64) []K {
	count := len(known)
	for k := range changed {
		if _, ok := known[k]; !ok {
			count++
		}
	}
	if count <= limit {
		return nil
	}
	var out []K
	for k, x := range known {
		if changed[k] == nil && worth(x) < math.MaxInt64 {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b K) int { return cmp.Or(cmp.Compare(worth(known[a]), worth(known[b])), order(a, b)) })
	return out[:min(len(out), count-limit)]
}
