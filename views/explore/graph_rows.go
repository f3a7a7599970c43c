package explore

import (
	"slices"
	"strings"

	"github.com/segraph/segraph/views"
)

// GraphRow is what a phone shows of a node instead of the picture or, if that is a map of links, above it.
type GraphRow struct {
	*GraphPoint
	Told   []string     // what others did with it; names are quoted
	By     string       // the names of the robots that logged it, or ""
	Doubts []views.Link // to the cases that ask whether it is the same event as another row; without a path if the reader may not decide
}

// maxRows is how many rows a phone shows.
const maxRows = 40

// rows returns the picture in words. By the kind of picture, these are its nodes by time, what the lines lead to, its
// nodes by steps, or what leads from a node to others.
func (d *GraphDrawing) rows() (out []GraphRow) {
	told := map[int][]string{}
	for _, l := range d.Lines {
		from, to, word := &d.Nodes[l.Ends[0]], &d.Nodes[l.Ends[1]], strings.Join(l.Words, ", ")
		if d.mapped() {
			told[l.Ends[0]] = append(told[l.Ends[0]], word+" "+views.Name(to.Name))
		} else if d.Offered || from.Ring < to.Ring {
			told[l.Ends[1]] = append(told[l.Ends[1]], views.Name(from.Name)+" "+word)
		} else if from.Ring > to.Ring {
			told[l.Ends[0]] = append(told[l.Ends[0]], word+" "+views.Name(to.Name))
		}
	}
	lead, robots := d.leads()
	doubts := map[int][]views.Link{}
	for _, k := range d.Doubts {
		if to := views.List(robots[lead[k.Ends[1]]]); d.ByTime && to != "" {
			doubts[lead[k.Ends[0]]] = append(doubts[lead[k.Ends[0]]], views.Link{Path: k.Href, Name: "same event as that of " + to + "?"})
		}
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		switch {
		case d.ByTime && !d.Offered && n.Time == "", (d.Offered || d.mapped()) && told[i] == nil:
			continue
		case d.ByTime && !d.Offered:
			told[i] = nil // its lane says it
		}
		if lead[i] == i {
			out = append(out, GraphRow{n, told[i], views.List(robots[i]), doubts[i]})
		}
	}
	if d.ByTime {
		slices.SortStableFunc(out, func(a, b GraphRow) int { return a.at.Compare(b.at) })
	} else if d.Rings > 0 {
		slices.SortStableFunc(out, func(a, b GraphRow) int { return a.Ring - b.Ring })
	}
	return out
}

// leads returns, for each node, the node in whose row it is, and the quoted names of the robots of that row. A node has a
// row of its own unless d is a timeline in which another robot logged the same of one event before.
func (d *GraphDrawing) leads() (lead []int, robots [][]string) {
	robots = make([][]string, len(d.Nodes))
	for i, n := range d.Nodes {
		lead = append(lead, i)
		if n.Lane != "" {
			robots[i] = []string{views.Name(n.Lane)}
		}
	}
	if !d.ByTime || d.Offered {
		return lead, robots
	}
	for _, h := range d.Hulls {
		timed := slices.DeleteFunc(slices.Clone(h.Members), func(i int) bool { return d.Nodes[i].Time == "" || len(robots[i]) != 1 })
		slices.SortStableFunc(timed, func(a, b int) int { return d.Nodes[a].at.Compare(d.Nodes[b].at) })
		for n, i := range timed {
			before := slices.IndexFunc(timed[:n], func(k int) bool {
				a, b := &d.Nodes[k], &d.Nodes[i]
				return lead[k] == k && a.Kind == b.Kind && a.Full == b.Full && !slices.Contains(robots[k], robots[i][0])
			})
			if before >= 0 {
				lead[i] = timed[before]
				robots[lead[i]], robots[i] = append(robots[lead[i]], robots[i][0]), nil
			}
		}
	}
	return lead, robots
}
