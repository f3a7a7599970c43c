package reports

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

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
	key               string // see seriesKey
	number            bool
}

// states shows the states and places of robots over time.
func (r *Report) states(ctx context.Context, out *ReportSection) error {
	stays, err := r.rows(ctx, "places")
	if err != nil {
		return err
	}
	list, names, err := r.newestStates(ctx, stays, out)
	if err != nil {
		return err
	}
	t := r.table("states", "States, newest first", "No robot has a state with a time.", "Time", "Robot", "Place", "Properties", "State")
	t.More, t.Folded = out.Newest, len(list) > 12
	for _, s := range slices.Backward(list) {
		var parts []string
		for _, p := range s.properties {
			parts = append(parts, p.name+" "+p.value+p.unit)
		}
		place := ReportCell{}
		if !s.place.IsZero() {
			place = names.used(s.place)
		}
		t.Rows = append(t.Rows, []ReportCell{r.when(s.time), r.who(s.robot), place, {Text: strings.Join(parts, ", "), Value: strings.Join(parts, ", "), Href: r.row("states", binding{"state", s.iri})}, named(s.iri)})
	}

	moves, err := r.moves(ctx, names)
	if err != nil {
		return err
	}
	places := r.table("places", "Places", "No state has a place.", "Place", "Robot", "States#", "First", "Last")
	for _, row := range stays[:min(len(stays), r.Limit)] {
		places.Rows = append(places.Rows, []ReportCell{
			names.used(row[1]), r.who(row[0]), count(row[2], r.counted("places", binding{"robot", row[0]}, binding{"place", row[1]})), r.when(row[3]), r.when(row[4]),
		})
	}
	places.More = len(stays) > r.Limit
	out.Tables = append(out.Tables, moves, places, t)
	return nil
}

// newestStates draws the lanes of the newest states. It returns these states, the oldest first, and the names of their
// places and of those in stays, which are rows of the query places.
func (r *Report) newestStates(ctx context.Context, stays [][]rdf.Term, out *ReportSection) (list []*state, names termNames, err error) {
	if _, err := r.names(ctx); err != nil {
		return nil, nil, err
	}
	rows, err := r.rows(ctx, "states")
	if err != nil {
		return nil, nil, err
	}
	list = readStates(rows)
	out.Newest = len(list) > r.Limit
	list = list[:min(len(list), r.Limit)]
	slices.Reverse(list)
	names = termNames{}
	names.add(placeWords, rows, 2)
	names.add(placeWords, stays, 1)
	names = names.distinct(r.Ages)
	return list, names, r.lanes(ctx, out, list, names)
}

// moves returns the table of when robots changed their places, the newest first.
func (r *Report) moves(ctx context.Context, names termNames) (ReportTable, error) {
	t := r.table("moves", "Moves", "No robot changed its place.", "Time", "Robot", "From", "To")
	rows, err := r.rows(ctx, "moves")
	if err != nil {
		return t, err
	}
	var found [][]rdf.Term
	for i, row := range rows { // robot, time, place: in the order of robots and times
		if i > 0 && row[0] == rows[i-1][0] && row[2] != rows[i-1][2] {
			found = append(found, []rdf.Term{row[1], row[0], rows[i-1][2], row[2]})
		}
	}
	slices.SortStableFunc(found, func(a, b []rdf.Term) int {
		x, _ := views.TimeOf(a[0])
		y, _ := views.TimeOf(b[0])
		return y.Compare(x)
	})
	t.More = len(found) > r.Limit
	for _, f := range found[:min(len(found), r.Limit)] {
		t.Rows = append(t.Rows, []ReportCell{r.when(f[0]), r.who(f[1]), names.used(f[2]), names.used(f[3])})
	}
	return t, nil
}

// readStates returns the states in rows, in their order, without those whose time can't be read. The rows hold time,
// robot, place, the name, value and unit of a property, and the state. A state has a row for each property.
func readStates(rows [][]rdf.Term) []*state {
	var out []*state
	at := map[string]*state{}
	for _, row := range rows {
		key := row[6].String() + row[0].String()
		s := at[key]
		if s == nil {
			when, ok := views.TimeOf(row[0])
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
		p := property{name: row[3].Value(), value: row[4].Value(), unit: row[5].Value(), key: seriesKey(row[4])}
		if f, err := strconv.ParseFloat(p.value, 64); err == nil && row[4].IsLiteral() {
			p.value, p.number = strconv.FormatFloat(f, 'f', -1, 64), true
		}
		switch p.unit {
		case "": // no unit
		case "PERCENT":
			p.unit = "\u00a0%"
		default:
			p.unit = " " + p.unit
		}
		if !slices.Contains(s.properties, p) {
			s.properties = append(s.properties, p)
		}
	}
	return out
}
