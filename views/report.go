package views

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Report is what /reports shows.
type Report struct {
	From, To string // of the range, in UTC as a field of a form has them; "" is open
	Range    string // in words; "" is all of the graph
	Wrong    string // what is wrong with the range, of which nothing is shown then; "" is nothing
	Quick    []Tab  // ranges to choose from
	Contents []Link // of the sections
	Sections []ReportSection
	Empty    bool    // the graph has no triple
	Begin    Command // publishes a log, where the graph is empty
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
	Spread   []Lane        // how often each emotion was read in somebody
	Legend   []LegendEntry // of Emotions and Spread
	Lanes    []Lane
	Legends  []Legend // of Lanes
	Span     Period   // of Emotions and Lanes
	Newest   bool     // Emotions or Lanes are the newest alone
	Threads  []Thread
	Tables   []ReportTable
}

// ReportFigure is one number, with the query that yields it.
type ReportFigure struct {
	Number, What, Href string
}

// ReportTable is a table of a section. Query is the address of the query that it is made
// of, CSV that of the file.
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
	Share              int  // in percent, drawn as a bar; 0 draws none
	Unbroken           bool // stays on one line
}

// HourChart counts activities by time: bars that follow each other, each of them Size
// long, and by the hour of the week, from Monday.
type HourChart struct {
	Bars []HourBar
	Size time.Duration
	Week [7][24]HourBar // without a time
}

// HourBar is one bar of a chart, or one field of the hours of the week, with the address
// of its query.
type HourBar struct {
	From time.Time
	N    int
	Href string
}

var weekdays = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

func (c *HourChart) span() Period {
	return Period{c.Bars[0].From, c.Bars[len(c.Bars)-1].From.Add(c.Size)}
}

// axis returns the numbers beside the bars.
func (c *HourChart) axis() []int {
	most := 1
	for _, b := range c.Bars {
		most = max(most, b.N)
	}
	return counts(most)
}

// SizeName returns how long a stretch of time is: "hour", "5 minutes".
func SizeName(d time.Duration) string {
	n, unit := int(d/time.Minute), "minute"
	if d >= 24*time.Hour {
		n, unit = int(d/(24*time.Hour)), "day"
	} else if d >= time.Hour {
		n, unit = int(d/time.Hour), "hour"
	}
	if n == 1 {
		return unit
	}
	return plural(n, unit)
}

// barsHigh is how high a bar can be, in pixels, and barsTop what is free above.
const barsHigh, barsTop = 120.0, 8.0

// barY returns where a number is drawn beside the bars.
func (c *HourChart) barY(n int) float64 {
	axis := c.axis()
	return barsTop + barsHigh*(1-float64(n)/float64(axis[len(axis)-1]))
}

// bar returns where a bar stands: x and width in percent, y and height in pixels.
func (c *HourChart) bar(i int) (x, w, y, h string) {
	step := 100 / float64(len(c.Bars))
	width := min(step*0.85, 8)
	height := barsTop + barsHigh - c.barY(c.Bars[i].N)
	if c.Bars[i].N > 0 {
		height = max(height, 2)
	}
	return percent(float64(i)*step + (step-width)/2), percent(width), number(barsTop + barsHigh - height), number(height)
}

// slot returns the place of a bar, of which the bar itself may be a small part: x and
// width.
func (c *HourChart) slot(i int) (x, w string) {
	step := 100 / float64(len(c.Bars))
	return percent(float64(i) * step), percent(step)
}

// heat returns how strong the colour of an hour of the week is, from 0 to 1.
func (c *HourChart) heat(n int) string {
	most := 1
	for _, day := range c.Week {
		for _, v := range day {
			most = max(most, v.N)
		}
	}
	return number(0.2 + 0.8*float64(n)/float64(most))
}

// heatX returns where an hour of the day begins in the heat map.
func heatX(hour int) string { return percent(float64(hour) * 100 / 24) }

// EmotionChart are the emotions of one human or robot over time.
type EmotionChart struct {
	Who    string
	Kind   string // "Human", "Robot" or ""
	Points []EmotionPoint
}

// EmotionPoint is one emotion: Intensity from 0 to 1, Series that of its category in the
// legend.
type EmotionPoint struct {
	Time      time.Time
	Intensity float64
	Series    int
	Title     string
	Href      string
}

// point returns where a point stands: in percent and in pixels.
func (p EmotionPoint) point(s Period) (x, y string) {
	return percent(2 + 96*s.at(p.Time)), number(intensityY(p.Intensity))
}

func intensityY(v float64) float64 { return 10 + 110*(1-min(1, max(0, v))) }

// inset leaves room at the ends of an axis for what is drawn there.
func (t tick) inset() tick { return tick{0.02 + 0.96*t.at, t.text} }

// LegendEntry is a series of a chart, with its colour and mark: from 1.
type LegendEntry struct {
	Series int
	Name   string
}

// Legend is what the colours of lanes of one What mean.
type Legend struct {
	What string
	List []LegendEntry
}

// Series have colours and forms: of points, one of three, and of lanes, one of three bands.
const (
	colours = 8
	forms   = 3
	// MaxSeries is how many series can be told apart.
	MaxSeries = colours * forms
)

// seriesClass returns the class of a colour.
func seriesClass(n int) string { return "s" + strconv.Itoa((n-1)%colours+1) }

// seriesMark returns the form of a point. Series that follow each other differ in it, and
// in colour.
func seriesMark(n int) int { return (n - 1) % forms }

// seriesBand returns the pattern along the lower edge of a lane; "" is none.
func seriesBand(n int) string {
	if round := (n - 1) / colours % forms; round > 0 {
		return "url(#band-" + strconv.Itoa(round) + ")"
	}
	return ""
}

// Lane is a bar of parts: what held of a robot over time, or what the whole of something
// is made of.
type Lane struct {
	Who, What string
	Parts     []LanePart
}

// LanePart is a stretch of a lane, of From to To in percent, with the address of its query.
type LanePart struct {
	From, To float64
	Series   int
	Value    string
	Title    string
	Href     string
}

// place returns where a part stands, in percent: x and width.
func (p LanePart) place() (x, w string) { return percent(p.From), percent(p.wide()) }

// wide leaves something to be seen of a short part.
func (p LanePart) wide() float64 { return max(0.4, p.To-p.From) }

// room says where the name of a part can be read: "" nowhere, "roomy" on a desktop,
// "always" on a phone too.
func (p LanePart) room() string {
	switch letters := float64(utf8.RuneCountInString(p.Value)); {
	case p.wide() > 3+2.6*letters:
		return "always"
	case p.wide() > 1.2+0.85*letters:
		return "roomy"
	}
	return ""
}

// Thread is a conversation: messages without a long pause between them.
type Thread struct {
	Who     []string // took part
	From    time.Time
	Query   string // the address of the query that yields its messages
	Logged  int    // how many messages were logged; those that several robots heard are one bubble
	Bubbles []Bubble
}

func (t Thread) size() string {
	if t.Logged > len(t.Bubbles) {
		return plural(len(t.Bubbles), "message") + ", logged " + plural(t.Logged, "time")
	}
	return plural(len(t.Bubbles), "message")
}

// Bubble is one message.
type Bubble struct {
	Who, Text, Language, Note, Href string
	Robot                           bool // a robot said it
	Time                            time.Time
}

// number writes a length of a drawing.
func number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// narrow reports whether a table needs half of a page at most, as far as letters tell.
func (t ReportTable) narrow() bool {
	letters := 0
	for i, c := range t.Columns {
		most := utf8.RuneCountInString(c.Name)
		for _, row := range t.Rows {
			n := utf8.RuneCountInString(row[i].Text) + len(row[i].Badge)
			if row[i].Share > 0 {
				n += 10
			}
			most = max(most, n)
		}
		letters += most + 4
	}
	return letters < 76
}

// openThreads is how many conversations are shown unfolded.
const openThreads = 6

// tallRows is how many rows are shown without scrolling.
const tallRows = 12

// hourMinute is a time for people where the day is known.
func hourMinute(t time.Time) string { return t.UTC().Format("15:04:05") }

func activities(n int) string {
	if n == 1 {
		return "1 activity"
	}
	return Count(n) + " activities"
}
