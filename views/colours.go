package views

import (
	"hash/fnv"
	"slices"
)

// ColourOf returns the CSS class of a name's colour, one of s1 to s8. The name is the IRI
// of a robot, a person, a class or a place, and the text of other values. Names may share
// a colour, so a page must not distinguish them by colour alone. For names in one drawing
// use SeriesAmong.
//
// The class sets fill, and --hue for other properties. Text in this colour, or on it in
// the colour --surface, has enough contrast (WCAG 2.2, 1.4.3) in both themes.
func ColourOf(name string) string { return seriesClass(SeriesOf(name)) }

// SeriesOf returns the number of a name in charts, from 1 to MaxSeries. It determines the
// colour of ColourOf, and the shape.
func SeriesOf(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(colourSalt + name)) // it never fails
	return int(h.Sum32()>>16)%MaxSeries + 1
}

// SeriesAmong numbers names that are in one drawing. Each has another colour as long as
// colours last, and then another shape as long as shapes last. A name has the number of
// SeriesOf unless a name before it in the alphabet has its colour.
func SeriesAmong(names []string) map[string]int {
	out, taken, used := map[string]int{}, map[int]bool{}, map[int]bool{}
	take := func(name string, n int) { out[name], taken[n], used[(n-1)%colours] = n, true, true }
	var rest []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if n := SeriesOf(name); !used[(n-1)%colours] {
			take(name, n)
		} else {
			rest = append(rest, name)
		}
	}
	for _, name := range rest {
		n := SeriesOf(name)
		for len(used) < colours && used[(n-1)%colours] {
			n = n%MaxSeries + 1
		}
		for range MaxShapes {
			if taken[n] {
				n = OtherShape(n)
			}
		}
		for len(taken) < MaxSeries && taken[n] {
			n = n%MaxSeries + 1
		}
		take(name, n)
	}
	return out
}

// OtherShape returns the next series with the same colour and another shape.
func OtherShape(series int) int { return (series-1+colours)%MaxSeries + 1 }

// colourSalt gives the six basic emotions six different colours, and the two robots and
// the visitor of the example three.
const colourSalt = "6"
