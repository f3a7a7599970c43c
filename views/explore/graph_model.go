package explore

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/views"
)

// Graph is the model of /kg-graph.
type Graph struct {
	Search    string
	Searched  bool
	Found     []GraphLink
	MoreFound bool   // there are more than Found
	Cut       string // if a search was cut short: the address of an extended search
	Begin     []GraphLink
	Shows     []views.Tab   // offered pictures
	ShowText  string        // what the shown one of them is
	First     views.Command // a command that publishes a log, if the graph is empty
	State     []views.Field // the state in the address, for forms
	Drawing   *GraphDrawing
	Card      *GraphCard
	Edge      *GraphEdgeCard
	Rest      *GraphRest
	Path      *GraphPath
	Kinds     []GraphKind // of the legend
	Others    []GraphKind // behind "more": those of which nothing is drawn, and the rarest
	Robots    []GraphOption
	Robot     string
	Since     string // in UTC
	Until     string
	Filtered  bool // some filter is on
	Clear     string
	Replay    string // address of the session at the time of the selected or newest node, or ""
	Table     string // address with or without the tables
	Tables    bool   // the tables are shown
	Reset     string // address without moved nodes, or "" if none is
	SVG       string // addresses of the picture in other formats
	Turtle    string
	Notes     []string
}

// PageTitle names what the page shows in the browser's tabs.
func (m Graph) PageTitle() string {
	switch {
	case m.Card != nil:
		return "Graph of " + views.Name(m.Card.Label)
	case m.Searched:
		return "Graph: search for " + views.Said(m.Search)
	}
	return "Graph"
}

// without returns the hidden fields except those that the form has itself.
func without(list []views.Field, names ...string) []views.Field {
	return slices.DeleteFunc(slices.Clone(list), func(f views.Field) bool { return slices.Contains(names, f.Name) })
}

// GraphLink is a link to a node.
type GraphLink struct {
	Label, Kind string // Kind may have a time too
	Sign        GraphSign
	Href, IRI   string
}

// GraphKind is an entry of the legend.
type GraphKind struct {
	Name  string
	Sign  GraphSign
	Count int
	Off   bool
	Href  string // shows or hides the kind
}

// GraphOption is a choice of a filter.
type GraphOption struct{ Value, Name string }

// GraphDrawing is the picture, and its data as tables.
type GraphDrawing struct {
	Left, Top, Width, Height float64
	Level                    int // distance at which the whole picture is visible; see GraphPoint.Named
	Nodes                    []GraphPoint
	Lines                    []GraphLine
	Unseen                   int      // lines omitted because there are too many
	Unnamed, OfChosen        []string // what lines say that have no words in the picture, and those of the chosen node
	Edges                    []GraphEdge
	More                     int // edges omitted from the table
	Hulls                    []GraphHull
	Doubts                   []GraphDoubt
	Offered                  bool        // its lines are words of an offered picture, from who did it to what
	Walked                   bool        // nodes may have a distance
	Chain                    bool        // its boxes lead from causes to effects, from left to right
	Heads                    []GraphHead // of columns
	Rings                    int         // how many steps from the first node are drawn
	Tree                     bool        // they are in columns
	Events                   bool        // the tree has robots and what they reported of shared events
	Beside                   int         // lines between rings that are drawn only for the selected node
	Here                     string      // its state, as in its address
	Stage                    int         // number of steps of the state, for moves
	Moves                    []GraphMove // addresses that move the selected node
}

// GraphMove moves the selected node in a direction.
type GraphMove struct{ Name, Href string }

// GraphPoint is a drawn node.
type GraphPoint struct {
	X, Y                      float64
	Label                     []string // lines of the label
	Full, IRI, Kind           string
	Word                      string // for its kind
	Key                       string // for addresses
	Sign                      GraphSign
	Time                      string
	at                        time.Time // that of Time
	Away                      string    // the number of steps from the start of a walk, or ""
	Href                      string
	Selected                  bool
	Along                     bool   // it is on the requested path
	Ring                      int    // of a walk
	More, MoreTitle, MoreHref string // a badge of how many nodes around it are not drawn, or ""
	// Named is the greatest distance, from 0 to 7, at which its label is shown without
	// hovering, or -1.
	Named int
	Above bool // its label is above it
	Aside int  // its label is at its left (-1) or right (1)
	// Wide and Tall are the size of its box, which has its label and sign, or 0 without one.
	Wide, Tall float64
	Clock      string // of a box: the time of the day
	By, Tag    string // of a box: who did it, and a tag that says so
	Name       string // what it is called in words
	Party      bool   // it is a robot or a person
	Grouped    bool   // it is on an outline that is filled
}

// mapped reports whether it is a map of links, without columns, boxes or several steps.
func (d *GraphDrawing) mapped() bool { return !d.Offered && !d.Chain && d.Rings < 2 && !d.Events }

// GraphLine represents all edges from one node to another.
type GraphLine struct {
	Path     string   // SVG path
	Words    []string // lines of the label
	X, Y     float64  // center of the label
	Named    int      // as of GraphPoint, or -1: the label has no room
	Ends     [2]int   // indexes of its nodes
	Title    string
	Href     string // selects the line
	Selected bool   // it is selected, or belongs to the selected node
	Along    bool
	Grouped  bool   // its words are on an outline
	Late     bool   // it leads from a cause that is later than its effect, or to one
	Often    string // how often and when that was, or ""
}

// GraphEdge is a triple between two nodes.
type GraphEdge struct {
	From, Name, To string
	Pair           string // value of the field "edge" that selects the line
	Logs           string // address of the logs that contributed it; "" for the resolver's
}

// GraphHull is the outline of an event's observations.
type GraphHull struct {
	Path    string
	Members []int   // indexes of its nodes
	Round   bool    // the path is a closed outline; otherwise a thick stroke
	Reach   float64 // half the width of the stroke
	Name    string
	Said    bool    // a node has this name, so the outline needs none
	X, Y    float64 // centre of the name
	Named   int     // as of GraphPoint, or -1: it is shown on hover
	Href    string  // link to the event
}

// GraphDoubt is a dotted line between two events that may be one: an undecided case.
type GraphDoubt struct {
	Path, Title string
	X, Y        float64
	Named       int    // as of GraphHull
	Href        string // link to the case, if the reader may decide it
	Ends        [2]int // indexes of its nodes
}

// GraphHead names a column.
type GraphHead struct {
	X    float64
	Text string
}

// GraphCard describes the selected node.
type GraphCard struct {
	Label, IRI, Kind      string
	Short                 string // the IRI with a prefix, if there is one
	Sign                  GraphSign
	Classes               []GraphOption
	Facts                 []GraphFact
	Out, In               []GraphWay
	Doubts                []GraphOpenCase
	Hide, Collapse, About string // addresses, or ""
	Context               string // the address of the page about a shared context, if the reader may open it
	Why                   string // the address of its explanation, or ""
	Near                  string // the address that shows its first neighbours, or "" if they are shown
	Others                []GraphOption
	Walk                  *GraphWalk
	Partial               bool
	Tools                 string // the address that shows the forms for walks and paths, or "" if they are shown
}

// GraphWalk is the form for a search within some steps.
type GraphWalk struct {
	Steps []int
	Now   int    // the steps that the picture shows, or 0
	Way   string // as in the form
	By    []GraphOption
	Along []string // the predicates that the picture's walk follows
}

// GraphRest lists the nodes around another that are not drawn, by kind.
type GraphRest struct {
	Title string
	Kinds []GraphRestKind
}

// GraphRestKind is a kind of them. Their links add them to the picture.
type GraphRestKind struct {
	Name  string
	Links []GraphLink
}

// GraphOpenCase is an undecided case: the event may be the same as another.
type GraphOpenCase struct {
	Name, Show string // the other event, and the address that shows it
	Case       string // the address of the case, if the reader may decide it
}

// GraphEdgeCard describes the selected line.
type GraphEdgeCard struct {
	From, To GraphLink
	Triples  []GraphTriple
}

// GraphTriple is one of the edges of a line.
type GraphTriple struct {
	Name   string
	IRI    string // of the predicate
	Logs   string // "" for the resolver's
	Newest *views.TripleLog
	Late   bool // the newest log was not found in time
	Told   bool // it is what an offered picture says, not a triple
}

// GraphPath is the result of a path search.
type GraphPath struct {
	Text  string
	Clear string // address without the path
	Far   string // address of an extended search, or ""
	Which []GraphLink
	Steps []GraphStep
}

// GraphStep is a node of a path, with the edges from the previous node.
type GraphStep struct {
	Name     string // names of the edges
	Backward bool   // the edges lead to the previous node
	Node     GraphLink
}

// GraphFact is a property of a node.
type GraphFact struct {
	Name   string
	IRI    string // of the predicate
	Value  views.Cell
	Logs   string
	Nested []GraphFact // properties of a blank node
}

// GraphWay is a predicate that leads to neighbours of a node.
type GraphWay struct {
	Name        string
	IRI         string // of the predicate
	Count       int    // number of neighbours
	Shown       int
	Href, More  string // addresses that show the first or the next of them, or ""
	Incoming    bool
	ExpandCount int
}

func (d GraphDrawing) viewBox() string {
	return views.Number(d.Left) + " " + views.Number(d.Top) + " " + views.Number(d.Width) + " " + views.Number(d.Height)
}

// whole formats a position in whole pixels.
func whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

// summary counts what the picture has, apart from what it has none of.
func (d GraphDrawing) summary() string {
	lines := len(d.Lines) + d.Unseen
	text := views.Plural(len(d.Nodes), "thing")
	for _, c := range []struct {
		count int
		name  string
	}{{lines, "link"}, {len(d.Hulls), "shared event"}} {
		if c.count > 0 {
			text += ", " + views.Plural(c.count, c.name)
		}
	}
	if len(d.Doubts) > 0 {
		text += ", " + views.Plural(len(d.Doubts), "case") + " to review"
	}
	return text
}

// named returns the class of a text that is shown up to a distance, or only on hover.
func named(level int) string {
	if level < 0 {
		return "roomless"
	}
	return "to-" + strconv.Itoa(level)
}

func (d GraphDrawing) usedShapes() []string {
	var out []string
	for _, n := range d.Nodes {
		if !slices.Contains(out, n.Sign.Shape) {
			out = append(out, n.Sign.Shape)
		}
	}
	return out
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

// Sizes of a badge, in pixels.
const (
	badgeTall   = 18.0
	badgeLetter = 7.0
)

// badge returns where the lower left corner of a node's badge is: above its sign, at the corner of its box, or behind its label.
func (n *GraphPoint) badge() drawing.Point {
	if n.Wide > 0 {
		return drawing.Point{X: n.X + n.Wide/2 - n.badgeWide(), Y: n.Y - n.Tall/2 + 6}
	} else if n.Aside > 0 {
		return drawing.Point{X: n.X + asideGap + labelWide(n.Label), Y: n.Y + badgeTall/2}
	}
	if n.Ring == 0 { // its lines leave at the right
		return drawing.Point{X: n.X - n.badgeWide()/2, Y: n.Y - signRoom - 2}
	}
	return drawing.Point{X: n.X + 8, Y: n.Y - 6}
}

func (n *GraphPoint) badgeWide() float64 { return badgeLetter*float64(len(n.More)) + 12 }
