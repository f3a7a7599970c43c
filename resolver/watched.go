package resolver

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// lessons are what a unit learns of subjects, pairs of robots, relays or persons.
type lessons[K comparable, T any] struct {
	changed map[K]*T
	evicted []K // to make room
}

// get returns what is known of k, including by the unit, and whether anything is.
func (l *lessons[K, T]) get(known map[K]T, k K) (x T, ok bool) {
	if x := l.changed[k]; x != nil {
		return *x, true
	}
	x, ok = known[k]
	return x, ok
}

// set replaces or adds what is known of k. It returns it, to be changed by the caller.
func (l *lessons[K, T]) set(k K, x T) *T {
	if l.changed == nil {
		l.changed = map[K]*T{}
	}
	l.changed[k] = &x
	return &x
}

// remember makes the lessons known.
func (l *lessons[K, T]) remember(known map[K]T) {
	for k, x := range l.changed {
		known[k] = *x
	}
	for _, k := range l.evicted {
		delete(known, k)
	}
}

// judgeWatched decides which of the changed subjects are placeholders.
func (u *unit) judgeWatched() error {
	for _, name := range sortedKeys(u.subjects.changed) {
		if err := u.judge(u.subjects.changed[name]); err != nil {
			return err
		}
	}
	return nil
}

// putWatched adds the records of subjects, pairs, relays and persons, and their quads. If there
// are too many, the least informative make room for new ones.
func (u *unit) putWatched() {
	keys, names := u.hashes(), u.names()
	putLessons(u, &u.subjects, u.known.watched, kept[string, record.Subject]{maxWatched, strings.Compare, keys.WatchedKey, names.OfSubject, func(s record.Subject) (n int64) {
		switch s.State {
		case record.Overruled, record.Confirmed:
			return math.MaxInt64
		case record.Detected:
			n = worthDetected
		}
		for _, p := range s.Pairs {
			n += p.Conflicts
		}
		return n
	}})
	for _, p := range u.pairs.changed {
		halve(p)
	}
	pairKey := func(p pairName) []byte { return keys.PairKey(p.first, p.second) }
	noQuads := func(*record.Pair) []rdf.Quad { return nil }
	putLessons(u, &u.pairs, u.known.pairs, kept[pairName, record.Pair]{maxPairs, comparePairs, pairKey, noQuads, func(p record.Pair) int64 {
		return p.Similar + p.Conflicts + p.Accepted + p.Rejected
	}})
	putLessons(u, &u.relays, u.known.relays, kept[string, record.Relay]{maxRelays, strings.Compare, keys.RelayKey, names.OfRelay, func(k record.Relay) int64 {
		switch k.State {
		case record.AcceptedRelay, record.RejectedRelay:
			return math.MaxInt64
		case record.Repeating:
			return worthDetected + k.Reports
		}
		return k.Reports
	}})
	personKey := func(p pairName) []byte { return keys.PersonKey(p.first, p.second) }
	putLessons(u, &u.persons, u.known.persons, kept[pairName, record.Person]{maxPersons, comparePairs, personKey, names.OfPerson, func(p record.Person) int64 {
		if p.State >= record.OnePerson {
			return math.MaxInt64
		}
		return p.Accepted + p.Rejected + p.Together
	}})
}

// worthDetected has what was detected make room only if nothing else can. Unlike what people decided, it must be able to: clients
// could fill the memory with it.
const worthDetected = 1 << 32

// kept says how the lessons of one kind are kept: how many, in which order of their names, and for each the key of its
// record, its quads, and its worth. Those of the worth math.MaxInt64 make no room.
type kept[K comparable, T any] struct {
	limit int
	order func(a, b K) int
	key   func(K) []byte
	quads func(*T) []rdf.Quad
	worth func(T) int64
}

// putLessons adds the records and quads of what a unit learnt of one kind, and removes those that make room.
func putLessons[K comparable, T any, P interface {
	*T
	record.Coded
}](u *unit, l *lessons[K, T], known map[K]T, as kept[K, T]) {
	for _, k := range slices.SortedFunc(maps.Keys(l.changed), as.order) {
		x, before := l.changed[k], known[k]
		u.put(as.key(k), record.Encode(P(x)))
		less, more := mirror.Difference(as.quads(&before), as.quads(x))
		u.remove, u.add = append(u.remove, less...), append(u.add, more...)
	}
	l.evicted = least(known, l.changed, as.limit, as.order, as.worth)
	for _, k := range l.evicted {
		x := known[k]
		u.put(as.key(k), nil)
		u.remove = append(u.remove, as.quads(&x)...)
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
