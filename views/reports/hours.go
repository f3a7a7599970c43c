package reports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// maxBars is the largest number of bars in a chart. Above it, bars cover a longer time.
const maxBars = 168

// sizes are the possible lengths of a bar, shortest first. Those below an hour are
// counted by minutes.
var sizes = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 365 * 24 * time.Hour}

// tally counts the activities that began in each interval, by its start, in one zone.
type tally map[time.Time]int

// into adds up the counts for longer intervals.
func (t tally) into(size time.Duration) tally {
	out := tally{}
	for at, n := range t {
		out[views.Floor(at, size)] += n
	}
	return out
}

func (t tally) times() []time.Time { return slices.SortedFunc(maps.Keys(t), time.Time.Compare) }

// hours counts activities by time, in the reader's zone. If hours are too long for the data, it counts
// minutes.
func (r *Report) hours(ctx context.Context, out *ReportSection) error {
	rows, err := r.rows(ctx, "by-hour")
	if err != nil {
		return err
	}
	quarters := tally{}
	for _, row := range rows {
		if at, ok := views.TimeOf(row[0]); ok { // zones differ from UTC by whole quarters of an hour
			quarters[views.Floor(r.in(at), 15*time.Minute)] += parseCount(row[1])
		}
	}
	hours := quarters.into(time.Hour)
	size := sizeOf(quarters)
	counts := hours.into(size)
	if size < time.Hour {
		minutes, err := r.minutes(ctx)
		if err != nil {
			return err
		}
		counts = minutes.into(size)
		t := r.table("by-minute", "By "+SizeName(size), "No activity has a time.", "From, "+r.zone().String(), "Activities#")
		out.Tables = append(out.Tables, r.fill(t, counts, size))
	}
	out.Hours = &HourChart{Size: size, Bars: r.bars(counts, size), Scale: counts.scale(size)}
	t := r.table("by-hour", "By hour", "No activity has a time.", "Hour, "+r.zone().String(), "Activities#")
	out.Tables = append(out.Tables, r.fill(t, hours, time.Hour))
	return nil
}

// fill returns a table of the intervals with activities.
func (r *Report) fill(t ReportTable, counts tally, size time.Duration) ReportTable {
	times := counts.times()
	t.Folded, t.More = len(times) > 24, len(times) > r.Limit
	for _, at := range times[:min(len(times), r.Limit)] {
		t.Rows = append(t.Rows, []ReportCell{
			{Text: at.Format(views.DayForm + ", 15:04"), Value: views.Stamp(at)}, number(counts[at], r.activitiesFrom(at, size)),
		})
	}
	shares(t.Rows, 1)
	return t
}

// sizeOf returns the shortest bar length with at most maxBars bars. Long pauses have no
// bars.
func sizeOf(quarters tally) time.Duration {
	if len(quarters) == 0 {
		return time.Hour
	}
	scale := quarters.scale(15 * time.Minute)
	for _, size := range sizes {
		bars := 0
		for _, p := range scale.Parts {
			bars += int(p.To.Sub(p.From)/size) + 1
		}
		if bars <= maxBars {
			return size
		}
	}
	return sizes[len(sizes)-1]
}

// scale returns the time axis for bars of a length.
func (t tally) scale(size time.Duration) Scale {
	var periods []views.Period
	for at := range t {
		periods = append(periods, views.Period{From: at, To: views.Next(at, size)})
	}
	return NewScale(periods, false)
}

// minutes counts activities by minute.
func (r *Report) minutes(ctx context.Context) (tally, error) {
	rows, err := r.rows(ctx, "by-minute")
	if err != nil {
		return nil, err
	}
	out := tally{}
	for _, row := range rows {
		if at, ok := views.TimeOf(row[0]); ok {
			out[views.Floor(r.in(at), time.Minute)] += parseCount(row[1])
		}
	}
	return out, nil
}

// bars returns a bar for every interval with activities.
func (r *Report) bars(counts tally, size time.Duration) []HourBar {
	var out []HourBar
	for _, at := range counts.times() {
		out = append(out, HourBar{From: at, N: counts[at], Href: r.activitiesFrom(at, size)})
	}
	return out
}

// activitiesFrom returns the address of the query of the activities of an interval,
// clipped to the range.
func (r *Report) activitiesFrom(from time.Time, long time.Duration) string {
	return r.within(rowsOf["by-hour"], from, views.Next(from, long))
}

// within returns the address of the named query for the part of a range that is in the report's.
func (r *Report) within(name string, from, to time.Time, bound ...binding) string {
	if !r.From.IsZero() && r.From.After(from) {
		from = r.From
	}
	if !r.To.IsZero() && r.To.Before(to) {
		to = r.To
	}
	return r.address(name, from, to, bound...)
}

func integer(n int) rdf.Term { return rdf.NewLiteral(strconv.Itoa(n), rdf.XSDInteger) }

// hourCard shows messages by robot and by the hour of the day.
func (r *Report) hourCard(ctx context.Context, out *ReportSection) error {
	out.Card = &Card{All: sectionLink(r, "activity", "Activity"), Nothing: "No message names its robot and time"}
	dated, err := r.dated(ctx)
	if err != nil {
		return err
	}
	rows, err := dated.rows(ctx, "robot-hours")
	if err != nil || len(rows) == 0 {
		return err
	}
	if _, err := r.names(ctx); err != nil {
		return err
	}
	byRobot := map[rdf.Term]*HeatRow{}
	var all []*HeatRow
	first, last := 23, 0
	for _, row := range rows {
		robot, ofDay, messages := row[0], row[1], row[2]
		hour, n := max(0, min(parseCount(ofDay), 23)), parseCount(messages) // a graph store may answer anything
		h := byRobot[robot]
		if h == nil {
			h = &HeatRow{robot: robot}
			byRobot[robot], all = h, append(all, h)
		}
		h.Cells[hour] = HeatCell{N: n, Href: dated.counted("robot-hours", binding{"robot", robot}, binding{"hour", integer(hour)})}
		h.Sum += n
		first, last = min(first, hour), max(last, hour)
	}
	slices.SortStableFunc(all, func(a, b *HeatRow) int {
		return cmp.Or(cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.robot.Value(), b.robot.Value()))
	})
	heat := &Heat{First: first, Last: last, Most: 1}
	shown := all[:min(len(all), cardRobots)]
	if err := r.label(ctx, column(rows, 0)...); err != nil {
		return err
	}
	for _, h := range shown {
		h.Name = r.name(h.robot)
		for _, c := range h.Cells {
			heat.Most = max(heat.Most, c.N)
		}
		heat.Rows = append(heat.Rows, *h)
	}
	if rest := all[len(shown):]; len(rest) > 0 {
		sum := HeatRow{Name: views.Count(len(rest)) + " other " + views.Noun(len(rest), "robot")}
		for _, h := range rest { // only their sum: their hours differ
			sum.Sum += h.Sum
		}
		heat.Rows = append(heat.Rows, sum)
	}
	out.Card.Heat, out.About = heat, r.zone().String()
	if first == last {
		out.About = strconv.Itoa(first) + ":00 to " + strconv.Itoa(first+1) + ":00 " + out.About
	}
	return nil
}
