package views

import (
	"math"
	"strconv"
	"time"
)

// Period is an interval of time. Its words and ticks are in the zone of From.
type Period struct{ From, To time.Time }

// Widen extends the period so that it contains a time. A zero period becomes that time alone.
func (s *Period) Widen(at time.Time) {
	if s.From.IsZero() || at.Before(s.From) {
		s.From = at
	}
	if s.To.IsZero() || at.After(s.To) {
		s.To = at
	}
}

// At returns the position of a time in the period, from 0 to 1.
func (s Period) At(t time.Time) float64 {
	whole := s.To.Sub(s.From)
	if whole <= 0 {
		return 0.5
	}
	return min(1, max(0, float64(t.Sub(s.From))/float64(whole)))
}

// Words describes the period. It names a single day once, and omits the time of whole
// days.
func (s Period) Words() string {
	from, to := s.From, s.To.In(s.From.Location())
	zone := to.Format(" MST")
	const minute = DayForm + ", 15:04"
	if other := from.Format(" MST"); other != zone { // the clocks changed in between
		return from.Format(minute) + other + " to " + to.Format(minute) + zone
	}
	if from.Format(DayForm) == to.Format(DayForm) {
		return from.Format(TimeForm) + " to " + to.Format("15:04:05") + zone
	}
	if from.Equal(Floor(from, 24*time.Hour)) && to.Equal(Floor(to, 24*time.Hour)) {
		return from.Format(DayForm) + " to " + to.Add(-1).Format(DayForm) + "," + zone // the last day ends at to
	}
	return from.Format(minute) + " to " + to.Format(minute) + zone
}

// Tick is a position on an axis, from 0 to 1, and its label.
type Tick struct {
	At   float64
	Text string
	Time time.Time
}

// X returns the tick's position.
func (t Tick) X() string { return Percent(100 * t.At) }

// Anchor returns the alignment that keeps the tick's label inside the drawing.
func (t Tick) Anchor() string {
	switch {
	case t.At < 0.1:
		return "start"
	case t.At > 0.9:
		return "end"
	}
	return "middle"
}

// MaxTicks is the largest number of labels on a time axis; more do not fit on a phone.
const MaxTicks = 4

// steps are the intervals between time ticks, up to days. Longer ones are months.
var steps = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
}

// Ticks returns the round times within the period, at most limit+1.
func (s Period) Ticks(limit int) []Tick {
	whole := s.To.Sub(s.From)
	if whole <= 0 {
		return []Tick{{0.5, s.From.Format("15:04:05"), s.From}}
	}
	for _, step := range steps {
		if whole/step >= time.Duration(limit) {
			continue
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
		var out []Tick
		for t := Floor(s.From, step); !t.After(s.To); t = Next(t, step) {
			if t.Before(s.From) {
				continue
			}
			text := t.Format(form)
			if form == "15:04" && t.Equal(Floor(t, 24*time.Hour)) {
				text = t.Format("2 Jan")
			}
			out = append(out, Tick{s.At(t), text, t})
		}
		return out
	}
	// A Duration has at most 292 years; the years of what robots send may have eleven digits.
	years := s.To.Year() - s.From.Year()
	months := max(int(whole/(30*24*time.Hour)), 12*years)/limit + 1
	var out []Tick
	for t := time.Date(s.From.Year(), s.From.Month(), 1, 0, 0, 0, 0, s.From.Location()); !t.After(s.To); t = t.AddDate(0, months, 0) {
		if !t.Before(s.From) {
			out = append(out, Tick{s.At(t), t.Format("Jan 2006"), t})
		}
	}
	return out
}

// Counts returns at most five round numbers for an axis, from 0 to at least limit.
func Counts(limit int) []int {
	step := 1
	for factor := 1; limit > 4*step; factor *= 10 {
		for _, f := range []int{1, 2, 5} {
			if step = f * factor; limit <= 4*step {
				break
			}
		}
	}
	out := []int{0}
	for n := step; ; n += step {
		out = append(out, n)
		if n >= limit {
			return out
		}
	}
}

// Percent formats a percentage of the drawing's width.
func Percent(f float64) string {
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64) + "%"
}

// Inset leaves room at the ends of an axis for half a mark.
func (t Tick) Inset() Tick { return Tick{0.02 + 0.96*t.At, t.Text, t.Time} }
