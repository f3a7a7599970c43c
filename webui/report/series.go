package report

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// series maps the names in a chart to numbers from 1, each with a colour and a shape.
type series map[string]int

// newSeries numbers the names in a chart, as views.SeriesAmong does.
func newSeries(shown []string) series { return views.SeriesAmong(shown) }

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

// seriesKey returns the key of a term in a chart. Terms that look the same have the same
// key.
func seriesKey(term rdf.Term) string { return term.Value() }
