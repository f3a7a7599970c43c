package views

import (
	"slices"
	"time"
)

// Axis maps the times of a replay to positions from 0 to 1. Long silences may be cut:
// they take a fixed, small part of the axis.
type Axis struct {
	From, To time.Time
	Parts    []AxisPart // periods of activity; the silences between them are cut
}

// AxisPart is a period without a cut, and its positions.
type AxisPart struct {
	From, To time.Time
	X0, X1   float64
}

const (
	mostCuts = 24   // silences that are cut on one axis
	cutWidth = 0.02 // of each
)

// NewAxis returns the axis for a range. With cut, silences longer than a twentieth of the
// range and 5 seconds are cut. times are those of the events, in order.
func NewAxis(from, to time.Time, times []time.Time, cut bool) Axis {
	a := Axis{From: from, To: to}
	if !to.After(from) {
		a.To = from.Add(time.Second)
	}
	long := max(a.To.Sub(a.From)/20, 5*time.Second)
	margin := long / 5
	var silences []Period
	last := from
	for _, t := range append(slices.Clone(times), a.To) {
		if t.Before(from) || t.After(a.To) {
			continue
		}
		if p := (Period{last.Add(margin), t.Add(-margin)}); cut && t.Sub(last) > long {
			silences = append(silences, p)
		}
		last = t
	}
	if len(silences) > mostCuts {
		silences = nil
	}
	begin, active := a.From, a.To.Sub(a.From)
	for _, s := range silences {
		active -= s.To.Sub(s.From)
		a.Parts = append(a.Parts, AxisPart{From: begin, To: s.From})
		begin = s.To
	}
	a.Parts = append(a.Parts, AxisPart{From: begin, To: a.To})
	x, scale := 0.0, (1-cutWidth*float64(len(silences)))/float64(max(1, active))
	for i := range a.Parts {
		p := &a.Parts[i]
		p.X0 = x
		x += scale * float64(p.To.Sub(p.From))
		p.X1 = x
		x += cutWidth
	}
	return a
}

// X returns the position of a time.
func (a Axis) X(t time.Time) float64 {
	for i, p := range a.Parts {
		if t.Before(p.From) {
			if i == 0 {
				return 0
			}
			before := a.Parts[i-1]
			return before.X1 + (p.X0-before.X1)*(Period{before.To, p.From}).at(t)
		}
		if !t.After(p.To) {
			if p.X1 == p.X0 {
				return p.X0
			}
			return p.X0 + (p.X1-p.X0)*(Period{p.From, p.To}).at(t)
		}
	}
	return 1
}

// replayTicks is how many labels an axis has at most.
const replayTicks = 8

// ticks returns labelled round times, at least a tenth of the axis apart.
func (a Axis) ticks() []tick {
	active := time.Duration(0)
	for _, p := range a.Parts {
		active += p.To.Sub(p.From)
	}
	step := steps[len(steps)-1]
	for _, s := range steps {
		if active/s < replayTicks {
			step = s
			break
		}
	}
	form := "15:04"
	switch {
	case step >= 24*time.Hour:
		form = "2 Jan"
	case step < time.Second:
		form = "15:04:05.000"
	case step < time.Minute:
		form = "15:04:05"
	}
	var out []tick
	for _, p := range a.Parts {
		for t := p.From.UTC().Truncate(step); !t.After(p.To); t = t.Add(step) {
			x := a.X(t)
			if t.Before(p.From) || len(out) > 0 && x-out[len(out)-1].at < 0.1 {
				continue
			}
			text := t.Format(form)
			if form == "15:04" && t.Equal(t.Truncate(24*time.Hour)) {
				text = t.Format("2 Jan")
			}
			out = append(out, tick{x, text, t})
		}
	}
	return out
}

// axisCut is a silence that is cut: the position of its middle, and its length in words.
type axisCut struct {
	x    float64
	text string
}

func (a Axis) cuts() []axisCut {
	var out []axisCut
	for i := 1; i < len(a.Parts); i++ {
		before, after := a.Parts[i-1], a.Parts[i]
		out = append(out, axisCut{(before.X1 + after.X0) / 2, Lasting(after.From.Sub(before.To))})
	}
	return out
}
