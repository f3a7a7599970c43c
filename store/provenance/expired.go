package provenance

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// MaxRules is the largest number of rules of an Expiry: each has two marks.
const MaxRules = 30

// heldPerson marks a log that names a held person.
const heldPerson marks = 1 << 63

// Expired is a search for the logs that are too old.
type Expired struct {
	store.Expiry
	p     *Provenance
	parts map[string]*partly // the logs of which some parts were seen, and not all
	after uint64             // the number of the last entry that was seen
	ended bool               // every entry was seen
}

// Expired returns a search for the logs that are too old.
func (p *Provenance) Expired(x store.Expiry) *Expired {
	return &Expired{Expiry: x, p: p, parts: map[string]*partly{}}
}

// Next returns the next logs that are too old, at most limit of them; none means that there are no more. The oldest come first,
// but those of several parts last, once all parts were seen. Unless a rule or a hold depends on triples, Next reads no lists. If
// a rule is by event, it reads all.
func (e *Expired) Next(ctx context.Context, limit int) ([]store.Expired, error) {
	s := expiring{Expired: e, limit: limit}
	if !e.ended {
		err := e.p.store.View(func(snap *engine.Snapshot) error {
			if err := s.want(snap); err != nil {
				return err
			}
			return eachList(ctx, snap, e.after+1, &s.wanted, s.look)
		})
		if err != nil {
			return nil, fmt.Errorf("finding logs that are too old: %w", err)
		}
		if e.ended = len(s.out) < limit; !e.ended {
			return s.out, nil
		}
	}
	for id, l := range e.parts {
		if len(s.out) == limit {
			break
		}
		delete(e.parts, id)
		s.decide(l.first, l.traits)
	}
	return s.out, nil
}

// expiring is a part of such a search.
type expiring struct {
	*Expired
	wanted
	end   time.Time // no log that arrived from then on is too old; zero if that can't be said
	limit int
	out   []store.Expired
}

// partly is what is known of a log of several parts.
type partly struct {
	first journal.Numbered
	traits
}

// want fills wanted and end.
func (s *expiring) want(snap *engine.Snapshot) error {
	s.pairs, s.terms = map[[2]dict.ID]marks{}, map[dict.ID]marks{}
	byEvent := false
	for i, r := range s.Rules {
		robot, kind := ruleMarks(i)
		if !r.Robot.IsZero() {
			if _, err := s.robot(snap, robot, s.p.agents, r.Robot); err != nil {
				return err
			}
		}
		if !r.Kind.IsZero() {
			if _, err := s.pair(snap, kind, rdf.NewIRI(rdf.RDFType), r.Kind); err != nil {
				return err
			}
		}
		byEvent = byEvent || r.ByEvent
		if r.Before.After(s.end) {
			s.end = r.Before
		}
	}
	if byEvent || s.Forwarded {
		s.end = time.Time{} // the arrival here says nothing
	}
	for _, iri := range s.People {
		if err := s.person(snap, iri, heldPerson); err != nil {
			return err
		}
	}
	if !byEvent && s.Held == nil { // nobody asks for times
		return nil
	}
	s.times = map[dict.ID]bool{}
	for _, t := range s.Times {
		if id, ok, err := snap.ID(t); err != nil {
			return err
		} else if ok {
			s.times[id] = true
		}
	}
	s.time = func(id dict.ID) (time.Time, bool) { return timeOf(snap, id) }
	return nil
}

func ruleMarks(rule int) (robot, kind marks) { return 1 << (2 * rule), 1 << (2*rule + 1) }

// person marks the IRI of a person and its continuations after # / or ?, also those that are an xsd:anyURI, and the triple
// terms that have one.
func (s *expiring) person(snap *engine.Snapshot, iri string, mark marks) error {
	s.marks |= mark
	var ids []dict.ID
	look := func(id dict.ID) (bool, error) {
		t, err := snap.Term(id)
		if err != nil || t.IsLiteral() && t.Datatype() != rdf.XSDAnyURI {
			return err == nil, err
		}
		if rest := strings.TrimPrefix(t.Value(), iri); rest == "" || strings.ContainsRune("#/?", rune(rest[0])) {
			ids = append(ids, id)
		}
		return true, nil
	}
	if err := cmp.Or(snap.Texts(rdf.KindIRI, iri, look), snap.Texts(rdf.KindLiteral, iri, look)); err != nil {
		return err
	}
	nested, err := snap.Nested(ids)
	for _, id := range append(ids, nested...) {
		s.terms[id] |= mark
	}
	return err
}

// timeOf returns the time that an xsd:dateTime stands for.
func timeOf(snap *engine.Snapshot, id dict.ID) (at time.Time, ok bool) {
	t, err := snap.Term(id)
	if err != nil || t.Datatype() != rdf.XSDDateTime {
		return time.Time{}, false
	}
	d, ok := rdf.ParseDateTime(t.Value(), t.Datatype())
	seconds, fraction := d.Unix()
	part, _ := strconv.ParseFloat("0."+fraction, 64)
	return time.Unix(seconds, int64(part*1e9)).UTC(), ok
}

// look looks at a log, or a part of one. It returns false if no later log is too old, or if there are enough.
func (s *expiring) look(e journal.Numbered, found traits) (more bool, err error) {
	if !s.end.IsZero() && !e.Time.Before(s.end.Add(ClockStep)) {
		clockWasAhead := e.Time.After(s.Now) // then later logs may be older
		return clockWasAhead, nil
	}
	if e.Part == 0 {
		s.decide(e, found)
	} else if l := s.parts[e.LogID]; l == nil {
		s.parts[e.LogID] = &partly{e, found}
	} else {
		l.add(found)
	}
	s.after = e.Seq
	return len(s.out) < s.limit, nil
}

// Times calls f once for each log that has an entry whose number is in some, with the first and the last of its times: when it
// arrived, here and at its box, and the times that it reports. A log of several parts counts as a whole, and e is its first
// part. named reports whether the log has an IRI of people[i], or a continuation of one after # / or ?, or of other people
// whose index is the same modulo 64. Times ends if f returns an error.
func (p *Provenance) Times(ctx context.Context, some map[uint64]int, times []rdf.Term, people [][]string,
	f func(e journal.Numbered, first, last time.Time, named func(i int) bool) error) error {
	if len(some) == 0 {
		return nil
	}
	err := p.store.View(func(snap *engine.Snapshot) error {
		s := expiring{Expired: p.Expired(store.Expiry{Times: times, Held: func(string, time.Time, time.Time) bool { return false }})}
		if err := s.want(snap); err != nil {
			return err
		}
		for i, iris := range people {
			for _, iri := range iris {
				if err := s.person(snap, iri, 1<<(i%64)); err != nil {
					return err
				}
			}
		}
		from, logs, err := wholeLogs(snap.KV(), some)
		if err != nil {
			return err
		}
		call := func(e journal.Numbered, found traits) error {
			first, last := found.with(&e.Entry)
			return f(e, first, last, func(i int) bool { return found.marks&(1<<(i%64)) != 0 })
		}
		err = eachList(ctx, snap, from, &s.wanted, func(e journal.Numbered, found traits) (bool, error) {
			l := logs[e.LogID]
			if l == nil {
				if some[e.Seq] == 0 {
					return true, nil
				}
				return true, call(e, found)
			}
			if l.first.LogID == "" {
				l.first = e
			}
			l.add(found)
			return true, nil
		})
		for _, l := range logs {
			if err == nil && l.first.LogID != "" { // it was not withdrawn meanwhile
				err = call(l.first, l.traits)
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the times of logs: %w", err)
	}
	return nil
}

// wholeLogs returns, by log id, an empty partly for each log of several parts that has an entry in some, and the number from
// which to read: the least in some, or that of the first part of such a log.
func wholeLogs(r kv.Reader, some map[uint64]int) (from uint64, logs map[string]*partly, err error) {
	from, logs = slices.Min(slices.Collect(maps.Keys(some))), map[string]*partly{}
	for seq := range some {
		e, err := journal.Get(r, seq)
		if err != nil {
			return 0, nil, err
		}
		if e.Part == 0 || logs[e.LogID] != nil {
			continue
		}
		parts, err := journal.Find(r, e.LogID, 1)
		if err != nil || len(parts) == 0 {
			return 0, nil, cmp.Or(err, fmt.Errorf("log %s can't be found", e.LogID))
		}
		from, logs[e.LogID] = min(from, parts[0].Seq), &partly{}
	}
	return from, logs, nil
}

// with returns the first and the last of the times and the arrivals, here and at the log's box.
func (t *traits) with(e *journal.Entry) (first, last time.Time) {
	all := *t
	all.add(traits{first: e.Time, last: e.Time})
	all.add(traits{first: e.BoxTime, last: e.BoxTime})
	return all.first, all.last
}

// decide adds a log that is too old by the first rule that is for it, unless it is held.
func (s *expiring) decide(e journal.Numbered, found traits) {
	first, last := found.with(&e.Entry)
	held := func() bool { return found.marks&heldPerson != 0 || s.Held != nil && s.Held(e.LogID, first, last) }
	for i, r := range s.Rules {
		robot, kind := ruleMarks(i)
		otherRobot := !r.Robot.IsZero() && found.marks&robot == 0
		otherKind := !r.Kind.IsZero() && found.marks&kind == 0
		if otherRobot || otherKind || !r.Wants(&e.Entry) {
			continue
		}
		if s.TooOld(i, &e, found.event) && !held() {
			s.out = append(s.out, store.Expired{LogID: e.LogID, Seq: e.Seq, Rule: i})
		}
		return
	}
}
