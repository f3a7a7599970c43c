package query

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
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

// choices returns what a reader can choose for a kind of chart: the columns of its axes
// and of its series.
func (c *charts) choices(kind string, q queryAsked) (out []ChartChoice) {
	// add adds a choice of at least least columns: of fewer, the chart shows all.
	add := func(name, label, value string, least int, lists ...[]chartColumn) {
		choice := ChartChoice{Name: name, Label: label, Value: value}
		for _, list := range lists {
			for _, x := range list {
				choice.Columns = append(choice.Columns, x.name)
			}
		}
		if len(choice.Columns) >= least {
			out = append(out, choice)
		}
	}
	switch kind {
	case "bar":
		add("x", "Names", q.x, 2, c.names, c.times)
		add("y", "Values", q.y, 2, c.numbers)
	case "line":
		add("x", "X", q.x, 2, c.times)
		add("y", "Y", q.y, 2, c.numbers)
	case "timeline":
		add("x", "Time", q.x, 2, c.times)
	case "scatter":
		if len(c.points) == 0 {
			add("x", "X", q.x, 3, c.numbers)
			add("y", "Y", q.y, 3, c.numbers)
		} else {
			add("x", "Places", q.x, 2, c.points)
		}
	}
	series, least := slices.DeleteFunc(slices.Clone(c.names), func(x chartColumn) bool { return x.values == 0 }), 2
	if kind != "bar" && len(series) == 1 && series[0].values > chartLines {
		least = 1 // unless the reader chooses this column, the chart may use none
	}
	add("series", "Series", q.series, least, series)
	return out
}

// choose puts the chosen columns in front. It ignores those that do not fit the kind of
// chart.
func (c *charts) choose(kind string, q queryAsked) {
	c.series = q.series
	switch kind {
	case "bar":
		if i := columnAt(c.names, q.x); i >= 0 {
			c.keepSeries(c.names[i])
			c.times = nil
		} else if i := columnAt(c.times, q.x); i >= 0 {
			c.times = c.times[i : i+1]
			c.keepSeries(chartColumn{})
		}
		c.numbers = toPlace(c.numbers, q.y, 0)
	case "line":
		c.times = toPlace(c.times, q.x, 0)
		if i := columnAt(c.numbers, q.y); i >= 0 {
			c.numbers = c.numbers[i : i+1]
		}
	case "timeline":
		c.times = toPlace(c.times, q.x, 0)
	case "scatter":
		c.points = toPlace(c.points, q.x, 0)
		c.numbers = toPlace(c.numbers, q.x, 0)
		if q.y != q.x {
			c.numbers = toPlace(c.numbers, q.y, 1)
		}
	}
}

// keepSeries removes all name columns but x, which titles show, and that of the series,
// which comes last.
func (c *charts) keepSeries(x chartColumn) {
	c.names = slices.DeleteFunc(slices.Clone(c.names), func(n chartColumn) bool { return n.name != x.name && n.name != c.series })
	c.names = toPlace(c.names, x.name, 0)
}

// columnAt returns the index of the column with a name, or -1.
func columnAt(list []chartColumn, name string) int {
	return slices.IndexFunc(list, func(x chartColumn) bool { return x.name == name })
}

// toPlace moves the column with a name to an index.
func toPlace(list []chartColumn, name string, to int) []chartColumn {
	i := columnAt(list, name)
	if i < 0 || to >= len(list) {
		return list
	}
	x := list[i]
	return slices.Insert(slices.Delete(slices.Clone(list), i, i+1), to, x)
}
