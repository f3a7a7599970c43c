package reports

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/views"
)

// Dashboard is the model of /reports.
type Dashboard struct {
	From, To string        // range, in the reader's zone in the format of form fields; "" is open
	Range    string        // description of the range; "" means the whole graph
	Wrong    string        // why the range is invalid, or ""; if set, nothing else is shown
	Kept     []views.Field // the fields of the address other than the range
	Quick    []views.Tab   // predefined ranges
	Tabs     []views.Tab   // the overview, and the sections
	More     []views.Tab   // what is needed less
	Body     ReportBody
	Later    func() (ReportBody, error) // waits for Body, if it is not there yet; nil otherwise
	Empty    bool                       // the graph has no triples
	Start    Start                      // how to begin, if the graph is empty
	Demo     bool                       // the reader may see /demo, and the graph has the demo
}

// ReportBody is the content of a report.
type ReportBody struct {
	Sections []ReportSection
	Board    bool // the sections are the cards of the overview
	Unknown  bool // the graph has triples, and no session
}

// ReportSection is a section of the report. It is computed, and may be loaded,
// separately.
type ReportSection struct {
	Name, Title, About string
	Load               string // address of this section alone
	Waits              bool   // it is loaded after the page
	Problem            *views.Problem
	Card               *Card // of a section of the overview, or nil

	Leads    []ReportLead // sentences above all else
	Figures  []ReportFigure
	Hours    *HourChart
	Emotions []EmotionChart
	Spread   []Lane        // distribution of emotions
	Legend   []LegendEntry // for Emotions and Spread
	Lanes    []Lane
	Legends  []Legend // for Lanes
	Scale    Scale    // for Emotions and Lanes
	Newest   bool     // Emotions or Lanes show only the newest
	Threads  []Thread
	Gaps     []GapChoice   // silences that end a session, for the list of sessions
	Kept     []views.Field // the fields of the address other than the gap
	Older    string        // address of the sessions before those of the list, or ""
	Tables   []ReportTable
}

// ReportLead is a sentence that answers what the section is about. All is the address of the
// section about everybody, or "".
type ReportLead struct {
	Text  string
	Names []views.Link
	All   string
}

// ReportFigure is one number, linked to its query.
type ReportFigure struct {
	Number, What, Href string
}

// ReportTable is a table of a section. Query is the address of its query, CSV that of its
// file.
type ReportTable struct {
	Name, Title, About string
	Query, CSV         string
	Columns            []ReportColumn
	Rows               [][]ReportCell
	More               bool // there are more rows than shown; the file has them
	Folded             bool
	Sessions           []CardSession // what Rows has, for people
	Nothing            string        // shown if there are no rows
	Terms              []ReportTerm
}

// GapChoice is a silence that ends a session. Value is that of the field gap.
type GapChoice struct {
	Value, Name string
	Chosen      bool
}

// ReportTerm says what a word of a table means.
type ReportTerm struct{ Name, Means string }

// ReportColumn is the header of a column. Num marks numbers.
type ReportColumn struct {
	Name string
	Num  bool
}

// ReportCell is one value: Text for people and Value for files.
type ReportCell struct {
	Text, Value, Title string
	Names              []views.Link // the names of Text; those with a Path are links
	More               views.Link   // to the names that are left out, or none
	Href               string
	Badge              string // a badge after the value, of the kind BadgeKind
	BadgeKind          string
	Share              int    // percentage drawn as a bar; 0 draws none
	Unbroken           bool   // no line break
	Colour             string // class of a dot before the value, or ""
}

// HourChart shows activities over time, in bars of length Size.
type HourChart struct {
	Bars  []HourBar
	Size  time.Duration
	Scale Scale
}

// HourBar is a bar of a chart, with the address of its query.
type HourBar struct {
	From time.Time
	N    int
	Href string
}

// axis returns the labels of the vertical axis.
func (c *HourChart) axis() []int {
	most := 1
	for _, b := range c.Bars {
		most = max(most, b.N)
	}
	return views.Counts(most)
}

// Length names a length of time in whole units: "1 hour", "5 minutes".
func Length(d time.Duration) string {
	n, unit := int(d/time.Minute), "minute"
	if d >= 24*time.Hour {
		n, unit = int(d/(24*time.Hour)), "day"
	} else if d >= time.Hour {
		n, unit = int(d/time.Hour), "hour"
	}
	return views.Plural(n, unit)
}

// SizeName names the size of a part, without the number 1: "hour", "5 minutes".
func SizeName(d time.Duration) string { return strings.TrimPrefix(Length(d), "1 ") }

// barsHigh is the largest height of a bar, in pixels, and barsTop the space above it.
const barsHigh, barsTop = 120.0, 8.0

// barY returns the vertical position of a label of the axis.
func (c *HourChart) barY(n int) float64 {
	axis := c.axis()
	return barsTop + barsHigh*(1-float64(n)/float64(axis[len(axis)-1]))
}

// bar returns the geometry of a bar: x and width in percent, y and height in pixels.
func (c *HourChart) bar(b HourBar) (x, w, y, h string) {
	from, step := c.step(b)
	width := min(step*0.85, 8)
	height := max(2, barsTop+barsHigh-c.barY(b.N))
	return views.Percent(from + (step-width)/2), views.Percent(width), views.Number(barsTop + barsHigh - height), views.Number(height)
}

// slot returns the horizontal extent of a bar's slot.
func (c *HourChart) slot(b HourBar) (x, w string) {
	from, step := c.step(b)
	return views.Percent(from), views.Percent(step)
}

// step returns the position and width of a bar's slot, in percent.
func (c *HourChart) step(b HourBar) (from, wide float64) {
	from = 100 * c.Scale.At(b.From)
	return from, 100*c.Scale.At(views.Next(b.From, c.Size)) - from
}

// EmotionChart is the chart of one human's or robot's emotions over time.
type EmotionChart struct {
	Who    string
	Kind   string // "Person", "Robot" or ""
	Points []EmotionPoint
}

// felt returns the part of a legend that a chart needs.
func (e EmotionChart) felt(legend []LegendEntry) []LegendEntry {
	return slices.DeleteFunc(slices.Clone(legend), func(l LegendEntry) bool {
		return !slices.ContainsFunc(e.Points, func(p EmotionPoint) bool { return p.Series == l.Series })
	})
}

// moved returns how far each point is moved, in pixels, so that none covers another on a chart of usual width. Of two
// points at one place, the earlier moves left.
func (e EmotionChart) moved(s Scale) []int {
	const percent, mark, most = 5.2, 12.0, 40 // pixels
	type place struct{ x, y float64 }
	out, marks := make([]int, len(e.Points)), []place(nil)
	for i, p := range slices.Backward(e.Points) {
		at := place{percent * (2 + 96*s.At(p.Time)), intensityY(p.Intensity)}
		covers := func(o place) bool { return math.Abs(at.x-o.x) < mark && math.Abs(at.y-o.y) < mark }
		for ; slices.ContainsFunc(marks, covers) && out[i] > -most; at.x -= 8 {
			out[i] -= 8
		}
		marks = append(marks, at)
	}
	return out
}

// byReadings separates those whose emotions were read often enough for a chart.
func (s ReportSection) byReadings() (often, seldom []EmotionChart) {
	for _, e := range s.Emotions {
		if len(e.Points) > 2 {
			often = append(often, e)
		} else {
			seldom = append(seldom, e)
		}
	}
	return often, seldom
}

// EmotionPoint is one emotion. Intensity is from 0 to 1. Series is its category's number
// in the legend.
type EmotionPoint struct {
	Time        time.Time
	Intensity   float64
	Series      int
	Title, Href string
}

// point returns the position of a point: x in percent, y in pixels.
func (p EmotionPoint) point(s Scale) (x, y string) {
	return views.Percent(2 + 96*s.At(p.Time)), views.Number(intensityY(p.Intensity))
}

func intensityY(v float64) float64 { return 10 + 110*(1-min(1, max(0, v))) }

// LegendEntry is a series of a chart, with its number from 1, which determines colour and
// mark.
type LegendEntry struct {
	Series int
	Name   string
}

// Legend explains the colours of the lanes with the same What.
type Legend struct {
	What string
	List []LegendEntry
}

// seriesMark returns the mark of a series. Consecutive series differ in mark and colour.
func seriesMark(n int) int { return (n - 1) % views.MaxShapes }

// seriesBand returns the pattern along the lower edge of a lane, or "".
func seriesBand(n int) string {
	if round := (n - 1) / views.Colours % views.MaxShapes; round > 0 {
		return "url(#band-" + strconv.Itoa(round) + ")"
	}
	return ""
}

// Lane is a bar of parts: a robot's values over time, or a distribution.
type Lane struct {
	Who, What string
	Parts     []LanePart
}

// LanePart is a part of a lane from From to To, in percent, with the address of its
// query.
type LanePart struct {
	From, To float64
	Series   int
	Value    string
	Title    string
	Href     string
}

// place returns the position of a part in percent: x and width.
func (p LanePart) place() (x, w string) { return views.Percent(p.From), views.Percent(p.wide()) }

// wide returns the width of a part, with a visible minimum.
func (p LanePart) wide() float64 { return max(0.4, p.To-p.From) }

// room says where a part's name fits: "" nowhere, "roomy" on a desktop, "always" on a
// phone too.
func (p LanePart) room() string {
	switch letters := float64(utf8.RuneCountInString(p.Value)); {
	// Widths in percent: of a letter on a phone, and on a large screen.
	case p.wide() > 3+2.6*letters:
		return "always"
	case p.wide() > 1.2+0.85*letters:
		return "roomy"
	}
	return ""
}

// Thread is a conversation.
type Thread struct {
	Who     []string // participants
	From    time.Time
	Query   string // the address of the query for its messages
	Logged  int    // number of logged messages; those logged by several robots are one bubble
	Bubbles []Bubble
}

func (t Thread) size() string {
	if t.Logged > len(t.Bubbles) {
		return views.Plural(len(t.Bubbles), "sentence") + ", logged as " + views.Plural(t.Logged, "message")
	}
	return views.Plural(len(t.Bubbles), "sentence")
}

// Bubble is one message.
type Bubble struct {
	Who, Text, Language, Note, Href string
	Why                             string // the address of its explanation, or ""
	Robot                           bool   // the sender is a robot
	// Other is what another robot heard from OtherWho at the same moment, if Who is unknown.
	Other    views.Link
	OtherWho string
	Time     time.Time
}

// openThreads is how many conversations are initially expanded.
const openThreads = 2

// tallRows is how many rows of a table need no scrolling.
const tallRows = 12

// hourMinute formats a time whose day is known.
func hourMinute(ctx context.Context, t time.Time) string {
	return views.Local(ctx, t).Format(time.TimeOnly)
}

func activities(n int) string {
	if n == 1 {
		return "1 activity"
	}
	return views.Count(n) + " activities"
}
