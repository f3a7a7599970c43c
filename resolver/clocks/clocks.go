// Package clocks learns how far the clocks of robots are ahead of each other, from the arrival of
// observations and from pairs of observations that are one event beyond doubt. Its functions
// depend on their arguments alone, and store nothing.
//
// Offsets are in seconds; positive means ahead. Times are microseconds since 1970, and lags are
// milliseconds.
package clocks

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// An anchor is a pair of observations by two robots that, judging by their texts alone,
// are the same event beyond doubt. Their timestamps show the difference of the robots'
// clocks. Robots without a name share one clock.
const (
	minAnchors    = 5    // anchors from which a clock is corrected
	steadyAnchors = 8    // anchors from which a clock moves more slowly
	slowest       = 0.04 // least step; a clock learns half of it, since a residual is of two clocks
	leadLetters   = 12.0 // least length of a text that a lead is learnt from
)

// Pairing is an anchor: an observation, and an earlier one of another robot.
type Pairing struct {
	Own, Other      record.Clock // of the two robots; learning changes them
	Member, Partner record.Member
	Subject         string  // the subject of both, "" if unknown
	Residual        float64 // seconds that Own seems ahead, beyond its offset
	Kind            uint64  // hash of the kind of the event
	Letters         float64 // length of the text
}

// Book is what is known of all clocks.
type Book struct {
	Median float64 // of the offsets of the learnt clocks
	From   Source
}

// Source finds clocks.
type Source interface {
	// Clock returns the clock of a robot, the zero Clock with that name if it has none.
	Clock(robot string) (record.Clock, error)
	// Fingerprint returns a short hash of a name or text.
	Fingerprint(string) uint32
}

// Learn learns from an anchor. agrees reports whether it agrees with the clocks, so that its
// residual is one of the scale of timestamps. The error is the source's.
func (b Book) Learn(p *Pairing) (agrees bool, err error) {
	agrees, err = b.decide(p)
	switch {
	case err != nil:
		return false, err
	case agrees:
		for _, l := range []struct {
			of       *record.Clock
			residual float64
		}{{&p.Own, p.Residual}, {&p.Other, -p.Residual}} {
			*l.of = b.learn(*l.of, l.residual)
			if p.Letters >= leadLetters && l.of.Anchors > steadyAnchors {
				*l.of = learnLead(*l.of, l.residual, p.Kind, p.Letters)
			}
		}
	case p.Letters >= leadLetters:
		learnLeads(p)
	}
	return agrees, nil
}

// learn moves a clock by at most half of a residual, and by less the more anchors it has.
// A clock without anchors starts at the median.
func (b Book) learn(c record.Clock, residual float64) record.Clock {
	if c.Anchors == 0 {
		c.Offset = b.Median
	}
	step := max(slowest, 1/float64(1+c.Anchors))
	if c.Anchors < steadyAnchors {
		step = min(1, 2*step)
	}
	c.Offset += 0.5 * residual * step
	c.Anchors++
	return c
}

// Learnt reports whether enough anchors show the offset of a clock, so that it is applied.
func Learnt(c record.Clock) bool { return c.Anchors >= minAnchors }

// Trust says from how many anchors a correction of a clock is applied.
type Trust bool

const (
	EnoughAnchors Trust = false // see Learnt
	AnyAnchors    Trust = true  // to learn from: a wrong correction is noticed too
)

// Ahead returns how many seconds a clock was ahead when an observation of a kind arrived.
func (b Book) Ahead(c record.Clock, m record.Member, kind uint64, trust Trust) float64 {
	off := Stepped(c, m.Received)
	if Learnt(c) || trust == AnyAnchors && c.Anchors > 0 {
		if trust == EnoughAnchors && !Leads(c) {
			c.Lead = 0
		}
		off += beforeSteps(c, kind, m.Text) - b.Median
	}
	return off
}

// Shift moves a clock by a proven offset. If many anchors agreed on the clock, this is a
// step from the time since on. Otherwise the offset applies to its whole past.
func (b Book) Shift(c *record.Clock, by float64, since int64) {
	if c.Anchors >= steadyAnchors {
		*c = jump(*c, record.Step{From: since, By: by})
		c.Friends = nil
		return
	}
	b.Establish(c)
	c.Offset += by
	c.Claims, c.Friends, c.Disputes = nil, nil, 0
}

// Confirm moves a clock by an offset that a person gave, and returns how far its steps moved it. The offset is a step, so
// that the median of the clocks does not move with it. It counts from the time since on, or for the whole past if not many
// anchors agreed on the clock, and it never jumped.
func (b Book) Confirm(c *record.Clock, by float64, since int64) (moved float64) {
	if c.Anchors < steadyAnchors && !slices.ContainsFunc(c.Steps, func(s record.Step) bool { return s.From > 0 }) {
		since = 0
	}
	if !Learnt(*c) {
		b.Establish(c)
		by, c.Offset = by+c.Offset-b.Median, b.Median
	}
	*c = jump(*c, record.Step{From: since, By: by, Shown: record.ByPerson})
	c.Friends = nil
	return by
}

// Establish marks a clock's offset as applied.
func (b Book) Establish(c *record.Clock) {
	if c.Anchors == 0 {
		c.Offset = b.Median
	}
	c.Anchors = max(c.Anchors, minAnchors)
}

// Offset returns how many seconds a clock is ahead now.
func (b Book) Offset(c record.Clock, trust Trust) float64 {
	off := Stepped(c, math.MaxInt64)
	if Learnt(c) || trust == AnyAnchors && c.Anchors > 0 {
		off += c.Offset - b.Median
	}
	return off
}
