package explore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/views"
)

// Why is the model of /why: an explanation of one thing, or a choice of things to explain.
type Why struct {
	IRI, Name, Kind, Time string
	Sign                  GraphSign
	Unknown               bool        // no log describes it
	Begin                 []GraphLink // what the search found
	Last                  []WhyAct    // what robots did last, the newest first
	MoreFound             bool        // there are more than Begin
	Part                  []WhyAct    // of a robot or a person: what it did, or what happened to it
	PartCut               bool        // there is more
	Any                   bool        // Last or Part are not the newest: finding these takes too long
	Asked                 string      // the text of the search

	Seen      []WhySeen // how each robot logged it, if several did
	Story     []WhyStep
	StoryMore bool
	Missing   []WhyGap
	Drawing   *WhyDrawing
	Effects   []WhyAct
	Around    []WhyAct
	People    []WhyPerson
	Models    []WhyModel
	Shortened string // what the consequences leave out
	Notes     []string

	Deeper      string // the address of the explanation with more steps, or ""
	DeeperSteps int

	View string // "diagram", or else the story
	Tabs []views.Tab
	Left struct{ Effects, Around, People, Models int } // how many the lists leave out

	Graph, Replay string   // addresses, or ""
	Met, Triples  string   // of a robot or a person, likewise
	Others        []WhyRef // other names of the person
	Same          string   // the address where an admin decides on them, or ""
	Kept          string   // the address of all that is kept of them, for an admin, or ""
	Depth         int
	Depths        []int
}

// WhyStep is one sentence of the chain of causes.
type WhyStep struct {
	Head   string // the heading above it, or ""
	Lead   string // such as "because", or ""
	Text   string
	Called string // what its log calls it, if that says more than Text, or ""
	Href   string
	Time   string
	Level  int
	Log    *WhyLog // that describes it
	// LinkLog is the log that says that it was a cause, if that is neither its own log nor
	// the log of what it caused.
	LinkLog *WhyLog
	// Late means that its time is after that of what it caused.
	Late bool
	// Unlinked means that no log says that it was a cause.
	Unlinked bool
}

// WhySeen is what one robot logged about the event that the page explains, and its log.
type WhySeen struct {
	Text, Href, Time string
	Here             bool // the page explains this one
	Log              *WhyLog
}

// WhyLog is a log that contributed a link.
type WhyLog struct {
	ID             string // "" if it was not found
	All            string // the address of all logs of the link
	Time           time.Time
	Actor, Claimed string
}

// WhyGap is something that no log says about some nodes.
type WhyGap struct {
	Text string
	Of   []WhyRef
	More int  // further nodes
	Calm bool // it is about models, not about what happened
}

// WhyRef is a link to the explanation of a node.
type WhyRef struct{ Text, Href string }

// WhyAct is an activity beside the chain of causes.
type WhyAct struct {
	Text, Href, Time, Note string
	At                     time.Time // zero if unknown
	Steps                  int
	Sign                   GraphSign // zero unless the list mixes kinds
}

// WhyPerson is a robot or a person who took part.
type WhyPerson struct {
	Name, Href, Did, Place string
	Sign                   GraphSign
}

// WhyModel is a model in the chain of causes.
type WhyModel struct {
	Name, Href, Version, Dataset, Score string
	By                                  []string // who used it for what the page explains
}

// WhyDrawing is the diagram: causes at the left, consequences at the right.
type WhyDrawing struct {
	Width, Height float64
	Boxes         []WhyBox
	Arrows        []WhyArrow
	Words         []WhyWord
	Left          int // boxes that have no room
}

// WhyBox is a node of the diagram.
type WhyBox struct {
	X, Y       float64 // upper left corner
	Sign       GraphSign
	Lines      []string
	Note       string
	Full, Href string
	Start      bool
}

// WhyArrow is a link of the diagram.
type WhyArrow struct{ Path, Title, Kind, Href string }

// WhyWord is an entry of the legend.
type WhyWord struct{ Kind, Words string }

// Sizes of the diagram's boxes.
const (
	WhyWide = 196.0
	WhyTall = 66.0
	// whySmall is the smallest scale at which its text is readable.
	whySmall = 0.8
)

// Heading returns the heading of the page: what it explains.
func (m Why) Heading() string {
	if m.Triples != "" {
		return "Story of " + views.Name(m.Name)
	}
	return cmp.Or(m.Name, "Why?")
}

// PageTitle names what the page explains in the browser's tabs.
func (m Why) PageTitle() string {
	if m.Name == "" || m.Triples != "" {
		return m.Heading()
	}
	return "Why? " + m.Name
}

func (m Why) title() string {
	if m.Name == "" {
		return "Why did a robot say or do something? Choose it, and read what led to it."
	}
	if m.Triples != "" {
		return "What the logs tell about " + views.Name(m.Name) + "."
	}
	return "Why? What led to this, and what followed."
}

func (d *WhyDrawing) shapes() (out []string) {
	for _, b := range d.Boxes {
		if !slices.Contains(out, b.Sign.Shape) {
			out = append(out, b.Sign.Shape)
		}
	}
	return out
}

// title returns the full text of a box, or "" if the box has it.
func (b WhyBox) title() string {
	if strings.Join(b.Lines, " ") == b.Full {
		return ""
	}
	return b.Full
}

func (d WhyDrawing) viewBox() string {
	return "0 0 " + views.Number(d.Width) + " " + views.Number(d.Height)
}

// Address returns the page about the log, or about all logs of the link if it was not
// found.
func (l *WhyLog) Address() string {
	if l.ID != "" {
		return views.LogPath(l.ID)
	}
	return l.All
}

// published says who published the log, and when.
func (l *WhyLog) published(ctx context.Context) string {
	by := quoted.Name(l.Actor)
	if l.Claimed != "" && l.Claimed != l.Actor {
		by += " on behalf of " + quoted.Name(l.Claimed)
	}
	return "Published by " + by + ", " + views.Clock(ctx, l.Time)
}

// start returns the box that the page explains.
func (d *WhyDrawing) start() WhyBox {
	for _, b := range d.Boxes {
		if b.Start {
			return b
		}
	}
	return WhyBox{}
}
