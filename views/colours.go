package views

import (
	"hash/fnv"
	"strconv"
)

// ColourOf returns the CSS class of a name's colour, one of s1 to s8. A name has the same
// colour on every page. The name is the IRI of a robot, a person, a class or a place, and
// the text of other values. Names may share a colour, so a page must not distinguish them
// by colour alone.
//
// The class sets fill, and --hue for other properties. Text in this colour, or on it in
// the colour --surface, has enough contrast (WCAG 2.2, 1.4.3) in both themes.
func ColourOf(name string) string { return "s" + strconv.Itoa(ColourNumber(name)) }

// ColourNumber returns the number of a name's colour, from 1 to 8.
func ColourNumber(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(colourSalt + name)) // it never fails
	return int(h.Sum32()>>16)%colours + 1
}

// colourSalt is chosen so that the six basic emotions have six colours, and the robots
// and the visitor of the shared example have three.
const colourSalt = "6"
