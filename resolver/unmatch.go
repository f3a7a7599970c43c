package resolver

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// unmatch undoes a match. The observation leaves the context that it was matched to, and
// every context that this was merged into. It gets a new context, own. kept are the pairs
// that are kept separate from then on: own with the context that the observation left, and
// with its root.
func (u *unit) unmatch(match *record.Decision) (own uint64, kept []record.Separation, err error) {
	o, err := u.observation(match.Target, match.Observation)
	if err == nil && o == nil {
		err = fmt.Errorf("%w: observation %d of context %d", errMissing, match.Observation, match.Target)
	}
	if err != nil {
		return 0, nil, err
	}
	at, err := readTime("observed_at", o.ObservedAt)
	if err != nil {
		return 0, nil, err
	}
	member := u.policy.memberOf(o, at)
	left, root, err := u.leave(match.Target, member)
	if err != nil {
		return 0, nil, err
	}
	x, err := u.newContext(o.Kind, side{members: []record.Member{member}, kind: left.kindHash})
	if err != nil {
		return 0, nil, err
	}
	founded, err := u.setContext(x)
	if err != nil {
		return 0, nil, err
	}
	// A text that only this observation added to the context was counted when it arrived.
	if err := u.countContext(founded, x.Members[0], hasText(left.texts, member.Text)); err != nil {
		return 0, nil, err
	}
	if err := u.openInterval(founded); err != nil {
		return 0, nil, err
	}
	kept = []record.Separation{{Own: x.Number, Other: left.Number}}
	if root.Number != left.Number {
		kept = append(kept, record.Separation{Own: x.Number, Other: root.Number})
	}
	if err := u.move(o, x.Number); err != nil {
		return 0, nil, err
	}
	return x.Number, kept, u.keepSeparate(kept)
}

// leave removes a member from its origin and from everything that the origin was merged
// into. It returns the origin without the member, and the root.
func (u *unit) leave(origin uint64, removed record.Member) (left, root *shared, err error) {
	for next := origin; next != 0; next = root.Into {
		if root, err = u.context(next); err != nil {
			return nil, nil, err
		}
		x := root.Context
		x.Count--
		x.Members = without(x.Members, origin, removed)
		if root, err = u.setContext(x); err != nil {
			return nil, nil, err
		}
		if left == nil {
			left = root
		}
	}
	return left, root, nil
}

// without returns members without the last one of an origin that equals removed in
// its compared fields. A context with many members may not have it. The first member
// always stays.
func without(members []record.Member, origin uint64, removed record.Member) []record.Member {
	for i := len(members) - 1; i > 0; i-- {
		m := members[i]
		if m.Origin == origin && m.At == removed.At && m.Robot == removed.Robot && m.Subject == removed.Subject && m.Modality == removed.Modality && m.Text == removed.Text {
			return slices.Delete(slices.Clone(members), i, i+1)
		}
	}
	return members
}

// move makes a context the origin of an observation. The next decision records it.
func (u *unit) move(o *record.Observation, to uint64) error {
	before := u.names().OfObservation(o)
	u.put(record.ObservationKey(o.Context, o.Number), nil)
	o.Context, o.Decision = to, u.totals.Decisions+1
	u.put(record.ObservationKey(o.Context, o.Number), record.Encode(o))
	if o.Key != (record.Hash{}) {
		u.setRepeat(o.Key, record.Repeat{Context: to, Content: u.content(o)})
	}
	less, more := mirror.Difference(before, u.names().OfObservation(o))
	u.remove, u.add = append(u.remove, less...), append(u.add, more...)
	return u.setAliases(o)
}
