package reports

import (
	"cmp"
	"context"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	v "github.com/segraph/segraph/vocabulary"
)

// decisions maps decisions and states of cases to words.
var decisions = map[string]string{
	v.ScCreation: "A new context", v.ScMatch: "Matched automatically", v.ScDoubt: "To review", v.ScAutoMerge: "Merged automatically",
	v.ScAcceptedMerge: "Same event, by a person", v.ScRejection: "Different, by a person", v.ScSupersession: "Closed by another decision", v.ScUndo: "Undone",
	"pending": "To review", "accepted": "Same event", "rejected": "Different", "superseded": "Closed by another decision",
}

// resolver shows events shared by robots, and the outcomes of observations.
func (r *Report) resolver(ctx context.Context, out *ReportSection) error {
	rows, err := r.rows(ctx, "resolver-pending")
	if err != nil {
		return err
	}
	out.Figures = append(out.Figures, ReportFigure{Number: views.Count(parseCount(rows[0][0])), What: views.Noun(parseCount(rows[0][0]), "case") + " to review", Href: r.counted("resolver-pending", binding{"status", rdf.NewString("pending")})})
	rows, err = r.rows(ctx, "resolver-shared")
	if err != nil {
		return err
	}
	out.Figures = append(out.Figures, ReportFigure{Number: views.Count(parseCount(rows[0][0])), What: views.Noun(parseCount(rows[0][0]), "event") + " logged by several robots", Href: r.counted("resolver-shared")})

	events, more, err := r.limited(ctx, "shared-events")
	if err != nil {
		return err
	}
	t := r.table("shared-events", "Events and who logged them", "No activity is about an event.", "Event", "What", "Robots#", "Activities#", "First")
	t.More = more
	for _, row := range events {
		event, robots, activities, first, description := row[0], row[1], row[2], row[3], row[4]
		t.Rows = append(t.Rows, []ReportCell{
			named(event), plain(description.Value()),
			count(robots, r.row("shared-event-robots", binding{"event", event})), count(activities, r.counted("shared-events", binding{"event", event})), r.when(first),
		})
	}
	shares(t.Rows, 3)
	out.Tables = append(out.Tables, t)

	for _, q := range []struct{ name, title, about, nothing, column, variable string }{
		{"resolver-decisions", "Outcomes", "All time.", "No observation was resolved yet.", "Decision", "decision"},
		{"resolver-cases", "Review cases by status", "All time.", "No case was opened yet.", "State", "status"},
		{"resolver-contexts", "Contexts by status", "All time.", "There are no contexts yet.", "State", "status"},
	} {
		rows, err := r.rows(ctx, q.name)
		if err != nil {
			return err
		}
		t := r.table(q.name, q.title, q.nothing, q.column, "Times#")
		t.About = q.about
		for _, row := range rows {
			t.Rows = append(t.Rows, []ReportCell{{Text: cmp.Or(decisions[row[0].Value()], local(row[0])), Value: local(row[0]), Title: row[0].Value()}, count(row[1], r.counted(q.name, binding{q.variable, row[0]}))})
		}
		shares(t.Rows, 1)
		out.Tables = append(out.Tables, t)
	}
	return nil
}
