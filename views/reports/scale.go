package reports

import (
	"slices"
	"time"

	"github.com/segraph/segraph/views"
)

// Scale is the time axis of a chart without its long pauses: the periods with data, in
// order, next to each other. Its words and ticks are in the zone of the periods. A cut pause is a narrow gap of fixed width.
type Scale struct {
	Parts []views.Period
	pad   time.Duration // at the end of each part, so that its last point is visible
}

// Limits of what a scale cuts.
const (
	minCut  = 10 * time.Minute // shorter pauses stay
	cutRest = 6                // so do pauses shorter than 1/cutRest of the time shown
	cutWide = 0.02             // width of a cut pause, of all
	cutMost = 0.3              // width of all cut pauses together
	padding = 50               // 1/padding of the time shown is free after the last point
)

// NewScale returns the scale for some periods with data. It cuts a pause that is long
// compared to the rest, and marks where it was. If the periods may be points in time, pad
// leaves room after the last of each part.
func NewScale(data []views.Period, pad bool) Scale {
	var parts []views.Period
	for _, p := range slices.SortedFunc(slices.Values(data), func(a, b views.Period) int { return a.From.Compare(b.From) }) {
		if n := len(parts); n == 0 || p.From.Sub(parts[n-1].To) > minCut {
			parts = append(parts, p)
		} else if p.To.After(parts[n-1].To) {
			parts[n-1].To = p.To
		}
	}
	for { // join two parts, until all pauses between parts are long
		s := Scale{Parts: parts}
		least, at := s.shortestPause()
		if at == 0 || least > s.shown()/cutRest {
			if pad && len(parts) > 0 {
				s.pad = max(time.Second, s.shown()/padding)
				for i := range parts {
					parts[i].To = parts[i].To.Add(s.pad)
				}
			}
			return s
		}
		parts[at-1].To = parts[at].To
		parts = slices.Delete(parts, at, at+1)
	}
}

func (s Scale) in(z *time.Location) Scale {
	for i, p := range s.Parts {
		s.Parts[i] = views.Period{From: p.From.In(z), To: p.To.In(z)}
	}
	return s
}

// maxSilences is how many silences of a session are cut.
const maxSilences = 24

// SessionScale returns the time axis of a session. With cut, it cuts silences longer than a
// twentieth of the session and 5 seconds, and leaves some of each around the events. times
// are those of the events, in order.
func SessionScale(from, to time.Time, times []time.Time, cut bool) Scale {
	if !to.After(from) {
		to = from.Add(time.Second)
	}
	long := max(to.Sub(from)/20, 5*time.Second)
	whole := Scale{Parts: []views.Period{{From: from, To: to}}}
	s := Scale{}
	begin, last := from, from
	for _, t := range append(slices.Clone(times), to) {
		if t.Before(from) || t.After(to) {
			continue
		}
		if cut && t.Sub(last) > long {
			s.Parts = append(s.Parts, views.Period{From: begin, To: last.Add(long / 5)}) // a margin within the silence
			begin = t.Add(-long / 5)
		}
		last = t
	}
	if s.Parts = append(s.Parts, views.Period{From: begin, To: to}); len(s.Parts) > maxSilences+1 {
		return whole
	}
	return s
}

func (s Scale) shown() (sum time.Duration) {
	for _, p := range s.Parts {
		sum += p.To.Sub(p.From)
	}
	return sum
}

// shows reports whether a period overlaps the time from the start of the first part of the
// scale to the end of the last. The scale must have parts.
func (s Scale) shows(from, to time.Time) bool {
	return !to.Before(s.Parts[0].From) && !from.After(s.Parts[len(s.Parts)-1].To)
}

// shortestPause returns the shortest cut pause and the index of the part after it, which is 0 if no pause is cut.
func (s Scale) shortestPause() (least time.Duration, at int) {
	for i := 1; i < len(s.Parts); i++ {
		if pause := s.Parts[i].From.Sub(s.Parts[i-1].To); at == 0 || pause < least {
			least, at = pause, i
		}
	}
	return least, at
}

// gap returns the width of a cut pause, from 0 to 1.
func (s Scale) gap() float64 {
	if len(s.Parts) < 2 {
		return 0
	}
	return min(cutWide, cutMost/float64(len(s.Parts)-1))
}

// At returns the position of a time, from 0 to 1.
func (s Scale) At(t time.Time) float64 {
	shown, gap := float64(max(1, s.shown())), s.gap()
	share := (1 - gap*float64(len(s.Parts)-1)) / shown
	x := 0.0
	for i, p := range s.Parts {
		if t.Before(p.From) {
			if i > 0 {
				x += gap * (views.Period{From: s.Parts[i-1].To, To: p.From}).At(t)
			}
			return min(1, x)
		}
		if i > 0 {
			x += gap
		}
		if !t.After(p.To) {
			return min(1, x+share*float64(t.Sub(p.From)))
		}
		x += share * float64(p.To.Sub(p.From))
	}
	return min(1, x)
}

// words describes the time from the first to the last, and how many pauses are cut.
func (s Scale) words() string {
	if len(s.Parts) == 0 {
		return ""
	}
	text := views.Period{From: s.Parts[0].From, To: s.Parts[len(s.Parts)-1].To.Add(-s.pad)}.Words()
	if n := len(s.Parts) - 1; n > 0 {
		text += ", " + views.Plural(n, "pause") + " cut"
	}
	return text
}

// cut is a pause that a scale leaves out: its position and width in percent, and its
// description.
type cut struct {
	from, wide float64
	text       string
}

func (c cut) x() string      { return views.Percent(c.from) }
func (c cut) w() string      { return views.Percent(c.wide) }
func (c cut) middle() string { return views.Percent(c.from + c.wide/2) }

func (s Scale) cuts() []cut { return s.cutsWithin(0, 100) }

// inset returns the cuts of a chart that has room for half a mark at both ends.
func (s Scale) inset() []cut { return s.cutsWithin(2, 96) }

// cutsWithin returns the cuts of a drawing. left is where it begins and wide its width, in percent.
func (s Scale) cutsWithin(left, wide float64) []cut {
	var out []cut
	for i := 1; i < len(s.Parts); i++ {
		end, to := s.Parts[i-1].To, s.Parts[i].From
		from := end.Add(-s.pad)
		out = append(out, cut{left + wide*s.At(end), wide * s.gap(), "Nothing for " + views.Roughly(to.Sub(from)) + ", from " + from.Format(views.ClockForm) + " to " + to.Format(views.ClockForm)})
	}
	return out
}

// apart is the least distance between the labels of a cut scale; more do not fit on a
// phone.
const apart = 0.25

// Ticks returns the labels of the axis: round times, and the starts of parts without one.
func (s Scale) Ticks() []views.Tick { return s.labels(views.MaxTicks, apart) }

// labels returns about limit labels. On a cut scale, the distance between two is at least
// apart, or less if labels are short.
func (s Scale) labels(limit int, apart float64) []views.Tick {
	switch len(s.Parts) {
	case 0:
		return nil
	case 1:
		return s.Parts[0].Ticks(limit)
	}
	form := "2 Jan 15:04"
	first, last := s.Parts[0].From, s.Parts[len(s.Parts)-1].To
	switch {
	case s.shown() < time.Duration(limit)*time.Minute:
		form = "15:04:05"
	case first.Format(time.DateOnly) == last.Format(time.DateOnly):
		form, apart = "15:04", apart*0.7 // it is short
	case last.Sub(first) > 300*24*time.Hour:
		form = "2 Jan 2006"
	}
	var out []views.Tick
	add := func(t time.Time, room float64) { // unless it is too near to the one before, or beyond room
		if x := s.At(t); len(out) == 0 || x-out[len(out)-1].At >= apart && x <= room {
			out = append(out, views.Tick{At: x, Text: t.Format(form), Time: t})
		}
	}
	for i, p := range s.Parts {
		room, before := 1-apart/2, len(out)
		if i+1 < len(s.Parts) {
			room = s.At(s.Parts[i+1].From) - apart/2
		}
		for _, k := range (views.Period{From: p.From, To: p.From.Add(s.shown())}).Ticks(limit) { // of one step in all parts
			if !k.Time.After(p.To) {
				add(k.Time, room)
			}
		}
		if len(out) == before {
			add(p.From, 1-apart/2)
		}
	}
	return out
}

// stripAnchor returns the alignment of a label of the strip: it is above its line, except at the ends.
func stripAnchor(t views.Tick) string {
	switch {
	case t.At < 0.05:
		return "start"
	case t.At > 0.95:
		return "end"
	}
	return "middle"
}

// onPhone reports for each label whether a phone has room for it.
func onPhone(list []views.Tick) []bool {
	out, free := make([]bool, len(list)), 0.0
	for i, t := range list {
		wide := 0.024 * float64(len(t.Text)) // as fractions of the width
		from := t.At - map[string]float64{"start": 0, "middle": wide / 2, "end": wide}[stripAnchor(t)]
		if out[i] = from >= free && from+wide <= 1; out[i] {
			free = from + wide + 0.02
		}
	}
	return out
}
