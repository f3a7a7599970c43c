package resolver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/record"
)

// What people decide on may change after they have read it. So whatever they decide on has a value, Seen, that changes with it.

type asSeen struct{}

// AsSeen returns a context for one decision on something whose Seen somebody has read. If it has another one by then, the
// decision changes nothing, and its error is an *Error with code Changed. With "", it is decided on as it is.
func AsSeen(ctx context.Context, seen string) context.Context {
	return context.WithValue(ctx, asSeen{}, seen)
}

// SeenOf returns what AsSeen was given for a context, or "".
func SeenOf(ctx context.Context) string {
	seen, _ := ctx.Value(asSeen{}).(string)
	return seen
}

// otherThanSeen returns an *Error with code Changed that says what something is now.
func otherThanSeen(what string, values ...any) error {
	return &Error{Code: Changed, Detail: "this has changed since you saw it: " + fmt.Sprintf(what, values...) + "; look at it again"}
}

// sameAsSeen returns an *Error with code Changed, which says what something is now, unless its Seen is what the one who decides
// has read.
func (u *unit) sameAsSeen(now, what string, values ...any) error {
	if u.seen == "" || u.seen == now {
		return nil
	}
	return otherThanSeen(what, values...)
}

// seenCase returns Seen of a case: when it was weighed, and each context that it offers, after its source's, with how many
// observations it has.
func (u *unit) seenCase(k *record.Case) (string, error) {
	out := fmt.Sprint(k.Weighed.At)
	var shown []uint64
	for _, n := range append([]uint64{k.Source}, targetsOf(k)...) {
		root, err := u.root(n)
		if err != nil {
			return "", err
		}
		if !slices.Contains(shown, root.Number) {
			shown = append(shown, root.Number)
			out += fmt.Sprintf(" %d:%d", root.Number, root.Count)
		}
	}
	return out, nil
}

// caseAsSeen is sameAsSeen for a case.
func (u *unit) caseAsSeen(k *record.Case) error {
	now, err := u.seenCase(k)
	if err != nil {
		return err
	}
	return SameCase(u.seen, now)
}

// SameCase compares the Seen that somebody has read of a case, unless it is "", with the current one. If they differ, it returns an
// *Error with code Changed.
func SameCase(seen, now string) error {
	was, is := append(strings.Fields(seen), "", ""), strings.Fields(now) // any text has at least two fields
	switch {
	case seen == "" || seen == now:
		return nil
	case was[0] != is[0]:
		return otherThanSeen("its candidates were weighed again")
	case was[1] != is[1]:
		return otherThanSeen("its observation was joined with others")
	}
	return otherThanSeen("one of its candidates was joined with other observations")
}

// targetsOf returns the contexts that a case offered when it was weighed.
func targetsOf(k *record.Case) (all []uint64) {
	for _, t := range k.Targets {
		all = append(all, t.Context)
	}
	return all
}

func seenSubject(s *record.Subject) string { return fmt.Sprint(s.State, " ", s.Since) }

func seenRelay(k *record.Relay) string { return fmt.Sprint(k.State, " ", k.Since, " ", k.Of) }

// seenPersons returns Seen of the pairs of a first subject and others: how each pair counts, and how many names each has.
func (u *unit) seenPersons(subjects ...string) (out string) {
	for _, other := range subjects[1:] {
		p := u.known.persons[pairOf(subjects[0], other)]
		names := [2]int{len(u.known.allNames(subjects[0])), len(u.known.allNames(other))}
		out += fmt.Sprintf("%s %d %d %d;", p.State, p.Since, min(names[0], names[1]), max(names[0], names[1]))
	}
	return out
}

// seenTolerance is how many milliseconds a claim on a clock may move without being another one.
const seenTolerance = 100

// seenClock returns Seen of a clock: its offset or what is claimed of it, in milliseconds, and when somebody decided on it.
func seenClock(c *RobotClock, decided int64) string {
	offset := c.OffsetMS
	if c.Claim != nil {
		offset = c.Claim.OffsetMS
	}
	return fmt.Sprint(offset, " ", decided)
}

// clockAsSeen is sameAsSeen for a clock. It may have moved by seenTolerance.
func (u *unit) clockAsSeen(c record.Clock) error {
	if u.seen == "" {
		return nil
	}
	now, err := u.robotStatistics(c)
	if err != nil {
		return err
	}
	var was, is, before, decided int64
	_, _ = fmt.Sscan(u.seen, &was, &before) // a text of another form is another value
	_, _ = fmt.Sscan(now.Seen, &is, &decided)
	if before == decided && abs(was-is) <= seenTolerance {
		return nil
	}
	return u.sameAsSeen(now.Seen, "its clock is or may be %.1f s ahead, and it was last decided on by %q", float64(is)/1000, c.DecidedBy)
}

// byWhom says what state something is in, and who decided that.
func byWhom(state fmt.Stringer, by string) string {
	if by == "" {
		return state.String()
	}
	return fmt.Sprintf("%s by %q", state, by)
}
