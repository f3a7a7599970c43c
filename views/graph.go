package views

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Graph is what /kg-graph shows.
type Graph struct {
	Search   string
	Searched bool
	Found    []GraphLink
	Cut      string // of a search that was ended before it had looked everywhere: the address of one that takes its time
	Begin    []GraphLink
	First    Command // publishes a log, where there is nothing to begin with
	State    []Field // of the address, which the forms keep
	Drawing  *GraphDrawing
	Card     *GraphCard
	Edge     *GraphEdgeCard
	Path     *GraphPath
	Kinds    []GraphKind
	Robots   []GraphOption
	Robot    string
	Since    string // for a field of type datetime-local
	Until    string
	Filtered bool // some filter is on
	Clear    string
	ByTime   Tab
	ByLinks  Tab
	SVG      string // addresses of the picture in other forms
	Turtle   string
	Notes    []string
}

// Field is a hidden field of a form.
type Field struct{ Name, Value string }

// without returns the fields of a form but those that the form has itself.
func without(list []Field, names ...string) []Field {
	return slices.DeleteFunc(slices.Clone(list), func(f Field) bool { return slices.Contains(names, f.Name) })
}

// GraphLink leads to a node.
type GraphLink struct {
	Label, Kind string
	Sign        GraphSign
	Href, IRI   string
}

// GraphSign is how a node looks: the shape and colour of its family (robot, human,
// message, activity, event, result or other), and in it the letter of its kind.
type GraphSign struct{ Family, Letter string }

// GraphKind is an entry of the legend.
type GraphKind struct {
	Name  string
	Sign  GraphSign
	Count int
	Off   bool
	Href  string // to show it, or to leave it out
}

// GraphOption is a choice of a filter.
type GraphOption struct{ Value, Name string }

// GraphDrawing is the picture, and the same as tables.
type GraphDrawing struct {
	Left, Top, Width, Height float64
	Level                    int // of distance at which the whole picture is seen; see GraphPoint.Named
	Nodes                    []GraphPoint
	Lines                    []GraphLine
	Unseen                   int // lines that are not drawn, because there are too many
	Edges                    []GraphEdge
	More                     int // edges that the table does not have
	Hulls                    []GraphHull
	Doubts                   []GraphDoubt
	ByTime                   bool
	Walked                   bool // nodes may have a distance
	Lanes                    []GraphLane
	Ticks                    []GraphTick
}

// GraphPoint is a node where it is drawn.
type GraphPoint struct {
	X, Y            float64
	Label           []string // in lines
	Full, IRI, Kind string
	Sign            GraphSign
	Time            string
	Away            string // how many steps from where a walk began, or ""
	Href            string
	Selected        bool
	Along           bool // it is on the path that was asked for
	// Named is the greatest distance, from 0 to 5, from which its label is shown without
	// being pointed at.
	Named int
}

// GraphLine stands for all edges from one node to another.
type GraphLine struct {
	Path     string   // of SVG
	Words    []string // in lines
	X, Y     float64  // the middle of the words
	Roomless bool     // there is no place for the words: they are shown when it is pointed at
	Title    string
	Href     string // shows what it stands for
	Selected bool   // it is the one that is looked at, or one of the selected node's
	Along    bool
}

// GraphEdge is a triple between two nodes.
type GraphEdge struct {
	From, Name, To string
	Pair           string // value of the field "edge" that chooses the line
	Logs           string // the address of the logs that brought it; "" for the resolver's
}

// GraphHull is what the observations of one event are drawn in.
type GraphHull struct {
	Path  string
	Round bool // the path goes around what is inside; else it is drawn thick
	Name  string
	X, Y  float64 // of the name
	Href  string  // to the event
}

// GraphDoubt is a dotted line between two events that may be one: a case that waits for a
// person.
type GraphDoubt struct {
	Path, Title string
	X, Y        float64
	Href        string // to the case, for who may decide it
}

// GraphLane is the row of one robot, where nodes are placed by time.
type GraphLane struct {
	Top, Tall float64
	Name      string
	Head      bool // the robot itself stands at its beginning
}

// GraphTick is a time above the lanes.
type GraphTick struct {
	X             float64
	Text, Silence string
}

// GraphCard is what is known of the selected node.
type GraphCard struct {
	Label, IRI, Kind      string
	Sign                  GraphSign
	Classes               []Cell
	Facts                 []GraphFact
	Out, In               []GraphWay
	Doubts                []GraphOpenCase
	Hide, Collapse, About string // addresses; "" is not there
	Context               string // the address of the page about a shared context, for who may open it
	Others                []GraphOption
	Walk                  *GraphWalk
	Partial               bool
}

// GraphWalk is what a search within some steps offers.
type GraphWalk struct {
	Steps []int
	By    []GraphOption
}

// GraphOpenCase is a case that says the event may be another one, too.
type GraphOpenCase struct {
	Name, Show string // the other event, and the address that shows it
	Case       string // the address of the case, for who may decide it
}

// GraphEdgeCard is what is known of a line.
type GraphEdgeCard struct {
	From, To GraphLink
	Triples  []GraphTriple
}

// GraphTriple is one of the edges of a line.
type GraphTriple struct {
	Name   string
	Logs   string // "" for the resolver's
	Newest *TripleLog
	Late   bool // the newest was not found in time
}

// GraphPath tells of a path that was looked for.
type GraphPath struct {
	Text  string
	Clear string // forgets it
	Far   string // looks further; "" where that is of no use
	Which []GraphLink
	Steps []GraphStep
}

// GraphStep is one node of a path and how one comes to it from the one before.
type GraphStep struct {
	Name     string // of the edges
	Backward bool   // they lead to the one before
	Node     GraphLink
}

// GraphFact is something that is said of a node by a value.
type GraphFact struct {
	Name   string
	Value  Cell
	Logs   string
	Nested []GraphFact // of a blank node
}

// GraphWay is a predicate by which a node has neighbours.
type GraphWay struct {
	Name        string
	Count       int // of them
	Shown       int
	Href, More  string // shows the first of them, or the next; "" is not there
	Incoming    bool
	ExpandCount int
}

func (d GraphDrawing) viewBox() string {
	return number(d.Left) + " " + number(d.Top) + " " + number(d.Width) + " " + number(d.Height)
}

// summary says what the picture has, for who does not see it.
func (d GraphDrawing) summary() string {
	text := plural(len(d.Nodes), "node") + " and " + plural(len(d.Edges)+d.More, "edge")
	if len(d.Hulls) > 0 {
		text += ", " + plural(len(d.Hulls), "shared event")
	}
	if len(d.Doubts) > 0 {
		text += ", " + plural(len(d.Doubts), "pending case")
	}
	return text
}

// laneNames is where a lane's name is written: again and again, so that some is seen
// wherever one looks.
func (d GraphDrawing) laneNames(l GraphLane) []float64 {
	var out []float64
	first := d.Left + 10
	if l.Head {
		first += 780
	}
	for x := first; x < d.Left+d.Width-100; x += 780 {
		out = append(out, x)
	}
	return out
}

// Silence is a time in which nothing happened, in words.
func Silence(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return plural(int(d.Hours()/24), "day")
	case d >= time.Hour:
		return strings.TrimSuffix(strconv.FormatFloat(d.Hours(), 'f', 1, 64), ".0") + " h"
	}
	return strconv.Itoa(int(d.Minutes()+0.5)) + " min"
}

func class(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func when(on bool, class string) string {
	if on {
		return class
	}
	return ""
}
