package review

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// listedSteps is how many steps of a clock are listed.
const listedSteps = 3

// reviewClock returns the view model of a clock.
func reviewClock(c resolver.RobotClock) ReviewClock {
	out := ReviewClock{Robot: c.RobotURI, Seen: c.Seen, Ahead: signedSeconds(c.OffsetMS), Sentences: c.Anchors, By: c.By}
	if c.LeadMS != 0 {
		out.Lead = fmt.Sprintf("%.0f ms per letter", c.LeadMS)
	}
	if a := c.Arrival; a != nil {
		out.Arrival = fmt.Sprintf("%s ± %s", signedSeconds(a.LagMS), plainSeconds(a.SpreadMS))
		if !a.Live {
			out.Arrival = "later, not live"
		}
	}
	for _, s := range slices.Backward(c.Steps) {
		if s.ByMS != 0 && len(out.Steps) < listedSteps {
			out.Steps = append(out.Steps, ReviewStep{Words: signedSeconds(s.ByMS) + " by " + s.From, At: s.At})
		}
	}
	if k := c.Claim; k != nil {
		out.Claim = fmt.Sprintf("%s in %s", aheadBy(k.OffsetMS), views.Plural(int(k.Sentences), "sentence"))
		if k.Reason == resolver.ClaimTwoPlaces {
			out.Claim += "; arrivals show two places"
		}
	}
	return out
}

// aheadBy describes how far a clock is ahead or behind.
func aheadBy(ms int64) string {
	if ms < 0 {
		return plainSeconds(-ms) + " behind"
	}
	return plainSeconds(ms) + " ahead"
}

func plainSeconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// signedSeconds formats milliseconds as signed seconds.
func signedSeconds(ms int64) string {
	if ms < 0 {
		return fmt.Sprintf("\u2212%.2f s", float64(-ms)/1000)
	}
	return fmt.Sprintf("+%.2f s", float64(ms)/1000)
}
