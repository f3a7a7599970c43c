package report

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// shownFaces is how many humans and robots have a chart; the tables have all.
const shownFaces = 12

// emotions shows emotions over time, those that were strong, and how they are distributed.
func (r *Report) emotions(ctx context.Context, out *views.ReportSection) error {
	people, err := r.names(ctx)
	if err != nil {
		return err
	}
	distribution, err := r.rows(ctx, "emotion-distribution")
	if err != nil {
		return err
	}
	colours := palette{}
	spread := r.table("emotion-distribution", "Distribution", "No emotion of anybody is annotated.", "Who", "Emotion", "Times#", "Mean intensity#", "Strongest#")
	for _, row := range distribution {
		colours.of(feeling(row[1]))
		if len(spread.Rows) < r.Limit {
			spread.Rows = append(spread.Rows, []views.ReportCell{
				r.who(row[0]), category(row[1]), count(row[2], r.row("emotion-distribution", binding{"who", row[0]}, binding{"category", row[1]})),
				share(row[3]), share(row[4]),
			})
		}
	}
	shares(spread.Rows, 2)
	spread.More = len(distribution) > r.Limit

	rows, more, err := r.limited(ctx, "emotion-times")
	if err != nil {
		return err
	}
	times := r.table("emotion-times", "Emotions over time", "No emotion has a time.", "Time", "Who", "Emotion", "Intensity#", "Confidence#")
	times.More, times.Folded = more, len(rows) > 12
	charts := map[string]*views.EmotionChart{}
	var order []string
	for _, row := range slices.Backward(rows) {
		at, ok := moments(row[0])
		intensity, err := strconv.ParseFloat(row[3].Value(), 64)
		if !ok || err != nil {
			continue
		}
		key := row[1].String()
		c := charts[key]
		if c == nil {
			c = &views.EmotionChart{Who: r.name(row[1])}
			if p, ok := people[key]; ok {
				c.Kind = p.kind()
			}
			charts[key] = c
			order = append(order, key)
		}
		c.Points = append(c.Points, views.EmotionPoint{
			Time: at, Intensity: intensity, Series: colours.of(feeling(row[2])),
			Title: fmt.Sprintf("%s %s, %s", feeling(row[2]), share(row[3]).Text, when(row[0]).Text),
		})
		if out.Span.From.IsZero() {
			out.Span.From = at
		}
		out.Span.To = at
	}
	slices.Sort(order)
	for _, key := range order[:min(len(order), shownFaces)] {
		out.Emotions = append(out.Emotions, *charts[key])
	}
	out.Legend = colours.legend()
	for _, row := range rows {
		times.Rows = append(times.Rows, []views.ReportCell{when(row[0]), r.who(row[1]), category(row[2]), share(row[3]), share(row[4])})
	}

	rows, more, err = r.limited(ctx, "emotion-extremes")
	if err != nil {
		return err
	}
	extremes := r.table("emotion-extremes", "Extreme emotions", "No emotion reached 75 %.", "Time", "Who", "Emotion", "Intensity#", "Confidence#", "Read by")
	extremes.About, extremes.More = "Those of an intensity of 75 % and more, the strongest first.", more
	for _, row := range rows {
		extremes.Rows = append(extremes.Rows, []views.ReportCell{when(row[0]), r.who(row[1]), category(row[2]), share(row[3]), share(row[4]), r.who(row[5])})
	}
	out.Tables = append(out.Tables, extremes, spread, times)
	return nil
}

// feeling is the name of a category without its set's: "sadness" of emoml:big6_sadness.
func feeling(term rdf.Term) string {
	name := local(term)
	if _, after, ok := strings.Cut(name, "_"); ok && term.IsIRI() {
		return after
	}
	return name
}

func category(term rdf.Term) views.ReportCell {
	c := named(term)
	c.Text = feeling(term)
	return c
}

// share is a cell of a number from 0 to 1, as percents.
func share(term rdf.Term) views.ReportCell {
	f, err := strconv.ParseFloat(term.Value(), 64)
	if err != nil {
		return plain(term.Value())
	}
	return views.ReportCell{Text: strings.TrimSuffix(fmt.Sprintf("%.1f", 100*f), ".0") + " %", Value: term.Value(), Title: term.Value()}
}

// palette gives values colours, in the order in which they come.
type palette struct{ names []string }

func (p *palette) of(name string) int {
	at := slices.Index(p.names, name)
	if at < 0 {
		p.names = append(p.names, name)
		at = len(p.names) - 1
	}
	return at + 1
}

func (p *palette) legend() []views.LegendEntry {
	var out []views.LegendEntry
	for i, name := range p.names {
		out = append(out, views.LegendEntry{Series: i + 1, Name: name})
	}
	return out
}
