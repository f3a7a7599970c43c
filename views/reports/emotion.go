package reports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// shownFaces is how many humans and robots have a chart; the tables have all.
const shownFaces = 6

// emotions shows emotions over time, strong emotions, and their distribution.
func (r *Report) emotions(ctx context.Context, out *ReportSection) error {
	people, err := r.names(ctx)
	if err != nil {
		return err
	}
	distribution, err := r.rows(ctx, "emotion-distribution")
	if err != nil {
		return err
	}
	rows, more, err := r.limited(ctx, "emotion-times")
	if err != nil {
		return err
	}
	extreme, moreExtreme, err := r.limited(ctx, "emotion-extremes")
	if err != nil {
		return err
	}
	models, err := r.modelsOf(ctx, slices.Concat(column(rows, 6), column(extreme, 7)))
	if err != nil {
		return err
	}
	model := func(row []rdf.Term) ReportCell { return plain(strings.Join(models[row[len(row)-1]], ", ")) }
	names := termNames{}
	names.add(feeling, distribution, 1)
	names.add(feeling, slices.Concat(rows, extreme), 2)
	names = names.distinct(r.Ages)
	byKey := map[string]string{} // names of categories by seriesKey
	for _, row := range distribution {
		byKey[seriesKey(row[1])] = names.of(row[1])
	}
	colours := newSeries(slices.Collect(maps.Keys(byKey)))
	out.Spread = r.spread(distribution, colours, names)

	out.Emotions, out.Scale = r.emotionCharts(rows, people, colours, names)
	out.Newest = more
	out.Legend = colours.legend(func(key string) string { return byKey[key] })
	spread := r.spreadTable(distribution, names)
	times := r.table("emotion-times", "Emotions over time", "No emotion has a time.", "Time", "Who", "Emotion", "Strength#", "Confidence#", "Model")
	times.More, times.Folded = more, len(rows) > 12
	for _, row := range rows {
		start, who, category, intensity, confidence, emotion := row[0], row[1], row[2], row[3], row[4], row[5]
		to := r.reading("emotion-times", start, who, emotion)
		times.Rows = append(times.Rows, []ReportCell{r.when(start), r.who(who), names.used(category), strength(intensity, to), share(confidence, to), model(row)})
	}
	extremes := r.table("emotion-extremes", "Extreme emotions", "No emotion reached 75\u00a0%.", "Time", "Who", "Emotion", "Strength#", "Confidence#", "Read by", "Model", "Cause")
	extremes.About, extremes.More = "Strengths of 75\u00a0% and more, strongest first.", moreExtreme
	for _, row := range extreme {
		start, who, category, intensity, confidence, robot, emotion, activity := row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
		to := r.reading("emotion-extremes", start, who, emotion)
		felt := names.used(category)
		felt.Colour = views.ColourOf(category.Value())
		extremes.Rows = append(extremes.Rows, []ReportCell{r.when(start), r.who(who), felt, share(intensity, to), share(confidence, to), r.who(robot), model(row), explained(activity)})
	}
	out.Tables = append(out.Tables, extremes, spread, times)
	return nil
}

// spreadTable tells how often each emotion of each participant was logged.
func (r *Report) spreadTable(distribution [][]rdf.Term, names termNames) ReportTable {
	spread := r.table("emotion-distribution", "Distribution", "No emotion was logged.", "Who", "Emotion", "Times#", "Mean strength#", "Strongest#")
	for _, row := range distribution {
		who, category, times, mean, most := row[0], row[1], row[2], row[3], row[4]
		if len(spread.Rows) < r.Limit {
			of := r.counted("emotion-distribution", binding{"who", who}, binding{"category", category})
			spread.Rows = append(spread.Rows, []ReportCell{
				r.who(who), names.used(category), count(times, of),
				strength(mean, of), strength(most, of),
			})
		}
	}
	shares(spread.Rows, 2)
	spread.More = len(distribution) > r.Limit
	return spread
}

// emotionCharts returns the emotions over time of the participants with the most, and the scale of all charts.
func (r *Report) emotionCharts(rows [][]rdf.Term, people map[string]person, colours series, names termNames) (out []EmotionChart, scale Scale) {
	charts := map[string]*EmotionChart{}
	var order []string
	var periods []views.Period
	for _, row := range slices.Backward(rows) {
		start, who, category, felt, emotion := row[0], row[1], row[2], row[3], row[5]
		at, ok := views.TimeOf(start)
		intensity, err := strconv.ParseFloat(felt.Value(), 64)
		if !ok || err != nil {
			continue
		}
		key := who.String()
		chart := charts[key]
		if chart == nil {
			chart = &EmotionChart{Who: r.name(who)}
			if p, ok := people[key]; ok {
				chart.Kind = p.kind()
			}
			charts[key] = chart
			order = append(order, key)
		}
		chart.Points = append(chart.Points, EmotionPoint{
			Time: at, Intensity: intensity, Series: colours[seriesKey(category)],
			Title: fmt.Sprintf("%s %s, %s", quoted.Name(names.of(category)), share(felt, "").Text, r.when(start).Text),
			Href:  r.reading("emotion-times", start, who, emotion),
		})
		periods = append(periods, views.Period{From: at, To: at})
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(charts[b].Points), len(charts[a].Points)), cmp.Compare(a, b))
	})
	for _, key := range order[:min(len(order), shownFaces)] {
		out = append(out, *charts[key])
	}
	return out, NewScale(periods, true).in(r.zone())
}

// explained returns the cell of the explanation of an activity, which names its model.
func explained(activity rdf.Term) ReportCell {
	if href := why(activity); href != "" {
		return ReportCell{Text: "why?", Value: activity.Value(), Href: href}
	}
	return ReportCell{}
}

// feeling returns the name of a category, which may also be a text.
func feeling(term rdf.Term) string {
	if term.IsIRI() {
		return views.Feeling(term.Value())
	}
	return term.Value()
}

// reading returns the address of the named query for one emotion. An emotion without an
// IRI is identified by its time and its bearer.
func (r *Report) reading(name string, start, who, emotion rdf.Term) string {
	at, ok := views.TimeOf(start)
	if !emotion.IsBlank() || !ok || who.IsBlank() {
		return r.row(name, binding{"emotion", emotion})
	}
	return r.address(name, at, at.Add(time.Microsecond), binding{"who", who})
}

// spread shows the distribution of emotions of the humans and robots with the most; the
// table has all. Rows are sorted by bearer. The longest bar fills its lane.
func (r *Report) spread(rows [][]rdf.Term, colours series, names termNames) []Lane {
	type face struct {
		rows  [][]rdf.Term
		total int
	}
	var all []*face
	for i, row := range rows { // who, category, times
		if i == 0 || row[0] != rows[i-1][0] {
			all = append(all, &face{})
		}
		bearer := all[len(all)-1]
		bearer.rows, bearer.total = append(bearer.rows, row), bearer.total+parseCount(row[2])
	}
	slices.SortStableFunc(all, func(a, b *face) int { return b.total - a.total })
	var out []Lane
	for _, bearer := range all[:min(len(all), shownFaces)] {
		lane := Lane{Who: r.name(bearer.rows[0][0]), What: views.Count(bearer.total) + " times"}
		if bearer.total == 1 {
			lane.What = "once"
		}
		slices.SortStableFunc(bearer.rows, func(a, b []rdf.Term) int { return colours[seriesKey(a[1])] - colours[seriesKey(b[1])] })
		from := 0.0
		for _, row := range bearer.rows {
			n := parseCount(row[2])
			to := from + 100*float64(n)/float64(max(all[0].total, 1))
			lane.Parts = append(lane.Parts, LanePart{
				From: from, To: to, Series: (colours[seriesKey(row[1])]-1)%views.Colours + 1, Value: names.of(row[1]), // without its shape
				Title: fmt.Sprintf("%s %s: %s of %s", quoted.Name(r.name(row[0])), quoted.Name(names.of(row[1])), views.Count(n), views.Count(bearer.total)),
				Href:  r.counted("emotion-distribution", binding{"who", row[0]}, binding{"category", row[1]}),
			})
			from = to
		}
		out = append(out, lane)
	}
	return out
}

// strength returns a cell with an intensity from 0 to 1 as a percentage. Without one, or with a
// negative one, it was not logged.
func strength(term rdf.Term, href string) ReportCell {
	if f := fraction(term); f < 0 {
		return plain("not logged")
	}
	return share(term, href)
}

// share returns a cell with a fraction from 0 to 1 as a percentage, linked to its query, or with another text as it is.
func share(term rdf.Term, href string) ReportCell {
	text := views.Percentage(fraction(term))
	if text == "" {
		return plain(term.Value())
	}
	return ReportCell{Text: text, Value: term.Value(), Title: term.Value(), Href: href}
}
