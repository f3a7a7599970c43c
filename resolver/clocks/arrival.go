package clocks

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// A robot that posts at once shows the difference between its clock and the service's:
// its lag, from timestamp to arrival, is short and steady. The lags of a robot that
// stores and forwards, or of a replayed stream, vary. Times are in milliseconds.
const (
	minLags      = 8                // lags needed to judge whether a robot posts live
	liveSpread   = 750              // largest interval from the low lags to the third quartile, for a robot that posts live
	usualLag     = 1000             // largest distance of a lag from the usual one
	maxLag       = 24 * 3600 * 1000 // above this, a lag is the age of a recording, which is replayed faster than it was recorded
	minStep      = 600              // least step of a clock that lags show
	stepSpreads  = 3                // least step in spreads of the lags
	stepTakes    = 1500             // least time from the first to the last of record.MaxOdd observations that show a step: one delay may hold up several
	microsPerLag = 1000
)

// lagOf returns the time from a member's timestamp to its arrival.
func lagOf(m record.Member) int64 { return (m.Received - m.At - m.Half()) / microsPerLag }

// Arrive adds the arrival of an observation to its robot's clock. Lags that stay far from
// the usual one indicate a step of the clock; a single one may be a delay.
func Arrive(c record.Clock, m record.Member) record.Clock {
	lag := lagOf(m)
	_, spread := Lags(c.Lags[:max(0, len(c.Lags)-len(c.Odd))]) // without the odd ones, which are the last
	limit := max(minStep, stepSpreads*spread)
	odd := c.Timed && Live(c) && (lag < c.Lag-minStep || lag > c.Lag+limit) // a low lag can't be a delay
	c.Lags = lastOf(c.Lags, lag, record.MaxLags)
	if !odd {
		c.Odd = nil
		if low, spread := Lags(c.Lags); len(c.Lags) >= minLags && spread <= liveSpread && abs(low) <= maxLag {
			if c.Timed && abs(low-c.Lag) > minStep { // a step that the spread of the lags has hidden
				c = jump(c, record.Step{From: m.Received, By: -float64(low-c.Lag) / 1000, Shown: record.ByArrivals})
			}
			c.Timed, c.Lag = true, low
		}
		return c
	}
	c.Odd = lastOf(c.Odd, m.Received, record.MaxOdd)
	if len(c.Odd) < record.MaxOdd || m.Received-c.Odd[0] < stepTakes*microsPerLag {
		return c
	}
	last := slices.Sorted(slices.Values(c.Lags[len(c.Lags)-record.MaxOdd:]))
	if last[len(last)-1]-last[0] > limit {
		return c
	}
	by := Median(last) - c.Lag
	for i := range c.Lags[:len(c.Lags)-record.MaxOdd] { // as if the clock had always had the new offset
		c.Lags[i] += by
	}
	c.Lag += by
	return jump(c, record.Step{From: c.Odd[0], By: -float64(by) / 1000, Shown: record.ByArrivals})
}

// jump moves a clock by a step. Its claims, which were about its offset before, are dropped. If it has more than
// record.MaxSteps, the oldest becomes part of the offset.
func jump(c record.Clock, s record.Step) record.Clock {
	after := slices.IndexFunc(c.Steps, func(other record.Step) bool { return other.From > s.From })
	if after < 0 {
		after = len(c.Steps)
	}
	c.Steps = slices.Insert(slices.Clone(c.Steps), after, s)
	if len(c.Steps) > record.MaxSteps {
		c.Offset += c.Steps[0].By
		c.Steps = c.Steps[1:]
	}
	c.Segment++
	c.Odd, c.Claims, c.Disputes = nil, nil, 0
	return c
}

// Stepped returns how many seconds a clock was ahead because of steps at the time of an
// arrival.
func Stepped(c record.Clock, received int64) float64 {
	sum := 0.0
	for _, s := range c.Steps {
		if s.From <= received {
			sum += s.By
		}
	}
	return sum
}

// Live reports whether lags are evidence of a clock: at least half of them must be near
// the usual lag.
func Live(c record.Clock) bool {
	usual := 0
	for _, lag := range c.Lags {
		if abs(lag-c.Lag) <= usualLag {
			usual++
		}
	}
	return c.Timed && 2*usual >= len(c.Lags)
}

// arrivedOnTime reports whether a member arrived with its robot's usual lag, so that it
// was not delayed and its timestamp marks its end.
func arrivedOnTime(c record.Clock, m record.Member) bool {
	lag := lagOf(m)
	for _, s := range c.Steps { // those after it have moved c.Lag
		if s.Shown == record.ByArrivals && s.From > m.Received {
			lag -= int64(s.By * 1000)
		}
	}
	return abs(lag-c.Lag) <= usualLag
}

// Lags returns a low quantile of lags, the eighth, and the distance from there to the third
// quartile, both 0 without lags.
func Lags(lags []int64) (low, spread int64) {
	if len(lags) == 0 {
		return 0, 0
	}
	var buffer [record.MaxLags]int64
	sorted := append(buffer[:0], lags...)
	slices.Sort(sorted)
	low = sorted[len(sorted)/8]
	return low, sorted[len(sorted)*3/4] - low
}

// lastOf returns a copy of the last values with one appended, at most limit in all.
func lastOf(list []int64, value int64, limit int) []int64 {
	return append(slices.Clone(list[max(0, len(list)-limit+1):]), value)
}
