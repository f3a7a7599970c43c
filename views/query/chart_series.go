package query

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// few returns the column whose names divide the rows into series: that with the fewest names
// among those that tell the series apart, or that comes closest to it. ok is false if every column has more than limit
// names, and fewer than two of the rows for each.
func (c *charts) few(limit int, rows [][]rdf.Term) (x chartColumn, ok bool) {
	least := 0
	for _, n := range c.names {
		tooMany := n.values > limit && 2*n.values > len(rows)
		if n.group || n.values == 0 || tooMany {
			continue
		}
		back := c.returns(n, c.ordered) // 0 if the column tells the series apart
		if !ok || back < least || back == least && n.values < x.values {
			x, ok, least = n, true, back
		}
	}
	return x, ok
}

// returns counts the rows that return to a name of another column after
// rows of other names in the same series, for the column where that happens most. In a series of a room with two
// robots, most rows return; in that of a robot that moves between rooms, few do. It returns 0 for a column where at
// most half of the rows return, because it tells the series apart. Rows are in the order of time. To save time, it
// looks at the first chartLines columns of names only.
func (c *charts) returns(x chartColumn, rows [][]rdf.Term) (most int) {
	for _, other := range c.names[:min(len(c.names), chartLines)] {
		if other.group || other.name == x.name {
			continue
		}
		last, seen, back := map[rdf.Term]rdf.Term{}, map[[2]rdf.Term]bool{}, 0
		for _, row := range rows {
			of, t := row[x.at], row[other.at]
			if isNameless(of) || isNameless(t) {
				continue
			}
			if seen[[2]rdf.Term{of, t}] && last[of] != t {
				back++
			}
			last[of], seen[[2]rdf.Term{of, t}] = t, true
		}
		if 2*back > len(rows) {
			most = max(most, back)
		}
	}
	return most
}

// inTime returns rows in the order of the first column of times.
func (c *charts) inTime(rows [][]rdf.Term) [][]rdf.Term {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b []rdf.Term) int {
		x, _ := timeOf(a[c.times[0].at], c.zone)
		y, _ := timeOf(b[c.times[0].at], c.zone)
		return x.Compare(y)
	})
	return rows
}

// noName stands for the name of a row without one.
const noName = "no name"

// isNameless reports whether a cell is empty, or has no letter.
func isNameless(t rdf.Term) bool { return t.Value() == "" }

// divide returns a function that returns the series of a row: that of its name in column x or, if ok is false, whole,
// the name of the only series. Of more than limit names, those with the most rows have a series each, and the others
// share one. Rows without a name have one too. A series whose points are of different things is loose. name returns
// what a term is called.
func (c *charts) divide(x chartColumn, ok bool, rows [][]rdf.Term, limit int, name func(rdf.Term) string) func(row []rdf.Term, whole string) ChartSeries {
	if !ok {
		loose := c.several(rows)
		return func(_ []rdf.Term, whole string) ChartSeries {
			return ChartSeries{Name: whole, Colour: whole, Loose: loose}
		}
	}
	count := map[rdf.Term]int{}
	var own []rdf.Term
	for _, row := range rows {
		t := row[x.at]
		if isNameless(t) {
			continue
		}
		if count[t] == 0 {
			own = append(own, t)
		}
		count[t]++
	}
	slices.SortStableFunc(own, func(a, b rdf.Term) int { return count[b] - count[a] })
	others := 0
	if len(own) > limit {
		others, own = len(own)-(limit-1), own[:limit-1]
	}
	loose := map[rdf.Term]bool{}
	for _, t := range own {
		of := slices.DeleteFunc(slices.Clone(c.ordered), func(row []rdf.Term) bool { return row[x.at] != t })
		loose[t] = c.returns(x, of) > 0
	}
	return func(row []rdf.Term, _ string) ChartSeries {
		t := row[x.at]
		if isNameless(t) {
			return ChartSeries{Name: noName, Colour: namelessColour, Loose: true}
		}
		if loose, ok := loose[t]; ok {
			return ChartSeries{Name: name(t), Colour: t.Value(), Loose: loose}
		}
		return ChartSeries{Name: views.Plural(others, "other"), Colour: othersColour, Loose: true}
	}
}

// several reports whether rows that no column divides are of several things, so that no line joins them: a name comes
// back, or rows of different names have one time. If every row has another name, the names are of rows.
func (c *charts) several(rows [][]rdf.Term) bool {
	for _, n := range c.names {
		names, times := map[rdf.Term]bool{}, map[rdf.Term]bool{}
		for _, row := range rows {
			t := row[n.at]
			if n.group || isNameless(t) {
				continue
			}
			if names[t] {
				return true
			}
			names[t] = true
			if len(c.times) == 0 {
				continue
			}
			at := row[c.times[0].at]
			if times[at] {
				return true
			}
			times[at] = true
		}
	}
	return false
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
