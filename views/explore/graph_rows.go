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
	shared, maybe := make([]int, len(d.Nodes)), make([]int, len(d.Nodes)) // node to the number of its event, or 0, and to a node of its cases
	for k, h := range d.Hulls {
		for _, m := range h.Members {
			shared[m] = k + 1
		}
	}
	for i := range maybe {
		if maybe[i] = i; shared[i] > 0 {
			maybe[i] = d.Hulls[shared[i]-1].Members[0]
		}
	}
	at := map[*GraphPoint]int{}
	for i := range d.Nodes {
		at[&d.Nodes[i]] = i
	}
	for _, k := range d.Doubts {
		from, to := maybe[k.Ends[0]], maybe[k.Ends[1]]
		for i, m := range maybe {
			if m == to {
				maybe[i] = from
			}
		}
	}
	for len(rows) > 0 {
		var all, rest []GraphRow
		for _, r := range rows {
			if maybe[at[r.GraphPoint]] == maybe[at[rows[0].GraphPoint]] {
				all = append(all, r)
			} else {
				rest = append(rest, r)
			}
		}
		rows = rest
		last := func(r GraphRow) int { return map[bool]int{true: 1}[shared[at[r.GraphPoint]] == 0] } // those in no event
		slices.SortStableFunc(all, func(a, b GraphRow) int {
			return cmp.Or(last(a)-last(b), shared[at[a.GraphPoint]]-shared[at[b.GraphPoint]])
		})
		for k, r := range all {
			event, title := shared[at[r.GraphPoint]], "In no shared event"
			switch {
			case k > 0 && event == shared[at[all[k-1].GraphPoint]]:
				title = out[len(out)-1].Title
			case event > 0:
				title = "One event"
				if k > 0 {
					title = "Maybe the same event"
				}
				if h := d.Hulls[event-1]; !h.Said {
					title += ": " + views.Name(h.Name)
				}
			case k > 0:
				title = "Maybe the same event: to review"
			case len(all) > 1:
				title = "Maybe one event: to review"
			}
			if k == 0 && (len(all) > 1 || event > 0) || len(out) == 0 || out[len(out)-1].Title != title {
				out = append(out, GraphRows{Title: title})
			}
			group := &out[len(out)-1]
			group.Rows = append(group.Rows, r)
		}
	}
	for _, k := range d.Doubts {
		var later *GraphRow
		for _, part := range out {
			for i, r := range part.Rows {
				if n := at[r.GraphPoint]; n == k.Ends[0] || n == k.Ends[1] {
					later = &part.Rows[i]
				}
			}
		}
		if later != nil && k.Href != "" {
			later.Told = append(later.Told, GraphTold{Before: "same event?", Path: k.Href})
		}
	}
	return out
}
