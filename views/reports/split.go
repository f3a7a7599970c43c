package reports

import (
	"cmp"
	"slices"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// Moment is a logged activity, as Split sees it.
type Moment struct {
	At    time.Time  // its start
	End   time.Time  // the zero time if unknown
	Robot rdf.Term   // who performed it; zero if unknown
	With  []rdf.Term // the people it involves and the events it is about
}

// Session is a period in which robots and people were active together.
type Session struct {
	From, To time.Time // start of its first activity, end of its last
	Members  []int     // indexes of its moments, in order of time
	Robots   []rdf.Term
}

// Split groups moments into sessions, oldest first. Two moments belong to one session if
// they share a robot, a person or an event and are at most gap apart, or if such moments
// connect them. So robots that are apart have sessions of their own, also at the same time.
// A session ends at most gap after its last start.
func Split(list []Moment, gap time.Duration) []Session {
	order := inOrder(list)
	leads := make([]int, len(list)) // to an earlier moment of the same session, or to itself
	root := func(i int) int {
		for leads[i] != i {
			leads[i] = leads[leads[i]]
			i = leads[i]
		}
		return i
	}
	last := map[rdf.Term]int{}
	for _, i := range order {
		leads[i] = i
		for _, key := range append([]rdf.Term{list[i].Robot}, list[i].With...) {
			if key.IsZero() && len(list[i].With) > 0 { // moments of no robot are together only if nobody else connects them
				continue
			}
			if before, ok := last[key]; ok && list[i].At.Sub(list[before].At) <= gap {
				leads[root(i)] = root(before)
			}
			last[key] = i
		}
	}
	var out []Session
	number := map[int]int{}
	for _, i := range order {
		n, ok := number[root(i)]
		if !ok {
			n = len(out)
			number[root(i)] = n
			out = append(out, Session{From: list[i].At, To: list[i].At})
		}
		out[n].take(i, list[i])
	}
	for i := range out {
		latest := list[out[i].Members[len(out[i].Members)-1]].At
		if limit := latest.Add(gap); out[i].To.After(limit) {
			out[i].To = limit
		}
	}
	return out
}

// take adds the next moment of a session.
func (s *Session) take(i int, m Moment) {
	s.Members = append(s.Members, i)
	for _, t := range []time.Time{m.At, m.End} {
		if !t.IsZero() && t.After(s.To) {
			s.To = t
		}
	}
	if !m.Robot.IsZero() && !slices.Contains(s.Robots, m.Robot) {
		s.Robots = append(s.Robots, m.Robot)
	}
}

// inOrder returns the indexes of moments in order of time.
func inOrder(list []Moment) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return list[a].At.Compare(list[b].At) })
	return order
}

// Gaps are the gaps that a reader can choose, and that NaturalGap chooses from.
var Gaps = []time.Duration{
	time.Minute, 2 * time.Minute, 3 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

const (
	// usualGap is the gap if the data suggests none.
	usualGap = 10 * time.Minute
	// Silences outside these bounds count as that long, so that neither seconds within a
	// conversation nor a year without robots decide.
	shortestSilence, longestSilence = 15 * time.Second, 24 * time.Hour
	// clearJump is how many times longer the silences above a gap must be than those
	// below it.
	clearJump = 2.0
)

// NaturalGap returns the gap that separates sessions most clearly: of Gaps, the one for
// which the shortest silence of a robot above it is the largest multiple of the longest
// silence below it. Without a clear one it returns ten minutes.
func NaturalGap(list []Moment) time.Duration {
	var silences []time.Duration
	last := map[rdf.Term]time.Time{}
	for _, i := range inOrder(list) {
		m := list[i]
		if before, ok := last[m.Robot]; ok {
			silences = append(silences, min(max(m.At.Sub(before), shortestSilence), longestSilence))
		}
		last[m.Robot] = m.At
	}
	slices.Sort(silences)
	best, clearest, off := usualGap, clearJump, 0.0
	for _, gap := range Gaps {
		// The first silence above the gap.
		at, _ := slices.BinarySearchFunc(silences, gap, func(s, gap time.Duration) int { return cmp.Compare(s, gap+1) })
		if at == len(silences) {
			break
		}
		below, above := shortestSilence, silences[at]
		if at > 0 {
			below = silences[at-1]
		}
		jump := float64(above) / float64(below)
		// Within one jump, the gap nearest to its middle separates best.
		from := max(float64(gap)/float64(below), float64(above)/float64(gap))
		if jump > clearest || jump == clearest && from < off {
			best, clearest, off = gap, jump, from
		}
	}
	return best
}
