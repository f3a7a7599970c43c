package reports

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// lanesEach is how many properties of a robot have a lane; the table has all.
const lanesEach = 3

// unlogged is the pause after which a robot's state is unknown: its log ended before the
// pause.
const unlogged = 10 * time.Minute

// lane holds a robot's values over time, one after the other.
type lane struct {
	robot rdf.Term
	what  string
	parts []stay
}

// stay is the interval of one value, up to the next value or the end of the log. last is
// the time of the last state with it.
type stay struct {
	from, last, to time.Time
	key, value     string
}

// put adds the value of a state to a lane. The state lasts until the robot's next one, or at most until the robot
// pauses, at until.
func (l *lane) put(at, until time.Time, key, value string) {
	if n := len(l.parts); n > 0 {
		last := &l.parts[n-1]
		goesOn := !last.to.Before(at)
		if goesOn && last.key == key {
			last.last, last.to = at, until
			return
		}
		if goesOn {
			last.to = at
		}
	}
	l.parts = append(l.parts, stay{from: at, last: at, to: until, key: key, value: value})
}

// lanes draws the states, which are sorted by time: a lane for a robot's place, and one
// for each of the first properties with word values. A state ends with the robot's next
// one or with its log.
func (r *Report) lanes(ctx context.Context, out *ReportSection, list []*state, places termNames) error {
	if len(list) == 0 {
		return nil
	}
	logs, err := r.logs(ctx, list)
	if err != nil {
		return err
	}
	lanes := collect(list, logs, places)
	slices.SortStableFunc(lanes, func(a, b *lane) int { return strings.Compare(r.name(a.robot), r.name(b.robot)) })
	var periods []views.Period
	shown, names := map[string][]string{}, map[string]string{}
	for _, l := range lanes {
		for _, p := range l.parts {
			periods = append(periods, views.Period{From: p.from, To: p.to})
			shown[l.what] = append(shown[l.what], p.key)
			names[p.key] = p.value
		}
	}
	out.Scale = NewScale(periods, true).in(r.zone())
	numbers := map[string]series{}
	for _, what := range slices.Sorted(maps.Keys(shown)) {
		numbers[what] = newSeries(shown[what]).plain()
		out.Legends = append(out.Legends, Legend{What: what, List: numbers[what].legend(func(key string) string { return names[key] })})
	}
	for _, l := range lanes {
		out.Lanes = append(out.Lanes, r.drawn(l, numbers[l.what], out.Scale))
	}
	return nil
}

// collect makes the lanes of states: for each robot one for its place, and one for each of the first lanesEach
// properties whose values are words.
func collect(list []*state, logs map[string]log, places termNames) []*lane {
	var all []*lane
	put := func(s *state, what, key, value string) {
		i := slices.IndexFunc(all, func(l *lane) bool { return l.robot == s.robot && l.what == what })
		if i < 0 {
			n := 0
			for _, l := range all {
				if l.robot == s.robot && l.what != "place" {
					n++
				}
			}
			if n >= lanesEach && what != "place" {
				return
			}
			all, i = append(all, &lane{robot: s.robot, what: what}), len(all)
		}
		all[i].put(s.at, logs[s.robot.String()].end(s.at), key, value)
	}
	for _, s := range list {
		if !s.place.IsZero() {
			put(s, "place", seriesKey(s.place), places.of(s.place))
		}
		for _, p := range s.properties {
			if !p.number {
				put(s, p.name, p.key, p.value)
			}
		}
	}
	return all
}

// log is the periods in which a robot logged anything, in order. Pauses between them
// exceed unlogged.
type log []views.Period

// logs returns when each robot in list logged without a long pause. list is sorted by time; nothing before its first
// state is read.
func (r *Report) logs(ctx context.Context, list []*state) (map[string]log, error) {
	rows, err := r.Ask(ctx, r.between("logged", list[0].at, r.To))
	if err != nil {
		return nil, err
	}
	all := map[string]log{}
	for _, s := range list {
		key := s.robot.String()
		all[key] = append(all[key], views.Period{From: s.at, To: s.at})
	}
	for _, row := range rows {
		key := row[0].String()
		first, ok := views.TimeOf(row[1])
		last, also := views.TimeOf(row[2])
		if ok && also && all[key] != nil {
			all[key] = append(all[key], views.Period{From: first, To: last})
		}
	}
	for key, l := range all {
		all[key] = l.join()
	}
	return all, nil
}

// join merges periods without a long pause between them.
func (periods log) join() log {
	slices.SortFunc(periods, func(a, b views.Period) int { return a.From.Compare(b.From) })
	var out log
	for _, p := range periods {
		n := len(out)
		if n == 0 || p.From.Sub(out[n-1].To) > unlogged {
			out = append(out, p)
		} else if p.To.After(out[n-1].To) {
			out[n-1].To = p.To
		}
	}
	return out
}

// end returns the end of the log period that contains a time.
func (l log) end(at time.Time) time.Time {
	for _, p := range l {
		if !p.From.After(at) && !p.To.Before(at) {
			return p.To
		}
	}
	return at
}

// drawn returns the view model of a lane. Each part links to its states.
func (r *Report) drawn(l *lane, numbers series, scale Scale) Lane {
	out := Lane{Who: r.name(l.robot), What: l.what}
	for _, p := range l.parts {
		to := r.address("states", p.from, p.last.Add(time.Microsecond), binding{"robot", l.robot})
		out.Parts = append(out.Parts, LanePart{
			From: 100 * scale.At(p.from), To: 100 * scale.At(p.to), Series: numbers[p.key], Value: p.value, Href: to,
			Title: quoted.Value(p.value) + ", " + r.in(p.from).Format(views.TimeForm) + " to " + r.in(p.to).Format(views.TimeForm),
		})
	}
	return out
}
