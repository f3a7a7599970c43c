package clocks

import (
	"math"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
)

// Some robots timestamp the beginning of speech and others its end, so the first are
// earlier by an amount that grows with the text. Nobody timestamps later than the end, so
// a lead is never positive.
const (
	spreadLetters   = 15.0  // spread of text lengths
	minLead         = -0.15 // seconds per letter, of a very slow speaker
	significantLead = -0.04 // seconds per letter, from which a lead is significant
	leadMemory      = 25    // anchors over which the lengths of texts and the gain of a lead are averaged
	minGain         = 0.05  // seconds, least gain of a lead that is applied
	nextShorter     = 3.0   // letters by which a text may be shorter than all that confirmed the lead, to confirm it as well
	leadShare       = 0.3   // fraction of a residual that is learnt as lead, once the offset is known
)

// beforeSteps returns how many seconds a clock was ahead, before its steps, when its robot
// reported a text of a kind.
func beforeSteps(c record.Clock, kind uint64, normal string) float64 {
	letters := 0.0 // other events take no time
	if kind == c.Kind {
		letters = max(c.Shortest, text.Letters(normal))
	}
	return c.Offset + c.Lead*(letters-c.Letters)
}

// Leads reports whether a lead is significant, and makes the differences of timestamps
// smaller.
func Leads(c record.Clock) bool { return c.Lead <= significantLead && c.Gain >= minGain }

// learnLead learns the lead of a clock from an anchor with a text of some letters, if it is of the kind of events from which
// the clock learns. Residuals, in seconds, over letters are a line through the offset at the mean, and the lead is its slope.
func learnLead(c record.Clock, residual float64, kind uint64, letters float64) record.Clock {
	if c.Lead == 0 && c.Kind != kind {
		c.Kind, c.Letters, c.Shortest, c.Gain = kind, letters, letters, 0
	}
	if c.Kind != kind {
		return c
	}
	step := max(1.0/leadMemory, 1/float64(1+c.Anchors))
	without := residual + c.Lead*(letters-c.Letters)
	c.Gain += step * (min(1, math.Abs(without)) - min(1, math.Abs(residual)) - c.Gain)
	c.Shortest = min(c.Shortest, letters)
	z := (letters - c.Letters) / spreadLetters
	c.Lead += 0.5 * residual * leadShare * z / (1 + z*z) / spreadLetters
	c.Lead = min(0, max(minLead, c.Lead))
	moved := step * (letters - c.Letters)
	c.Letters += moved
	c.Offset += c.Lead * moved // the line stays where it is
	return c
}

// learnLeads learns leads from an anchor that contradicts the clocks, by its difference
// from the other such anchors.
func learnLeads(p *Pairing) {
	k := claimOn(p.Own, p.Other)
	if k == nil || len(k.Recent) < minClaim {
		return
	}
	rest := float64(k.Recent[len(k.Recent)-1]-medianOf(k.Recent)) / 1000
	p.Own = learnLead(p.Own, rest, p.Kind, p.Letters)
	p.Other = learnLead(p.Other, -rest, p.Kind, p.Letters)
}

// Confirm notes that a text of a kind was matched with the lead of a clock, so that the lead
// applies to texts of that length. It reports whether that changed the clock.
func Confirm(c *record.Clock, kind uint64, normal string) bool {
	letters := text.Letters(normal)
	if normal == "" || !Leads(*c) || kind != c.Kind || letters >= c.Shortest {
		return false
	}
	c.Shortest = max(letters, c.Shortest-nextShorter)
	return true
}
