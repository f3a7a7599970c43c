package views

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// ColourOf returns the CSS class of a name's colour, one of s1 to s8, on every page. The name is
// the IRI of a robot, a person, a class or a place, and the text of other values. Names may
// share a colour, so a page must not distinguish them by colour alone. The class sets fill, and
// --hue for other properties. Text in this colour, or on it in the colour --surface, has enough
// contrast (WCAG 2.2, 1.4.3) in both themes.
func ColourOf(name string) string { return SeriesClass(SeriesOf(name)) }

// ColoursOf returns the colours of the names in one chart: the colour of ColourOf or, if a name
// before it has that colour, another free one.
func ColoursOf(names []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, name := range names {
		if c := ColourOf(name); !taken[c] {
			out[name], taken[c] = c, true
		}
	}
	next := 1
	for _, name := range names {
		if out[name] != "" {
			continue
		}
		for next < Colours && taken[SeriesClass(next)] {
			next++
		}
		if out[name] = SeriesClass(next); taken[out[name]] {
			out[name] = ColourOf(name) // no colour is free
		}
		taken[out[name]] = true
	}
	return out
}

// SeriesOf returns the number of a name in charts, from 1 to MaxSeries. It determines the
// colour of ColourOf, and the shape.
func SeriesOf(name string) int {
	if n := emotions[strings.ToLower(name[strings.LastIndexAny(name, "#/:_")+1:])]; n > 0 {
		return n
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(colourSalt + name)) // it never fails
	return int(h.Sum32()>>16)%MaxSeries + 1
}

// emotions are the series of the basic emotions, whatever vocabulary an IRI that ends in the word is of.
var emotions = map[string]int{"happiness": 17, "joy": 17, "sadness": 18, "disgust": 19, "anger": 21, "surprise": 6, "fear": 16}

// OtherShape returns the next series with the same colour and another shape.
func OtherShape(series int) int { return (series-1+Colours)%MaxSeries + 1 }

// colourSalt is hashed before each name. It is chosen so that the two robots and the visitor
// of the example have different colours.
const colourSalt = "6"

// SeriesClass returns the CSS class of a series' colour.
func SeriesClass(n int) string { return "s" + strconv.Itoa((n-1)%Colours+1) }

// Series have colours and shapes: one of three marks for points, one of three bands for
// lanes.
const (
	Colours = 8
	// MaxShapes is how many series of one colour look different.
	MaxShapes = 3
	// MaxSeries is how many series look different.
	MaxSeries = Colours * MaxShapes
)
