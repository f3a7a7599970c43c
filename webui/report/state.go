package report

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// lanesEach is how many properties of a robot have a lane; the table has all.
const lanesEach = 3

// state is one state of a robot.
type state struct {
	at         time.Time
	time       rdf.Term
	robot      rdf.Term
	iri        rdf.Term
	place      rdf.Term
	properties []property
}

type property struct {
	name, value, unit string
	number            bool
}

// states shows the states of robots over time, and where they were.
func (r *Report) states(ctx context.Context, out *views.ReportSection) error {
	if _, err := r.names(ctx); err != nil {
		return err
	}
	rows, err := r.rows(ctx, "states")
	if err != nil {
		return err
	}
	list := readStates(rows)
	more := len(list) > r.Limit
	list = list[:min(len(list), r.Limit)]
	t := r.table("states", "States, the newest first", "No robot has a state with a time.", "Time", "Robot", "Place", "Properties", "State")
	t.More, t.Folded = more, len(list) > 12
	for _, s := range list {
		var parts []string
		for _, p := range s.properties {
			parts = append(parts, p.name+" "+p.value+p.unit)
		}
		place := views.ReportCell{}
		if !s.place.IsZero() {
			place = named(s.place)
		}
		t.Rows = append(t.Rows, []views.ReportCell{when(s.time), r.who(s.robot), place, plain(strings.Join(parts, ", ")), named(s.iri)})
	}

	slices.Reverse(list)
	moves := r.table("moves", "Moves", "No robot changed its place.", "Time", "Robot", "From", "To")
	was := map[string]rdf.Term{}
	for _, s := range list {
		if s.place.IsZero() {
			continue
		}
		if before := was[s.robot.String()]; !before.IsZero() && before != s.place {
			moves.Rows = append(moves.Rows, []views.ReportCell{when(s.time), r.who(s.robot), named(before), named(s.place)})
		}
		was[s.robot.String()] = s.place
	}
	slices.Reverse(moves.Rows)
	stays, err := r.rows(ctx, "places")
	if err != nil {
		return err
	}
	places := r.table("places", "Places", "No state has a place.", "Place", "Robot", "States#", "First", "Last")
	for _, row := range stays[:min(len(stays), r.Limit)] {
		places.Rows = append(places.Rows, []views.ReportCell{
			named(row[1]), r.who(row[0]), count(row[2], r.row("places", binding{"robot", row[0]}, binding{"place", row[1]})), when(row[3]), when(row[4]),
		})
	}
	places.More = len(stays) > r.Limit
	out.Lanes, out.Legend, out.Span = r.lanes(list)
	out.Tables = append(out.Tables, moves, places, t)
	return nil
}

// readStates puts the rows of a state together, in their order.
func readStates(rows [][]rdf.Term) []*state {
	var out []*state
	at := map[string]*state{}
	for _, row := range rows {
		key := row[6].String() + row[0].String()
		s := at[key]
		if s == nil {
			when, ok := moments(row[0])
			if !ok {
				continue
			}
			s = &state{at: when, time: row[0], robot: row[1], iri: row[6], place: row[2]}
			at[key] = s
			out = append(out, s)
		}
		if row[3].IsZero() {
			continue
		}
		p := property{name: row[3].Value(), value: row[4].Value(), unit: row[5].Value()}
		if f, err := strconv.ParseFloat(p.value, 64); err == nil && row[4].IsLiteral() {
			p.value, p.number = strconv.FormatFloat(f, 'f', -1, 64), true
		}
		switch p.unit {
		case "":
		case "PERCENT":
			p.unit = " %"
		default:
			p.unit = " " + p.unit
		}
		if !slices.Contains(s.properties, p) {
			s.properties = append(s.properties, p)
		}
	}
	return out
}

// lanes draws the states, which are in the order of time: a lane for a robot's place, and one for each of the
// first of its properties that are words.
func (r *Report) lanes(list []*state) ([]views.Lane, []views.LegendEntry, views.Period) {
	if len(list) == 0 {
		return nil, nil, views.Period{}
	}
	type key struct{ robot, what string }
	spans := views.Period{From: list[0].at, To: list[len(list)-1].at}
	spans.To = spans.To.Add(max(time.Second, spans.To.Sub(spans.From)/20)) // so that the last is seen
	lanes := map[key]*views.Lane{}
	var order []key
	colours := palette{}
	add := func(s *state, what, value string) {
		k := key{s.robot.String(), what}
		l := lanes[k]
		if l == nil {
			if had := slices.IndexFunc(order, func(o key) bool { return o.robot == k.robot }); had >= 0 && what != "place" {
				n := 0
				for _, o := range order {
					if o.robot == k.robot && o.what != "place" {
						n++
					}
				}
				if n >= lanesEach {
					return
				}
			}
			l = &views.Lane{Robot: r.name(s.robot), What: what}
			lanes[k] = l
			order = append(order, k)
		}
		if n := len(l.Parts); n > 0 {
			l.Parts[n-1].To = s.at
			if l.Parts[n-1].Value == value {
				l.Parts[n-1].To = spans.To
				return
			}
		}
		l.Parts = append(l.Parts, views.LanePart{From: s.at, To: spans.To, Series: colours.of(value), Value: value})
	}
	for _, s := range list {
		if !s.place.IsZero() {
			add(s, "place", local(s.place))
		}
		for _, p := range s.properties {
			if !p.number {
				add(s, p.name, p.value)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return strings.Compare(a.robot, b.robot) })
	out := []views.Lane{}
	for _, k := range order {
		out = append(out, *lanes[k])
	}
	return out, colours.legend(), spans
}
