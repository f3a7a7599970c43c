package report

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// lanesEach is how many properties of a robot have a lane; the table has all.
const lanesEach = 3

// unlogged is the pause from which a robot's state is not known: its log ended before it.
const unlogged = time.Hour

// lane is what held of a robot over time, one value after the other.
type lane struct {
	robot rdf.Term
	what  string
	parts []stay
}

// stay is how long a value held: until to, when another came or the log ended; the last
// state that had it was at last.
type stay struct {
	from, last, to time.Time
	key, value     string
}

// put adds the value of a state at a time. The robot's log goes on until then.
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

// lanes draws the states, which are in the order of time: a lane for a robot's place, and
// one for each of the first of its properties that are words. A state ends with the next
// of its robot, and where the robot's log ends.
func (r *Report) lanes(ctx context.Context, out *views.ReportSection, list []*state, called calling) error {
	if len(list) == 0 {
		return nil
	}
	known, err := r.firstSeen(ctx, "state-names")
	if err != nil {
		return err
	}
	logs, err := r.logs(ctx, list)
	if err != nil {
		return err
	}
	lanes := collect(list, logs, called)
	slices.SortStableFunc(lanes, func(a, b *lane) int { return strings.Compare(r.name(a.robot), r.name(b.robot)) })
	out.Span = views.Period{From: list[0].at, To: list[0].at}
	shown, names := map[string][]string{}, map[string]string{}
	for _, l := range lanes {
		for _, p := range l.parts {
			if p.to.After(out.Span.To) {
				out.Span.To = p.to
			}
			shown[l.what] = append(shown[l.what], p.key)
			names[p.key] = p.value
		}
	}
	out.Span.To = out.Span.To.Add(max(time.Second, out.Span.To.Sub(out.Span.From)/50)) // so that the last is seen
	numbers := map[string]series{}
	for _, what := range slices.Sorted(maps.Keys(shown)) {
		numbers[what] = newSeries(known[what], shown[what])
		out.Legends = append(out.Legends, views.Legend{What: what, List: numbers[what].legend(func(key string) string { return names[key] })})
	}
	for _, l := range lanes {
		out.Lanes = append(out.Lanes, r.drawn(l, numbers[l.what], out.Span))
	}
	return nil
}

// collect makes the lanes.
func collect(list []*state, logs map[string]log, called calling) []*lane {
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
			put(s, "place", seriesKey(s.place), called.of(s.place))
		}
		for _, p := range s.properties {
			if !p.number {
				put(s, p.name, p.key, p.value)
			}
		}
	}
	return all
}

// log is when a robot logged anything: periods in order, with pauses of more than
// unlogged between them.
type log []views.Period

// logs returns the logs of the robots of some states, which are in the order of time,
// from the first of those on.
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
		first, ok := moments(row[1])
		last, also := moments(row[2])
		if ok && also && all[key] != nil {
			all[key] = append(all[key], views.Period{From: first, To: last})
		}
	}
	for key, l := range all {
		all[key] = l.join()
	}
	return all, nil
}

// join joins periods that no pause separates.
func (l log) join() log {
	slices.SortFunc(l, func(a, b views.Period) int { return a.From.Compare(b.From) })
	var out log
	for _, p := range l {
		n := len(out)
		if n == 0 || p.From.Sub(out[n-1].To) > unlogged {
			out = append(out, p)
		} else if p.To.After(out[n-1].To) {
			out[n-1].To = p.To
		}
	}
	return out
}

// end returns until when the log goes on that was written at a time.
func (l log) end(at time.Time) time.Time {
	for _, p := range l {
		if !p.From.After(at) && !p.To.Before(at) {
			return p.To
		}
	}
	return at
}

// drawn returns a lane as it is shown. A part leads to the states that it is made of.
func (r *Report) drawn(l *lane, numbers series, span views.Period) views.Lane {
	const form = "2006-01-02 15:04:05"
	out := views.Lane{Who: r.name(l.robot), What: l.what}
	at := func(t time.Time) float64 { return 100 * float64(t.Sub(span.From)) / float64(span.To.Sub(span.From)) }
	for _, p := range l.parts {
		query := r.between("states", p.from, p.last.Add(time.Microsecond))
		if !l.robot.IsBlank() {
			query += "VALUES ?robot { " + l.robot.String() + " }\n"
		}
		out.Parts = append(out.Parts, views.LanePart{
			From: at(p.from), To: at(p.to), Series: numbers[p.key], Value: p.value, Href: link(query),
			Title: p.value + ", " + p.from.UTC().Format(form) + " to " + p.to.UTC().Format(form),
		})
	}
	return out
}
