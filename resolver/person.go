package resolver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// Robots name people by themselves, so one person may have several subjects. Once a person has decided that
// subjects are one person, observations are compared as if they had one. Nothing that was stored changes, and the
// counts are of each subject, so that after an undo later matches are as if the decision had never been made.
const (
	maxPersons = 4096 // remembered pairs of subjects
	maxNames   = 64   // subjects of one person
	maxCounted = 4096 // last cases among which pendingOf counts
	// suggestAfter is how many accepted cases suggest that two subjects are one person, if none was rejected.
	suggestAfter = 3
	// togetherAfter is how many reports do the same, if the two are together at least half as often as each is with
	// any other subject, itself included: robots that share names sometimes confuse two persons.
	togetherAfter = 5
)

// SamePerson is a pair of subjects that people's decisions relate.
type SamePerson struct {
	SubjectURIs [2]string `json:"subject_uris"`
	State       string    `json:"state"` // "suggested" by decisions on cases or by reports (awaits review), "one person" or "two persons"
	Since       time.Time `json:"since"` // when it entered that state
	DecidedBy   string    `json:"decided_by,omitempty"`
	Seen        string    `json:"seen"` // see AsSeen
	Reason      string    `json:"reason,omitempty"`
	// AcceptedCases and RejectedCases count the decisions on cases whose sides name these two.
	AcceptedCases int64 `json:"accepted_cases"`
	RejectedCases int64 `json:"rejected_cases"`
	Together      int64 `json:"together"` // times at which two robots reported similar texts, one of each, as far as remembered
}

// Person is the result of DecidePerson.
type Person struct {
	SubjectURIs []string `json:"subject_uris"` // all subjects of the person that the decision names first, after it
	Before      []string `json:"before"`       // the same before the decision
	// PendingCases counts the pending cases, among the last 4,096 cases, whose source and best candidate name different
	// subjects of this person.
	PendingCases int  `json:"pending_cases"`
	DryRun       bool `json:"dry_run"`
	// Seen is that of the subjects before the decision; see AsSeen.
	Seen string `json:"seen"`
}

// PersonDecision is somebody's decision on subjects.
type PersonDecision struct {
	Subjects []string // the first is related to each of the others
	One      bool     // they are one person
	Reason   string   // or ""
	Standing bool     // earlier decisions about a pair stand, so that this one counts only where there is none
	Dry      bool     // nothing changes, and the result is what would follow
}

// DecidePerson decides whether subjects are one person. The decision holds until the next one about the same pair. The
// error is an *Error with code Invalid, or the store's.
func (r *Resolver) DecidePerson(ctx context.Context, d PersonDecision, e journal.Entry) (*Person, error) {
	if d.Dry {
		var out *Person
		err := r.reading(func(u *unit) (err error) {
			out, err = u.decidePerson(d, e)
			return err
		})
		if out != nil {
			out.DryRun = true
		}
		return out, err
	}
	return write(ctx, r, func(u *unit) (*Person, error) { return u.decidePerson(d, e) })
}

// People returns the subjects of each person that has several, in order, by each of them. The caller must not change
// them.
func (r *Resolver) People(context.Context) (names map[string][]string, err error) {
	err = r.reading(func(u *unit) error { names = u.known.names; return nil })
	return names, err
}

// decidePerson decides that all subjects are one person (d.One), or that each is another person than the first. With
// d.Standing, earlier decisions stay.
func (u *unit) decidePerson(d PersonDecision, e journal.Entry) (*Person, error) {
	subjects, reason := d.Subjects, d.Reason
	if len(subjects) < 2 || len(subjects) > maxNames {
		return nil, invalid("subject_uris", "subject_uris must have 2 to 64 IRIs")
	}
	subjects = slices.Clone(subjects)
	for i := range subjects {
		if err := named("subject_uris", &subjects[i]); err != nil {
			return nil, err
		}
		if slices.Contains(subjects[:i], subjects[i]) {
			return nil, invalid("subject_uris", "subject_uris must differ")
		}
	}
	if err := clean("reason", &reason, maxURI); err != nil {
		return nil, err
	}
	out := &Person{Before: u.known.allNames(subjects[0]), Seen: u.seenPersons(subjects...)}
	state := record.TwoPersons
	if d.One {
		state = record.OnePerson
	}
	changed := map[pairName]*record.Person{}
	for _, other := range subjects[1:] {
		name := pairOf(subjects[0], other)
		p := u.person(name)
		stands := d.Standing && p.State >= record.OnePerson // somebody decided it before
		if p.State != state && !stands {
			p.State, p.Since, p.DecidedBy, p.Reason = state, u.now(), e.Actor, reason
			changed[name] = &p
		}
	}
	after := namesOfPersons(u.known.persons, changed)
	if out.SubjectURIs = after[subjects[0]]; out.SubjectURIs == nil {
		out.SubjectURIs = subjects[:1]
	}
	if len(out.SubjectURIs) > maxNames {
		return nil, unsupported("one person may have %d subjects at most", maxNames)
	}
	var err error
	if out.PendingCases, err = u.pendingOf(out.SubjectURIs); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return out, nil
	}
	if err := u.sameAsSeen(out.Seen, "%s has the names %s, and another name may have more", subjects[0], strings.Join(out.Before, " and ")); err != nil {
		return nil, err
	}
	u.persons.changed = changed
	if decided := u.decidedPersons(); decided > maxPersons {
		return nil, unsupported("people have decided on %d pairs of subjects already, which is the maximum", maxPersons)
	}
	e.Subject, e.Detail = subjects[0], map[bool]string{true: "is one person with ", false: "is another person than "}[d.One]+strings.Join(subjects[1:], " and ")
	if reason != "" {
		e.Detail += ": " + reason
	}
	u.entry = &e
	return out, nil
}

// person returns what is known of two subjects, including by this unit.
func (u *unit) person(name pairName) record.Person {
	p, _ := u.persons.get(u.known.persons, name)
	p.First, p.Second = name.first, name.second
	return p
}

// setPerson replaces or adds what is known of two subjects.
func (u *unit) setPerson(p record.Person) { u.persons.set(pairName{p.First, p.Second}, p) }

// decidedPersons counts the pairs that people have decided on, including all that this unit has changed, which
// decidePerson has decided.
func (u *unit) decidedPersons() int {
	n := 0
	for name, p := range u.known.persons {
		if u.persons.changed[name] == nil && p.State >= record.OnePerson {
			n++
		}
	}
	return n + len(u.persons.changed)
}

// learnPerson counts a decision, at a time, on a case whose sides each named one subject, not the same: by is 1, or -1 if the
// decision is undone. Enough acceptances and no rejection suggest that the two are one person.
func (u *unit) learnPerson(k *record.Case, accepted bool, by, at int64) error {
	source, err := u.context(k.Source)
	if err != nil {
		return err
	}
	for _, t := range k.Targets {
		if accepted && t.Context != k.Selected {
			continue
		}
		target, err := u.context(t.Context)
		if err != nil {
			return err
		}
		a, b := u.known.onlySubject(arrivedBy(at, source.Members)), u.known.onlySubject(membersBeside(target, source, at))
		if a == "" || b == "" {
			continue
		}
		p := u.person(pairOf(a, b))
		if u.known.person(a) == u.known.person(b) && (p.State != record.OnePerson || p.Since <= at) {
			continue // they were one person then
		}
		if accepted {
			p.Accepted = max(0, p.Accepted+by)
		} else {
			p.Rejected = max(0, p.Rejected+by)
		}
		u.judgePerson(&p)
		u.setPerson(p)
	}
	return nil
}

// countTogether counts that two robots reported similar texts at the same time of two subjects, which may be one person,
// unless somebody has decided that. It also counts reports of one subject that has such pairs: without them, chance could
// not be told apart. The order of a and b does not matter.
func (u *unit) countTogether(a, b *report) {
	if u.known.isNobody(a.Member) || u.known.isNobody(b.Member) || !sameTime(a, b) {
		return
	}
	same := a.Subject == b.Subject
	decided := !same && a.person == b.person // directly, or by way of other subjects
	if decided || same && !u.known.paired[a.Subject] {
		return
	}
	p := u.person(pairOf(a.Subject, b.Subject))
	if p.State >= record.OnePerson {
		return
	}
	p.Together++
	u.judgePerson(&p)
	u.setPerson(p)
}

// judgePerson suggests that two subjects are one person, or no longer does.
func (u *unit) judgePerson(p *record.Person) {
	if p.First == p.Second {
		return
	}
	suggested := p.Rejected == 0 && (p.Accepted >= suggestAfter || p.Together >= togetherAfter && u.dominates(p))
	switch {
	case p.State == record.Unrelated && suggested:
		p.State, p.Since = record.Suggested, u.now()
	case p.State == record.Suggested && !suggested:
		p.State, p.Since = record.Unrelated, u.now()
	}
}

// dominates reports whether two subjects are together at least half as often as each is with any other.
func (u *unit) dominates(p *record.Person) bool {
	for name, x := range u.known.persons {
		if changed := u.persons.changed[name]; changed != nil {
			x = *changed
		}
		shares := x.First == p.First || x.First == p.Second || x.Second == p.First || x.Second == p.Second
		if shares && 2*p.Together < x.Together {
			return false
		}
	}
	return true
}

// onlySubject returns the subject of all members that name a person, or "" if there are several or none.
func (k *knowledge) onlySubject(members []record.Member) (subject string) {
	for _, m := range members {
		switch {
		case k.isNobody(m):
		case subject == "":
			subject = m.Subject
		case subject != m.Subject:
			return ""
		}
	}
	return subject
}

// pendingOf counts the pending cases, among the last maxCounted cases, whose source names just one of the given subjects, and whose
// best target just another of them.
func (u *unit) pendingOf(subjects []string) (int, error) {
	after := u.totals.Cases - min(u.totals.Cases, maxCounted) // not below 0: the numbers are unsigned
	from, to := record.PendingRange(after)
	numbers, err := numbersIn(u, from, to, maxCounted, record.Number)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, number := range numbers {
		k, err := u.caseOf(number)
		if err != nil {
			return 0, err
		}
		if len(k.Targets) == 0 { // an earlier version opened it
			continue
		}
		source, err := u.context(k.Source)
		if err != nil {
			return 0, err
		}
		target, err := u.context(k.Targets[0].Context) // the best one
		if err != nil {
			return 0, err
		}
		a, b := u.known.onlySubject(source.Members), u.known.onlySubject(target.Members)
		if a != b && slices.Contains(subjects, a) && slices.Contains(subjects, b) {
			n++
		}
	}
	return n, nil
}

// personStatistics lists the pairs of subjects that people have decided on, or that reviews suggest, by name.
func (u *unit) personStatistics() []SamePerson {
	out := []SamePerson{}
	for _, p := range u.known.persons {
		asks := p.State == record.Suggested && u.known.person(p.First) != u.known.person(p.Second) &&
			!u.known.standsForMany(p.First) && !u.known.standsForMany(p.Second)
		if asks || p.State >= record.OnePerson {
			out = append(out, SamePerson{SubjectURIs: [2]string{p.First, p.Second}, State: p.State.String(), Since: time.UnixMicro(p.Since).UTC(),
				DecidedBy: p.DecidedBy, Reason: p.Reason, AcceptedCases: p.Accepted, RejectedCases: p.Rejected,
				Together: p.Together, Seen: u.seenPersons(p.First, p.Second)})
		}
	}
	slices.SortFunc(out, func(a, b SamePerson) int { return slices.Compare(a.SubjectURIs[:], b.SubjectURIs[:]) })
	return out
}

// listNames lists the subjects of each person that has several, and those that were together with another.
func (k *knowledge) listNames() {
	k.names, k.paired = namesOfPersons(k.persons, nil), map[string]bool{}
	for name := range k.persons {
		if name.first != name.second {
			k.paired[name.first], k.paired[name.second] = true, true
		}
	}
}

// person returns the first subject of the person that a subject names.
func (k *knowledge) person(subject string) string {
	if names := k.names[subject]; len(names) > 0 {
		return names[0]
	}
	return subject
}

// allNames returns the subjects of the person that a subject names, in order.
func (k *knowledge) allNames(subject string) []string {
	if names := k.names[subject]; len(names) > 0 {
		return names
	}
	return []string{subject}
}

// NamesOf returns the subjects of the person that a subject names, in order.
func (r *Resolver) NamesOf(subject string) (names []string, err error) {
	err = r.reading(func(u *unit) error {
		names = slices.Clone(u.known.allNames(subject))
		return nil
	})
	return names, err
}

// Renames counts what may have changed the result of People. It counts a decision before that is stored, and each time that the
// memory is emptied. It takes no lock, so a unit of work of the store may call it.
func (r *Resolver) Renames() uint64 { return r.renames.Load() }

// namesOfPersons returns, for each subject of a person that has several subjects, all of them. If a pair is in
// both maps, changed has what counts.
func namesOfPersons(known map[pairName]record.Person, changed map[pairName]*record.Person) map[string][]string {
	near := map[string][]string{}
	join := func(p record.Person) {
		if p.State == record.OnePerson {
			near[p.First], near[p.Second] = append(near[p.First], p.Second), append(near[p.Second], p.First)
		}
	}
	for name, p := range known {
		if changed[name] == nil {
			join(p)
		}
	}
	for _, p := range changed {
		join(*p)
	}
	names := map[string][]string{}
	for subject := range near {
		if names[subject] != nil {
			continue
		}
		group := []string{subject}
		for i := 0; i < len(group); i++ {
			for _, other := range near[group[i]] {
				if !slices.Contains(group, other) {
					group = append(group, other)
				}
			}
		}
		slices.Sort(group)
		for _, name := range group {
			names[name] = group
		}
	}
	return names
}
