package explore

import (
	"github.com/segraph/segraph/views"
)

// GraphSign is the look of a kind of node: a shape, and a colour from 1 to GraphColours.
type GraphSign struct {
	Shape  string
	Series int
}

// GraphColours is how many colours nodes have.
const GraphColours = views.Colours

func (s GraphSign) colour() string { return views.SeriesClass(s.Series) }

// SpareShapes are shapes for kinds without one of their own.
var SpareShapes = []string{"circle", "square", "triangle", "plus", "star", "ring", "pentagon", "drop", "hourglass", "moon", "fall", "pill", "octagon", "cylinder", "hexagon", "shield"}

// graphShapes are the shapes of nodes as SVG paths, within 10 units around the centre.
// Holes are drawn with the rule evenodd.
var graphShapes = map[string]string{
	"robot":     "M-1-10h2v4h6.5a2.5 2.5 0 0 1 2.5 2.5V6.5A2.5 2.5 0 0 1 7.5 9h-15A2.5 2.5 0 0 1-10 6.5v-10A2.5 2.5 0 0 1-7.5-6H-1zM-6 .5a2 2 0 1 0 4 0 2 2 0 1 0-4 0zM2 .5a2 2 0 1 0 4 0 2 2 0 1 0-4 0z",
	"human":     "M-4-5a4 4 0 1 1 8 0 4 4 0 1 1-8 0zM-8.5 9.5a8.5 8.5 0 0 1 17 0z",
	"bubble":    "M-7.5-9h15a2.5 2.5 0 0 1 2.5 2.5v9a2.5 2.5 0 0 1-2.5 2.5H-1l-5 4.5V5h-1.5A2.5 2.5 0 0 1-10 2.5v-9A2.5 2.5 0 0 1-7.5-9z",
	"answer":    "M7.5-9h-15A2.5 2.5 0 0 0-10-6.5v9A2.5 2.5 0 0 0-7.5 5H1l5 4.5V5h1.5A2.5 2.5 0 0 0 10 2.5v-9A2.5 2.5 0 0 0 7.5-9zM-6-4.5H6v2H-6zM-6-.5H2v2h-8z",
	"ear":       "M-8-9.5a9.5 9.5 0 0 1 0 19zM3.4-9H6a13 13 0 0 1 0 18H3.4a16 16 0 0 0 0-18z",
	"diamond":   "M0-10.5 10.5 0 0 10.5-10.5 0z",
	"play":      "M-7-9.5 10 0-7 9.5z",
	"heart":     "M0 9.5C-14-1-9.5-9-5-9-2.5-9-.8-7.5 0-5.5.8-7.5 2.5-9 5-9c4.5 0 9 8-5 18.5z",
	"felt":      "M0 9.5C-14-1-9.5-9-5-9-2.5-9-.8-7.5 0-5.5.8-7.5 2.5-9 5-9c4.5 0 9 8-5 18.5zM0 4.5C-7-.75-4.75-4.75-2.5-4.75-1.25-4.75-.4-4 0-3 .4-4 1.25-4.75 2.5-4.75c2.25 0 4.5 4-2.5 9.25z",
	"eye":       "M-10.5 0Q0-13 10.5 0 0 13-10.5 0zM-3 0a3 3 0 1 0 6 0 3 3 0 1 0-6 0z",
	"hexagon":   "M-5-8.7H5L10 0 5 8.7H-5L-10 0z",
	"shield":    "M-9-9h18v11l-9 8-9-8z",
	"pill":      "M-5.5-6h11a6 6 0 0 1 0 12h-11a6 6 0 0 1 0-12z",
	"octagon":   "M-4-9.5h8L9.5-4v8L4 9.5h-8L-9.5 4v-8z",
	"cylinder":  "M-8-6.5a8 3.5 0 0 1 16 0v13a8 3.5 0 0 1-16 0zM-6.5-5.5a6.5 2 0 0 0 13 0z",
	"circle":    "M-8.5 0a8.5 8.5 0 1 1 17 0 8.5 8.5 0 1 1-17 0z",
	"square":    "M-8-8H8V8H-8z",
	"triangle":  "M0-9.5 10 8H-10z",
	"fall":      "M0 9.5-10-8h20z",
	"plus":      "M-3.5-9.5h7v6h6v7h-6v6h-7v-6h-6v-7h6z",
	"star":      "M0-10.5 2.6-3.5 10-3.2 4.2 1.4 6.2 8.5 0 4.4-6.2 8.5-4.2 1.4-10-3.2-2.6-3.5z",
	"ring":      "M-9.5 0a9.5 9.5 0 1 1 19 0 9.5 9.5 0 1 1-19 0zM-5 0a5 5 0 1 0 10 0 5 5 0 1 0-10 0z",
	"pentagon":  "M0-10 9.5-3 6 8.5H-6L-9.5-3z",
	"drop":      "M0-10.5C3-5.5 7.5-2 7.5 2.5a7.5 7.5 0 0 1-15 0C-7.5-2-3-5.5 0-10.5z",
	"hourglass": "M-8.5-9.5h17L2 0l6.5 9.5h-17L-2 0z",
	"moon":      "M5-9a9.5 9.5 0 1 0 0 18 11 11 0 0 1 0-18z",
}
