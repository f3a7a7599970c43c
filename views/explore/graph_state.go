package explore

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// Limits of a picture of the graph.
const (
	maxGraphOps   = 60  // steps that add nodes
	maxGraphNodes = 300 // shown nodes
	firstNear     = 12  // neighbours shown of a node at first
	expandBy      = 25  // neighbours added at once
	maxExpand     = 200 // neighbours of one node by one predicate
	maxWalkSteps  = 4
	maxWalkBy     = 20 // predicates of a walk
	maxMoves      = 100
	farthest      = 50_000 // pixels from the middle of the plane
)

// graphOp is one step in building the picture.
type graphOp struct {
	iri       string
	predicate string // adds neighbours by this predicate; "" adds iri itself
	in        bool   // neighbours have iri as their object
	count     int    // number of neighbours, or steps of a walk
	walk      bool   // adds all nodes within some steps; without in or out, in either direction
	out       bool   // a walk follows edges only from subject to object
	by        string // predicates of a walk, separated by spaces; "" means all except those that lead to classes
}

// nearby returns the step that adds the first neighbours of a node.
func nearby(iri string) graphOp { return graphOp{iri: iri, walk: true, count: 1} }

// puts reports whether the step adds the node itself.
func (o graphOp) puts() bool { return o.predicate == "" && !o.walk }

// graphState determines a picture. It is stored in the address, so the browser's Back is
// an undo.
type graphState struct {
	ops       []graphOp
	hidden    []string
	selected  string
	edge      [2]string // keys of the ends of the selected line
	moves     []graphMove
	table     bool     // show the tables too
	along     []string // the nodes of the found path, in order
	without   []string // hidden kinds
	robot     string   // show only this robot's activities; "" shows all
	since     string   // RFC 3339, or a prefix of it; "" is open
	until     string
	construct string // show the triples of this query
	search    string
	show      string // an offered picture, by its key
	rest      string // the key of the node around which to list what is not drawn, or ""
}

// readGraphState reads the state from an address. It leaves out what is not valid, and steps beyond
// maxGraphOps.
func readGraphState(given url.Values) graphState {
	st := graphState{
		hidden: iriList(given["hide"]), selected: given.Get("node"), without: iriList(given["without"]), robot: given.Get("robot"),
		construct: strings.ReplaceAll(given.Get("construct"), "\r\n", "\n"), along: iriList(given["along"]), search: strings.TrimSpace(given.Get("q")),
	}
	st.since, st.until = graphTime(given, "since"), graphTime(given, "until")
	if !rdf.IsIRI(st.robot) {
		st.robot = ""
	}
	for _, text := range given["v"] {
		if ops := readGraphOps(text); len(st.ops)+len(ops) <= maxGraphOps {
			st.ops = append(st.ops, ops...)
		}
	}
	if show := given.Get("show"); slices.ContainsFunc(graphShows, func(s graphShow) bool { return s.key == show }) {
		st.show = show
	}
	st.edge = readEdge(given.Get("edge"))
	if rest := given.Get("rest"); len(rest) <= 8 {
		st.rest = rest
	}
	st.moves, st.table = readMoves(given.Get("at")), given.Get("table") != ""
	if !rdf.IsIRI(st.selected) || st.edge[0] != "" {
		st.selected = ""
	} else if len(st.ops) == 0 && st.construct == "" && st.show == "" { // a link from another page to one node
		st.ops = []graphOp{{iri: st.selected}, nearby(st.selected)}
	}
	return st
}

func iriList(given []string) []string {
	return slices.DeleteFunc(slices.Clone(given), func(s string) bool { return !rdf.IsIRI(s) })
}

// graphTime returns the time of a time field in UTC, or "".
func graphTime(given url.Values, name string) string {
	if t, ok := views.GivenTime(given.Get(name), given); ok {
		return t.Format(time.RFC3339Nano)
	}
	return ""
}

// aroundNode begins the short form of two steps: a node and its first neighbours.
const aroundNode = "~ "

// readGraphOps parses "~ IRI", which adds a node and its first neighbours, and the texts
// that readGraphOp parses. It returns nothing for others.
func readGraphOps(text string) []graphOp {
	if iri, ok := strings.CutPrefix(text, aroundNode); ok && rdf.IsIRI(iri) {
		return []graphOp{{iri: iri}, nearby(iri)}
	}
	if op, ok := readGraphOp(text); ok {
		return []graphOp{op}
	}
	return nil
}

// readGraphOp parses "+ IRI", "> 25 PREDICATE IRI" or "< 25 PREDICATE IRI", and walks: "*
// 3 IRI", "*> 3 IRI" or "*< 3 IRI", optionally followed by predicates.
func readGraphOp(text string) (graphOp, bool) {
	words := strings.Split(text, " ")
	switch {
	case len(words) == 2 && words[0] == "+" && rdf.IsIRI(words[1]):
		return graphOp{iri: words[1]}, true
	case len(words) == 4 && (words[0] == ">" || words[0] == "<") && rdf.IsIRI(words[2]) && rdf.IsIRI(words[3]):
		n, err := strconv.Atoi(words[1])
		return graphOp{iri: words[3], predicate: words[2], in: words[0] == "<", count: min(n, maxExpand)}, err == nil && n > 0
	case len(words) >= 3 && len(words) <= 3+maxWalkBy && (words[0] == "*" || words[0] == "*>" || words[0] == "*<") && len(iriList(words[2:])) == len(words)-2:
		n, err := strconv.Atoi(words[1])
		by := slices.Compact(slices.Sorted(slices.Values(words[3:])))
		return graphOp{iri: words[2], walk: true, in: words[0] == "*<", out: words[0] == "*>", count: n, by: strings.Join(by, " ")}, err == nil && n > 0 && n <= maxWalkSteps
	}
	return graphOp{}, false
}

func (o graphOp) String() string {
	switch {
	case o.walk:
		return strings.TrimSuffix(fmt.Sprintf("%s %d %s %s", o.way(), o.count, o.iri, o.by), " ")
	case o.predicate == "":
		return "+ " + o.iri
	case o.in:
		return fmt.Sprintf("< %d %s %s", o.count, o.predicate, o.iri)
	}
	return fmt.Sprintf("> %d %s %s", o.count, o.predicate, o.iri)
}

// way returns how the text of a walk begins.
func (o graphOp) way() string {
	switch {
	case o.in:
		return "*<"
	case o.out:
		return "*>"
	}
	return "*"
}

// same reports whether two steps differ at most in their count.
func (o graphOp) same(p graphOp) bool {
	o.count = p.count
	return o == p
}

// values returns the parameters of the state's address, which readGraphState reads.
func (st graphState) values() url.Values {
	out := url.Values{}
	for i := 0; i < len(st.ops); i++ {
		op := st.ops[i]
		if op.puts() && i+1 < len(st.ops) && st.ops[i+1] == nearby(op.iri) {
			out.Add("v", aroundNode+op.iri)
			i++
			continue
		}
		out.Add("v", op.String())
	}
	for _, iri := range st.hidden {
		out.Add("hide", iri)
	}
	for _, iri := range st.without {
		out.Add("without", iri)
	}
	for _, iri := range st.along {
		out.Add("along", iri)
	}
	if st.edge[0] != "" {
		out.Set("edge", st.edge[0]+"-"+st.edge[1])
	}
	for name, value := range map[string]string{"node": st.selected, "robot": st.robot, "since": st.since, "until": st.until, "construct": st.construct, "show": st.show, "rest": st.rest, "at": writeMoves(st.moves)} {
		if value != "" {
			out.Set(name, value)
		}
	}
	if st.table {
		out.Set("table", "1")
	}
	return out
}

// address returns the address of the page, or of another form of it, in this state.
func (st graphState) address(path string) string {
	return path + "?" + views.PlainIRIs.Replace(st.values().Encode())
}

func (st graphState) page() string { return st.address("/kg-graph") }

func (st graphState) selecting(iri string) graphState {
	st.selected, st.edge, st.rest = iri, [2]string{}, ""
	return st
}

// listing returns the state with what is not drawn around a node listed.
func (st graphState) listing(key string) graphState {
	st = st.selecting("")
	st.rest = key
	return st
}

// choosing returns the state with the line from one node to another selected.
func (st graphState) choosing(from, to string) graphState {
	st.selected, st.edge, st.rest = "", [2]string{nodeKey(from), nodeKey(to)}, ""
	return st
}

// adding returns the state with a node added and selected. The node is shown even if it
// was hidden.
func (st graphState) adding(iri string) graphState {
	op := graphOp{iri: iri}
	if !slices.ContainsFunc(st.ops, op.same) {
		st.ops = append(slices.Clone(st.ops), op)
	}
	st.hidden = slices.DeleteFunc(slices.Clone(st.hidden), func(h string) bool { return h == iri })
	return st.selecting(iri)
}

// addingNear returns the state with a node and its first neighbours added, and the node
// selected.
func (st graphState) addingNear(iri string) graphState {
	st = st.adding(iri)
	if near := nearby(iri); !slices.Contains(st.ops, near) {
		st.ops = append(slices.Clone(st.ops), near)
	}
	return st
}

// expanding returns the state with more neighbours.
func (st graphState) expanding(op graphOp) graphState {
	st.ops = slices.Clone(st.ops)
	if i := slices.IndexFunc(st.ops, op.same); i >= 0 {
		st.ops[i].count = min(st.ops[i].count+expandBy, maxExpand)
		return st
	}
	op.count = expandBy
	st.ops = append(st.ops, op)
	return st
}

// shown returns how many neighbours the state shows.
func (st graphState) shown(op graphOp) int {
	if i := slices.IndexFunc(st.ops, op.same); i >= 0 {
		return st.ops[i].count
	}
	return 0
}

// collapsing returns the state without the expansion of a node.
func (st graphState) collapsing(iri string) graphState {
	st.ops = slices.DeleteFunc(slices.Clone(st.ops), func(o graphOp) bool { return o.iri == iri && !o.puts() })
	return st
}

func (st graphState) expanded(iri string) bool {
	return slices.ContainsFunc(st.ops, func(o graphOp) bool { return o.iri == iri && !o.puts() })
}

func (st graphState) hiding(iri string) graphState {
	st.hidden = append(slices.Clone(st.hidden), iri)
	st.selected, st.edge = "", [2]string{}
	return st
}

// toggling returns the state that shows kinds, if st hides the first, or hides them.
func (st graphState) toggling(kinds ...string) graphState {
	hidden := slices.Contains(st.without, kinds[0])
	st.without = slices.DeleteFunc(slices.Clone(st.without), func(k string) bool { return slices.Contains(kinds, k) })
	if !hidden {
		st.without = append(st.without, kinds...)
	}
	return st
}
