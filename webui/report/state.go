package report

import (
	"context"
	"maps"
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
			place = used(s.place)
		}
		t.Rows = append(t.Rows, []views.ReportCell{when(s.time), r.who(s.robot), place, {Text: strings.Join(parts, ", "), Value: strings.Join(parts, ", "), Href: r.row("states", binding{"state", s.iri})}, named(s.iri)})
	}

	slices.Reverse(list)
	moves := r.table("moves", "Moves", "No robot changed its place.", "Time", "Robot", "From", "To")
	was := map[string]rdf.Term{}
	for _, s := range list {
		if s.place.IsZero() {
			continue
		}
		if before := was[s.robot.String()]; !before.IsZero() && before != s.place {
			moves.Rows = append(moves.Rows, []views.ReportCell{when(s.time), r.who(s.robot), used(before), used(s.place)})
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
			used(row[1]), r.who(row[0]), count(row[2], r.row("places", binding{"robot", row[0]}, binding{"place", row[1]})), when(row[3]), when(row[4]),
		})
	}
	places.More = len(stays) > r.Limit
	out.Lanes, out.Legends, out.Span = r.lanes(list)
	out.Newest = more
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

// lane is what held of a robot over time, one value after the other.
type lane struct {
	robot rdf.Term
	what  string
	parts []stay
}

// stay is how long a value held: until to, when another came; the last state that had it was at last.
type stay struct {
	from, last, to time.Time
	series         int
	value          string
}

// drawn gives a lane as it is shown. A part leads to the states that it is made of.
func (r *Report) drawn(l *lane, span views.Period) views.Lane {
	out := views.Lane{Who: r.name(l.robot), What: l.what}
	at := func(t time.Time) float64 { return 100 * float64(t.Sub(span.From)) / float64(span.To.Sub(span.From)) }
	for _, p := range l.parts {
		query := r.between("states", p.from, p.last.Add(time.Microsecond))
		if !l.robot.IsBlank() {
			query += "VALUES ?robot { " + l.robot.String() + " }\n"
		}
		out.Parts = append(out.Parts, views.LanePart{
			From: at(p.from), To: at(p.to), Series: p.series, Value: p.value, Href: link(query),
			Title: p.value + ", " + p.from.UTC().Format("2006-01-02 15:04:05"),
		})
	}
	return out
}

// lanes draws the states, which are in the order of time: a lane for a robot's place, and one for each of the
// first of its properties that are words.
func (r *Report) lanes(list []*state) ([]views.Lane, []views.Legend, views.Period) {
	if len(list) == 0 {
		return nil, nil, views.Period{}
	}
	type key struct{ robot, what string }
	spans := views.Period{From: list[0].at, To: list[len(list)-1].at}
	spans.To = spans.To.Add(max(time.Second, spans.To.Sub(spans.From)/20)) // so that the last is seen
	lanes := map[key]*lane{}
	var order []key
	colours := map[string]*palette{}
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
			l = &lane{robot: s.robot, what: what}
			lanes[k] = l
			order = append(order, k)
			if colours[what] == nil {
				colours[what] = &palette{}
			}
		}
		if n := len(l.parts); n > 0 {
			if l.parts[n-1].value == value {
				l.parts[n-1].last = s.at
				return
			}
			l.parts[n-1].to = s.at
		}
		l.parts = append(l.parts, stay{from: s.at, last: s.at, to: spans.To, series: colours[what].of(value), value: value})
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
		out = append(out, r.drawn(lanes[k], spans))
	}
	var legends []views.Legend
	for _, what := range slices.Sorted(maps.Keys(colours)) {
		legends = append(legends, views.Legend{What: what, List: colours[what].legend()})
	}
	return out, legends, spans
}
