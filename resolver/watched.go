package resolver

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// recallWatched reads what was learnt of subjects and pairs of robots.
func (r *Resolver) recallWatched() error {
	from, to := record.WatchedRange()
	if err := readAll(r, from, to, func(s *record.Subject) { r.watched[s.Subject] = *s }); err != nil {
		return err
	}
	from, to = record.PairRange()
	if err := readAll(r, from, to, func(p *record.Pair) { r.pairs[pairName{p.First, p.Second}] = *p }); err != nil {
		return err
	}
	from, to = record.RelayRange()
	if err := readAll(r, from, to, func(k *record.Relay) { r.relays[k.Robot] = *k }); err != nil {
		return err
	}
	r.listPlaceholders()
	return nil
}

// listPlaceholders lists the subjects that are taken for placeholders.
func (r *Resolver) listPlaceholders() {
	r.placeholders = nil
	for name, s := range r.watched {
		if s.State == record.Detected || s.State == record.Confirmed {
			r.placeholders = append(r.placeholders, name)
		}
	}
	slices.Sort(r.placeholders)
}

// readAll reads the records in a range of keys.
func readAll[T any, P interface {
	*T
	record.Coded
}](r *Resolver, from, to []byte, yield func(P)) error {
	var failed error
	err := r.scan(from, to, func(_, value []byte) bool {
		var x *T
		if x, failed = record.Decode[T, P](value); failed != nil {
			return false
		}
		yield(x)
		return true
	})
	if err != nil {
		return err
	}
	return failed
}

// judgeWatched decides what the subjects are of which something was learnt, and drops what is one too many.
func (d *draft) judgeWatched() error {
	for _, name := range sortedKeys(d.seen) {
		if err := d.judge(d.seen[name]); err != nil {
			return err
		}
	}
	return nil
}

// putWatched adds the records of subjects and pairs, with what the mirror says of them. Where there are too many, new
// ones take the place of those that say least.
func (d *draft) putWatched() {
	for _, name := range sortedKeys(d.seen) {
		s, before := d.seen[name], d.Resolver.watched[name]
		d.put(record.WatchedKey(name), record.Encode(s))
		less, more := mirror.Difference(mirror.OfSubject(&before), mirror.OfSubject(s))
		d.unsaid, d.quads = append(d.unsaid, less...), append(d.quads, more...)
	}
	for name, p := range d.pairs {
		halve(p)
		d.put(record.PairKey(name.first, name.second), record.Encode(p))
	}
	for _, robot := range sortedKeys(d.relays) {
		k, before := d.relays[robot], d.Resolver.relays[robot]
		d.put(record.RelayKey(robot), record.Encode(k))
		less, more := mirror.Difference(mirror.OfRelay(&before), mirror.OfRelay(k))
		d.unsaid, d.quads = append(d.unsaid, less...), append(d.quads, more...)
	}
	for _, s := range least(d.Resolver.watched, d.seen, maxWatched, func(s record.Subject) int64 {
		if s.State != record.Watched {
			return math.MaxInt64
		}
		n := int64(0)
		for _, p := range s.Pairs {
			n += p.Conflicts
		}
		return n
	}) {
		d.put(record.WatchedKey(s), nil)
		d.gone.subjects = append(d.gone.subjects, s)
	}
	for _, p := range least(d.Resolver.pairs, d.pairs, maxPairs, func(p record.Pair) int64 {
		return p.Alike + p.Conflicts + p.Accepted + p.Rejected
	}) {
		d.put(record.PairKey(p.first, p.second), nil)
		d.gone.pairs = append(d.gone.pairs, p)
	}

	for _, robot := range least(d.Resolver.relays, d.relays, maxRelays, func(k record.Relay) int64 {
		if k.State != record.Ordinary {
			return math.MaxInt64
		}
		return k.Reports
	}) {
		d.put(record.RelayKey(robot), nil)
		d.gone.relays = append(d.gone.relays, robot)
	}
}

// mirrorLearnt returns what the mirror says of subjects and robots, and the nodes that it says it of.
func (r *Resolver) mirrorLearnt() (nodes []rdf.Term, quads []rdf.Quad) {
	for _, s := range r.watched {
		nodes, quads = append(nodes, mirror.Subject(s.Subject)), append(quads, mirror.OfSubject(&s)...)
	}
	for _, k := range r.relays {
		nodes, quads = append(nodes, mirror.Relay(k.Robot)), append(quads, mirror.OfRelay(&k)...)
	}
	return nodes, quads
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// least names those of the known that must go when the changed are added and at most limit stay: the ones of the least
// worth that did not change.
func least[K comparable, T any](known map[K]T, changed map[K]*T, limit int, worth func(T) int64) []K {
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
	slices.SortFunc(out, func(a, b K) int { return cmp.Compare(worth(known[a]), worth(known[b])) })
	return out[:min(len(out), count-limit)]
}

// rememberWatched puts them into the resolver's memory.
func (d *draft) rememberWatched() {
	r := d.Resolver
	for name, s := range d.seen {
		r.watched[name] = *s
	}
	for name, p := range d.pairs {
		r.pairs[name] = *p
	}
	for robot, k := range d.relays {
		r.relays[robot] = *k
		if r.isRelay(robot) {
			r.middle.drop(robot)
		}
	}
	for _, robot := range d.gone.relays {
		delete(r.relays, robot)
	}
	for _, s := range d.gone.subjects {
		delete(r.watched, s)
	}
	for _, p := range d.gone.pairs {
		delete(r.pairs, p)
	}
	if len(d.seen) > 0 {
		r.listPlaceholders()
	}
}
