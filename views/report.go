package views

import (
	"strconv"
	"time"
)

// Report is what /reports shows.
type Report struct {
	From, To string // of the range, in UTC as a field of a form has them; "" is open
	Range    string // in words; "" is all of the graph
	Quick    []Tab  // ranges to choose from
	Contents []Link // of the sections
	Sections []ReportSection
	Empty    bool // the graph has no triple
	Begin    string
}

// ReportSection is a part of the report that is reckoned, and may come, by itself.
type ReportSection struct {
	Name, Title, About string
	Load               string // address of this section alone
	Waits              bool   // it is not reckoned yet
	Problem            *Problem

	Figures  []ReportFigure
	Hours    *HourChart
	Emotions []EmotionChart
	Legend   []LegendEntry // of the charts of emotions and of lanes
	Lanes    []Lane
	Span     Period // of Emotions and Lanes
	Threads  []Thread
	Tables   []ReportTable
}

// ReportFigure is one number, with the query that yields it.
type ReportFigure struct {
	Number, What, Href string
}

// ReportTable is a table of a section. Query is the address of the query that it is made of, CSV that of the file.
type ReportTable struct {
	Name, Title, About string
	Query, CSV         string
	Columns            []ReportColumn
	Rows               [][]ReportCell
	More               bool // there are more rows than are shown; the file has them
	Folded             bool
	Nothing            string // what is said where there is no row
}

// ReportColumn is the head of a column; Num is of numbers.
type ReportColumn struct {
	Name string
	Num  bool
}

// ReportCell is one value: Text for people and Value for files.
type ReportCell struct {
	Text, Value, Title string
	Href               string
	Badge              string // a word behind it, of the kind BadgeKind
	BadgeKind          string
	Share              int // in percent, drawn as a bar; 0 draws none
}

// Period is a stretch of time.
type Period struct{ From, To time.Time }

// at gives where a time lies in the span, from 0 to 1.
func (s Period) at(t time.Time) float64 {
	whole := s.To.Sub(s.From)
	if whole <= 0 {
		return 0.5
	}
	return min(1, max(0, float64(t.Sub(s.From))/float64(whole)))
}

// HourChart counts activities by time: bars that follow each other, each of them Size long, and by the hour of the
// week, from Monday.
type HourChart struct {
	Bars  []HourBar
	Size  time.Duration
	Week  [7][24]int
	Total int
}

// HourBar is one bar of a chart.
type HourBar struct {
	From time.Time
	N    int
}

var weekdays = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

func (c *HourChart) most() int {
	most := 1
	for _, b := range c.Bars {
		most = max(most, b.N)
	}
	return most
}

func (c *HourChart) size() string {
	if days := int(c.Size.Hours() / 24); days > 0 {
		return plural(days, "day")
	}
	return "hour"
}

// bar gives where a bar stands: x, y, width and height in a box of 1000 by 100.
func (c *HourChart) bar(i int) (x, y, w, h string) {
	step := 1000 / float64(len(c.Bars))
	width := min(step*0.85, 60)
	height := 100 * float64(c.Bars[i].N) / float64(c.most())
	if c.Bars[i].N > 0 {
		height = max(height, 1.5)
	}
	return number(float64(i)*step + (step-width)/2), number(100 - height), number(width), number(height)
}

// heat is how strong the colour of an hour of the week is, from 0 to 1.
func (c *HourChart) heat(n int) string {
	most := 1
	for _, day := range c.Week {
		for _, v := range day {
			most = max(most, v)
		}
	}
	if n == 0 {
		return "0"
	}
	return number(0.15 + 0.85*float64(n)/float64(most))
}

// EmotionChart are the emotions of one human or robot over time.
type EmotionChart struct {
	Who    string
	Kind   string // "Human", "Robot" or ""
	Points []EmotionPoint
}

// EmotionPoint is one emotion: Intensity from 0 to 1, Series that of its category in the legend.
type EmotionPoint struct {
	Time      time.Time
	Intensity float64
	Series    int
	Title     string
}

// point gives where a point stands in a box of 600 by 150, of which 10 are left free at each side.
func (p EmotionPoint) point(s Period) (x, y string) {
	return number(14 + 572*s.at(p.Time)), number(intensityY(p.Intensity))
}

func intensityY(v float64) float64 { return 140 - 130*min(1, max(0, v)) }

// LegendEntry is a series of a chart, with its colour: from 1.
type LegendEntry struct {
	Series int
	Name   string
}

// seriesClass is the class of a colour; there are six, which come round again.
func seriesClass(n int) string { return "s" + strconv.Itoa((n-1)%6+1) }

// Lane is what held of a robot over time.
type Lane struct {
	Robot, What string
	Parts       []LanePart
}

// LanePart is a stretch of a lane with one value.
type LanePart struct {
	From, To time.Time
	Series   int
	Value    string
}

// place gives where a part stands in a box 1000 wide: x and width.
func (p LanePart) place(s Period) (x, w string) {
	from, to := 1000*s.at(p.From), 1000*s.at(p.To)
	return number(from), number(max(4, to-from))
}

// Thread is a conversation: messages without a long pause between them.
type Thread struct {
	Title   string
	From    time.Time
	Query   string // the address of the query that yields its messages
	Bubbles []Bubble
}

// Bubble is one message.
type Bubble struct {
	Who, Text, Language, Note, Href string
	Robot                           bool // a robot said it
	Time                            time.Time
}

// number writes a length of a drawing.
func number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// hourMinute is a time for people where the day is known.
func hourMinute(t time.Time) string { return t.UTC().Format("15:04:05") }
