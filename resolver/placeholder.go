package resolver

import (
	"errors"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// A placeholder is a subject that stands for several persons, such as ".../user". It is
// detected when two robots report clearly different texts of it at the same time, because
// nobody says two things at once. A robot that translates, or whose clock is wrong,
// differs in the same way, but for every speaker and with a steady gap.
const (
	maxWatched     = 1024 // remembered subjects
	maxSubjectPair = 16   // remembered pairs of robots per subject
	maxTimes       = 128  // above this, a pair's counts are halved
	// Log odds in nats for a placeholder against a person.
	conflictOdds  = 2.8 // for a conflict: half of the times of a placeholder in two places, 3 % of a person's
	elsewhereOdds = 3.4 // additionally, if the robots are in different places
	agreementOdds = -0.66
	detectedOdds  = 8.0 // a subject with these odds or more becomes a placeholder
	watchedOdds   = 3.0 // a placeholder with lower odds becomes a person again
	// ownShare is the least fraction of a pair's conflicts that a subject must have to be
	// their cause.
	ownShare = 1.0 / 3
	// liveGap is the largest difference between the arrivals of two reports of one time,
	// if the service is not behind.
	liveGap = 10 * second
)

// changeSubject returns a subject to be changed by the caller, or nil if a person has
// decided on it.
func (u *unit) changeSubject(subject string) *record.Subject {
	s, _ := u.subject(subject)
	if s.State == record.Overruled || s.State == record.Confirmed {
		return nil
	}
	if changed := u.subjects.changed[subject]; changed != nil {
		return changed
	}
	s.Subject, s.Pairs = subject, slices.Clone(s.Pairs)
	return u.subjects.set(subject, s)
}

// sameTime reports whether two reports are of the same time, with texts long enough to
// compare.
func sameTime(a, b *report) bool {
	letters := min(a.text.Letters, b.text.Letters)
	return letters >= weigh.CertainLetters && seconds(abs(b.at-a.at)) <= sayingTime*weigh.SayingTime(letters)
}

// agreed counts a time at which two robots reported similar texts of a watched subject. Reports of two names of one
// person say nothing about either name.
func (u *unit) agreed(a, b *report) {
	if !sameTime(a, b) || a.Subject != b.Subject {
		return
	}
	if _, ok := u.subject(a.Subject); !ok {
		return
	}
	if s := u.changeSubject(a.Subject); s != nil {
		subjectPair(s, a, b).Agreements++
	}
}

// conflict counts a time at which two robots reported clearly different texts of a
// person and, if both gave the same name, of that subject.
func (u *unit) conflict(a, b *report) {
	if !sameTime(a, b) || !weigh.ClearlyElse(text.Similarity(a.text, b.text), weigh.CertainLetters) {
		return
	}
	if abs(a.Received-b.Received) > liveGap { // one of the timestamps may be far off
		return
	}
	u.changePair(pairOf(a.Robot, b.Robot)).Conflicts++
	if a.Subject != b.Subject {
		return
	}
	if s := u.changeSubject(a.Subject); s != nil {
		p := subjectPair(s, a, b)
		p.Conflicts++
		if a.Location != "" && b.Location != "" && a.Location != b.Location {
			p.Elsewhere++
		}
	}
}

// subjectPair returns the counts of a subject and two robots. If there are too many, it
// replaces the pair with the fewest conflicts.
func subjectPair(s *record.Subject, a, b *report) *record.SubjectPair {
	name := pairOf(a.Robot, b.Robot)
	least := 0
	for i := range s.Pairs {
		p := &s.Pairs[i]
		if p.First == name.first && p.Second == name.second {
			if p.Conflicts+p.Agreements >= maxTimes {
				p.Conflicts, p.Elsewhere, p.Agreements = p.Conflicts/2, p.Elsewhere/2, p.Agreements/2
			}
			return p
		}
		if p.Conflicts < s.Pairs[least].Conflicts {
			least = i
		}
	}
	p := record.SubjectPair{First: name.first, Second: name.second}
	if len(s.Pairs) < maxSubjectPair {
		s.Pairs = append(s.Pairs, p)
		return &s.Pairs[len(s.Pairs)-1]
	}
	s.Pairs[least] = p
	return &s.Pairs[least]
}

// placeholderOdds returns the log odds, in nats, that a subject is a placeholder, from how often two robots reported
// different or similar texts of it. It ignores pairs of robots that differ about many subjects, or that seem to
// report the same events in different words, unless they were in two places.
func (u *unit) placeholderOdds(s *record.Subject) float64 {
	sum := 0.0
	for _, p := range s.Pairs {
		pair := u.pair(pairName{p.First, p.Second})
		rewords, _, _ := rewordingOdds(pair)
		if p.Elsewhere == 0 && (rewords > 0 || float64(p.Conflicts) < ownShare*float64(pair.Conflicts)) {
			continue
		}
		sum += max(0, float64(p.Conflicts)*conflictOdds+float64(p.Elsewhere)*elsewhereOdds+float64(p.Agreements)*agreementOdds)
	}
	return sum
}

// judge detects a subject as a placeholder, or takes that back, by the odds. What a person decided stays.
func (u *unit) judge(s *record.Subject) error {
	odds := u.placeholderOdds(s)
	switch {
	case s.State == record.Watched && odds >= detectedOdds:
		s.State, s.Since, s.DecidedBy = record.Detected, u.now(), ""
		var err error
		s.Joined, err = u.joinedBy(s.Subject)
		return err
	case s.State == record.Detected && odds < watchedOdds:
		s.State, s.Since, s.Joined = record.Watched, u.now(), 0
	}
	return nil
}

// maxJoined is how many contexts are searched for those that a placeholder has joined.
const maxJoined = 4096

// joinedBy counts, among the last contexts, those that join reports of a subject by
// several robots.
func (u *unit) joinedBy(subject string) (int64, error) {
	n := int64(0)
	last := u.began.Contexts
	for number := max(u.totals.Cleared, last-min(last, maxJoined)) + 1; number <= last; number++ {
		x, err := u.context(number)
		if errors.Is(err, errMissing) { // it was too old
			continue
		} else if err != nil {
			return 0, err
		}
		if x.Into == 0 && severalReport(x.Members, subject) {
			n++
		}
	}
	return n, nil
}

// severalReport reports whether several robots reported a subject.
func severalReport(members []record.Member, subject string) bool {
	var first *record.Member
	for i := range members {
		m := &members[i]
		switch {
		case m.Subject != subject: // about somebody else
		case first == nil:
			first = m
		case m.Robot != first.Robot:
			return true
		}
	}
	return false
}
