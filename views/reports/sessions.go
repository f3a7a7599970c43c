package reports

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

const (
	// sessionRows is how many rows about activities a list of sessions is made from: the
	// newest in the range. A session that has more is read with up to mostSessionRows.
	sessionRows     = 10_000
	mostSessionRows = 16 * sessionRows
	// resultsPerRow limits the messages, emotions and decisions counted for such a list.
	resultsPerRow = 4
	// LongestReplay is the longest range of a replay.
	LongestReplay = 7 * 24 * time.Hour
)

// Summary is a session as lists show it.
type Summary struct {
	Session
	People                                []rdf.Term // in order of first appearance
	Messages, Emotions, Decisions, Shared int        // Shared counts events logged by several robots
	Overlaps                              bool       // another session was at the same time
	Early, Late                           bool       // it began earlier or ended later than what was read
	// Since and Until are the range of its replay: whole seconds, unless the list's range
	// ends within one.
	Since, Until time.Time
}

// Path returns the address of the session's replay. It names the robots only if the times
// alone do not tell the session from another one.
func (s Summary) Path() string { return s.PathAt(time.Time{}) }

// PathAt returns the address of a session's replay at a time, unless that is the zero time. Of a session that is
// longer than LongestReplay it is the part around the time, or the first.
func (s Summary) PathAt(at time.Time) string {
	from, to, left := s.Since, s.Until, url.Values{}
	if to.Sub(from) > LongestReplay {
		if middle := at.Add(-LongestReplay / 2).Truncate(time.Second); !at.IsZero() && middle.After(from) {
			from = middle
		}
		if from.Add(LongestReplay).Before(to) {
			to = from.Add(LongestReplay)
		} else {
			from = to.Add(-LongestReplay)
		}
	}
	if s.Early || from.After(s.Since) {
		left.Add("left", "before")
	}
	if s.Late || to.Before(s.Until) {
		left.Add("left", "after")
	}
	values := url.Values{"from": {from.Format(time.RFC3339Nano)}, "to": {to.Format(time.RFC3339Nano)}, "left": left["left"]}
	for _, robot := range s.Robots {
		if s.Overlaps && robot.IsIRI() {
			values.Add("robot", robot.Value())
		}
	}
	path := "/replay?" + readable.Replace(values.Encode())
	if !at.IsZero() {
		path += "&t=" + url.QueryEscape(at.Format(time.RFC3339Nano))
	}
	return path
}

// Sessions is a list of sessions.
type Sessions struct {
	List []Summary // newest first
	Gap  time.Duration
	// Before is the end of the range that has the sessions before those of List; zero if
	// there are none.
	Before time.Time
	Cut    bool // messages, emotions or decisions are missing from the counts
}

// Sessions returns the newest sessions in the report's range. It reads at most
// sessionRows rows about activities. Without a Gap the data suggests one. A session that
// may begin before what was read is left to the next list, unless it is the only one.
func (r *Report) Sessions(ctx context.Context) (*Sessions, error) {
	key := fmt.Sprintf("sessions %v %v %v", r.From.UnixMicro(), r.To.UnixMicro(), r.Gap)
	return kept(r, key, func() (*Sessions, error) { return r.readSessions(ctx) })
}

// SessionAt returns the session at a time, or else the nearest one; nil if there is none. The list of sessions may
// do; or else it reads ever more activities around the time, until the session is whole.
func (r *Report) SessionAt(ctx context.Context, at time.Time) (*Summary, error) {
	near := *r
	near.From, near.To = time.Time{}, at.Add(12*time.Hour).Truncate(time.Hour)
	list, err := near.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	best := list.nearest(at)
	if best != nil {
		whole := !best.Early && near.To.Sub(best.To) > list.Gap // it does not go on after what was read
		noneBefore := !at.Before(list.Before)
		noneAfter := best.away(at) < near.To.Sub(at) || !at.Before(r.Now) // what was not read is farther away
		if whole && noneBefore && noneAfter {
			return best, nil
		}
	}
	for rows := sessionRows / 2; ; rows *= 4 {
		key := fmt.Sprintf("around %v %v %v", at.UnixMicro(), rows, r.Gap)
		if list, err = kept(r, key, func() (*Sessions, error) { return r.around(ctx, at, rows) }); err != nil {
			return nil, err
		}
		best = list.nearest(at)
		if best == nil || !best.Early && !best.Late || rows > mostSessionRows/4 { // there is none, it is whole, or that is enough
			return best, nil
		}
	}
}

// around returns the sessions of the activities before and after a time, from at most the given number of rows each.
func (r *Report) around(ctx context.Context, at time.Time, rows int) (*Sessions, error) {
	near := *r
	near.Limit, near.From, near.To = rows, time.Time{}, at.Add(time.Microsecond)
	before, earlier, err := near.limited(ctx, "sessions")
	if err != nil {
		return nil, err
	}
	near.From, near.To = near.To, time.Time{}
	after, later, err := near.limited(ctx, "sessions-later")
	if err != nil {
		return nil, err
	}
	p, out, err := r.summarize(ctx, append(before, after...))
	if err != nil || p == nil {
		return out, err
	}
	oldest, newest := p.span()
	p.list(out, oldest, false)
	for i := range out.List {
		s := &out.List[i]
		s.Early = earlier && s.From.Sub(oldest) <= out.Gap
		s.Late = later && newest.Sub(p.moments[s.Members[len(s.Members)-1]].At) <= out.Gap
	}
	return out, nil
}

// nearest returns the session at a time, or the nearest one.
func (l *Sessions) nearest(at time.Time) (best *Summary) {
	for i := range l.List {
		if s := &l.List[i]; best == nil || s.away(at) < best.away(at) {
			best = s
		}
	}
	return best
}

// away returns how far a time is outside a session.
func (s Summary) away(at time.Time) time.Duration {
	return max(0, s.From.Sub(at), at.Sub(s.To))
}

// sessionParts is what the queries return about some activities.
type sessionParts struct {
	from, to time.Time // of the list's range; zero if open
	moments  []Moment
	number   map[rdf.Term]int // index in moments, by activity
	events   [][]rdf.Term     // of each moment
	messages []int
	feelings []int
	decided  []bool
	people   map[string]person
}

// readSessions returns the newest sessions. It reads ever more activities until one session is whole.
func (r *Report) readSessions(ctx context.Context) (*Sessions, error) {
	most := *r
	for most.Limit = sessionRows; ; most.Limit *= 4 {
		rows, more, err := most.limited(ctx, "sessions")
		if err != nil {
			return nil, err
		}
		p, out, err := r.summarize(ctx, rows)
		if err != nil || p == nil {
			return out, err
		}
		oldest, _ := p.span()
		p.list(out, oldest, more)
		if n := len(out.List); n == 0 || !out.List[n-1].Early || most.Limit >= mostSessionRows {
			return out, nil
		}
	}
}

// summarize reads what sessions of some rows about activities are made of. It returns a list
// without sessions, and no parts if no row has a time.
func (r *Report) summarize(ctx context.Context, rows [][]rdf.Term) (parts *sessionParts, list *Sessions, err error) {
	out := &Sessions{Gap: r.Gap}
	people, err := r.names(ctx)
	if err != nil {
		return nil, nil, err
	}
	parts = &sessionParts{number: map[rdf.Term]int{}, people: people, from: r.From, to: r.To}
	for _, row := range rows {
		parts.activity(row)
	}
	if len(parts.moments) == 0 {
		return nil, out, nil
	}
	most := *r
	oldest, newest := parts.span()
	most.From, most.To, most.Limit = oldest, newest.Add(time.Microsecond), resultsPerRow*max(len(rows), sessionRows)
	for _, q := range []struct {
		name string
		add  func(int, []rdf.Term)
	}{{"session-messages", parts.message}, {"session-emotions", parts.feeling}, {"session-decisions", parts.decision}} {
		found, cut, err := most.limited(ctx, q.name)
		if err != nil {
			return nil, nil, err
		}
		out.Cut = out.Cut || cut
		seen := map[[2]rdf.Term]bool{}
		for _, row := range found {
			i, ok := parts.number[row[0]]
			if key := [2]rdf.Term{row[0], row[len(row)-1]}; ok && !seen[key] {
				seen[key] = true
				q.add(i, row)
			}
		}
	}
	if out.Gap <= 0 {
		out.Gap = NaturalGap(parts.moments)
	}
	return parts, out, nil
}

// activity adds a row of sessions: start, end, activity, robot, event and person. An activity with several events has
// several rows.
func (p *sessionParts) activity(row []rdf.Term) {
	start, ended, activity, robot, event, person := row[0], row[1], row[2], row[3], row[4], row[5]
	at, ok := views.TimeOf(start)
	if !ok {
		return
	}
	i, known := p.number[activity]
	if !known {
		i = len(p.moments)
		p.number[activity] = i
		end, _ := views.TimeOf(ended)
		p.moments = append(p.moments, Moment{At: at, End: end, Robot: robot})
		p.events, p.messages, p.feelings, p.decided = append(p.events, nil), append(p.messages, 0), append(p.feelings, 0), append(p.decided, false)
	}
	if event.IsIRI() && !slices.Contains(p.events[i], event) {
		p.events[i] = append(p.events[i], event)
	}
	p.with(i, event, person)
}

// with adds events and people to a moment.
func (p *sessionParts) with(i int, terms ...rdf.Term) {
	for _, t := range terms {
		if m := &p.moments[i]; t.IsIRI() && t != m.Robot && !slices.Contains(m.With, t) {
			m.With = append(m.With, t)
		}
	}
}

func (p *sessionParts) message(i int, row []rdf.Term) { p.messages[i]++; p.with(i, row[1]) }

func (p *sessionParts) feeling(i int, row []rdf.Term) { p.feelings[i]++; p.with(i, row[1]) }

func (p *sessionParts) decision(i int, _ []rdf.Term) { p.decided[i] = true }

// span returns the first and the last time of the moments.
func (p *sessionParts) span() (oldest, newest time.Time) {
	for i, m := range p.moments {
		if i == 0 || m.At.Before(oldest) {
			oldest = m.At
		}
		if i == 0 || m.At.After(newest) {
			newest = m.At
		}
	}
	return oldest, newest
}

// list fills in the sessions. If there is more before the oldest moment, it leaves out
// those that may begin there, and sets Before. If all may, it keeps the newest one, and marks it as Early.
func (p *sessionParts) list(out *Sessions, oldest time.Time, more bool) {
	all := Split(p.moments, out.Gap)
	early := false
	if more {
		whole := slices.DeleteFunc(slices.Clone(all), func(s Session) bool { return s.From.Sub(oldest) <= out.Gap })
		if early = len(whole) == 0; early {
			whole = all[len(all)-1:]
		}
		all, out.Before = whole, whole[0].From
	}
	var latest time.Time
	for i, s := range all {
		x := p.summary(s)
		x.Early = early
		if len(s.Robots) == 0 && len(x.People) == 0 {
			continue // such as the training of a model
		}
		earlier := len(out.List) > 0 && s.From.Before(latest) // one that began earlier goes on
		later := i+1 < len(all) && all[i+1].From.Before(x.Until)
		x.Overlaps = earlier || later
		if len(out.List) == 0 || x.Until.After(latest) {
			latest = x.Until
		}
		out.List = append(out.List, x)
	}
	slices.Reverse(out.List)
}

// summary counts what happened in a session, within the range of the report.
func (p *sessionParts) summary(s Session) Summary {
	out := Summary{Session: s, Since: s.From.UTC().Truncate(time.Second), Until: s.To.UTC().Truncate(time.Second).Add(time.Second)}
	if !p.from.IsZero() && out.Since.Before(p.from) {
		out.Since = p.from
	}
	if !p.to.IsZero() && out.Until.After(p.to) {
		out.Until = p.to
	}
	saw := map[rdf.Term]rdf.Term{} // the first robot of each event
	shared := map[rdf.Term]bool{}
	for _, i := range s.Members {
		m := p.moments[i]
		out.Messages += p.messages[i]
		out.Emotions += p.feelings[i]
		if p.decided[i] {
			out.Decisions++
		}
		for _, w := range m.With {
			who, known := p.people[w.String()]
			if known && !who.robot && !slices.Contains(out.People, w) {
				out.People = append(out.People, w)
			}
		}
		for _, event := range p.events[i] {
			if first, ok := saw[event]; !ok {
				saw[event] = m.Robot
			} else if first != m.Robot {
				shared[event] = true
			}
		}
	}
	out.Shared = len(shared)
	return out
}
