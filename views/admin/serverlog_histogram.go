package admin

import (
	"maps"
	"math"
	"time"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/views"
)

// logBars is the largest number of bars.
const logBars = 40

// logHistogram counts all lines that match a filter, in bars of equal length, which is a whole number of seconds. If all
// lines fit into one bar, it returns no bars.
func (u *handlers) logHistogram(q logQuery) (h LogHistogram) {
	f := q.Filter
	f.Limit, f.After = math.MaxInt, 0 // also the lines that the page does not show
	lines := u.Config.Log.Query(f)
	address := func(since, until time.Time) string {
		values := maps.Clone(q.given)
		values.Del("since")
		values.Del("until")
		if !since.IsZero() {
			values.Set("since", since.Format(time.RFC3339Nano))
			values.Set("until", until.Format(time.RFC3339Nano))
		}
		return "/system/logs?" + views.PlainIRIs.Replace(values.Encode())
	}
	if !f.Since.IsZero() || !f.Until.IsZero() {
		h.All = address(time.Time{}, time.Time{})
		h.Since, h.Until = q.given.Get("since"), q.given.Get("until")
	}
	if len(lines) == 0 {
		return h
	}
	from, to := lines[0].Time, lines[0].Time
	for _, e := range lines {
		if e.Time.Before(from) {
			from = e.Time
		}
		if e.Time.After(to) {
			to = e.Time
		}
	}
	from = from.Truncate(time.Second)
	step := (to.Sub(from)/logBars + time.Second).Truncate(time.Second)
	if to.Sub(from) < step {
		return h
	}
	for at := from; !at.After(to); at = at.Add(step) {
		h.Bars = append(h.Bars, LogBar{From: at, To: at.Add(step), Href: address(at, at.Add(step))})
	}
	for _, e := range lines {
		b := &h.Bars[e.Time.Sub(from)/step]
		switch logs.LevelName(e.Level) {
		case "WARNING":
			b.Warnings++
		case "ERROR", "CRITICAL":
			b.Errors++
		default:
			b.Others++
		}
	}
	return h
}
