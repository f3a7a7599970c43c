package explore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/segraph/segraph/views"
)

// GraphRow is what a phone shows of a node instead of the picture or, if that is a map of links, above it.
type GraphRow struct {
	*GraphPoint
	Told []GraphTold // what others did with it, or whose it is
}

// GraphTold is a part of a row: words around the names of others.
type GraphTold struct {
	Before string
	Names  []string
	After  string
	Said   bool   // the name may be a sentence
	Path   string // to what it tells of, or ""
}

// when returns the time of a row, with a dot if more follows, which begins no line.
func (r GraphRow) when() string {
	if r.Time == "" || r.Told == nil {
		return r.Time
	}
	return r.Time + "\u00a0·"
}

// maxRows is how many rows a phone shows.
const maxRows = 40

// rows returns the picture in words. By the kind of picture, these are what the lines lead to, its
// nodes by steps, or what leads from a node to others.
func (d *GraphDrawing) rows() (out []GraphRow) {
	told := map[int][]GraphTold{}
	for _, l := range d.Lines {
		from, to, word := &d.Nodes[l.Ends[0]], &d.Nodes[l.Ends[1]], strings.Join(l.Words, ", ")
		if !d.Offered && (d.Chain || from.Ring >= to.Ring) {
			t := GraphTold{Before: word + " ", Names: []string{to.Name}, Said: !to.Party}
			if l.Late {
				t.After = " (" + views.LateWords + ")"
			}
			told[l.Ends[0]] = append(told[l.Ends[0]], t)
		} else {
			t := GraphTold{Names: []string{from.Name}, After: " " + word, Said: !from.Party}
			if against := againstWord(word); against != "" {
				t.Before, t.After = against+" ", ""
			}
			if l.Often != "" {
				t.After += ", " + l.Often
			}
			told[l.Ends[1]] = append(told[l.Ends[1]], t)
		}
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if (d.Offered || d.Chain || d.Rings < 2) && told[i] == nil && n.Wide == 0 { // only rows of other nodes name it
			continue
		}
		if n.By != "" {
			told[i] = append([]GraphTold{{Before: "by ", Names: []string{n.By}}}, told[i]...)
		}
		if n.More != "" {
			told[i] = append(told[i], GraphTold{Before: n.MoreTitle, Path: n.MoreHref})
		}
		out = append(out, GraphRow{n, told[i]})
	}
	d.sort(out)
	return out
}

// sort sorts rows: of a chain from causes to effects, and of rings by ring, and on a ring by time.
func (d *GraphDrawing) sort(out []GraphRow) {
	if d.Chain {
		slices.SortStableFunc(out, func(a, b GraphRow) int { return cmp.Compare(a.X, b.X) })
	} else if d.Rings > 0 { // those without a time last
		slices.SortStableFunc(out, func(a, b GraphRow) int {
			untimed := func(r GraphRow) int { return map[bool]int{true: 1}[r.Time == ""] }
			return cmp.Or(a.Ring-b.Ring, untimed(a)-untimed(b), a.at.Compare(b.at))
		})
	}
}

// GraphRows are rows under a title.
type GraphRows struct {
	Title string // "" for the node that the steps are from, and those that the reader added; may have a name, marked as such
	Rows  []GraphRow
}

// byStep divides rows: those of several steps by their steps, and reports of shared events by these.
func (d *GraphDrawing) byStep(rows []GraphRow) []GraphRows {
	if d.Events {
		return d.byEvent(rows)
	}
	out := []GraphRows{{}}
	for k, r := range rows {
		if d.Rings > 1 && !d.Chain && k > 0 && r.Ring != rows[k-1].Ring {
			out = append(out, GraphRows{Title: views.Plural(r.Ring, "step")})
		}
		last := &out[len(out)-1]
		last.Rows = append(last.Rows, r)
	}
	return out
}

// byEvent divides rows by shared events, in the order of their first rows. Below an event is what may be the same, and the later row
// of each case leads to it. Neighbours in no event are together.
func (d *GraphDrawing) byEvent(rows []GraphRow) (out []GraphRows) {
	at, event, group := map[*GraphPoint]int{}, d.events(), d.candidates()
	for i := range d.Nodes {
		at[&d.Nodes[i]] = i
	}
	first, size := map[int]int{}, map[int]int{} // of the rows of a group
	for k, r := range slices.Backward(rows) {
		g := group[at[r.GraphPoint]]
		first[g] = k
		size[g]++
	}
	slices.SortStableFunc(rows, func(a, b GraphRow) int {
		i, j, none := at[a.GraphPoint], at[b.GraphPoint], len(d.Hulls)+1
		return cmp.Or(first[group[i]]-first[group[j]], cmp.Or(event[i], none)-cmp.Or(event[j], none))
	})
	title, before := "", -1
	for _, r := range rows {
		i := at[r.GraphPoint]
		begins := before < 0 || group[i] != group[before]
		alone := event[i] == 0 && size[group[i]] == 1
		switch {
		case alone:
			title = "In no shared event"
		case begins && event[i] > 0:
			title = "One event" + d.eventName(event[i])
		case begins:
			title = "Maybe one event: to review"
		case event[i] == event[before]:
		case event[i] > 0:
			title = "Maybe the same event" + d.eventName(event[i])
		default:
			title = "Maybe the same event: to review"
		}
		if begins && !alone || len(out) == 0 || out[len(out)-1].Title != title {
			out = append(out, GraphRows{Title: title})
		}
		part := &out[len(out)-1]
		part.Rows, before = append(part.Rows, r), i
	}
	d.leadToCases(out, at)
	return out
}

// events returns for each node the number of its shared event, from 1, or 0.
func (d *GraphDrawing) events() []int {
	out := make([]int, len(d.Nodes))
	for k, h := range d.Hulls {
		for _, m := range h.Members {
			out[m] = k + 1
		}
	}
	return out
}

// candidates returns for each node one that stands for all that are or may be of the same event.
func (d *GraphDrawing) candidates() []int {
	out := make([]int, len(d.Nodes))
	for i := range out {
		out[i] = i
	}
	join := func(i, j int) {
		from, to := out[j], out[i]
		for k := range out {
			if out[k] == from {
				out[k] = to
			}
		}
	}
	for _, h := range d.Hulls {
		for _, m := range h.Members {
			join(h.Members[0], m)
		}
	}
	for _, k := range d.Doubts {
		join(k.Ends[0], k.Ends[1])
	}
	return out
}

// eventName returns what a title says of an event besides that it is one: its name, unless a node has that.
func (d *GraphDrawing) eventName(number int) string {
	if h := d.Hulls[number-1]; !h.Said {
		return ": " + views.Name(h.Name)
	}
	return ""
}

// leadToCases adds to the later row of each case the link to it. at has the indexes of nodes.
func (d *GraphDrawing) leadToCases(parts []GraphRows, at map[*GraphPoint]int) {
	for _, k := range d.Doubts {
		var later *GraphRow
		for _, part := range parts {
			for i, r := range part.Rows {
				if slices.Contains(k.Ends[:], at[r.GraphPoint]) {
					later = &part.Rows[i]
				}
			}
		}
		if later != nil && k.Href != "" {
			later.Told = append(later.Told, GraphTold{Before: "same event?", Path: k.Href})
		}
	}
}
