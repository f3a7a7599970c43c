package query

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
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

// A chartColumn describes a column of an answer.
type chartColumn struct {
	name    string
	at      int
	values  int // distinct
	numbers bool
	times   bool
	points  bool // places as WKT points
	group   bool // the rows are grouped by these numbers, so they name rows and measure nothing
}

// columnsOf classifies the columns of an answer. An empty cell fits every class.
func columnsOf(names []string, rows [][]rdf.Term) []chartColumn {
	out := make([]chartColumn, len(names))
	for i, name := range names {
		c := chartColumn{name: name, at: i, numbers: true, times: true, points: true}
		distinct := map[rdf.Term]bool{}
		for _, row := range rows {
			t := row[i]
			if t.IsZero() {
				continue
			}
			distinct[t] = true
			_, number := numberOf(t)
			_, moment := timeOf(t, time.UTC)
			_, _, point := pointOf(t)
			c.numbers, c.times, c.points = c.numbers && number, c.times && moment, c.points && point
		}
		if c.values = len(distinct); c.values == 0 {
			c.numbers, c.times, c.points = false, false, false
		}
		out[i] = c
	}
	return out
}

// numberOf returns the value of a numeric literal.
func numberOf(t rdf.Term) (n float64, ok bool) {
	if !t.IsLiteral() || !rdf.IsNumeric(t.Datatype()) {
		return 0, false
	}
	v, err := strconv.ParseFloat(t.Value(), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// timeOf returns the time of a dateTime or a date, in zone z. A dateTime without a zone is in UTC, and a date
// without one is in z.
func timeOf(t rdf.Term, z *time.Location) (at time.Time, ok bool) {
	switch {
	case !t.IsLiteral():
		return time.Time{}, false
	case t.Datatype() == rdf.XSDDateTime:
		at, ok = views.TimeOf(t)
	case t.Datatype() == rdf.XSD+"date":
		at, ok = views.ParseTimeIn(t.Value(), z)
	}
	return at.In(z), ok
}

// wktPoint matches a WKT point after the IRI of its reference system, if any.
var wktPoint = regexp.MustCompile(`(?i)^\s*(?:<(\S*)>)?\s*POINT\b[^(]*\((.*)\)`)

// pointOf returns the longitude and latitude of a WKT point, such as "POINT(4.8 45.7)", in the reference
// system CRS84, which is that of points that name none, or EPSG 4326.
func pointOf(t rdf.Term) (x, y float64, ok bool) {
	if !t.IsLiteral() || !strings.HasSuffix(t.Datatype(), "wktLiteral") {
		return 0, 0, false
	}
	point := wktPoint.FindStringSubmatch(t.Value())
	if point == nil {
		return 0, 0, false
	}
	if _, err := fmt.Sscan(point[2], &x, &y); err != nil {
		return 0, 0, false
	}
	switch system := point[1]; {
	case system == "" || strings.HasSuffix(system, "/CRS84"):
		return x, y, true
	case strings.HasSuffix(system, "/EPSG/0/4326"):
		return y, x, true // the latitude comes first
	}
	return 0, 0, false
}

// charts are the columns of an answer by their use in charts.
type charts struct {
	numbers, times, points, names []chartColumn
	series                        string         // the chosen column that makes series, or ""
	zone                          *time.Location // of the times
}

// groupKeys returns the variables of a query's GROUP BY.
func groupKeys(text string) (names []string) {
	q, err := syntax.ParseQuery(text, syntax.Options{})
	if err != nil {
		return nil // it needs the options of the service; every number is a measure
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
// fit, best first. keys are the variables by which the rows are grouped.
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
		to.as, to.x, to.y, to.series = kind, "", "", ""
		m.Kinds = append(m.Kinds, views.Tab{Name: strings.ToUpper(kind[:1]) + kind[1:], Href: to.address("chart", 0), Current: kind == m.Kind})
	}
	m.Choices = c.choices(m.Kind, q)
	m.Hidden = []views.Field{{Name: "query", Value: q.text}, {Name: "view", Value: "chart"}, {Name: "as", Value: m.Kind}}
	c.choose(m.Kind, q)
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
	return m
}

// colour returns the text that determines the colour of a row: its series or, without
// one, its first name, uncut.
func (c *charts) colour(row []rdf.Term) string {
	if x, ok := c.few(chartBars, 0); ok && c.series != "" {
		return row[x.at].Value()
	}
	for _, x := range c.names {
		return row[x.at].Value()
	}
	return ""
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
		if t := row[x.at]; !t.IsZero() {
			parts = append(parts, name(t))
			if t.IsIRI() && href == "" {
				href = views.AboutIRI(t.Value())
			}
		}
	}
	return strings.Join(parts, ", "), href
}

// bars draws a bar for each row, at most chartBars: the first column of numbers. name returns what
// a term is called.
func (c *charts) bars(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	y := c.numbers[0]
	m.Y = y.name
	for _, x := range append(slices.Clone(c.names), c.times...) {
		m.X = strings.TrimPrefix(m.X+", "+x.name, ", ")
	}
	for _, row := range rows {
		v, ok := numberOf(row[y.at])
		if !ok {
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

// few returns the column whose names divide the rows into series: the chosen one, or else
// the one with the fewest names. ok is false if every column has more than limit names, and fewer than two of the rows
// for each.
func (c *charts) few(limit, rows int) (x chartColumn, ok bool) {
	for _, n := range c.names {
		fits := n.values <= limit || 2*n.values <= rows
		if n.name == c.series && fits {
			return n, true
		}
		if fits && !n.group && (!ok || n.values < x.values) {
			x, ok = n, true
		}
	}
	return x, ok
}

// divide returns a function that returns the series of a row: that of its name in the column that few returns, or
// else whole, the name of the only series. Of more than limit names, those with the most rows have a series each, and
// the others share one. A series of different names is loose. name returns what a term is called.
func (c *charts) divide(rows [][]rdf.Term, limit int, name func(rdf.Term) string) func(row []rdf.Term, whole string) ChartSeries {
	x, ok := c.few(limit, len(rows))
	if !ok {
		loose := slices.ContainsFunc(c.names, func(n chartColumn) bool { return !n.group })
		return func(_ []rdf.Term, whole string) ChartSeries {
			return ChartSeries{Name: whole, Colour: whole, Loose: loose}
		}
	}
	count := map[rdf.Term]int{}
	var own []rdf.Term
	for _, row := range rows {
		if count[row[x.at]]++; count[row[x.at]] == 1 {
			own = append(own, row[x.at])
		}
	}
	slices.SortStableFunc(own, func(a, b rdf.Term) int { return count[b] - count[a] })
	others := 0
	if len(own) > limit {
		others, own = len(own)-(limit-1), own[:limit-1]
	}
	return func(row []rdf.Term, _ string) ChartSeries {
		if t := row[x.at]; others == 0 || slices.Contains(own, t) {
			return ChartSeries{Name: name(t), Colour: t.Value()}
		}
		return ChartSeries{Name: strconv.Itoa(others) + " others", Loose: true}
	}
}

func add(m *QueryChart, s ChartSeries, p ChartPoint) {
	for i := range m.Series {
		if m.Series[i].Colour == s.Colour { // two terms may have one name
			m.Series[i].Points = append(m.Series[i].Points, p)
			return
		}
	}
	s.Points = []ChartPoint{p}
	m.Series = append(m.Series, s)
}

// lines draws numbers over the first column of times: a line for each column of numbers or, if a
// column divides the rows into series, a line for each of these. Loose series have points only.
func (c *charts) lines(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	x := c.times[0]
	series := c.divide(rows, chartLines, name)
	numbers := c.numbers[:min(len(c.numbers), chartLines)]
	if _, grouped := c.few(chartLines, len(rows)); grouped {
		numbers = numbers[:1]
	}
	m.X, m.Y = x.name, numbers[0].name
	for _, row := range rows {
		at, ok := timeOf(row[x.at], c.zone)
		if !ok {
			continue
		}
		widen(&m.Span, at)
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

func widen(p *views.Period, at time.Time) {
	if p.From.IsZero() || at.Before(p.From) {
		p.From = at
	}
	if p.To.IsZero() || at.After(p.To) {
		p.To = at
	}
}

// scatter draws a point for each row: at a place on the earth, or at two numbers. A column of few
// different names gives the colours.
func (c *charts) scatter(m *QueryChart, rows [][]rdf.Term, name func(rdf.Term) string) {
	series := c.divide(rows, chartLines, name)
	at := func(row []rdf.Term) (x, y float64, ok bool) {
		x, ok = numberOf(row[c.numbers[0].at])
		y, also := numberOf(row[c.numbers[1].at])
		return x, y, ok && also
	}
	if len(c.points) > 0 {
		m.X, m.Y = "longitude", "latitude"
		at = func(row []rdf.Term) (x, y float64, ok bool) { return pointOf(row[c.points[0].at]) }
	} else {
		m.X, m.Y = c.numbers[0].name, c.numbers[1].name
	}
	for _, row := range rows {
		x, y, ok := at(row)
		if !ok {
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
	series := c.divide(rows, chartLanes, name)
	for _, row := range rows {
		from, ok := timeOf(row[x.at], c.zone)
		if !ok {
			continue
		}
		to := from
		if len(c.times) > 1 {
			if end, ok := timeOf(row[c.times[1].at], c.zone); ok && end.After(from) {
				to = end
			}
		}
		widen(&m.Span, from)
		widen(&m.Span, to)
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
