package reports

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// series maps the names in a chart to numbers from 1, each with a colour and a shape.
type series map[string]int

// newSeries numbers the names in a chart. A name has the colour of views.ColourOf, and a
// shape that no other name of that colour has. If there are no shapes left, the rest get
// free numbers of other colours while there are any.
func newSeries(shown []string) series {
	out, taken := series{}, map[int]bool{}
	for i, name := range slices.Compact(slices.Sorted(slices.Values(shown))) {
		n := views.SeriesOf(name)
		for range views.MaxShapes {
			if !taken[n] {
				break
			}
			n = views.OtherShape(n)
		}
		for taken[n] && i < views.MaxSeries {
			n = n%views.MaxSeries + 1
		}
		taken[n], out[name] = true, n
	}
	return out
}

// plain returns the series with the first shape of each colour that only one name has: a pattern is only there to
// tell names of one colour apart.
func (s series) plain() series {
	names, out := map[int]int{}, series{}
	for _, n := range s {
		names[n%views.Colours]++
	}
	for name, n := range s {
		if out[name] = n; names[n%views.Colours] == 1 {
			out[name] = (n-1)%views.Colours + 1
		}
	}
	return out
}

// legend returns the legend of a chart. label returns the label of a name.
func (s series) legend(label func(string) string) []LegendEntry {
	var out []LegendEntry
	for name, n := range s {
		out = append(out, LegendEntry{Series: n, Name: label(name)})
	}
	slices.SortFunc(out, func(a, b LegendEntry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Series, b.Series))
	})
	return out
}

// seriesKey returns the key of a term in a chart. Terms that look the same have the same
// key.
func seriesKey(term rdf.Term) string { return term.Value() }
