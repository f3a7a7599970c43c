package query

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/views"
)

// QueryChart is an answer as a chart.
type QueryChart struct {
	Kind   string      // "bar", "line", "timeline" or "scatter"
	Kinds  []views.Tab // the kinds that fit the answer
	X, Y   string      // names of the columns on the axes
	Cut    int         // the number of rows drawn; 0 means all
	Bars   []ChartBar
	Series []ChartSeries // of a line chart or a scatter plot
	Lanes  []ChartLane
	Span   views.Period // of the times
	// Undrawn are the columns that the chart leaves out, and Lacking is the number of rows without what it draws.
	Undrawn []string
	Lacking int
}

// ChartBar is a number with its name.
type ChartBar struct {
	Name, Href string
	Colour     string // the name that has the colour
	Value      float64
}

// ChartSeries is a row of points.
type ChartSeries struct {
	Name   string
	Colour string // the name that has the colour
	Points []ChartPoint
	Loose  bool // the points are of different names, so no line joins them
}

// ChartPoint is a point. X is a time in a line chart.
type ChartPoint struct {
	At          time.Time
	X, Y        float64
	Title, Href string
}

// ChartLane is a lane of a timeline.
type ChartLane struct {
	Name   string
	Colour string // the name that has the colour
	Marks  []ChartMark
}

// ChartMark is a moment, or the time until To if that is later.
type ChartMark struct {
	From, To    time.Time
	Title, Href string
}

// The colours of series that have no name of their own: all names but the largest, and rows without a name.
const othersColour, namelessColour = "\x00others", "\x00nameless"

// last orders series: those that have no name of their own come last. It returns -1 for a series with one.
func last(colour string) int {
	return slices.Index([]string{othersColour, namelessColour}, colour)
}

// omissions says what the chart leaves out, or returns "".
func (c *QueryChart) omissions() string {
	var out []string
	if len(c.Undrawn) > 0 {
		out = append(out, views.Noun(len(c.Undrawn), "column")+" "+strings.Join(c.Undrawn, ", "))
	}
	if c.Lacking > 0 {
		out = append(out, views.Plural(c.Lacking, "row")+" without a value")
	}
	if len(out) == 0 {
		return ""
	}
	return "Not drawn: " + strings.Join(out, "; ")
}

// colours returns the class of the colour of each bar, series and lane.
func (c *QueryChart) colours() map[string]string {
	var names []string
	for _, b := range c.Bars {
		names = append(names, b.Colour)
	}
	for _, s := range c.Series {
		names = append(names, s.Colour)
	}
	for _, l := range c.Lanes {
		names = append(names, l.Colour)
	}
	out := views.ColoursOf(slices.DeleteFunc(names, func(name string) bool { return last(name) >= 0 }))
	out[othersColour], out[namelessColour] = "others", "nameless"
	return out
}

// spanWords describes the times from the first mark to the last. Between two midnights, they are days, and unlike in
// Period.Words the last one counts.
func (c *QueryChart) spanWords() string {
	from, to := c.Span.From, c.Span.To
	const day = 24 * time.Hour
	if !from.Equal(views.Floor(from, day)) || !to.Equal(views.Floor(to, day)) {
		return c.Span.Words()
	}
	words, zone := to.Format(views.DayForm), to.Format(", MST")
	if to.After(from) {
		words = from.Format(views.DayForm) + " to " + words
	}
	return words + zone
}

// chartHeight is the height of the drawing area in pixels.
const chartHeight = 240

// extent is a range of numbers on an axis, with round ticks.
type extent struct{ low, high, step float64 }

// extentOf returns a range that contains some numbers, or 0 to 1 if there are none. Its bounds are multiples of a round
// step, which is at least a tenth of the distance between the least and the largest number.
func extentOf(each func(yield func(float64))) extent {
	low, high := math.Inf(1), math.Inf(-1)
	each(func(v float64) { low, high = min(low, v), max(high, v) })
	if low > high {
		low, high = 0, 1
	}
	if low == high {
		low, high = low-1, high+1
	}
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, f := range []float64{0.1, 0.2, 0.25, 0.5, 1} {
		if (high-low)/(step*f) <= 5 {
			step *= f
			break
		}
	}
	return extent{math.Floor(low/step) * step, math.Ceil(high/step) * step, step}
}

// share returns the position of a number in the range, from 0 to 1.
func (e extent) share(v float64) float64 { return (v - e.low) / (e.high - e.low) }

// ticks returns the round numbers in the range.
func (e extent) ticks() []float64 {
	var out []float64
	const most = 12 // extentOf makes no more; but a huge number may be the same with a step added to it
	for i := 0; i <= most && e.low+float64(i)*e.step <= e.high+e.step/2; i++ {
		out = append(out, e.low+float64(i)*e.step)
	}
	return out
}

// numberText formats a number of an axis.
func (e extent) numberText(v float64) string {
	digits := 0
	for s := e.step; digits < 9 && math.Abs(s-math.Round(s)) > 1e-9; s *= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// y returns the height of a number in the drawing, in pixels from its top.
func (e extent) y(v float64) string { return views.Pixels(chartHeight * (1 - e.share(v))) }

// ys returns the range of the Y of all points.
func (c *QueryChart) ys() extent {
	return extentOf(func(yield func(float64)) {
		for _, s := range c.Series {
			for _, p := range s.Points {
				yield(p.Y)
			}
		}
	})
}

// xs returns the range of the X of all points.
func (c *QueryChart) xs() extent {
	return extentOf(func(yield func(float64)) {
		for _, s := range c.Series {
			for _, p := range s.Points {
				yield(p.X)
			}
		}
	})
}

// x returns the horizontal position of a point, from 0 to 1.
func (c *QueryChart) x(p ChartPoint, xs extent) float64 {
	if c.Kind == "line" {
		return c.Span.At(p.At)
	}
	return xs.share(p.X)
}

// path returns the line through the points of a series, 1000 wide.
func (c *QueryChart) path(s ChartSeries, ys extent) string {
	d := make([]byte, 0, 16*len(s.Points))
	for i, p := range s.Points {
		command := byte('L')
		if i == 0 {
			command = 'M'
		}
		d = append(append(d, command), views.Pixels(1000*c.Span.At(p.At))+" "+ys.y(p.Y)...)
	}
	return string(d)
}

// barExtent returns the range of the bars, which contains 0.
func (c *QueryChart) barExtent() extent {
	return extentOf(func(yield func(float64)) {
		yield(0)
		for _, b := range c.Bars {
			yield(b.Value)
		}
	})
}

// place returns the left end and the width of a bar.
func (b ChartBar) place(e extent) (x, width string) {
	from, to := e.share(min(0, b.Value)), e.share(max(0, b.Value))
	return views.Percent(100 * from), views.Percent(100 * (to - from))
}

// text returns the value with eight digits, or with all digits of a whole number.
func (b ChartBar) text() string {
	if b.Value == math.Trunc(b.Value) && math.Abs(b.Value) < 1<<53 {
		return strconv.FormatFloat(b.Value, 'f', 0, 64)
	}
	return strconv.FormatFloat(b.Value, 'g', 8, 64)
}

// place returns the left end and the width of a mark.
func (m ChartMark) place(s views.Period) (x, width string) {
	from := s.At(m.From)
	return views.Percent(100 * from), views.Percent(100 * max(0, s.At(m.To)-from))
}
