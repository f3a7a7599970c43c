package views

// Graph is what /kg-graph shows.
type Graph struct {
	Search   string
	Searched bool
	Found    []GraphLink
	Cut      bool // the search was ended before it had looked everywhere
	Begin    []GraphLink
	State    []Field // of the address, which the forms keep
	Drawing  *GraphDrawing
	Card     *GraphCard
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

// GraphLink leads to a node.
type GraphLink struct{ Label, Kind, Family, Href, IRI string }

// GraphKind is an entry of the legend.
type GraphKind struct {
	Name, Family string
	Count        int
	Off          bool
	Href         string // to show it, or to leave it out
}

// GraphOption is a choice of a filter.
type GraphOption struct{ Value, Name string }

// GraphDrawing is the picture, and the same as tables.
type GraphDrawing struct {
	Left, Top, Width, Height float64
	Nodes                    []GraphPoint
	Lines                    []GraphLine
	Edges                    []GraphEdge
	Lanes                    []GraphLane
	Named                    bool // lines have their names written on them; else the one that is pointed at alone
	ByTime                   bool
}

// GraphPoint is a node where it is drawn.
type GraphPoint struct {
	X, Y                   float64
	Label, Full, IRI, Kind string
	Family                 string // its colour and shape: robot, human, message, activity, result or other
	Time                   string
	Href                   string
	Selected               bool
}

// GraphLine stands for all edges from one node to another.
type GraphLine struct {
	Path     string // of SVG
	X, Y     float64
	Names    string
	Title    string
	Selected bool // it is one of the selected node's
}

// GraphEdge is a triple between two nodes.
type GraphEdge struct {
	From, Name, To string
	Logs           string // the address of the logs that brought it
}

// GraphLane is the row of one robot, where nodes are placed by time.
type GraphLane struct {
	Y    float64
	Name string
}

// GraphCard is what is known of the selected node.
type GraphCard struct {
	Label, IRI, Kind, Family string
	Classes                  []Cell
	Facts                    []GraphFact
	Out, In                  []GraphWay
	Hide, Collapse, About    string // addresses; "" is not there
	Partial                  bool
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
	return plural(len(d.Nodes), "node") + " and " + plural(len(d.Edges), "edge")
}
