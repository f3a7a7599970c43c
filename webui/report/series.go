package report

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// series maps the names in a chart to numbers from 1, each with a colour and a shape. A
// name keeps its number whatever range is shown: its rank among all names of the graph by
// first time. If the graph has more names than there are numbers, a name that would share
// a number within a chart gets the next free one.
type series map[string]int

// newSeries numbers the names in a chart. known are all names of the graph, first seen
// first.
func newSeries(known, shown []string) series {
	rank := make(map[string]int, len(known))
	for i, name := range known {
		if _, ok := rank[name]; !ok {
			rank[name] = i
		}
	}
	shown = slices.Compact(slices.Sorted(slices.Values(shown)))
	place := func(name string) int {
		if i, ok := rank[name]; ok {
			return i
		}
		return len(known) // it was stored meanwhile
	}
	slices.SortStableFunc(shown, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	out, taken := series{}, map[int]bool{}
	for i, name := range shown {
		n := place(name) % views.MaxSeries
		for taken[n] && i < views.MaxSeries {
			n = (n + 1) % views.MaxSeries
		}
		taken[n], out[name] = true, n+1
	}
	return out
}

// legend returns the legend of a chart. called returns the label of a name.
func (s series) legend(called func(string) string) []views.LegendEntry {
	var out []views.LegendEntry
	for name, n := range s {
		out = append(out, views.LegendEntry{Series: n, Name: called(name)})
	}
	slices.SortFunc(out, func(a, b views.LegendEntry) int {
		return cmp.Or(cmp.Compare(a.Series, b.Series), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// firstSeen runs a query of the whole graph, and returns the values of its second column
// in order, by those of the first.
func (r *Report) firstSeen(ctx context.Context, name string) (map[string][]string, error) {
	all := &Report{Ask: r.Ask, Now: r.Now, Limit: r.Limit}
	rows, err := all.rows(ctx, name)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, row := range rows {
		if isNumber(row[1]) {
			continue
		}
		out[row[0].Value()] = append(out[row[0].Value()], seriesKey(row[1]))
	}
	return out, nil
}

// seriesKey returns the key of a term in a chart. Literals that look the same have the
// same key.
func seriesKey(term rdf.Term) string {
	if term.IsIRI() {
		return term.String()
	}
	return term.Value()
}

// isNumber reports whether a term is a literal that parses as a number.
func isNumber(term rdf.Term) bool {
	_, err := strconv.ParseFloat(term.Value(), 64)
	return err == nil && term.IsLiteral()
}
