package reports

import (
	"context"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// total returns what a query counts. A person with several names counts once.
func (r *Report) total(ctx context.Context, name string) (int, error) {
	rows, err := r.rows(ctx, name)
	if err != nil {
		return 0, err
	}
	n := parseCount(rows[0][0])
	if name == "humans" {
		further, err := r.furtherNames(ctx)
		if err != nil {
			return 0, err
		}
		n -= further
	}
	return n, nil
}

// activity shows the number of triples, and activities by robot, the last of every robot, by kind, and by time.
func (r *Report) activity(ctx context.Context, out *ReportSection) error {
	n, err := r.total(ctx, "triples")
	if err != nil {
		return err
	}
	out.Figures = append(out.Figures, ReportFigure{Number: views.Count(n), What: views.Noun(n, "triple") + " in all", Href: r.counted("triples")})
	if _, err := r.names(ctx); err != nil { // for r.who
		return err
	}
	robots, err := r.rows(ctx, "by-robot")
	if err != nil {
		return err
	}
	if err := r.label(ctx, column(robots, 0)...); err != nil {
		return err
	}
	t := r.table("by-robot", "By robot", "No activity was logged.", "Robot", "Activities#", "First", "Last", "")
	until, old := r.silentUntil(robots)
	for _, row := range robots {
		robot, activities, first, last := row[0], row[1], row[2], row[3]
		who := r.who(robot)
		if robot.IsZero() {
			who = plain("no robot is named")
		}
		state := ReportCell{Value: ""}
		if at, ok := views.TimeOf(last); ok && !at.Before(views.Soon(r.Now)) {
			state = ReportCell{Badge: "clock ahead", BadgeKind: "warn", Value: "clock ahead"}
		} else if usual, silent := silence(row, until); silent > 0 {
			state = ReportCell{Text: "for " + views.Roughly(silent) + "; usual pause " + views.Roughly(usual), Badge: "silent", BadgeKind: "warn", Value: "silent for " + views.Roughly(silent), Href: r.row("by-robot", binding{"robot", robot})}
		}
		t.Rows = append(t.Rows, []ReportCell{who, count(activities, r.counted("by-robot", binding{"robot", robot})), r.when(first), r.when(last), state})
	}
	t.About = "A robot counts as silent after 15 minutes, or ten times its usual pause if that is longer."
	if old {
		t.About += " Silence counts up to the newest activity, " + r.in(until).Format(views.ClockForm) + "."
	}
	shares(t.Rows, 1)
	out.Tables = append(out.Tables, t)
	kinds, err := r.rows(ctx, "by-kind")
	if err != nil {
		return err
	}
	last, err := r.rows(ctx, "last-log")
	if err != nil {
		return err
	}
	names := termNames{}
	names.add(kindWord, kinds, 0)
	names.add(kindWord, last, 4)
	names = names.distinct(r.Ages)
	out.Tables = append(out.Tables, r.last(last, names))
	t = r.table("by-kind", "By kind", "No activity was logged.", "Kind", "Activities#")
	t.About = "Each activity counts once. Of several classes, the first by name counts."
	for _, row := range kinds {
		kind, activities := row[0], row[1]
		t.Rows = append(t.Rows, []ReportCell{names.used(kind), count(activities, r.counted("by-kind", binding{"kind", kind}))})
	}
	shares(t.Rows, 1)
	out.Tables = append(out.Tables, t)
	return r.hours(ctx, out)
}

// minSilence is the shortest pause after which a robot counts as silent.
const minSilence = 15 * time.Minute

// oldAfter is the pause of all robots after which the data is old: no robot is running.
const oldAfter = time.Hour

// silentUntil returns the time up to which silences count: now or the end of the range.
// If the data is old, it returns its newest time and true.
func (r *Report) silentUntil(robots [][]rdf.Term) (until time.Time, old bool) {
	until = r.Now
	if !r.To.IsZero() && r.To.Before(until) {
		until = r.To
	}
	var newest time.Time
	for _, row := range robots {
		if last, ok := views.TimeOf(row[3]); ok && last.After(newest) && last.Before(views.Soon(r.Now)) {
			newest = last
		}
	}
	if !newest.IsZero() && until.Sub(newest) > oldAfter {
		return newest, true
	}
	return until, false
}

// silence returns a robot's mean pause between activities, and how long it has been
// silent, or 0 if it is not silent. Both are 0 if the row names no robot or lacks a time.
// The row holds the robot, the number of activities, the first and the last.
func silence(row []rdf.Term, until time.Time) (usual, silent time.Duration) {
	first, ok := views.TimeOf(row[2])
	last, also := views.TimeOf(row[3])
	if !ok || !also || row[0].IsZero() {
		return 0, 0
	}
	if n := parseCount(row[1]); n > 1 {
		usual = last.Sub(first) / time.Duration(n-1)
	}
	if pause := until.Sub(last); pause >= max(minSilence, 10*usual) {
		return usual, pause
	}
	return usual, 0
}

// last shows the last activity of every robot. The rows hold robot, time, activity, its label and its class, the newest
// activity first.
func (r *Report) last(rows [][]rdf.Term, names termNames) ReportTable {
	t := r.table("last-log", "Last log of each robot", "No robot logged an activity with a time.", "Robot", "Time", "Kind", "Activity")
	seen := map[string]bool{}
	for _, row := range rows {
		robot, at, activity, label, class := row[0], row[1], row[2], row[3], row[4]
		if seen[robot.String()] {
			continue
		}
		seen[robot.String()] = true
		what := named(activity)
		if text := label.Value(); text != "" {
			what.Text = text
		}
		kind := ReportCell{}
		if !class.IsZero() {
			kind = names.used(class)
		}
		t.Rows = append(t.Rows, []ReportCell{r.who(robot), r.when(at), kind, what})
	}
	return t
}
