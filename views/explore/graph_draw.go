package explore

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// Sizes of a picture, in pixels at normal zoom.
const (
	margin      = 40.0
	minWidth    = 800.0
	minTall     = 430.0
	usualWidth  = 860.0 // width on a desktop
	usualTall   = 520.0
	letterWide  = 7.0 // of a letter in a node's label, on average
	lineLetter  = 6.6 // and in a long line
	lineTall    = 14.0
	wordWide    = 7.0 // of a letter in an edge's label
	wordTall    = 13.0
	wordGap     = 6.0  // between them and other texts
	doubtWide   = 90.0 // of its words
	hullTall    = 16.0 // of the name of a hull
	moveStep    = 40.0
	signRoom    = 12.0 // radius around the center of a node
	labelGap    = 4.0  // between a label and the signs and labels of other nodes
	linesNamed  = 1    // greatest index of levels at which lines have labels, unless the picture begins further away
	manyLines   = 160  // above this many lines, labels appear only on hover
	maxLines    = 1000 // drawn lines, and edges in the table
	maxEdges    = 2000
	maxWords    = 3  // predicates named beside one line
	asideGap    = 24 // from a node to a label beside it
	nodeLetters = 18 // letters in a line of a label
	fewNodes    = 10 // with at most so many, lines have moreLetters
	moreLetters = 22
	maxBound    = 14 // members of a hull that each attract all others
	pathLines   = 5  // most lines of a label on a path, which has nothing below it
	pathTall    = 200.0
)

// levels are the magnifications of labels at growing distances, so that they stay
// readable. Larger labels leave room for fewer.
var levels = []float64{1, 1.25, 1.6, 2.2, 3, 4, 5.6, 8}

// At the distances of levels, markLevels are the magnifications of nodes, and labelDown
// is how many pixels lower their labels are. graph.css has the same numbers.
var (
	markLevels = []float64{1, 1, 1, 1.3, 1.6, 2, 2, 2}
	labelDown  = []float64{0, 0, 0, 4, 8, 12, 12, 12}
)

// artist draws one picture.
type artist struct {
	*picture
	st          graphState
	v           *views.Visit
	names       []turtle.Prefix
	pairs       [][2]int // node pairs of the edges
	at          []drawing.Point
	rooms       []drawing.Room
	words       []*drawing.Words // texts by level
	outs        []drawing.Outline
	chain       *chain // of a walk to causes
	columnsTall float64
	d           *GraphDrawing

	order     [][2]int            // node pairs of the drawn lines
	says      map[[2]int][]string // what they say
	ways      []way               // how they run
	often     map[[2]int]string   // how often and when that was, of an offered picture
	bracketed map[[2]int]float64  // where lines and doubts run beside their nodes: see brackets
	turns     []int               // nodes in the order in which their labels get room
	hidden    map[int]bool        // nodes whose labels have no room at the distance at which the picture begins
}

// draw lays out a picture and draws its lines.
func draw(p *picture, st graphState, v *views.Visit, names []turtle.Prefix) *GraphDrawing {
	a := &artist{picture: p, st: st, v: v, names: names, d: &GraphDrawing{Offered: st.inColumns(), Walked: len(p.walks) > 0}}
	for _, e := range p.edges {
		a.pairs = append(a.pairs, [2]int{p.index[e.S.Value()], p.index[e.O.Value()]})
	}
	a.chain = a.chained()
	a.d.Chain = a.chain != nil
	a.byEvents()
	a.nodes()
	a.d.Rings = a.rings()
	a.layOut()
	for i, at := range a.at {
		a.d.Nodes[i].X, a.d.Nodes[i].Y = at.X, at.Y
	}
	a.bounds()
	a.level()
	for k := range levels {
		a.words = append(a.words, a.signs(k))
	}
	a.gather()
	a.arrange()
	a.name()
	if a.d.Rings < 2 && len(a.st.along) == 0 { // outlines across rings or along a path say nothing
		a.hulls()
		a.doubts()
	}
	a.lines()
	return a.d
}

// nodes makes the points of the picture, without positions.
func (a *artist) nodes() {
	columns, usualLetters := a.st.inColumns(), nodeLetters
	if len(a.picture.nodes) <= fewNodes {
		usualLetters = moreLetters
	}
	for i, n := range a.picture.nodes {
		full := n.name(a.names)
		point := GraphPoint{
			Key:  nodeKey(n.iri),
			Name: n.called(), Party: n.isParty(), Full: full, IRI: n.iri, Kind: kindName(n.kind, a.names), Word: kindWord(n.kind), Sign: n.sign, Time: shownTime(n), at: n.at,
			Away: a.away(n.iri, a.names), Href: a.st.selecting(n.iri).page(), Selected: n.iri == a.st.selected, Along: slices.Contains(a.st.along, n.iri), Ring: n.ring,
		}
		if count := len(n.rest); count > 0 {
			point.More, point.MoreTitle, point.MoreHref = "+"+views.Count(count), moreAround(count, full), a.st.listing(point.Key).page()
		}
		if columns {
			point.Aside = a.st.columnOf(n) - 1
		}
		name, letters, lines := n.toldApart(), usualLetters, 2
		if columns && point.Aside == 0 {
			point.Wide, point.Tall, letters, name = boxWide, boxTall, eventLetter, views.Said(name)
		} else if a.d.Chain && a.chain.of[i] {
			point.Wide, letters, lines = a.chain.wide, int((a.chain.wide-2*linkPad)/letterWide), linkLines
			if point.Selected { // it is bold
				letters = letters * 10 / 11
			}
			if name = n.called(); n.spoken {
				name = views.Said(name)
			}
			a.byWhom(&point, n)
		}
		if point.Wide > 0 && !n.at.IsZero() {
			point.Clock = n.at.Format(time.TimeOnly)
		}
		if point.Along {
			lines = pathLines
		}
		point.Label = label(name, letters, lines)
		wide := float64(longest(point.Label)) * letterWide
		room := drawing.Room{Side: max(20, wide/2+2), Above: 15, Below: 17 + lineTall*float64(len(point.Label))}
		if columns {
			room = drawing.Room{Side: wide + signRoom + 16, Above: 15, Below: 15}
		}
		a.rooms = append(a.rooms, room)
		a.d.Nodes = append(a.d.Nodes, point)
	}
	if a.d.Chain {
		a.boxes()
	}
	for i, n := range a.d.Nodes {
		if n.Wide > 0 {
			a.rooms[i] = drawing.Room{Side: n.Wide / 2, Above: n.Tall / 2, Below: n.Tall / 2}
		}
	}
}

// toldApart is called, but the kind and time of an activity without a label of its own, to tell it from others.
func (n *graphNode) toldApart() string {
	if n.label == "" && n.isActivity() && !n.at.IsZero() {
		return kindWord(n.kind) + " " + n.at.Format(time.TimeOnly)
	}
	return n.called()
}

// called returns what the picture calls a node: its label; without one, the word for its kind, if that
// says more than the IRI; otherwise the words at the IRI's end.
func (n *graphNode) called() string {
	if n.label != "" {
		return n.name(nil)
	} else if word := kindWord(n.kind); n.kind != "" && (n.isActivity() || madeName.MatchString(n.iri)) {
		return word
	}
	return strings.ToLower(views.Words(views.Short(n.iri)))
}

// madeName matches names that programs made, such as hashes and UUIDs.
var madeName = regexp.MustCompile(`[0-9a-f]{7,}[^/#:]*$`)

// label splits a name into lines of at most so many letters. The last of the lines that it may have is cut.
func label(full string, letters, lines int) (out []string) {
	runes := []rune(full)
	for len(out) < lines-1 && len(runes) > letters {
		cut := letters
		// Cut after a word, unless the line becomes too short.
		for i := letters; i > letters/3; i-- {
			if strings.ContainsRune(" _-./…", runes[i-1]) && (runes[i-1] != '.' || !unicode.IsDigit(runes[i])) {
				cut = i
				break
			}
		}
		out = append(out, strings.TrimSpace(string(runes[:cut])))
		runes = []rune(strings.TrimSpace(string(runes[cut:])))
	}
	rest, _ := views.CutText(string(runes), letters)
	return append(out, rest)
}

// layOut places the nodes by their edges, in columns or by forces. Edges that are not drawn
// keep the nodes of one event, and the events of one case, together.
func (a *artist) layOut() {
	nodes, fixed := make([]drawing.Node, len(a.picture.nodes)), map[int]drawing.Point(nil)
	if a.d.Chain {
		fixed = a.chainDrawn()
	} else if fixed = a.treeDrawn(); fixed == nil {
		fixed = a.pathDrawn()
	}
	for i, n := range a.picture.nodes {
		nodes[i] = drawing.Node{Name: n.iri, Group: n.group, Parent: n.parent, Room: a.rooms[i]}
		if at, ok := fixed[i]; ok {
			nodes[i].Fixed = &at
		}
	}
	edges := slices.Clone(a.pairs)
	for _, h := range a.picture.hulls { // to keep the nodes of one event together
		for i, m := range h.members {
			for _, o := range h.members[:i] {
				if len(h.members) <= maxBound || o == h.members[0] {
					edges = append(edges, [2]int{o, m})
				}
			}
		}
	}
	for _, k := range a.picture.doubts {
		edges = append(edges, [2]int{k.from, k.to})
	}
	var moves []drawing.Move
	for _, m := range a.st.moves {
		if i := slices.IndexFunc(a.d.Nodes, func(n GraphPoint) bool { return n.Key == m.node }); i >= 0 {
			moves = append(moves, drawing.Move{Node: i, To: drawing.Point{X: float64(m.x), Y: float64(m.y)}, After: m.after})
		}
	}
	if a.at = make([]drawing.Point, len(nodes)); a.st.inColumns() {
		a.placeInColumns(moves)
	} else {
		a.at = drawing.Force(nodes, edges, moves)
	}
	a.moves(nodes)
}

// pathDrawn returns where the nodes of the found path are, by index: in a row.
func (a *artist) pathDrawn() map[int]drawing.Point {
	out, x := map[int]drawing.Point{}, 0.0
	for _, iri := range a.st.along {
		if i, there := a.index[iri]; there {
			half := max(85, levels[1]*a.rooms[i].Side+16)
			out[i] = drawing.Point{X: x + half}
			x += 2 * half
		}
	}
	return out
}

// moves sets the addresses that move the selected node.
func (a *artist) moves(nodes []drawing.Node) {
	i, ok := a.index[a.st.selected]
	if !ok {
		return
	}
	for _, w := range []struct {
		name string
		way  drawing.Point
	}{{"Left", drawing.Point{X: -moveStep}}, {"Up", drawing.Point{Y: -moveStep}}, {"Down", drawing.Point{Y: moveStep}}, {"Right", drawing.Point{X: moveStep}}} {
		to := drawing.Step(nodes, a.at, i, w.way)
		a.d.Moves = append(a.d.Moves, GraphMove{Name: w.name, Href: a.st.withMove(a.d.Nodes[i].Key, to.X, to.Y).page()})
	}
}

// bounds computes the part of the plane that the picture takes, with a minimum so that a
// single node is not huge.
func (a *artist) bounds() {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i, p := range a.at {
		b := a.rooms[i].Around(p)
		if a.d.Tree && a.d.Nodes[i].Aside > 0 { // nothing is at its left
			b.Left = p.X
		}
		left, right, top, bottom = min(left, b.Left), max(right, b.Right), min(top, b.Top), max(bottom, b.Bottom)
	}
	if len(a.at) == 0 {
		left, top, right, bottom = 0, 0, 0, 0
	}
	d := a.d
	if len(d.Heads) > 0 {
		top, bottom = min(top, 0)-30, max(bottom, a.columnsTall)
	} else if len(a.picture.hulls) > 0 && !d.Tree { // their names
		top, bottom = top-hullTall, bottom+hullTall
	}
	d.Width, d.Height = max(right-left+2*margin, minWidth), max(bottom-top+2*margin, minTall)
	if len(d.Heads) > 0 {
		d.Width, d.Height = max(d.Width, columnsWide), bottom-top+margin // the page shows all of it
	}
	if len(a.st.along) > 1 && len(a.st.along) == len(a.at) {
		d.Height = max(bottom-top+2*margin, pathTall)
	}
	if d.Tree { // its rows have gaps already
		d.Height = max(bottom-top+1.5*margin, minTall)
	}
	d.Left, d.Top = (left+right)/2-d.Width/2, (top+bottom)/2-d.Height/2
}

// level computes the distance from which a desktop shows the whole picture, or the whole width of a tree.
func (a *artist) level() {
	if len(a.d.Heads) > 0 {
		a.d.Level = 1 // it fits: its texts keep their size
		return
	}
	far := max(a.d.Width/usualWidth, a.d.Height/usualTall)
	if a.d.Tree { // the page scrolls to its end
		far = a.d.Width / usualWidth
	}
	for a.d.Level < len(levels)-1 && levels[a.d.Level] < far {
		a.d.Level++
	}
	more := levels[a.d.Level] - 1 // room for the larger labels at the edge
	a.d.Left, a.d.Width, a.d.Height = a.d.Left-margin*more, a.d.Width+2*margin*more, a.d.Height+2*lineTall*more
}
