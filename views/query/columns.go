package query

import (
	"slices"
)

// choices returns what a reader can choose for a kind of chart: the columns of its axes
// and of its series.
func (c *charts) choices(kind string, q queryAsked) (out []ChartChoice) {
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
		least = 1 // it may not be that of the automatic choice
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
