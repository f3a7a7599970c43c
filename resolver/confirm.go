package resolver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// RobotClock describes a robot's clock. Offsets are relative to the median of all clocks;
// positive means ahead.
type RobotClock struct {
	RobotURI string      `json:"robot_uri"`
	OffsetMS int64       `json:"offset_ms"`
	Anchors  int64       `json:"anchors"` // number of certain pairs it was learnt from
	Applied  bool        `json:"applied"` // whether the offset is in use, which requires a few anchors
	LeadMS   float64     `json:"lead_ms"` // how far it is ahead per letter of text; negative if it timestamps the beginning of speech
	Arrival  *Arrival    `json:"arrival"` // null before the first arrival
	Claim    *ClockClaim `json:"claim"`   // null if nothing contradicts the offset
	Steps    []ClockStep `json:"steps"`   // the last ones, oldest first
	By       string      `json:"confirmed_by,omitempty"`
	At       *time.Time  `json:"confirmed_at,omitempty"` // when a person confirmed the offset ConfirmedMS
	Offset   *int64      `json:"confirmed_offset_ms,omitempty"`
	Seen     string      `json:"seen"` // see AsSeen
}

// Arrival describes the delay from a robot's timestamps to the arrival of its
// observations.
type Arrival struct {
	LagMS    int64 `json:"lag_ms"`    // of the fastest arrivals
	SpreadMS int64 `json:"spread_ms"` // from there to the third quartile
	Live     bool  `json:"live"`      // whether the delay is evidence of the clock: it is not if most observations arrive late, or a stream is replayed
}

// ClockClaim is an offset claimed by anchors but not confirmed. No match relies on it.
type ClockClaim struct {
	OffsetMS  int64  `json:"offset_ms"` // the claimed offset
	Sentences int64  `json:"sentences"` // anchors that agree
	Subjects  int    `json:"subjects"`  // the number of subjects of these sentences; at most eight are counted per robot
	Reason    string `json:"reason"`    // ClaimUnconfirmed or ClaimTwoPlaces
}

// Reasons why a claim is not accepted.
const (
	ClaimUnconfirmed = "unconfirmed" // too few subjects or texts agree, or the later robot always reports later
	ClaimTwoPlaces   = "two_places"  // arrivals show that the clocks agree
)

// ClockStep is a jump of a clock.
type ClockStep struct {
	At   time.Time `json:"at"` // when the first observation after it arrived
	ByMS int64     `json:"by_ms"`
	From string    `json:"from"` // the evidence: "arrival", "texts" or "person"
}

// ConfirmClock confirms the claim on a robot's clock or, if offset is not nil, sets the
// clock's lead to that many milliseconds. It takes effect at once. But contexts stay filed
// under their times, so a lead of more than nine seconds joins nothing that was reported
// before. The error is an *Error with code Invalid, or the store's.
func (r *Resolver) ConfirmClock(ctx context.Context, robot string, offset *int64, e journal.Entry) (*RobotClock, error) {
	return write(ctx, r, func(u *unit) (*RobotClock, error) { return u.confirmClock(robot, offset, e) })
}

// RevokeClock revokes all that was confirmed of a robot's clock. The error is an *Error
// with code Invalid or NotUndoable.
func (r *Resolver) RevokeClock(ctx context.Context, robot string, e journal.Entry) (*RobotClock, error) {
	return write(ctx, r, func(u *unit) (*RobotClock, error) { return u.revokeClock(robot, e) })
}

// maxConfirmed is the largest offset in milliseconds that a person may confirm: a day.
const maxConfirmed = 24 * 3600 * 1000

// confirmClock corrects a robot's clock to the offset in milliseconds that a person gave or, if it is nil, by the leading
// claim, from the claim's begin on. An offset replaces a standing confirmation from its begin on, unless the clock has jumped
// since; else it counts from now on. Claims of other robots against this clock end, as it explains them.
func (u *unit) confirmClock(robot string, offset *int64, e journal.Entry) (*RobotClock, error) {
	c, err := u.robotClock(robot)
	if err != nil {
		return nil, err
	}
	if err := u.clockAsSeen(c); err != nil {
		return nil, err
	}
	claim, err := u.book().Leading(c)
	if err != nil {
		return nil, err
	}
	ahead, since := u.book().Offset(c, clocks.AnyAnchors)+claim.By, claim.Since
	switch {
	case offset != nil && (*offset > maxConfirmed || *offset < -maxConfirmed):
		return nil, invalid("offset_ms", "offset_ms must be from %d to %d", -maxConfirmed, maxConfirmed)
	case offset != nil:
		ahead = float64(*offset) / 1000
	case claim.Sentences == 0:
		return nil, unsupported("there is no claim on the clock of this robot; set offset_ms to how far it is ahead")
	}
	if since == 0 {
		since = u.now()
	}
	for _, claimed := range c.Claims { // their clocks apply from now on too, and have no claim on this one
		other, err := u.clock(claimed.Partner)
		if err != nil {
			return nil, err
		}
		clocks.Drop(&other, c.Robot)
		u.book().Establish(&other)
		u.setClock(other)
	}
	// An offset replaces the last confirmation. A claim does not: before the claim's begin, that one still holds.
	if last := len(c.Steps) - 1; offset != nil && last >= 0 && c.Steps[last].Shown == record.ByPerson {
		since = min(since, c.Steps[last].From)
		unconfirm(&c, last)
	}
	moved := u.book().Confirm(&c, ahead-u.book().Offset(c, clocks.AnyAnchors), since)
	c.DecidedBy, c.DecidedAt, c.Revoked, c.Confirmed, c.Moved = e.Actor, u.now(), false, ms(ahead), c.Moved+moved
	u.setClock(c)
	e.Robot, e.Detail = c.Robot, fmt.Sprintf("its clock is %.1f s ahead", ahead)
	u.entry = &e
	return u.robotStatistics(c)
}

// revokeClock takes back what confirmClock did to a robot's clock. Claims begin anew.
func (u *unit) revokeClock(robot string, e journal.Entry) (*RobotClock, error) {
	c, err := u.robotClock(robot)
	if err != nil {
		return nil, err
	}
	if !confirmed(c) {
		return nil, &Error{Code: NotUndoable, Detail: "nobody has confirmed the clock of this robot"}
	}
	if err := u.clockAsSeen(c); err != nil {
		return nil, err
	}
	unconfirm(&c, 0)
	c.Offset -= c.Moved // what is left is of steps that were added to the offset
	c.DecidedBy, c.DecidedAt, c.Revoked, c.Confirmed, c.Moved = e.Actor, u.now(), true, 0, 0
	u.setClock(c)
	e.Robot, e.Detail = c.Robot, "the confirmation of its clock was revoked"
	u.entry = &e
	return u.robotStatistics(c)
}

// unconfirm removes those of c.Steps[from:] that people confirmed. It forgets all claims of steps and the robots that agreed
// with them, and begins a new segment.
func unconfirm(c *record.Clock, from int) {
	steps := slices.Clone(c.Steps[:from])
	for _, s := range c.Steps[from:] {
		if s.Shown == record.ByPerson {
			c.Moved -= s.By
		} else {
			steps = append(steps, s)
		}
	}
	c.Steps = steps
	c.Segment++
	c.Claims, c.Friends = nil, nil
}

// confirmed reports whether a person has confirmed a clock and not revoked that.
func confirmed(c record.Clock) bool { return c.DecidedAt != 0 && !c.Revoked }

// robotClock returns the clock of a robot that a person names.
func (u *unit) robotClock(robot string) (record.Clock, error) {
	if err := named("robot_uri", &robot); err != nil {
		return record.Clock{}, err
	}
	c, err := u.clock(robot)
	if err == nil && len(c.Lags) == 0 && c.Anchors == 0 {
		err = unsupported("the robot %q has reported no observation", robot)
	}
	return c, err
}

// robotStatistics describes a robot's clock to people: its offset, how its observations arrive, the steps, who
// confirmed it, and the claim that awaits confirmation.
func (u *unit) robotStatistics(clock record.Clock) (*RobotClock, error) {
	out := &RobotClock{RobotURI: clock.Robot, OffsetMS: ms(u.book().Offset(clock, clocks.AnyAnchors)), Anchors: clock.Anchors, Steps: []ClockStep{},
		Applied: u.policy.ClockCorrection && (clocks.Learnt(clock) || len(clock.Steps) > 0)}
	if clocks.Leads(clock) {
		out.LeadMS = math.Round(10_000*clock.Lead) / 10
	}
	if len(clock.Lags) > 0 {
		low, spread := clocks.Lags(clock.Lags)
		out.Arrival = &Arrival{LagMS: low, SpreadMS: spread, Live: clocks.Live(clock)}
	}
	for _, s := range clock.Steps {
		from := "texts"
		switch {
		case s.From == 0: // it is no jump
			continue
		case s.Shown == record.ByArrivals:
			from = "arrival"
		case s.Shown == record.ByPerson:
			from = "person"
		}
		out.Steps = append(out.Steps, ClockStep{At: time.UnixMicro(s.From).UTC(), ByMS: ms(s.By), From: from})
	}
	if confirmed(clock) {
		at := time.UnixMicro(clock.DecidedAt).UTC()
		out.By, out.At, out.Offset = clock.DecidedBy, &at, &clock.Confirmed
	}
	claim, err := u.book().Leading(clock)
	if err != nil {
		return nil, err
	}
	if claim.Sentences > 0 {
		out.Claim = &ClockClaim{OffsetMS: ms(u.book().Offset(clock, clocks.AnyAnchors) + claim.By), Sentences: claim.Sentences, Subjects: len(claim.Subjects), Reason: ClaimUnconfirmed}
		if claim.TwoPlaces() {
			out.Claim.Reason = ClaimTwoPlaces
		}
	}
	out.Seen = seenClock(out, clock.DecidedAt)
	return out, nil
}

// clockStatistics lists the clocks of named robots, by name.
func (u *unit) clockStatistics() (ClockStatistics, error) {
	out := ClockStatistics{ScaleMS: ms(u.known.spread), Robots: []RobotClock{}}
	var all []record.Clock
	from, to := record.ClockRange()
	err := readAll(u, from, to, func(c *record.Clock) {
		if c.Robot != "" {
			all = append(all, *c)
		}
	})
	if err != nil {
		return out, err
	}
	slices.SortFunc(all, func(a, b record.Clock) int { return strings.Compare(a.Robot, b.Robot) })
	for _, c := range all {
		x, err := u.robotStatistics(c)
		if err != nil {
			return out, err
		}
		out.Robots = append(out.Robots, *x)
	}
	return out, nil
}

// ms converts seconds to milliseconds.
func ms(seconds float64) int64 { return int64(math.Round(1000 * seconds)) }
