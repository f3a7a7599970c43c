package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/views"
)

// Limits of charts.
const (
	chartRows  = 2000 // rows that are drawn
	chartBars  = 60
	chartLines = 8  // series of a line chart or a scatter plot
	chartLanes = 20 // lanes of a timeline
)

// charts are the columns of an answer by their use in charts.
type charts struct {
	numbers, times, points, names []chartColumn
	zone                          *time.Location // of the times
	ordered                       [][]rdf.Term   // the rows in the order of the first column of times
	drawn                         []chartColumn  // besides the names
}

// groupKeys returns the variables of a query's GROUP BY. It returns none for a query that needs the options of the
// service to be parsed, so that each column of numbers counts as a measure.
func groupKeys(text string) (names []string) {
	q, err := syntax.ParseQuery(text, syntax.Options{})
	if err != nil {
		return nil
	}
	for _, k := range q.GroupBy {
		if v, ok := k.Expr.(*syntax.Var); ok {
			names = append(names, v.Name)
		} else if k.As != nil {
			names = append(names, k.As.Name)
		}
	}
	return names
}

// chartsOf returns the columns of an answer by their use, and the kinds of charts that
// fit, best first. keys are the variables by which the rows are grouped. If another column
// has numbers, those of the keys only name rows, as years do.
func chartsOf(names []string, rows [][]rdf.Term, keys []string) (c charts, kinds []string) {
	all, grouped := columnsOf(names, rows), []chartColumn(nil)
	key := func(x chartColumn) bool { return x.numbers && slices.Contains(keys, x.name) }
	measured := slices.ContainsFunc(all, func(x chartColumn) bool { return x.numbers && !key(x) })
	for _, x := range all {
		switch {
		case key(x) && measured:
			x.group = true
			grouped = append(grouped, x)
		case x.points:
			c.points = append(c.points, x)
		case x.numbers:
			c.numbers = append(c.numbers, x)
		case x.times:
			c.times = append(c.times, x)
		default:
			c.names = append(c.names, x)
		}
	}
	c.names = append(c.names, grouped...)
	if len(c.points) > 0 || c.places() {
		kinds = append(kinds, "scatter")
	}
	if len(c.times) > 0 && len(c.numbers) > 0 {
		kinds = append(kinds, "line")
	}
	if len(c.numbers) > 0 && len(c.names)+len(c.times) > 0 {
		kinds = append(kinds, "bar")
	}
	if len(c.times) > 0 {
		kinds = append(kinds, "timeline")
	}
	if len(c.numbers) > 1 && !slices.Contains(kinds, "scatter") {
		kinds = append(kinds, "scatter")
	}
	return c, kinds
}

// The names of columns of places, in lower case.
var latitudes, longitudes = []string{"lat", "latitude"}, []string{"lon", "long", "lng", "longitude"}

// places reports whether the first two columns of numbers are places on the earth, by their names. It puts the
// longitude first, which is the horizontal axis.
func (c *charts) places() bool {
	if len(c.numbers) < 2 {
		return false
	}
	is := func(i int, names []string) bool { return slices.Contains(names, strings.ToLower(c.numbers[i].name)) }
	if is(0, latitudes) && is(1, longitudes) {
		c.numbers[0], c.numbers[1] = c.numbers[1], c.numbers[0]
	}
	return is(0, longitudes) && is(1, latitudes)
}

// chartModel returns the chart of an answer, of the kind q.as if that fits, or nil if none fits. name returns
// the name of a term.
func chartModel(q queryAsked, columns []string, rows [][]rdf.Term, name func(rdf.Term) string) *QueryChart {
	c, kinds := chartsOf(columns, rows, groupKeys(q.text))
	if len(kinds) == 0 {
		return nil
	}
	c.zone = q.zone
	m := &QueryChart{Kind: kinds[0]}
	if slices.Contains(kinds, q.as) {
		m.Kind = q.as
	}
	for _, kind := range kinds {
		to := q
		to.as = kind
		m.Kinds = append(m.Kinds, views.Tab{Name: strings.ToUpper(kind[:1]) + kind[1:], Href: to.address("chart", 0), Current: kind == m.Kind})
	}
	if len(c.times) > 0 {
		c.ordered = c.inTime(rows)
	}
	switch m.Kind {
	case "bar":
		c.bars(m, rows, name)
	case "line":
		c.lines(m, rows, name)
	case "scatter":
		c.scatter(m, rows, name)
	case "timeline":
		c.timeline(m, rows, name)
	}
	slices.SortStableFunc(m.Series, func(a, b ChartSeries) int { return last(a.Colour) - last(b.Colour) })
	slices.SortStableFunc(m.Lanes, func(a, b ChartLane) int { return last(a.Colour) - last(b.Colour) })
	m.Undrawn = c.undrawn(columns)
	return m
}

// colour returns the text that determines the colour of a row: its first name, uncut.
func (c *charts) colour(row []rdf.Term) string {
	if len(c.names) == 0 {
		return ""
	}
	return cmp.Or(row[c.names[0].at].Value(), namelessColour)
}

// undrawn returns the columns that a chart leaves out.
func (c *charts) undrawn(columns []string) []string {
	shown := append(slices.Clone(c.names), c.drawn...)
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return columnAt(shown, name) >= 0 })
}

// markTitle returns the title of a mark: the names of its row, if any, apart from what is ours.
func markTitle(names, rest string) string {
	if names == "" {
		return rest
	}
	return quoted.Value(names) + " " + rest
}

// title returns the names of a row, and the address of the page about the first IRI.
func (c *charts) title(row []rdf.Term, name func(rdf.Term) string) (title, href string) {
	var parts []string
	for _, x := range c.names {
		if t := row[x.at]; !isNameless(t) {
			parts = append(parts, name(t))
			if t.IsIRI() && href == "" {
				href = views.AboutIRI(t.Value())
			}
		}
	}
	if len(parts) == 0 && len(c.names) > 0 {
		return noName, ""
	}
	return strings.Join(parts, ", "), href
}

// bars draws a bar for each row, at most chartBars: the first column of numbers. name returns what
// a term is called.
func (c *charts) bars(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	y := c.numbers[0]
	m.Y = y.name
	c.drawn = append(slices.Clone(c.times), y)
	for _, x := range append(slices.Clone(c.names), c.times...) {
		m.X = strings.TrimPrefix(m.X+", "+x.name, ", ")
	}
	for _, row := range rows {
		v, ok := numberOf(row[y.at])
		if !ok {
			m.Lacking++
			continue
		}
		if len(m.Bars) == chartBars {
			m.Cut = chartBars
			break
		}
		title, href := c.title(row, name)
		for _, x := range c.times {
			title = strings.TrimSpace(title + " " + row[x.at].Value())
		}
		m.Bars = append(m.Bars, ChartBar{Name: title, Colour: c.colour(row), Href: href, Value: v})
	}
}

// lines draws numbers over the first column of times: a line for each column of numbers or, if a
// column divides the rows into series, a line for each of these. If there are several columns of numbers, a column of
// more than chartLines names divides the rows only if each name has four rows on average.
// Loose series have points only.
func (c *charts) lines(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	x := c.times[0]
	by, divided := c.few(chartLines, rows)
	if many, short := by.values > chartLines, 4*by.values > len(rows); divided && len(c.numbers) > 1 && many && short {
		divided = false
	}
	series := c.divide(by, divided, rows, chartLines, name)
	numbers := c.numbers[:min(len(c.numbers), chartLines)]
	if divided {
		numbers = numbers[:1]
	}
	c.drawn = append(slices.Clone(numbers), x)
	m.X = x.name
	for _, y := range numbers {
		m.Y = strings.TrimPrefix(m.Y+", "+y.name, ", ")
	}
	for _, row := range rows {
		at, ok := timeOf(row[x.at], c.zone)
		if !ok || !slices.ContainsFunc(numbers, func(y chartColumn) bool { _, ok := numberOf(row[y.at]); return ok }) {
			m.Lacking++
			continue
		}
		m.Span.Widen(at)
		title, href := c.title(row, name)
		for _, y := range numbers {
			v, ok := numberOf(row[y.at])
			if !ok {
				continue
			}
			add(m, series(row, y.name), ChartPoint{At: at, Y: v, Href: href, Title: markTitle(title, fmt.Sprintf("%s: %v", at.Format(views.TimeForm), v))})
		}
	}
	for _, s := range m.Series {
		slices.SortStableFunc(s.Points, func(a, b ChartPoint) int { return a.At.Compare(b.At) })
	}
}

// scatter draws a point for each row: at a place on the earth, or at two numbers. A column of few
// different names gives the colours.
func (c *charts) scatter(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	by, divided := c.few(chartLines, rows)
	series := c.divide(by, divided, rows, chartLines, name)
	at := func(row []rdf.Term) (x, y float64, ok bool) {
		x, ok = numberOf(row[c.numbers[0].at])
		y, also := numberOf(row[c.numbers[1].at])
		return x, y, ok && also
	}
	if len(c.points) > 0 {
		m.X, m.Y, c.drawn = "longitude", "latitude", c.points[:1]
		at = func(row []rdf.Term) (x, y float64, ok bool) { return pointOf(row[c.points[0].at]) }
	} else {
		m.X, m.Y, c.drawn = c.numbers[0].name, c.numbers[1].name, c.numbers[:2]
	}
	for _, row := range rows {
		x, y, ok := at(row)
		if !ok {
			m.Lacking++
			continue
		}
		title, href := c.title(row, name)
		add(m, series(row, m.Y), ChartPoint{X: x, Y: y, Href: href, Title: markTitle(title, fmt.Sprintf("%v, %v", x, y))})
	}
}

// timeline draws a mark for each row, from its first to its second time, in a lane for each name of
// a column of few different ones.
func (c *charts) timeline(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	x := c.times[0]
	m.X = x.name
	c.drawn = c.times[:min(len(c.times), 2)]
	by, divided := c.few(chartLanes, rows)
	series := c.divide(by, divided, rows, chartLanes, name)
	for _, row := range rows {
		from, ok := timeOf(row[x.at], c.zone)
		if !ok {
			m.Lacking++
			continue
		}
		to := from
		if len(c.times) > 1 {
			if end, ok := timeOf(row[c.times[1].at], c.zone); ok && end.After(from) {
				to = end
			}
		}
		m.Span.Widen(from)
		m.Span.Widen(to)
		title, href := c.title(row, name)
		lane := series(row, x.name)
		i := slices.IndexFunc(m.Lanes, func(l ChartLane) bool { return l.Colour == lane.Colour })
		if i < 0 {
			i = len(m.Lanes)
			m.Lanes = append(m.Lanes, ChartLane{Name: lane.Name, Colour: lane.Colour})
		}
		m.Lanes[i].Marks = append(m.Lanes[i].Marks, ChartMark{From: from, To: to, Href: href, Title: markTitle(title, from.Format(views.TimeForm))})
	}
}
